"""The graph and the program of a quantity.

mechanism bound to scalars -> frames re-chosen -> algorithm -> Function -> Program
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..algorithms.loop_plan import LoopPlan
from ..algorithms.velocity_rows import with_told
from ..catalog import WRENCHED, Quantity, algorithm, input_shape, quantity
from ..catalog.axes import plan_of
from ..catalog.loops import CHECKS
from ..errors import UsageError, shown
from ..expr import OPS, Function, Graph, Program, program
from ..expr.arena import LEAVES, PAYLOAD
from ..expr.port import WORK
from ..mechanism import Mechanism
from ..reframe import Levers, simplify
from ..spatial import Wrench
from .describe import check_steps
from .model import forced
from .recorded import recorded
from .singular import require_inertia, singular
from .slopes import with_rounds
from .ways import Repeated, Reversed, check_wrt, kept_parameters, named, run_time_parameters


def _options(row: Quantity, given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in row.options:
            known = ", ".join(row.options) or "none"
            raise UsageError(f"{row.name} has no option {name!r}", hint=f"its options: {known}")
    check_steps(row, given.get("steps", 0))
    # one joint may be given without brackets
    return {**row.options, **{k: (x,) if k == "given" and isinstance(x, (str, int)) else x
                              for k, x in given.items()}}  # fmt: skip


def _sizes(m: Mechanism, row: Quantity, wrench: bool) -> list[tuple[str, Any]]:
    sizes: list[tuple[str, Any]] = [(n, input_shape(n, m)) for n in row.inputs]
    return [*sizes, ("wrench", (len(m.bodies), 6))] if wrench else sizes


Prepare = Callable[[Mechanism], Mechanism]
COMPOSITE = ("composite", "base_axes")  # methods that ask for nothing but joint-space results
FEW, MANY = 12, 100  # bodies up to which frames are chosen among four, among two


def trace_quantity(
    m: Mechanism,
    name: str,
    method: str | None = None,
    *,
    parameters: Sequence[str] | None = None,
    wrench: bool = False,
    plan: LoopPlan | None = None,
    prepare: Prepare | None = None,
    watch: Callable[[Mechanism, Graph], Mechanism] = lambda working, graph: working,
    **options: Any,
) -> Function:
    """Return the graph of a quantity: named inputs, parameters and outputs.

    With `wrench` the last input is the wrench each link exerts on the environment, (bodies, 6).
    With closed loops the last outputs are the closure residuals, the smallest pivot ratio and the
    certificate; `plan` is by default that of the generic branch. `prepare` chooses the frames
    of the bound mechanism, by default those that cost least. `watch` sees each mechanism that is
    traced, with its graph, and may replace it by an equal one.
    """
    row = quantity(name, m)
    m = _with_speeds(m, row)
    chosen, run = algorithm(row, method)
    settings = _options(row, options)
    if wrench and not row.wrenches:
        raise UsageError(f"{name} takes no external wrench", hint=", ".join(sorted(WRENCHED)))
    m = forced(m, row) if plan is None else m
    plan = plan_of(m, {"plan": plan}) if row.planned else None
    ends = (*row.outputs, *CHECKS) if row.planned else row.outputs
    outputs = [(out.name, out.shape(m, {**settings, "plan": plan})) for out in ends]
    sizes = _sizes(m, row, wrench)

    def record(prepare: Prepare) -> Function:
        def make(bound: Mechanism, graph: Graph) -> Callable[..., Any]:
            start: tuple[Any, ...] = (watch(prepare(bound.unfolded), graph),)
            extra = dict(settings)
            if plan is not None:
                # loop points stand in the frames as described, the tree's may be its own
                start = (bound, plan)
                if "drives" in settings:
                    extra["tree"] = prepare(bound.bare_tree)

            def body(*inputs: Sequence[Any]) -> Any:
                acting = {"wrenches": _wrenches(inputs[-1])} if wrench else {}
                return run(*_told(row, start, inputs[: len(row.inputs)]), **acting, **extra)

            return body

        return recorded(m, name, sizes, outputs, make, parameters)

    first, *others = [prepare] if prepare is not None else _frames(m, row, chosen, wrench)
    best = record(first)
    if not parameters:  # what may still change is not asked
        require_inertia(m, name, settings)
    if others and not best.parameters:
        best = min((best, *map(record, others)), key=_work)
    return best


def _with_speeds(m: Mechanism, row: Quantity) -> Mechanism:
    """Return the machine with its speeds named, if a quantity asks for them or for steering."""
    if row.planned or not {"alpha", "steer"} & set(row.inputs):
        return m
    from ..plan.kane import with_speeds

    return with_speeds(m)


def _frames(m: Mechanism, row: Quantity, method: str, wrench: bool) -> list[Prepare]:
    """Return the ways to choose frames among which the one that costs least is looked for."""
    if wrench or method not in (row.default, *COMPOSITE) or _as_described(m, row):
        return [lambda x: x]
    few = len(m.bodies) <= FEW
    serial = all(b.parent == j - 1 for j, b in enumerate(m.bodies))
    ways: list[Levers] = ["few", "axial"]
    if method in (*COMPOSITE, "analytic") or (serial and not few):
        ways.reverse()
    elif not few and method in ("newton_euler", "virtual_link"):
        ways = ["foot"]  # branches part at feet, which their recursion shares
    lights = (False, True) if row.lighten and len(m.bodies) <= MANY else (False,)
    ways = ways if few else ways[:1]
    return [partial(simplify, lighten=light, levers=way) for light in lights for way in ways]


def _told(row: Quantity, start: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return the arguments of an algorithm; a planned mechanism is told what is prescribed."""
    if not (row.planned and "steer" in row.inputs):
        return [*start, *inputs]
    *state, angles, rates = inputs
    return [with_told(start[0], angles, rates), *start[1:], *state]


def _as_described(m: Mechanism, row: Quantity) -> bool:
    """Return whether frames must stay: points of springs stand in them; loops keep their own."""
    return not row.planned and (not row.frame_free or bool(m.springs))


def _wrenches(flat: Sequence[Any]) -> dict[int, Wrench]:
    return {j: Wrench.of(flat[6 * j : 6 * j + 6]) for j in range(len(flat) // 6)}


def _work(function: Function) -> int:
    """Return the weight of the operations of a Function without parameters."""
    graph = function.graph
    ops = Counter(graph.op[i] for i in graph.live(function.results))
    if PAYLOAD.intersection(ops):
        try:
            return program(function).cost["step"].work
        except ZeroDivisionError:  # a pivot that is zero in every state: `program_of` says so
            return sys.maxsize
    return sum(WORK.get(OPS[op].kind, 0) * n for op, n in ops.items() if op not in LEAVES)


def _closing(m: Mechanism, row: Quantity, wrt: Any, options: Mapping[str, Any]) -> dict[str, int]:
    """Return the option that closes loops before a derivative by one of their lengths.

    Motors stay, the other joints follow. From a closed pose, k Newton steps give derivatives that
    are exact up to order k. A quantity that closes no loop has no such derivative.
    """
    if row.opens or not (m.loops and named(wrt)):
        return {}
    asked = {p.name for p in m.parameters}.intersection(named(wrt))
    moved = sorted(asked.intersection(trace_quantity(m, "closure", parameters=[*asked]).parameters))
    if not moved:
        return {}
    if "steps" not in row.options:
        raise UsageError(
            f"{row.name} has no derivative by {shown(moved[0])!r}: the loops would open",
            hint="m.tree is the machine without closed loops; quantities of the motion "
            "(velocity, kinetic_energy, inverse_dynamics) close them first",
        )
    order = len(wrt.rounds) if isinstance(wrt, Repeated) else 1
    return {"steps": max(order, options.get("steps", 0))}


def program_of(m: Mechanism, name: str, method: str | None = None, **options: Any) -> Program:
    """Return the Program of a quantity (see `trace_quantity` for the options).

    With `calls`, as kernels take it, it may have routines.
    """
    calls = options.pop("calls", False)
    row = quantity(name, m)
    wrt = options.pop("wrt", None) or ()
    by = wrt if isinstance(wrt, Repeated | Reversed) else named(wrt)
    check_wrt(m, row.inputs, wrt)
    options["parameters"] = kept_parameters(m, options.get("parameters"), wrt)
    names = run_time_parameters(m, options["parameters"])
    options |= _closing(m, row, wrt, options)
    function = trace_quantity(m, name, method, **options)
    if by:
        function = with_rounds(m, function, by, len(row.outputs))
    try:
        return program(function, names, calls)
    except ZeroDivisionError:  # a pivot that is zero in every state
        raise singular(m, name) from None
