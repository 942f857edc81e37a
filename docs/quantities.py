"""Write quantities.md, the page of all quantities, from the catalog: python docs/quantities.py."""

from collections.abc import Iterable
from pathlib import Path

import dalembert as da
from dalembert.catalog import Quantity
from dalembert.catalog.refused import REFUSED
from dalembert.catalog.table import CLOSED as INSTEAD

HEAD = """# Quantities

Each is a function `da.<name>(m, inputs..., method=None, check=True)`, a kernel
`da.compile(m, "<name>")` and a command `dalembert eval MODEL <name>`. Inputs are given in order or
by name, `q=...`; `help(da.<name>)` explains options and has an example. The first method
is the default. This page is written by `docs/quantities.py`.

| quantity | what it is | inputs | outputs | methods | unit | options |
|---|---|---|---|---|---|---|
"""

CLOSED = """
## With closed loops

These quantities have another meaning when loops close the tree. Motors are in the order of
`m.active`, independent joints in the order of the columns of `active_map`. Kinematics and
energies take the motion of all joints. Quantities that would describe the cut tree alone are
refused, and the error says what to use instead: {refused}. `m.tree`, the machine without
loops, wheels and constraints, has them.

"""


def page() -> str:
    """Return the page as Markdown."""
    refused = ", ".join(f"`{name}`" for name in REFUSED)
    columns = HEAD[HEAD.index("| quantity") :]
    return (
        HEAD
        + table(da.catalog())
        + CLOSED.format(refused=refused)
        + columns
        + table(INSTEAD.values())
    )


def table(rows: Iterable[Quantity]) -> str:
    """Return the rows of a table."""
    lines = []
    for row in rows:
        options = ", ".join(f"`{key}={value!r}`" for key, value in row.options.items())
        outputs = ", ".join(name for name, _ in row.outputs)
        inputs, methods = ", ".join(row.inputs), ", ".join(row.methods)
        cells = [f"`{row.name}`", row.summary, inputs, outputs, methods, row.unit, options]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
