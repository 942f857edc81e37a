"""Models written as code in another language."""

from .write import LANGUAGES, export, files, language_of, writer

__all__ = [
    "LANGUAGES",
    "export",
    "files",
    "language_of",
    "writer",
]
