"""Write src/dalembert/__init__.pyi from the catalog and the exports.

    python tools/stub.py          write it
    python tools/stub.py --check  exit 1 if it is not up to date

The package finds its names when they are first used, which no editor can follow; the stub tells
mypy and pyright what is there: `da.simulat` is an error, and so is a kernel without an input.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType

import dalembert as da

TARGET = Path(__file__).parents[1] / "src" / "dalembert" / "__init__.pyi"
HEAD = """\
# Written by tools/stub.py from the catalog and the exports: do not edit.

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .catalog.table import Quantity as Quantity
from .plan import LoopPlan
from .runtime.kernel import Kernel as Kernel
"""
TYPES = {
    "m": "Mechanism",
    "method": "str | None",
    "check": "bool",
    "out": "Array | tuple[Array, ...] | None",
    "parameters": "Mapping[str, ArrayLike] | None",
    "frame": "str | None",
    "rows": "str | Sequence[str | int] | None",
    "given": "Sequence[str | int]",
    "weights": "ArrayLike | None",
    "branch": "int | Sequence[int]",
    "wrench_on_environment": "Mapping[str, ArrayLike] | None",
    "wrench_on_body": "Mapping[str, ArrayLike] | None",
}


def result(row: object) -> str:
    """Return the type of what a quantity gives."""
    return "Array" if len(row.outputs) == 1 else "tuple[Array, ...]"  # type: ignore[attr-defined]


def written(p: inspect.Parameter) -> str:
    """Return a parameter with its type."""
    kind = TYPES.get(p.name)
    if p.default is inspect.Parameter.empty:
        return f"{p.name}: {kind or 'ArrayLike'}"
    return f"{p.name}: {kind or type(p.default).__name__} = ..."


def function(row: object) -> str:
    """Return the function of a quantity."""
    name = row.name  # type: ignore[attr-defined]
    given = inspect.signature(getattr(da, name)).parameters.values()
    first = [written(p) for p in given if p.kind is not p.KEYWORD_ONLY]
    rest = [written(p) for p in given if p.kind is p.KEYWORD_ONLY]
    lines = "".join(f"    {x},\n" for x in [*first, "*", *rest])
    return f"def {name}(\n{lines}) -> {result(row)}: ...\n"


def kernels() -> str:
    """Return a class of kernels, and an overload of `compile`, for each list of inputs."""
    kinds: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for row in da.catalog():
        kinds.setdefault((tuple(row.inputs), result(row)), []).append(row.name)
    classes, overloads = [], []
    for n, ((inputs, made), names) in enumerate(kinds.items(), 1):
        lines = "".join(f"        {x}: ArrayLike,\n" for x in inputs)
        classes.append(
            f"class _Kernel{n}(Kernel):\n    def __call__(  # type: ignore[override]\n"
            f"        self,\n{lines}        /,\n        *,\n"
            "        out: Array | tuple[Array, ...] | None = ...,\n"
            "        parameters: Mapping[str, ArrayLike] | None = ...,\n"
            f"    ) -> {made}: ...\n"
        )
        literal = "".join(f'        "{name}",\n' for name in names)
        overloads.append(
            "@overload\ndef compile(\n    m: Mechanism,\n    quantity: Literal[\n"
            f"{literal}    ],\n    method: str | None = ...,\n    *,\n"
            f"    wrench: Literal[False] = ...,\n{options()}) -> _Kernel{n}: ...\n"
        )
    overloads.append(
        "@overload\ndef compile(\n    m: Mechanism,\n    quantity: str,\n"
        f"    method: str | None = ...,\n    *,\n    wrench: bool = ...,\n{options()})"
        " -> Kernel: ...\n"
    )
    return "\n".join([*classes, *overloads])


def options() -> str:
    """Return the options of `compile`, those of the catalog among them."""
    rows = [
        "threads: int = ...",
        "parameters: Sequence[str] | None = ...",
        "plan: LoopPlan | None = ...",
        "wrt: Sequence[str] | None = ...",
        "packed: bool = ...",
        'dtype: Literal["float64", "float32"] = ...',
        'layout: Literal["rows", "tiles"] = ...',
        'reduce: Literal["max", "sum", "norm"] | None = ...',
        "single: bool = ...",
    ]
    known = {name: value for row in da.catalog() for name, value in row.options.items()}
    for name, value in sorted(known.items()):
        rows.append(f"{name}: {TYPES.get(name) or type(value).__name__} = ...")
    return "".join(f"    {row},\n" for row in rows)


def text() -> str:
    """Return the stub."""
    imports, modules = [], []
    for name, module in da.EXPORTS.items():
        if name in da.QUANTITIES or name == "compile":
            continue
        if isinstance(getattr(da, name), ModuleType):
            modules.append(f"from . import {name} as {name}\n")
        else:
            place = "." + module.removeprefix("dalembert.")
            imports.append(f"from {place} import {name} as {name}\n")
    parts = [
        HEAD + "".join([*sorted(modules), *sorted(imports)]),
        "Array: TypeAlias = NDArray[np.float64]\n"
        "QUANTITIES: tuple[str, ...]\nEXPORTS: dict[str, str]\n__version__: str\n",
        kernels(),
        *map(function, da.catalog()),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(TARGET.read_text(encoding="utf-8") != text() and "run: python tools/stub.py")
    TARGET.write_text(text(), encoding="utf-8")
