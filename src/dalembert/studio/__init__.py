"""The studio: a machine, its equations, its code and its motion on one local page."""

from .server import Studio, studio

__all__ = ["Studio", "studio"]
