"""Compiled kernels of quantities: `compile`, and those kept for plain calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from ..catalog import Quantity
from ..catalog import quantity as quantity_of
from ..errors import UsageError
from ..expr.exact import to_float
from ..kept import Kept
from ..mechanism import Mechanism, freed
from .cheapest import cheapest, has_choice
from .model import forced, model_of
from .rolled import is_rolled, rolled
from .ways import Asked, Repeated, check_names, checked_way, named

if TYPE_CHECKING:
    from ..plan import LoopPlan
    from ..runtime import Kernel

_KERNELS: Kept[Any] = Kept(256)
CLOSED = 12_000  # lines of a closed machine above which one state is a batch of one


def compile(
    m: Mechanism,
    quantity: str,
    method: str | None = None,
    *,
    threads: int | Sequence[int] = 1,
    parameters: Sequence[str] | None = None,
    wrench: bool = False,
    plan: LoopPlan | None = None,
    wrt: Sequence[str] | None = None,
    adjoint: bool = False,
    packed: bool = False,
    dtype: str = "float64",
    layout: str = "rows",
    reduce: str | None = None,
    single: bool = False,
    **options: Any,
) -> Kernel:
    """Return the compiled kernel of a quantity: `k(q, qd, qdd, out=None, parameters=None)`.

    Parameters without a value, and those named in `parameters`, are given at each call (a named one
    that is left out keeps its value); the others are compiled in. `options` are those of the
    catalog row: `drives`, `frame`, `axes`, `given`. `wrt` names inputs and parameters: exact
    derivatives by them, `dtau_dq`, `dtau_dL1`, are further outputs. With `adjoint` the last inputs
    weigh the outputs; the further outputs (`q_bar`, `L1_bar`) are gradients of the weighted sum.

    `threads=2` shares batches between two threads, `threads=[0, 1]` keeps one on each of these
    cores. A `packed` kernel gives each distinct value once, without those that are always zero;
    `k.unpack(x)` makes whole arrays. `dtype="float32"` computes in single precision,
    `layout="tiles"` takes and gives states in lanes (`k.to_tiles`, `k.from_tiles`). `reduce` gives
    the largest size ("max"), the sum ("sum") or the root of the sum of squares ("norm") of each
    result over the states of the last leading dimension. `single`: only for one state.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(0.5); body 1: M = 2, D = (0.5, 0, 0);")
    >>> k = da.compile(m, "inverse_dynamics")
    >>> k([0.0], [0.0], [1.0])
    array([0.5])
    """
    from ..runtime import Form, compile_program

    check_names(options)
    form, by = Form(packed, dtype, layout, reduce), checked_way(wrt, adjoint)
    m = freed(model_of(m, "compile", quantity), (*(parameters or ()), *named(by)))
    if wrench and m.form is not None:
        raise UsageError("equations know no wrenches from outside", hint="ask eq.mechanism")
    row = quantity_of(quantity, m)
    m, plan = _planned(m, row, form, plan) if row.planned else (m, plan)
    asked = Asked(m, row, method, options, parameters, wrench, by, plan, packed, single)
    if set(options) - set(row.options):
        asked.program(method)  # raises the error that names what is wrong
    names, (make, way) = asked.names, _way(asked)
    known = {n: to_float(m.values[n]) for n in names if n in m.values}
    longest = CLOSED if row.planned else None
    made = compile_program(make, asked.key + way, threads, known, form, single, longest)
    made.source = make
    told = {"parameters": names, "wrench": wrench, "plan": plan, "wrt": by, **asdict(form)}
    told |= {**options, "threads": threads, "single": single}
    return _with_origin(made, partial(compile, m, quantity, method, **told))


def _planned(m: Mechanism, row: Quantity, form: Any, plan: Any) -> tuple[Mechanism, LoopPlan]:
    """Return a closed machine and its plan; a kernel that reduces its states is refused."""
    from ..plan import planned
    from ..runtime import check_loops

    check_loops(row.name, form)
    m = forced(m, row) if plan is None else m
    return m, plan or planned(m)


def _with_origin(made: Kernel, again: partial[Any]) -> Kernel:
    """Return a kernel that knows how to be made again, and with derivatives for autodiff.

    Its notes say on which branch loops are planned, and what equations leave out.
    """
    plan, by, form = again.keywords["plan"], again.keywords["wrt"], again.args[0].form
    made.origin, made.notes = again, (str(plan),) if plan is not None else ()
    made.notes += form.left_out if form is not None else ()
    if made.card.form.differentiable and (isinstance(by, Repeated) or not named(by)):
        rounds = by.rounds if by else ()
        made.more = lambda *names: again(wrt=Repeated((*rounds, names)))
    return made


def kept_key(m: Mechanism, row: Quantity, method: str | None, options: dict[str, Any]) -> str:
    """Return the name under which `compile_program` keeps the kernel of a plain call."""
    asked = Asked(m, row, method, options, single=True)
    return asked.key + _way(asked)[1] + "single"


def _way(asked: Asked) -> tuple[partial[Any], str]:
    """Return how the program of a kernel is made, and a word for it: the cheapest way there is."""
    from ..runtime import refusal

    make: partial[Any] = partial(asked.program, asked.method)
    way = ""
    if has_choice(asked):
        make, way = partial(cheapest, asked), "cheapest"
    if is_rolled(asked) and refusal() is None:
        make, way = partial(rolled, asked, make), "rolled"
    return make, way


def kernel_of(m: Mechanism, name: str, method: str | None, **settings: Any) -> Any:
    """Return the kernel of a quantity, compiled once in this process."""
    key = (m.digest, name, method, repr(sorted(settings.items())), repr(m.values))
    return _KERNELS.get(key, lambda: compile(m, name, method, **settings))
