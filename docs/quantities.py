"""Write quantities.md, the page of all quantities, from the catalog: python docs/quantities.py."""

from pathlib import Path

import dalembert as da

HEAD = """# Quantities

Each is a function `da.<name>(m, inputs..., method=None, check=True)`, a kernel
`da.compile(m, "<name>")` and a command `dalembert eval MODEL <name>`. The first method is the
default. With closed loops `inverse_dynamics` and `forward_dynamics` are those of the motors,
in the order of `m.active`. This page is written by `docs/quantities.py`.

| quantity | what it is | inputs | outputs | methods | unit | options |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page as Markdown."""
    lines = []
    for row in da.catalog():
        options = ", ".join(f"`{key}={value!r}`" for key, value in row.options.items())
        outputs = ", ".join(name for name, _ in row.outputs)
        inputs, methods = ", ".join(row.inputs), ", ".join(row.methods)
        cells = [f"`{row.name}`", row.summary, inputs, outputs, methods, row.unit, options]
        lines.append("| " + " | ".join(cells) + " |")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
