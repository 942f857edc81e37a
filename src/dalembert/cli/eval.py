"""dalembert eval: one quantity at one state."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .. import QUANTITIES
from ..catalog.axes import Output, labels_of
from ..display import aligned
from ..errors import ComputationError, UsageError, shown
from .model import (
    drives_option,
    echo_notes,
    model_command,
    perhaps_degrees,
    print_json,
    with_left_out,
    without_mass,
)
from .state import NAMED_NUMBERS, coordinates, rates
from .values import INPUT, WORDS, WRENCH, joint, numbers, option, several

if TYPE_CHECKING:
    from ..catalog import Quantity
    from ..mechanism import Mechanism

STATE = {
    "q": "Coordinates",
    "qd": "Velocities",
    "qdd": "Accelerations",
    "tau": "Joint forces",
    "x": "Accelerations and forces of hybrid_dynamics",
}


def _state_option(name: str) -> Any:
    example = "10,-2.5" if name in ("tau", "x") else "0.1,90deg,-pi/3"
    return option(f"--{name}", NAMED_NUMBERS, f"{STATE[name]}: {example}, by name, or @file.json.")


@model_command
@with_left_out
@click.argument("name", metavar="QUANTITY")
@_state_option("q")
@_state_option("qd")
@_state_option("qdd")
@_state_option("tau")
@_state_option("x")
@several("--input others", INPUT, "Another input of the quantity: alpha=1,0; matrices row by row")
@option("--method", str, "One of the quantity's methods; its first one by default.")
@drives_option()
@option("--frame", str, "The frame of a kinematic quantity; by default the last that moves.")
@option("--axes", ("base", "local"), "The axes of the result; base by default.")
@option("--columns", ("standard", "base"), "Which parameters a regressor has; standard by default.")
@option("--given", WORDS, "Joints whose qdd is given (hybrid_dynamics).", metavar="JOINTS")
@option("--convention", str, "Kind of a base acceleration: classical or spatial.")
@several("--wrench wrenches", WRENCH, "Force and couple on a frame, at its origin, in its axes")
def command(mechanism: Mechanism, as_json: bool, name: str, **options: Any) -> None:
    """Compute QUANTITY of MODEL at one state.

    Inputs that you leave out are zero, or a pose that closes the loops. The result repeats them,
    with the motion of the joints that follow in loops.

    \b
    Example:
      dalembert eval robot:puma560 inverse_dynamics --q 0,90deg,0,0,0,0 --qdd 1,0,0,0,0,0
      dalembert eval robot:fourbar inverse_dynamics --q crank=40deg --qd crank=2
    """
    from ..catalog import algorithm, quantity
    from ..compute.model import model_of

    if name == "mobility":
        return _mobility(mechanism, coordinates(mechanism, options["q"], "--q"), as_json)
    mechanism = model_of(mechanism, "eval", name)
    row = quantity(name, mechanism)
    method, _ = algorithm(row, options.pop("method"))
    given = {key: options.pop(key) for key in STATE}
    inputs = _inputs(mechanism, row, given | dict(options.pop("others")))
    wrenches = dict(options.pop("wrenches"))
    settings = _settings(row, options)
    if method == "kinematics" and "frame" in row.options:
        settings.setdefault("frame", mechanism.end_frame)  # said, since it was not asked for
    arrays = _answer(mechanism, row, method, inputs, wrenches, settings)
    echo_notes(perhaps_degrees(mechanism, inputs.get("q") or ()))
    moved = _motion(mechanism, row, inputs)
    echo_notes(_led(mechanism, inputs, moved))
    inputs |= moved
    echo_notes(without_mass(mechanism) if method != "kinematics" else ())
    settings |= {f"wrench on {shown(frame)}": six for frame, six in wrenches.items()}
    outputs = {out.name: a for out, a in zip(row.outputs, arrays, strict=True)}
    ports = {out.name: out for out in row.outputs}
    if as_json:
        value = outputs if len(outputs) > 1 else arrays[0]
        echoed = {**inputs, **settings}
        print_json({"quantity": name, "method": method, "inputs": echoed, "value": value})
        return
    click.echo(f"{name} by {method} ({row.unit})")
    for line in _echo(inputs, settings):
        click.echo(line)
    for port, array in outputs.items():
        click.echo(f"\n{port}")
        for line in lines(mechanism, array, ports[port], settings):
            click.echo(f"  {line}")


command.epilog = "Quantities: " + ", ".join((*QUANTITIES, "mobility"))


def _answer(
    m: Mechanism, row: Quantity, method: str, inputs: Mapping[str, Any],
    wrenches: Mapping[str, Any], settings: Mapping[str, Any],
) -> Sequence[Any]:  # fmt: skip
    """Return the outputs as lists: from a kernel that is kept, else from one made now."""
    from ..compute import arrays_of, evaluate
    from ..compute.quick import quick

    if not wrenches:
        found = quick(m, row.name, [*inputs.values()], method, **settings)
        if found is not None:
            return found
    given = {"wrench_on_body": wrenches or None, **settings}
    result = evaluate(m, row.name, *inputs.values(), method=method, **given)
    return [array.tolist() for array in arrays_of(result)]


def _motion(m: Mechanism, row: Quantity, inputs: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return qd and qdd of all joints where loops or wheels decide some of them: motors lead."""
    asked = [key for key in ("qd", "qdd") if key in inputs]
    if not (m.active and row.planned and any(x for key in asked for x in inputs[key])):
        return {}
    import numpy as np

    from ..reference import in_floats

    told = [inputs[key] for key in ("steer", "steer_rate") if key in inputs]
    motion = [inputs["q"], inputs["qd"], inputs.get("qdd", [0.0] * m.nv), *told]
    try:
        made = in_floats(m, "tree_motion", None, [np.asarray([x], dtype=float) for x in motion])
    except ComputationError:  # at a pose where other joints lead
        return {}
    both = dict(zip(("qd", "qdd"), made, strict=False))
    return {k: both[k][0].tolist() for k in asked if np.isfinite(both[k]).all()}


def _led(m: Mechanism, inputs: Mapping[str, Any], moved: Mapping[str, list[float]]) -> list[str]:
    """Return a note where the joints cannot move as given; a zero is what is not given."""
    for key, made in moved.items():
        off = [abs(x - y) if y else 0.0 for x, y in zip(made, inputs[key], strict=True)]
        if max(off) > 1e-6 * (max(map(abs, made)) + max(map(abs, inputs[key]))):
            from ..plan import planned

            k = off.index(max(off))
            own = planned(m).independent
            led = ", ".join(shown(m.rate_names[i], 40) for i in own)
            led += " leads" if len(own) == 1 else " lead"
            return [
                f"{key} is not one motion of all joints: {led}, and "
                f"{shown(m.rate_names[k], 40)} has {made[k]:.6g}, not {inputs[key][k]:.6g}"
            ]
    return []


def _mobility(m: Mechanism, q: Sequence[float] | None, as_json: bool) -> None:
    """Print how many coordinates closed loops leave free: a count of the plan, not a function."""
    from ..plan import plan

    found = plan(m, q)
    if as_json:
        given = {} if q is None else {"q": q}
        value = found.mobility
        return print_json(
            {"quantity": "mobility", "method": "plan", "inputs": given, "value": value}
        )
    click.echo(f"mobility by plan\n\n  {found.mobility}\n\n{found}")


# -- what is given -------------------------------------------------------------------------------


def _inputs(m: Mechanism, row: Quantity, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a quantity in order: as given, else zeros; loops are closed."""
    from ..catalog.axes import input_port, input_shape, labels_of
    from ..runtime.plain import flat, nested

    # part of a vector, such as qdd_joints, is given by the option of the whole
    whole = {key: key.split("_")[0] for key in row.inputs}
    names = {key: w if w in STATE and key not in given else key for key, w in whole.items()}
    options = {key: f"--{n}" if n in STATE else f"--input {n}" for key, n in names.items()}
    for name, text in given.items():
        if text is not None and name not in names.values():
            takes = ", ".join(options.values())
            raise UsageError(f"{row.name} takes no {shown(name)}", hint=f"it takes {takes}")
    inputs = {}
    for key, named in options.items():
        text, shape = given.get(names[key]), input_shape(key, m)
        if text is None:
            start = [float(i == k) for i in range(4) for k in range(4)]
            start = start if shape == (4, 4) else [0.0] * math.prod(shape)
            inputs[key] = _rest(m, row) if key == "q" else nested(start, shape)
            continue
        if isinstance(text, Mapping) and key == "q":
            text = coordinates(m, text, named)
        elif isinstance(text, Mapping):
            text = rates(m, text, labels_of(input_port(key).axes[0], m), named)
        found = flat(numbers(text, named) if isinstance(text, str) else text)
        if len(found) != math.prod(shape):
            told = f"{len(found)} number{'s' * (len(found) != 1)}"
            needed = f"{named} has {told}, {math.prod(shape)} are needed"
            expected = list(map(shown, labels_of(input_port(key).axes[0], m)))
            same = len(expected) == math.prod(shape)
            hint = "they mean " + ", ".join(expected[:12]) if same else None
            raise UsageError(needed, hint=hint)
        inputs[key] = nested(found, shape)
    return inputs


def _rest(m: Mechanism, row: Quantity) -> list[float]:
    """Return the pose taken when none is given: rest, or closed where the quantity needs it."""
    if row.planned or (m.loops and "steer" in row.inputs):
        from ..plan.assembly import assemble

        return [*map(float, assemble(m))]
    return [float(x) for body in m.bodies for x in body.joint.neutral]


def _settings(row: Quantity, options: Mapping[str, Any]) -> dict[str, Any]:
    settings = {key: value for key, value in options.items() if value is not None}
    if "given" in settings:
        settings["given"] = tuple(map(joint, settings["given"]))
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


def _echo(inputs: Mapping[str, Any], settings: Mapping[str, Any]) -> list[str]:
    from ..runtime.plain import flat

    rows = [[key, *(f"{x + 0.0:.12g}" for x in flat(value))] for key, value in inputs.items()]
    rows += [[key, _plain(value)] for key, value in settings.items()]
    return aligned([["", key, " ".join(cells)] for key, *cells in rows], words=(0, 1, 2))


# -- arrays as nested lists, in aligned lines -----------------------------------------------------


def lines(
    m: Mechanism, values: Any, port: Output, settings: Mapping[str, Any] | None = None
) -> list[str]:
    """Return nested lists as aligned lines, with the names and units of their catalog row."""
    axes, shape = port.axes, _shape(values)
    if 0 in shape:
        return ["none"]
    if not shape:
        return [f"{values:.12g}"]
    if len(shape) == 3:
        return _sparse(values)
    corner = ""
    if axes[-1] == "parameter" and len(shape) == 2:
        # there are many parameters: one line for each
        values, axes, corner = [*zip(*values, strict=True)], axes[::-1], "transposed"
    options = settings or {}
    left = _names(m, axes[0], len(values), options)
    if len(shape) == 1:
        units = port.units(m, options)
        rows = [list(x) for x in zip(left, (f"{x + 0.0:.12g}" for x in values), units, strict=True)]
        return aligned(rows, words=(0, 2))
    cells = [[name, *(f"{x + 0.0:.6g}" for x in r)] for name, r in zip(left, values, strict=True)]
    top = _names(m, axes[1], len(values[0]), options)
    return aligned([[corner, *top], *cells] if any(top) else cells)


def _shape(values: Any) -> tuple[int, ...]:
    """Return the lengths of nested lists, from the outermost on."""
    if not isinstance(values, list):
        return ()
    return (len(values), *(_shape(values[0]) if values else ()))


def _names(m: Mechanism, axis: str | int, size: int, settings: Mapping[str, Any]) -> list[str]:
    """Return the names along one dimension; empty ones where it stands for nothing known."""
    found = [shown(name, 40) for name in labels_of(axis, m, settings)]
    return found if len(found) == size else [""] * size


def _sparse(values: Any) -> list[str]:
    found = [
        f"({i}, {j}, {k}) = {x:.12g}"
        for i, plane in enumerate(values, 1)
        for j, row in enumerate(plane, 1)
        for k, x in enumerate(row, 1)
        if x != 0
    ]
    return found or ["all zero"]
