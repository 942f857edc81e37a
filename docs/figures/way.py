"""Draw the way from a description to code (way.svg) and the tree of errors (errors.svg)."""

from __future__ import annotations

import inspect
from html import escape
from pathlib import Path

import dalembert as da

HERE = Path(__file__).parent
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
    'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="14">\n'
    '<rect width="{w}" height="{h}" fill="#ffffff"/>\n'
)
BLUE, GREEN, GREY = "#4472b8", "#4d9960", "#666f7f"


def box(x: int, y: int, w: int, title: str, text: str, colour: str = BLUE) -> str:
    """Return a box with a title and a line below it."""
    return (
        f'<rect x="{x}" y="{y}" width="{w}" height="52" rx="8" fill="none" stroke="{colour}" '
        f'stroke-width="2"/>\n<text x="{x + 12}" y="{y + 22}" font-weight="bold">{escape(title)}'
        f'</text>\n<text x="{x + 12}" y="{y + 41}" font-size="12" fill="{GREY}">{escape(text)}'
        "</text>\n"
    )


def arrow(x: int, y: int, to_x: int, to_y: int, word: str = "") -> str:
    """Return an arrow, with a word above its middle."""
    line = (
        f'<path d="M{x} {y} L{to_x} {to_y}" stroke="{GREY}" stroke-width="1.5" fill="none" '
        'marker-end="url(#tip)"/>\n'
    )
    at = f'x="{(x + to_x) // 2}" y="{(y + to_y) // 2 - 7}"'
    told = f'<text {at} text-anchor="middle" font-size="12" fill="{GREY}">{word}</text>\n'
    return line + (told if word else "")


TIP = (
    f'<defs><marker id="tip" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
    f'<path d="M0 0 L9 4 L0 8 z" fill="{GREY}"/></marker></defs>\n'
)


def way() -> str:
    """Return the way from a description to results."""
    out = HEAD.format(w=900, h=330) + TIP
    out += box(20, 140, 190, "description", "URDF, table, phrase, ...")
    out += arrow(210, 166, 290, 166, "da.load")
    out += box(290, 140, 190, "Mechanism", "bodies, joints, loops")
    out += arrow(480, 166, 640, 42) + box(640, 16, 240, "equations", "da.equations: to read", GREEN)
    out += arrow(480, 166, 640, 123) + box(640, 97, 240, "kernel", "da.compile: to call", GREEN)
    out += arrow(480, 166, 640, 204) + box(640, 178, 240, "code", "da.export: to build in", GREEN)
    out += arrow(480, 166, 640, 285)
    out += box(640, 259, 240, "motion, pages", "da.simulate, save_html", GREEN)
    said = ("one algorithm in plain Python,", "run on symbols and on numbers")
    for k, line in enumerate(said):
        at = f'x="295" y="{222 + 18 * k}"'
        out += f'<text {at} font-size="12" fill="{GREY}">{line}</text>\n'
    return out + "</svg>\n"


def errors() -> str:
    """Return the tree of exceptions as the package has it, each with its first sentence."""
    found = [v for n in da.__all__ if inspect.isclass(v := getattr(da, n))]
    classes = [c for c in found if issubclass(c, BaseException)]
    rows: list[tuple[int, type]] = []

    def add(one: type, depth: int) -> None:
        rows.append((depth, one))
        for child in classes:
            if child.__bases__[0] is one:
                add(child, depth + 1)

    add(da.DalembertError, 0)
    out = HEAD.format(w=900, h=30 * len(rows) + 20)
    places: dict[type, int] = {}
    for k, (depth, one) in enumerate(rows):
        x, y = 20 + 30 * depth, 30 * (k + 1)
        places[one] = y
        if depth:
            up = places[one.__bases__[0]]
            path = f"M{x - 20} {up + 8} V{y - 5} H{x - 4}"
            out += f'<path d="{path}" stroke="{GREY}" stroke-width="1.5" fill="none"/>\n'
        said = (one.__doc__ or "").splitlines()[0]
        out += f'<text x="{x}" y="{y}" font-weight="bold">{one.__name__}</text>\n'
        out += f'<text x="270" y="{y}" font-size="12" fill="{GREY}">{escape(said)}</text>\n'
    return out + "</svg>\n"


if __name__ == "__main__":
    for name, text in (("way", way()), ("errors", errors())):
        (HERE / f"{name}.svg").write_text(text, encoding="utf-8")
