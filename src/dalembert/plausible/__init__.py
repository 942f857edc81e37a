"""Whether the mass data of a robot can be those of its bodies, and whether it matters."""
