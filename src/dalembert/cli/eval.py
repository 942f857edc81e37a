"""dalembert eval: one quantity at one state."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.model import model_command, print_json
from dalembert.errors import DescriptionError, ParameterError, Place, UsageError, shown

if TYPE_CHECKING:
    import numpy as np

    from dalembert.catalog import Quantity
    from dalembert.mechanism import Mechanism

STATE = ("q", "qd", "qdd", "tau", "x")
PARTS = {
    "free": ("vx", "vy", "vz", "wx", "wy", "wz"),
    "planar": ("x", "y", "theta"),
    "spherical": ("wx", "wy", "wz"),
}
Q_PARTS = PARTS | {
    "free": ("px", "py", "pz", "x", "y", "z", "w"),
    "spherical": ("x", "y", "z", "w"),
}


def _state_option(name: str) -> Any:
    return click.option(
        f"--{name}", metavar="NUMBERS", help=f"{name} as 0.1,90deg,-pi/3 or @file.json."
    )


@model_command
@click.argument("name", metavar="QUANTITY")
@_state_option("q")
@_state_option("qd")
@_state_option("qdd")
@_state_option("tau")
@_state_option("x")
@click.option("--method", help="One of the quantity's methods; its first one by default.")
@click.option("--drives", type=click.Choice(["inertia", "all", "none"]), help="What drives add.")
@click.option("--frame", help="The frame of a kinematic quantity; the last one by default.")
@click.option("--axes", type=click.Choice(["base", "local"]), help="The axes of its components.")
@click.option("--given", metavar="JOINTS", help="Joints whose qdd is given (hybrid_dynamics).")
@click.option("--convention", help="classical or spatial, of a base acceleration.")
def command(mechanism: Mechanism, as_json: bool, name: str, **options: Any) -> None:
    """Compute QUANTITY of MODEL at one state; what is not given is zero and is echoed.

    \b
    Example:
      dalembert eval robot:puma560 inverse_dynamics --q 0,90deg,0,0,0,0 --qdd 1,0,0,0,0,0
    """
    from dalembert.catalog import algorithm, quantity
    from dalembert.compute import evaluate

    row = quantity(name, mechanism)
    method, _ = algorithm(row, options.pop("method"))
    inputs = _inputs(mechanism, row, {key: options.pop(key) for key in STATE})
    settings = _settings(row, options)
    if mechanism.open_parameters:
        names = [shown(n) for n in mechanism.open_parameters]
        more = f" and {len(names) - 12} more" if len(names) > 12 else ""
        raise ParameterError(
            "no value for parameter " + ", ".join(names[:12]) + more,
            hint=f"write: --set {names[0]}=...",
        )
    result = evaluate(mechanism, name, *inputs.values(), method=method, **settings)
    arrays = result if isinstance(result, tuple) else (result,)
    outputs = {port: a for (port, _), a in zip(row.outputs, arrays, strict=True)}
    if as_json:
        value = outputs if len(outputs) > 1 else arrays[0]
        echoed = {**inputs, **settings}
        print_json({"quantity": name, "method": method, "inputs": echoed, "value": value})
        return
    click.echo(f"{name} by {method} ({row.unit})")
    for line in _echo(mechanism, inputs, settings):
        click.echo(line)
    for port, array in outputs.items():
        click.echo(f"\n{port}")
        for line in lines(mechanism, array):
            click.echo(f"  {line}")


# -- what is given -------------------------------------------------------------------------------


def _inputs(
    m: Mechanism, row: Quantity, given: Mapping[str, str | None]
) -> dict[str, np.ndarray]:
    """Return the inputs of a quantity in order: as given, else zeros (unit quaternions)."""
    import numpy

    from dalembert.catalog import INPUT_SIZES
    from dalembert.compute import neutral

    # part of a vector, such as qdd_joints, is given by the option of the whole
    options = {key: key if key in given else key.split("_")[0] for key in row.inputs}
    for option, text in given.items():
        if text is not None and option not in options.values():
            takes = ", ".join(f"--{option}" for option in options.values())
            raise UsageError(f"{row.name} takes no {option}", hint=f"it takes {takes}")
    inputs = {}
    for key, option in options.items():
        text, size = given.get(option), INPUT_SIZES.get(key, lambda m: m.nv)(m)
        start = neutral(m) if key == "q" else numpy.zeros(size)
        array = start if text is None else numpy.array(numbers(text, f"--{option}"))
        if array.shape != (size,):
            names = labels(m, key == "q")[-size:] if size else []
            raise UsageError(
                f"--{option} has {len(array)} numbers, {size} are needed",
                hint="they stand for " + ", ".join(names[:12]),
            )
        inputs[key] = array
    return inputs


def numbers(text: str, option: str) -> list[float]:
    """Return the numbers of a comma-separated text, or of the JSON list in @file."""
    if text.startswith("@"):
        return _file(text[1:], option)
    from dalembert.expr import Graph
    from dalembert.expr.exact import to_float
    from dalembert.read.expressions import expression

    found = []
    for part in text.split(","):
        value = expression(part.strip(), Graph(), Place(option, 1, 1, part.strip()))
        if getattr(value, "names", tuple)():
            raise UsageError(f"{option}: {shown(part)!r} is not a number")
        found.append(to_float(value))
    return found


def _file(name: str, option: str) -> list[float]:
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise DescriptionError(f"{option}: no JSON in it: {error}", Place(name)) from None
    plain = isinstance(data, list) and all(
        isinstance(x, (int, float)) and not isinstance(x, bool) for x in data
    )
    if not plain:
        raise DescriptionError(f"{option}: a list of numbers is needed", Place(name))
    return [float(x) for x in data]


def _settings(row: Quantity, options: Mapping[str, Any]) -> dict[str, Any]:
    settings = {key: value for key, value in options.items() if value is not None}
    if "given" in settings:
        parts = [p.strip() for p in settings["given"].split(",") if p.strip()]
        settings["given"] = tuple(int(p) if p.isdecimal() else p for p in parts)
    for key in settings:
        if key not in row.options:
            known = ", ".join(f"--{k}" for k in row.options) or "none"
            raise UsageError(f"{row.name} has no option --{key}", hint=f"its options: {known}")
    return settings


# -- how it is shown -----------------------------------------------------------------------------


def labels(m: Mechanism, coordinates: bool = False) -> list[str]:
    """Return one name per velocity variable, or per coordinate."""
    from dalembert.mechanism import joint_name

    table, out = Q_PARTS if coordinates else PARTS, []
    for body in m.bodies:
        if body.joint.nv == 1:
            out.append(shown(joint_name(body), 40))
        elif body.joint.nv:
            out += [f"{shown(joint_name(body), 40)}.{part}" for part in table[body.joint.kind]]
    return out


def _echo(
    m: Mechanism, inputs: Mapping[str, np.ndarray], settings: Mapping[str, Any]
) -> list[str]:
    rows = [[key, *(f"{x + 0.0:.12g}" for x in array)] for key, array in inputs.items()]
    rows += [[key, str(value)] for key, value in settings.items()]
    wide = max((len(key) for key, *_ in rows), default=0)
    return [f"  {key.ljust(wide)}  {' '.join(cells)}" for key, *cells in rows]


def lines(m: Mechanism, array: np.ndarray) -> list[str]:
    """Return an array as aligned lines, joint or body names beside the numbers."""
    names = labels(m)
    if array.ndim == 0:
        return [f"{float(array):.12g}"]
    if array.ndim == 3:
        return _sparse(array)
    left = _names(m, array.shape[0])
    if array.ndim == 1:
        return _aligned([[name, f"{x + 0.0:.12g}"] for name, x in zip(left, array, strict=True)])
    cells = [[name, *(f"{x + 0.0:.6g}" for x in r)] for name, r in zip(left, array, strict=True)]
    if array.shape[1] == m.nv and array.shape != (4, 4):
        cells.insert(0, ["", *names])
    return _aligned(cells)


def _names(m: Mechanism, size: int) -> list[str]:
    if size == m.nv:
        return labels(m)
    if m.active and size == len(m.active):
        return [shown(name, 40) for name in m.active]
    if size == len(m.bodies):
        return [shown(b.name, 40) for b in m.bodies]
    return {3: ["x", "y", "z"], 6: ["x", "y", "z", "rx", "ry", "rz"]}.get(size, [""] * size)


def _sparse(array: np.ndarray) -> list[str]:
    import numpy

    found = [
        f"({', '.join(str(k + 1) for k in at)}) = {array[tuple(at)]:.12g}"
        for at in numpy.argwhere(array != 0)
    ]
    return found or ["all zero"]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    wide = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in rows
    ]
