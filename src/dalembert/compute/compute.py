"""Quantities as kernels and as plain calls: `compile`, and one function per quantity.

trace: mechanism bound to scalars -> frames re-chosen -> algorithm -> Function -> Program -> Kernel
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..algebra import Vec3
from ..algorithms.composite import composite
from ..algorithms.velocity_rows import with_told
from ..catalog import INPUT_SIZES, QUANTITIES, WRENCHED, Quantity, algorithm, quantity
from ..catalog.loops import CHECKS
from ..errors import ComputationError, ParameterError, SingularModel, UsageError
from ..expr import OPS, Function, Graph, Program, program, trace
from ..expr.arena import LEAVES, PAYLOAD
from ..expr.exact import to_float
from ..mechanism import Mechanism, joint_name
from ..plan import LoopPlan, planned
from ..plan.kane import check_cartesian, check_positions, explain_speeds, with_speeds
from ..reframe import simplify
from .cheapest import cheapest, has_choice
from .describe import check_steps, gathered, signature, spot, text
from .loops import check_made, closed_evaluate, cut_tree
from .model import model_of
from .slopes import check_wrt, kept_parameters, with_slopes
from .tangent import integrate, neutral
from .wrenches import external_wrench

LIGHTEN = frozenset(
    {"inverse_dynamics", "bias", "active_torques"}
)  # quantities that may gain from `regroup(lighten)`


def _options(row: Quantity, given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in row.options:
            known = ", ".join(row.options) or "none"
            raise UsageError(f"{row.name} has no option {name!r}", hint=f"its options: {known}")
    check_steps(row, given.get("steps", 0))
    # one joint may be given without brackets
    return {**row.options, **{k: (x,) if k == "given" and isinstance(x, (str, int)) else x
                              for k, x in given.items()}}  # fmt: skip


def run_time_parameters(m: Mechanism, asked: Sequence[str] | None) -> tuple[str, ...]:
    """Return the parameters a kernel takes at run time: the open ones, and those asked for."""
    names = [p.name for p in m.parameters]
    for name in asked or ():
        if name not in names:
            raise ParameterError(f"there is no parameter {name!r}", hint=", ".join(names[:20]))
    wanted = {*m.open_parameters, *(asked or ())}
    return tuple(n for n in names if n in wanted)


def _sizes(m: Mechanism, row: Quantity, wrench: bool) -> list[tuple[str, Any]]:
    sizes: list[tuple[str, Any]] = [
        (n, INPUT_SIZES[n](m) if n in INPUT_SIZES else m.nv) for n in row.inputs
    ]
    return [*sizes, ("wrench", (len(m.bodies), 6))] if wrench else sizes


def trace_quantity(
    m: Mechanism,
    name: str,
    method: str | None = None,
    *,
    parameters: Sequence[str] | None = None,
    wrench: bool = False,
    plan: LoopPlan | None = None,
    watch: Callable[[Mechanism, Graph], Mechanism] = lambda working, graph: working,
    **options: Any,
) -> Function:
    """Return the graph of a quantity: named inputs, parameters and outputs.

    With `wrench` the last input is the wrench each link exerts on the environment, (bodies, 6).
    With closed loops the last outputs are the closure residuals, the smallest pivot ratio and the
    certificate; `plan` is by default that of the generic branch. `watch` sees each mechanism
    that is traced, with its graph, and may replace it by an equal one.
    """
    row = quantity(name, m)
    if not row.planned and ("alpha" in row.inputs or "steer" in row.inputs):
        m = with_speeds(m)
    chosen, run = algorithm(row, method)
    settings = _options(row, options)
    if wrench and name not in WRENCHED:
        raise UsageError(f"{name} takes no external wrench", hint=", ".join(sorted(WRENCHED)))
    plan = (plan or planned(m)) if row.planned else None
    ends = (*row.outputs, *CHECKS) if row.planned else row.outputs
    outputs = [(n, shape(m, {**settings, "plan": plan})) for n, shape in ends]
    sizes = _sizes(m, row, wrench)

    def record(prepare: Callable[[Mechanism], Mechanism]) -> Function:
        graph = Graph()
        names = run_time_parameters(m, parameters)
        for parameter in names:  # their order in the graph is their order in the mechanism
            graph.param(parameter)
        baked = {k: v for k, v in m.values.items() if k not in names}
        bound = m.bound(baked, graph)
        start: tuple[Any, ...] = (watch(prepare(bound.unfolded), graph),)
        extra = dict(settings)
        if plan is not None:
            # loop points stand in the frames as described, the tree's dynamics may choose its own
            start = (bound, plan)
            if "drives" in settings:
                extra["tree"] = prepare(cut_tree(bound))

        def body(*inputs: Sequence[Any]) -> Any:
            acting = {"wrenches": _wrenches(inputs[-1])} if wrench else {}
            return run(*_told(row, start, inputs[: len(row.inputs)]), **acting, **extra)

        return trace(body, sizes, name=name, outputs=outputs, graph=graph)

    if wrench or chosen not in (row.default, "composite") or _as_described(m, row):
        return record(lambda x: x)
    best = record(simplify)
    if name in LIGHTEN and len(m.bodies) <= 100 and not best.parameters:
        other = record(partial(simplify, lighten=True))
        best = min((best, other), key=_work)
    return best


def _told(row: Quantity, start: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return what an algorithm takes; what is prescribed is told to the mechanism of a plan."""
    if not (row.planned and "steer" in row.inputs):
        return [*start, *inputs]
    *state, angles, rates = inputs
    return [with_told(start[0], angles, rates), *start[1:], *state]


def _as_described(m: Mechanism, row: Quantity) -> bool:
    """Return whether frames must stay: points of springs stand in them; loops keep their own."""
    return not row.planned and (not row.frame_free or bool(m.springs))


def _wrenches(flat: Sequence[Any]) -> dict[int, tuple[Vec3, Vec3]]:
    return {
        j: (Vec3(*flat[6 * j : 6 * j + 3]), Vec3(*flat[6 * j + 3 : 6 * j + 6]))
        for j in range(len(flat) // 6)
    }


def _work(function: Function) -> int:
    """Return the weight of the operations of a Function without parameters."""
    graph = function.graph
    ops = Counter(graph.op[i] for i in graph.live(function.results))
    if PAYLOAD.intersection(ops):
        cost = program(function).cost["step"]
        return cost.mul + cost.add + 20 * cost.div
    weight = {"mul": 1, "add": 1, "div": 20}
    return sum(weight.get(OPS[op].kind, 0) * n for op, n in ops.items() if op not in LEAVES)


def program_of(m: Mechanism, name: str, method: str | None = None, **options: Any) -> Program:
    """Return the Program of a quantity (see `trace_quantity` for the options)."""
    row = quantity(name, m)
    wrt = check_wrt(m, row.inputs, options.pop("wrt", None) or ())
    options["parameters"] = kept_parameters(m, options.get("parameters"), wrt)
    names = run_time_parameters(m, options["parameters"])
    function = trace_quantity(m, name, method, **options)
    if wrt:
        function = with_slopes(m, function, wrt, len(row.outputs))
    try:
        return program(function, names)
    except ZeroDivisionError:  # a pivot that is zero in every state
        raise _singular(m, name) from None


def _singular(m: Mechanism, name: str) -> SingularModel:
    """Return the error that names the joint which moves least inertia, whatever the state."""
    import numpy

    known = f"{name}: the model is singular in every state"
    hint = "give a body a mass or an inertia, or a joint a rotor inertia"
    if m.open_parameters or not m.nv:
        return SingularModel(known, hint=hint)
    rng, m = numpy.random.default_rng(0), m.unfolded
    M = numpy.array(
        composite(m.bound(), list(integrate(m, neutral(m), rng.uniform(-1, 1, m.nv)))), dtype=float
    )
    least = numpy.abs(numpy.linalg.eigh(M)[1][:, 0])
    owner = [joint_name(b) for b in m.bodies for _ in range(b.joint.nv)]
    joint = owner[int(numpy.argmax(least > 0.99 * least.max()))]
    return SingularModel(f"{known}: joint {joint!r} moves no inertia", hint=hint)


def compile(
    m: Mechanism,
    quantity: str,
    method: str | None = None,
    *,
    threads: int = 1,
    parameters: Sequence[str] | None = None,
    wrench: bool = False,
    plan: LoopPlan | None = None,
    wrt: Sequence[str] | None = None,
    packed: bool = False,
    dtype: str = "float64",
    layout: str = "rows",
    reduce: str | None = None,
    **options: Any,
) -> Any:
    """Return the compiled kernel of a quantity: `k(q, qd, qdd, out=None, parameters=None)`.

    Parameters without a value, and those named in `parameters`, are given at each call (a named one
    has its value if it is not); the others are compiled in. `options` are those of the catalog row:
    `drives`, `frame`, `axes`, `given`. `wrt` names inputs and parameters: exact derivatives by
    them, `dtau_dq`, `dtau_dL1`, are further outputs.

    A kernel that is `packed` gives each distinct value that is not zero in every state once;
    `k.unpack(x)` makes whole arrays of them. `dtype="float32"` computes in single precision,
    `layout="tiles"` takes and gives states in lanes (`k.to_tiles`, `k.from_tiles`), `reduce`
    gives the largest size ("max"), the sum ("sum") or the root of the sum of squares ("norm") of
    each result over the states of the last leading dimension.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(0.5); body 1: M = 2, D = (0.5, 0, 0);")
    >>> k = da.compile(m, "inverse_dynamics")
    >>> k([0.0], [0.0], [1.0])
    array([0.5])
    """
    from ..runtime import Form, check_loops, compile_program

    form = Form(packed, dtype, layout, reduce)
    m = model_of(m, "compile")
    row = _row_of(m, quantity)
    chosen = method or (row.default if row else None)
    settings = {k: options[k] for k in sorted(options)}
    if row is not None and row.planned:
        check_loops(quantity, form)
        plan = plan or planned(m)
    key = repr((m.digest, m.values, quantity, chosen, parameters, wrench, settings, wrt))
    key += repr(plan) if plan is not None else ""
    asked = {"parameters": parameters, "wrench": wrench, "plan": plan, "wrt": wrt}
    make = partial(program_of, m, quantity, method, **asked, **options)
    if has_choice(m, row, method, wrench):
        make, key = partial(cheapest, program_of, m, quantity, **asked, **options), key + "cheapest"
    if row is None or set(options) - set(row.options):
        make()  # raises the error that names what is wrong
    names = run_time_parameters(m, kept_parameters(m, parameters, wrt))
    known = {n: to_float(m.values[n]) for n in names if n in m.values}
    return compile_program(make, key=key, threads=threads, defaults=known, form=form)


def _row_of(m: Mechanism, name: str) -> Quantity | None:
    return quantity(name, m) if name in QUANTITIES else None


# -- one function per quantity -----------------------------------------------------------------


class _Kernels:
    """The kernels of this process, the least recently used forgotten first."""

    def __init__(self, limit: int = 256):
        self.limit, self.lock = limit, threading.Lock()
        self.kept: OrderedDict[Any, Any] = OrderedDict()

    def get(self, m: Mechanism, name: str, method: str | None, **settings: Any) -> Any:
        key = (m.digest, name, method, repr(sorted(settings.items())), repr(m.values))
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        kernel = compile(m, name, method, **settings)
        with self.lock:
            self.kept[key] = kernel
            while len(self.kept) > self.limit:
                self.kept.popitem(last=False)
        return kernel


_KERNELS = _Kernels()


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
    m = model_of(m, name)
    if options:
        from ..runtime import check_call

        check_call(name, options)
    wrench = external_wrench(m, wrench_on_environment, wrench_on_body)
    row = _row_of(m, name)
    if row is not None:
        inputs = gathered(row, inputs, options)
    asked = tuple(sorted(set(parameters or ()) - set(m.open_parameters))) or None
    settings = {"parameters": asked, "wrench": wrench is not None, **options}
    kernel = _KERNELS.get(m, name, method, **settings)
    given = (*inputs, wrench) if wrench is not None else inputs
    if row is not None and row.planned:
        get = partial(_KERNELS.get, m, name, method, **settings)
        result = closed_evaluate(m, name, get, kernel, given, parameters, check)
        if check:
            check_finite(m, name, kernel, given, result)
            kept = {k: x for k, x in options.items() if k == "drives"}
            again = partial(evaluate, m, parameters=parameters, **kept,
                            wrench_on_environment=wrench)  # fmt: skip
            check_made(m, name, again, inputs, result)
        if out is None:
            return result
        for target, found in zip(arrays_of(out), arrays_of(result), strict=True):
            target[...] = found
        return out
    others = {"out": out, "parameters": parameters}
    # without keywords a kernel is entered directly
    result = kernel(*given, **{k: x for k, x in others.items() if x is not None})
    if check:
        if name.startswith("cartesian_") and row is not None and "frame" in row.options:
            check_cartesian(m, inputs[0], options.get("frame"), parameters)
        if row is not None and "steer" in row.inputs:
            check_positions(m, inputs[0], inputs[row.inputs.index("steer")], parameters)
        check_finite(m, name, kernel, given, result)
    return result


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
            )
    explain_speeds(m, kernel, inputs, arrays)
    for port, array in zip(kernel.outputs, arrays, strict=False):
        bad = numpy.argwhere(~numpy.isfinite(array))
        if len(bad):
            raise ComputationError(
                f"{name}: {port.name} is not finite{spot(m, name, port, bad[0])}",
                hint="the state may be singular or out of range; check=False returns nan instead",
            )


def _make(row: Quantity) -> Callable[..., Any]:
    def function(m: Mechanism, *inputs: Any, **options: Any) -> Any:
        return evaluate(m, row.name, *inputs, **options)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = text(row)
    function.__signature__ = signature(row)  # type: ignore[attr-defined]
    return function


globals().update({row.name: _make(row) for row in QUANTITIES.values()})
