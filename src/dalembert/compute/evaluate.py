"""One function per quantity, `evaluate` behind all of them: a kept kernel, called and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..catalog import QUANTITIES, Quantity, quantity
from ..errors import ComputationError
from ..mechanism import Mechanism, freed
from .describe import docstring, gathered, signature, spot
from .kernels import kernel_of
from .model import forced, model_of
from .rotations import check_rotations
from .wrenches import external_wrench


def evaluate(
    m: Mechanism,
    name: str,
    *inputs: Any,
    method: str | None = None,
    check: bool = True,
    out: Any = None,
    parameters: Mapping[str, Any] | None = None,
    wrench_on_environment: Any = None,
    wrench_on_body: Any = None,
    **options: Any,
) -> Any:
    """Return a quantity at one state or at many (leading dimensions broadcast).

    Inputs stand in order or are named: `evaluate(m, "mass_matrix", q=[0.1, 0.2])`.
    """
    m = _with_parameters(model_of(m, name, name), parameters)
    if options:
        from ..runtime import check_call

        check_call(name, options)
    wrench = external_wrench(m, wrench_on_environment, wrench_on_body)
    row = quantity(name, m)
    inputs = gathered(row, inputs, options)
    if "branch" in options:
        from .legs import needs_following
        from .platform import followed

        if needs_following(options):
            return followed(m, name, inputs, **options)
    asked = tuple(sorted(set(parameters or ()) - set(m.open_parameters))) or None
    settings = {"parameters": asked, "wrench": wrench is not None, **options}
    settings |= _one_state(inputs) if wrench is None and not parameters else {}
    kernel = kernel_of(m, name, method, **settings)
    if check:
        check_rotations(m, name, dict(zip(row.inputs[:1], inputs[:1], strict=False)))
    given = (*inputs, wrench) if wrench is not None else inputs
    if row.planned:
        from .loops import answered, require_motors_make_it, require_one_motion
        from .replan import Outputs

        own = m if "plan" in options else forced(m, row)
        get = partial(kernel_of, own, name, method, **settings)
        run = partial(answered, own, row, get) if check else Outputs.of
        result = run(kernel, given, parameters).result
        if check:
            check_finite(m, name, kernel, given, result)
            kept = {k: x for k, x in options.items() if k == "drives"}
            again = partial(evaluate, m, parameters=parameters, **kept,
                            wrench_on_environment=wrench)  # fmt: skip
            require_motors_make_it(m, row, again, inputs, result)
            moved = partial(evaluate, m, parameters=parameters)  # motions know nothing of forces
            require_one_motion(m, row, moved, inputs, "plan" in options)
        return result if out is None else _written(out, result)
    others = {k: x for k, x in (("out", out), ("parameters", parameters)) if x is not None}
    result = kernel(*given, **others)  # without keywords a kernel is entered directly
    if check:
        _check_state(m, row, inputs, parameters, options)
        check_finite(m, name, kernel, given, result)
    return result


def _with_parameters(m: Mechanism, parameters: Mapping[str, Any] | None) -> Mechanism:
    """Return the mechanism that takes these parameters; closed ones are planned with the first."""
    if not parameters:
        return freed(m, ())
    from .designs import at_first

    return at_first(freed(m, parameters), parameters)


def _one_state(inputs: Sequence[Any]) -> dict[str, bool]:
    """Return the setting of one state: code for batches waits until a batch is asked for."""
    import numpy

    try:
        return {"single": True} if all(numpy.ndim(x) == 1 for x in inputs) else {}
    except ValueError:  # rows of unequal length, which the kernel tells
        return {}


def _check_state(
    m: Mechanism, row: Quantity, inputs: Any, parameters: Any, options: dict[str, Any]
) -> None:
    """Raise the error of a state at which a quantity has no meaning."""
    if (m.loops or m.couplings) and row.inputs == ("q",) and not row.opens:
        from .loops import check_closed

        residual = evaluate(m, "closure", inputs[0], parameters=parameters, check=False)
        check_closed(m, row, residual, parameters)
    if row.regular:
        from ..plan.singular import check_cartesian

        check_cartesian(m, inputs[0], options.get("frame"), parameters)
    if "branch" in row.options:
        from .legs import check_reached, note_branch

        if "branch" not in options and not parameters:
            note_branch(m, row.name)
        check_reached(m, row.name, partial(evaluate, m, parameters=parameters), inputs, options)
    if "steer" in row.inputs:
        from ..plan.kane import check_positions

        check_positions(m, inputs[0], inputs[row.inputs.index("steer")], parameters)


def _written(out: Any, result: Any) -> Any:
    """Return the caller's arrays, filled with the results."""
    for target, found in zip(arrays_of(out), arrays_of(result), strict=True):
        target[...] = found
    return out


def arrays_of(result: Any) -> tuple[Any, ...]:
    """Return the outputs of a kernel as a tuple."""
    return result if isinstance(result, tuple) else (result,)


def check_finite(m: Mechanism, name: str, kernel: Any, inputs: Sequence[Any], result: Any) -> None:
    """Raise ComputationError when a result is not finite, naming the joint and the first state."""
    import numpy

    arrays = arrays_of(result)
    if all(numpy.isfinite(a).all() for a in arrays):
        return
    for port, value in zip(kernel.inputs, inputs, strict=True):
        bad = numpy.argwhere(~numpy.isfinite(numpy.asarray(value, dtype=float)))
        if len(bad):
            raise ComputationError(
                f"{name}: input {port.name!r} is not finite{spot(m, name, port, bad[0])}",
                hint="check=False returns nan instead",
                command="every number must be finite",
            )
    from ..plan.kane import explain_speeds

    explain_speeds(m, kernel, inputs, arrays)
    for port, array in zip(kernel.outputs, arrays, strict=False):
        bad = numpy.argwhere(~numpy.isfinite(array))
        if len(bad):
            raise ComputationError(
                f"{name}: {port.name} is not finite{spot(m, name, port, bad[0])}",
                hint="the state may be singular or out of range; check=False returns nan instead",
                command="the state may be singular or out of range",
            )


def _make(row: Quantity) -> Callable[..., Any]:
    def function(m: Mechanism, *inputs: Any, **options: Any) -> Any:
        return evaluate(m, row.name, *inputs, **options)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = docstring(row)
    function.__signature__ = signature(row)  # type: ignore[attr-defined]
    return function


def __getattr__(name: str) -> Any:
    """Return the public function of a quantity, made when it is first asked for."""
    if name not in QUANTITIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, _make(QUANTITIES[name]))
