"""Programs as text: one dialect table per language, one shared walk."""
