"""Models written as code in another language."""

from .write import LANGUAGES, export, files, writer

__all__ = [
    "LANGUAGES",
    "export",
    "files",
    "writer",
]
