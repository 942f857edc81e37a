"""One published algorithm per file, each written once over an abstract scalar."""
