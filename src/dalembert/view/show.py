"""Showing a page: inside a notebook, in a browser, or as a path if there is neither."""

from __future__ import annotations

import html
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..errors import shown
from ..mechanism import Mechanism
from .document import page, write

HEIGHT = 520  # pixels of a view in a notebook


class View:
    """A page that shows itself in a notebook; `save(path)` writes it."""

    def __init__(self, text: str, name: str, path: Path | None = None):
        self.text, self.name, self.path = text, name, path

    def save(self, path: str | Path) -> Path:
        """Return the path of the page after writing it."""
        return write(self.text, path)

    def __repr__(self) -> str:
        where = "" if self.path is None else f", {self.path}"
        return f"<View of {shown(self.name)}{where}>"

    def _repr_html_(self) -> str:
        inside = html.escape(self.text, quote=True)
        return (
            f'<iframe srcdoc="{inside}" style="width:100%;height:{HEIGHT}px;border:0;'
            'border-radius:10px" sandbox="allow-scripts allow-downloads"></iframe>'
        )


def in_notebook() -> bool:
    """Return whether a Jupyter kernel is running this program."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def show(
    m: Mechanism,
    q: Any = None,
    motion: dict[str, Any] | None = None,
    ghost: Mechanism | None = None,
    shapes: str | Path | None = None,
) -> View:
    """Return a view of a mechanism, after opening it where there is no notebook to hold it."""
    text = page(m, q, motion, ghost, shapes)
    if in_notebook():
        return View(text, m.name)
    descriptor, name = tempfile.mkstemp(prefix="dalembert-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    if not opened(Path(name).as_uri()):
        print("no browser opened here; the page is", file=sys.stderr)
        print(name)
    return View(text, m.name, Path(name))


def opened(address: str) -> bool:
    """Return whether a browser took the page; terminals without a screen have none."""
    if os.environ.get("DALEMBERT_BROWSER") == "off":
        return False
    headless = sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if headless:
        return False
    import webbrowser

    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


def save_html(
    m: Mechanism,
    path: str | Path,
    q: Any = None,
    motion: dict[str, Any] | None = None,
    ghost: Mechanism | None = None,
    shapes: str | Path | None = None,
) -> Path:
    """Return the path of a page of a mechanism after writing it."""
    return write(page(m, q, motion, ghost, shapes), path)
