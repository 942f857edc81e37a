"""dalembert eval: one quantity at one state."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert import QUANTITIES
from dalembert.cli.arrays import labels, lines
from dalembert.cli.model import model_command, parsed, parts_of, print_json
from dalembert.errors import DescriptionError, Place, UsageError, shown

if TYPE_CHECKING:
    import numpy as np

    from dalembert.catalog import Quantity
    from dalembert.mechanism import Mechanism

STATE = ("q", "qd", "qdd", "tau", "x")

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
@click.option(
    "--input",
    "others",
    metavar="NAME=NUMBERS",
    multiple=True,
    help="Another input of the quantity, as alpha=1,0; a matrix row by row.",
)
@click.option("--method", help="One of the quantity's methods; its first one by default.")
@click.option("--drives", type=click.Choice(["inertia", "all", "none"]), help="What drives add.")
@click.option("--frame", help="The frame of a kinematic quantity; the last one by default.")
@click.option("--axes", type=click.Choice(["base", "local"]), help="The axes of its components.")
@click.option(
    "--columns", type=click.Choice(["standard", "base"]), help="Parameters of a regressor."
)
@click.option("--given", metavar="JOINTS", help="Joints whose qdd is given (hybrid_dynamics).")
@click.option("--convention", help="classical or spatial, of a base acceleration.")
@click.option(
    "--wrench",
    "wrenches",
    metavar="FRAME=NUMBERS",
    multiple=True,
    help="Force and couple on a frame, at its origin, in its axes; may be repeated.",
)
def command(mechanism: Mechanism, as_json: bool, name: str, **options: Any) -> None:
    """Compute QUANTITY of MODEL at one state.

    What is not given is zero, or a pose that closes the loops, and is echoed.

    \b
    Example:
      dalembert eval robot:puma560 inverse_dynamics --q 0,90deg,0,0,0,0 --qdd 1,0,0,0,0,0
    """
    from dalembert.catalog import algorithm, quantity
    from dalembert.compute import evaluate

    if name == "mobility":
        return _mobility(mechanism, options["q"], as_json)
    row = quantity(name, mechanism)
    method, _ = algorithm(row, options.pop("method"))
    given = {key: options.pop(key) for key in STATE}
    inputs = _inputs(mechanism, row, given | _others(options.pop("others")))
    wrenches = _wrenches(options.pop("wrenches"))
    settings = _settings(row, options)
    result = evaluate(
        mechanism,
        name,
        *inputs.values(),
        method=method,
        wrench_on_body=wrenches or None,
        **settings,
    )
    settings |= {f"wrench on {shown(frame)}": six for frame, six in wrenches.items()}
    arrays = result if isinstance(result, tuple) else (result,)
    outputs = {port: a for (port, _), a in zip(row.outputs, arrays, strict=True)}
    shapes = dict(row.outputs)
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
        for line in lines(mechanism, array, shapes[port], settings):
            click.echo(f"  {line}")


command.epilog = "Quantities: " + ", ".join((*QUANTITIES, "mobility"))


def _mobility(m: Mechanism, pose: str | None, as_json: bool) -> None:
    """Print how many coordinates closed loops leave free: a count of the plan, not a function."""
    from dalembert.plan import plan

    q = None if pose is None else numbers(pose, "--q")
    found = plan(m, q)
    if as_json:
        given = {} if q is None else {"q": q}
        value = found.mobility
        return print_json(
            {"quantity": "mobility", "method": "plan", "inputs": given, "value": value}
        )
    click.echo(f"mobility by plan\n\n  {found.mobility}\n\n{found}")


# -- what is given -------------------------------------------------------------------------------


def _others(texts: Sequence[str]) -> dict[str, str]:
    given = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals):
            raise UsageError(
                f"--input {shown(text)}: a name and numbers are needed",
                hint="write: --input alpha=1,0",
            )
        given[name.strip()] = value
    return given


def _wrenches(texts: Sequence[str]) -> dict[str, list[float]]:
    found = {}
    for text in texts:
        frame, equals, value = text.partition("=")
        six = numbers(value, f"--wrench {shown(frame)}") if equals else []
        if len(six) != 6:
            raise UsageError(
                f"--wrench {shown(text)}: a frame and six numbers are needed",
                hint="write: --wrench tip=0,0,-5,0,0,0 (force, then couple)",
            )
        found[frame.strip()] = six
    return found


def _inputs(
    m: Mechanism, row: Quantity, given: Mapping[str, str | None]
) -> dict[str, np.ndarray]:
    """Return the inputs of a quantity in order: as given, else zeros; loops are closed."""
    import numpy

    from dalembert.catalog import INPUT_SIZES

    # part of a vector, such as qdd_joints, is given by the option of the whole
    whole = {key: key.split("_")[0] for key in row.inputs}
    names = {key: w if w in STATE and key not in given else key for key, w in whole.items()}
    options = {key: f"--{n}" if n in STATE else f"--input {n}" for key, n in names.items()}
    for name, text in given.items():
        if text is not None and name not in names.values():
            takes = ", ".join(options.values())
            raise UsageError(f"{row.name} takes no {shown(name)}", hint=f"it takes {takes}")
    inputs = {}
    for key, option in options.items():
        text, size = given.get(names[key]), INPUT_SIZES.get(key, lambda m: m.nv)(m)
        shape = size if isinstance(size, tuple) else (size,)
        if text is None:
            start = _rest(m, row) if key == "q" else numpy.zeros(shape)
            inputs[key] = numpy.eye(4) if shape == (4, 4) else start
            continue
        found = numpy.array(numbers(text, option))
        if found.size != math.prod(shape):
            needed = f"{option} has {found.size} numbers, {math.prod(shape)} are needed"
            expected = _labels(m, key)
            same = len(expected) == math.prod(shape)
            hint = "they stand for " + ", ".join(expected[:12]) if same else None
            raise UsageError(needed, hint=hint)
        inputs[key] = found.reshape(shape)
    return inputs


def _rest(m: Mechanism, row: Quantity) -> np.ndarray:
    """Return the pose taken when none is given: rest, or closed where the quantity needs it."""
    if row.planned or (m.loops and "steer" in row.inputs):
        from dalembert.plan.assembly import assemble

        return assemble(m)
    from dalembert.compute import neutral

    return neutral(m)


def _labels(m: Mechanism, key: str) -> list[str]:
    """Return what the numbers of an input stand for."""
    from dalembert.algorithms.velocity_constraints import prescribed_names
    from dalembert.plan.kane import kane_speeds

    if key == "alpha":
        return list(map(shown, kane_speeds(m)))
    if key in ("steer", "steer_rate"):
        return list(map(shown, prescribed_names(m)))
    if key == "traction":
        return [shown(w.name) for w in m.wheels]
    return labels(m, key == "q")


def numbers(text: str, option: str) -> list[float]:
    """Return the numbers of a comma-separated text, or of the JSON list in @file."""
    if text.startswith("@"):
        return _file(text[1:], option)
    from dalembert.expr.exact import to_float

    found = []
    for part, start in parts_of(text):
        value = parsed(part, option, text, start)
        names: Sequence[str] = getattr(value, "names", tuple)()
        if names:
            raise UsageError(
                f"{shown(part.strip())!r} is not a number",
                Place(option, 1, start + part.find(names[0]) + 1, text),
                hint="write numbers: 0.1, 90deg, -pi/3",
            )
        found.append(to_float(value))
    return found


def _file(name: str, option: str) -> list[float]:
    try:
        data = json.loads(Path(name).read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise DescriptionError(
            f"{option}: no JSON in it: {error}", Place(name), hint="write [0.1, 0.2]"
        ) from None
    plain = isinstance(data, list) and all(
        isinstance(x, (int, float)) and not isinstance(x, bool) for x in data
    )
    if not plain:
        raise DescriptionError(
            f"{option}: a list of numbers is needed", Place(name), hint="write [0.1, 0.2]"
        )
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


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(f"{x:.12g}" if isinstance(x, float) else str(x) for x in value)
    return str(value)


def _echo(
    m: Mechanism, inputs: Mapping[str, np.ndarray], settings: Mapping[str, Any]
) -> list[str]:
    rows = [[key, *(f"{x + 0.0:.12g}" for x in array.flat)] for key, array in inputs.items()]
    rows += [[key, _plain(value)] for key, value in settings.items()]
    wide = max((len(key) for key, *_ in rows), default=0)
    return [f"  {key.ljust(wide)}  {' '.join(cells)}" for key, *cells in rows]
