"""What the function of a quantity says of itself: signature, text, example; and where it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Any

from ..catalog import QUANTITIES, Quantity, quantity
from ..catalog.axes import AXES, input_port, labels_of
from ..catalog.table import CLOSED
from ..errors import UsageError, shown, state_text
from ..mechanism import Mechanism

# what every quantity may be asked, after its own options
CALL: Mapping[str, Any] = {"method": None, "check": True, "out": None, "parameters": None}
WRENCHES: Mapping[str, Any] = {"wrench_on_environment": None, "wrench_on_body": None}


def signature(row: Quantity) -> Signature:
    """Return the signature of the function of a quantity, for `help` and for editors."""
    asked = {**row.options, **CALL, **(WRENCHES if row.wrenches else {})}
    return Signature(
        [
            *(Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in ("m", *row.inputs)),
            *(Parameter(n, Parameter.KEYWORD_ONLY, default=v) for n, v in asked.items()),
        ]
    )


# what other programs call an input
ELSEWHERE = {
    "v": "qd", "dq": "qd", "qdot": "qd", "a": "qdd", "ddq": "qdd", "qddot": "qdd",
    "torque": "tau", "torques": "tau", "u": "tau", "theta": "q", "angles": "q",
}  # fmt: skip


def gathered(row: Quantity, inputs: Sequence[Any], options: dict[str, Any]) -> tuple[Any, ...]:
    """Return the inputs in order; those that `options` names are taken out of it."""
    if len(inputs) == len(row.inputs) and not options:
        return tuple(inputs)
    # motor forces are `tau` as well as `tau_active`
    names = dict(zip(QUANTITIES[row.name].inputs, row.inputs, strict=False)) | {
        n: n for n in row.inputs
    }
    if len(inputs) == len(row.inputs) and not options.keys() & names.keys():
        return tuple(inputs)
    usage = f"{row.name}(m, {', '.join(row.inputs)})"
    if len(inputs) > len(row.inputs):
        takes = f"{len(row.inputs)} input{'s' if len(row.inputs) > 1 else ''}"
        extra = inputs[len(row.inputs)]
        if isinstance(extra, str):  # options, such as the frame, have names
            option = "method" if extra in row.methods else "frame"
            usage = f"{usage[:-1]}, {option}={shown(extra, 40)!r})"
        raise UsageError(f"{row.name} takes {takes}, not {len(inputs)}", hint=usage)
    known = dict(zip(row.inputs, inputs, strict=False))
    for given in [n for n in options if n in names]:
        if names[given] in known:
            raise UsageError(f"{row.name}: input {given!r} is given twice", hint=usage)
        known[names[given]] = options.pop(given)
    missing = [n for n in row.inputs if n not in known]
    if missing:
        which = f"input {missing[0]!r} is" if len(missing) == 1 else f"inputs {missing} are"
        other = [n for n in options if n in ELSEWHERE]
        told = f"; {other[0]!r} is {ELSEWHERE[other[0]]!r} here" if other else ""
        raise UsageError(f"{row.name}: {which} missing{told}", hint=usage)
    return tuple(known[n] for n in row.inputs)


# -- text --------------------------------------------------------------------------------------

ARM = "[0.1, -0.5, 0.4, 0.3, 0.6, 0.2]"
LEVEL = "[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.8], [0, 0, 0, 1]]"

# a ready robot -> what its quantities are given; other inputs are zeros(m.nv)
GIVEN: Mapping[str, Mapping[str, str]] = {
    "puma560()": {"q": ARM},
    "fivebar()": {"q": "da.assemble(m)"},
    "stewart()": {"pose": LEVEL, "twist": "zeros(6)", "twist_rate": "zeros(6)",
                  "forces": "[20, 20, 20, 20, 20, 20]"},
    "truck()": {"q": "[0, 0, 0.3, 0.1]", "alpha": "[2.0]", "steer": "[0.2]",
                "steer_rate": "[0.0]", "traction": "[100, 0, 0]"},
    "flexible2r()": {"q": "[0.1, 0, 0.2, 0]"},
    "flying_arm()": {"q": "da.neutral(m)", "qdd_joints": "[1, 0]", "tau_joints": "[0.1, 0]",
                     "base_acceleration": "zeros(6)"},
    "flying_arm().with_flexible_joints(100, 0.01)": {
        "q": "da.neutral(m)", "qdd_joints": "[1, 0, 0, 0]"},
}  # fmt: skip


def example(row: Quantity) -> str:
    """Return a session that computes a quantity of a ready robot."""
    robot = row.example
    given = [f"{n}={GIVEN[robot].get(n, 'zeros(m.nv)')}" for n in row.inputs]
    results = ", ".join(n + "_" * iskeyword(n) for n in (out.name for out in row.outputs))
    start = f">>> {results} = da.{row.name}("
    call = f"{start}m, {', '.join(given)})"
    if len(call) > 92:
        call = "".join([start, "\n...     m", *(f",\n...     {g}" for g in given), "\n... )"])
    zeros = ">>> from numpy import zeros\n" * ("zeros(" in call)
    return f">>> import dalembert as da\n{zeros}>>> m = da.robots.{robot}\n{call}"


OPTIONS: Mapping[str, str] = {
    "drives": '"inertia" counts rotors, "all" friction too, "none" neither',
    "frame": "a name of m.frames, by default the last that moves",
    "axes": '"base", or "local" for those of the frame',
    "rows": "which of vx vy vz wx wy wz, all by default",
    "given": "the joints whose x is an acceleration",
    "columns": '"standard", or "base" for the independent parameters',
    "convention": '"classical", or "spatial" for the rates of qd',
    "steps": "how many Newton steps close the loops first",
    "weights": "of the squared motor forces, whose sum is minimised if there are spare motors",
    "branch": "1 or -1, of all legs or of each: the side to which they bend",
}


def docstring(row: Quantity) -> str:
    """Return the docstring of the function of a quantity."""
    results = ", ".join(n for n in (out.name for out in row.outputs))
    said = row.summary.startswith(results)
    lines = [
        f"Return {row.summary if said else f'{results}: {row.summary}'}.",
        f"Unit: {row.unit}. Inputs may have leading dimensions, which broadcast.",
        f"Methods: {', '.join(row.methods)}.",
        *(f"{name}: {OPTIONS[name]}." for name in row.options),
        "check=False: return nan instead of an error where the result is not finite.",
        "parameters: {name: value} for the parameters that have no value.",
        "out: an array to write the result into.",
    ]
    if row.wrenches:
        lines.append(
            "wrench_on_environment: force and couple of each link on the environment, (bodies, 6) "
            "in link axes at its origin, or {frame: six numbers}; wrench_on_body is its negative."
        )
    if row.name in CLOSED:
        lines.append(_when_closed(CLOSED[row.name]))
    from textwrap import wrap

    paragraphs = ["\n".join(wrap(line, 92)) for line in lines[1:]]
    return "\n\n".join([lines[0], *paragraphs, example(row)])


def _when_closed(row: Quantity) -> str:
    """Return the paragraph on machines whose loops close the tree."""
    options = ", ".join(f"{k}={v!r}" for k, v in row.options.items())
    return (
        f"With closed loops it takes {', '.join(row.inputs)} and the options {options}: "
        f"{row.summary}. Methods there: {', '.join(row.methods)}."
    )


# -- where a number is -------------------------------------------------------------------------


def spot(m: Mechanism, name: str, port: Any, index: Sequence[int]) -> str:
    """Return ' at joint ..., state ...' for an index of an input or output of a quantity."""
    cut = len(index) - len(port.shape)
    state, own = tuple(map(int, index[:cut])), tuple(map(int, index[cut:]))
    kind, labels = _labels(m, name, port)
    if len(own) == 1 and labels:
        place = f" at {kind} {labels[own[0]]!r}"
    elif own:
        place = f" at entry {own if len(own) > 1 else own[0]}"
    else:
        place = ""
    return place + state_text(state)


def _labels(m: Mechanism, name: str, port: Any) -> tuple[str, Sequence[str]]:
    """Return (word, names) of a port's entries, for messages; ("", ()) if they have no names."""
    if name not in QUANTITIES or len(port.shape) != 1:
        return "", ()
    row = quantity(name, m)
    known = {out.name: out for out in row.outputs} | {n: input_port(n) for n in row.inputs}
    (axis,) = known[port.name].axes if port.name in known else (0,)
    labels = labels_of(axis, m, row.options)
    word = AXES[axis].word if isinstance(axis, str) else ""
    return (word, labels) if len(labels) == port.size and word else ("", ())


def check_steps(row: Quantity, steps: Any) -> None:
    """Raise UsageError for a number of Newton steps that is none."""
    if not isinstance(steps, int) or not 0 <= steps <= 100:
        raise UsageError(
            f"{row.name}: steps is a number of Newton steps from 0 to 100", hint="steps=8"
        )
