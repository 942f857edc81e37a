"""A notebook that begins where the page ended: the same machine, struck terms and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import shown
from .reduced import limits_of, struck

if TYPE_CHECKING:
    from ..mechanism import Mechanism


def notebook(m: Mechanism, given: Mapping[str, Any], moved: Mapping[str, Any]) -> str:
    """Return the text of a Jupyter notebook (format 4.5) of a machine.

    `moved` are parameters that are numbers on the page: in its equations they are numbers too.
    """
    from ..read import write

    text = write(m, "toml")[0]
    values = {n: float(x) for n, x in moved.items()}
    head = f"import dalembert as da\n\nTEXT = {_quoted(text)}\n"
    numbers = f".with_values(**{values!r})" if values else ""
    cells = [
        _cell("markdown", f"# {shown(m.name, 60)}\n\nMade in the studio. Run the cells in order."),
        _cell("code", f"{head}m = da.load(TEXT){numbers}\nm"),
        _cell("code", "m.show()"),
        _cell("code", "eq = da.equations(m)\neq"),
    ]
    names, tolerance = struck(given), float(given.get("tolerance") or 0.0)
    if names:
        cells.append(_cell("code", f"eq = eq.drop({names!r})\neq"))
    if tolerance > 0:
        line = f"small = eq.prune({{}}, {limits_of(given)!r}, {tolerance!r})\nsmall"
        cells.append(_cell("code", line))
    if not m.open_parameters:
        cells.append(_cell("code", 'k = da.compile(m, "inverse_dynamics")\nk'))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = {
        "cells": [{"id": f"cell-{k}", **cell} for k, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, indent=1)


def _quoted(text: str) -> str:
    """Return a Python text, whatever it holds; line by line where that is safe."""
    plain = "'''" not in text and "\\" not in text and not text.endswith("'")
    return f"'''\\\n{text}'''" if plain and text.isascii() else repr(text)


def _cell(kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": text}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
