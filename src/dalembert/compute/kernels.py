"""Compiled kernels of quantities: `compile`, and those kept for plain calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from ..catalog import QUANTITIES, Quantity, quantity
from ..expr.exact import to_float
from ..kept import Kept
from ..mechanism import Mechanism, freed
from .cheapest import cheapest, has_choice
from .model import forced, model_of
from .rolled import is_rolled, rolled
from .ways import Repeated, check_names, checked_way, kept_parameters, named, run_time_parameters

if TYPE_CHECKING:
    from ..expr import Program
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
    form, wrt = Form(packed, dtype, layout, reduce), checked_way(wrt, adjoint)
    m = freed(model_of(m, "compile", quantity), (*(parameters or ()), *named(wrt)))
    row = row_of(m, quantity)
    closed = row is not None and row.planned
    m, plan = _planned(m, row, form, plan) if row and closed else (m, plan)
    asked: Any = {"parameters": parameters, "wrench": wrench, "plan": plan, "wrt": wrt}
    key = _key(m, quantity, row, method, asked, options)
    make: partial[Any] = partial(_traced, m, quantity, method, **asked, **options)
    if row is None or set(options) - set(row.options):
        make()  # raises the error that names what is wrong
    told = {**asked, **asdict(form), **options, "threads": threads, "single": single}
    told["parameters"] = names = run_time_parameters(m, kept_parameters(m, parameters, wrt))
    make, way = _way(make, m, row, method, {**asked, "names": names, "packed": packed}, options)
    known = {n: to_float(m.values[n]) for n in names if n in m.values}
    longest = CLOSED if closed else None
    made = compile_program(make, key + way, threads, known, form, single, longest)
    made.source = make
    return _with_origin(made, m, quantity, method, told)


def _key(
    m: Mechanism, quantity: str, row: Quantity | None, method: str | None,
    asked: dict[str, Any], options: dict[str, Any],
) -> str:  # fmt: skip
    """Return the name under which the code of a kernel is kept, but for the way it is made."""
    own = method or (row.default if row else None), sorted(options.items())
    given = (asked[name] for name in ("parameters", "wrench", "wrt", "plan"))
    return repr((m.digest, m.values, quantity, *own, *given))


def kept_key(m: Mechanism, row: Quantity, method: str | None, options: dict[str, Any]) -> str:
    """Return the name under which `compile_program` keeps the kernel of a plain call."""
    asked: Any = {"parameters": None, "wrench": False, "plan": None, "wrt": None}
    key = _key(m, row.name, row, method, asked, options)
    way = _way(partial(_traced), m, row, method, {**asked, "names": (), "packed": False}, options)
    return key + way[1] + "single"


def _planned(
    m: Mechanism, row: Quantity, form: Any, plan: LoopPlan | None
) -> tuple[Mechanism, LoopPlan]:
    """Return a closed machine and its plan; a kernel that reduces its states is refused."""
    from ..plan import planned
    from ..runtime import check_loops

    check_loops(row.name, form)
    m = forced(m, row) if plan is None else m
    return m, plan or planned(m)


def _way(
    make: partial[Any], m: Mechanism, row: Quantity | None, method: str | None,
    asked: dict[str, Any], options: dict[str, Any],
) -> tuple[partial[Any], str]:  # fmt: skip
    """Return how the program of a kernel is made, and a word for it: the cheapest way there is."""
    from ..runtime import refusal

    way = ""
    if row is not None and has_choice(m, row, method, asked["wrench"]):
        plain = {k: v for k, v in asked.items() if k not in ("names", "packed")}
        make, way = partial(cheapest, _traced, m, row.name, **plain, **options), "cheapest"
    if row is not None and is_rolled(m, row, method, **asked, **options) and refusal() is None:
        make, way = partial(rolled, make, m, row.name, asked["packed"], **options), "rolled"
    return make, way


def _traced(m: Mechanism, quantity: str, method: str | None = None, **asked: Any) -> Program:
    """Return the program of a quantity; a kernel found in the cache needs no tracing."""
    from .trace import program_of

    return program_of(m, quantity, method, calls=True, **asked)


def _with_origin(
    made: Any, m: Mechanism, quantity: str, method: str | None, told: dict[str, Any]
) -> Any:
    """Return a kernel that knows how to be made again, and with derivatives."""
    made.origin, wrt = partial(compile, m, quantity, method, **told), told["wrt"]
    made.notes = (str(told["plan"]),) if told["plan"] is not None else ()
    if made.card.form.differentiable and (isinstance(wrt, Repeated) or not named(wrt)):
        made.more = partial(_with_derivatives, m, quantity, method, told)
    return made


def _with_derivatives(
    m: Mechanism, quantity: str, method: str | None, asked: dict[str, Any], *names: str
) -> Any:
    """Return the kernel with derivatives by plain coordinates, which autodiff asks for."""
    rounds = asked["wrt"].rounds if asked["wrt"] else ()
    return compile(m, quantity, method, **(asked | {"wrt": Repeated((*rounds, names))}))


def row_of(m: Mechanism, name: str) -> Quantity | None:
    """Return the catalog row of a quantity, or None."""
    return quantity(name, m) if name in QUANTITIES else None


def kernel_of(m: Mechanism, name: str, method: str | None, **settings: Any) -> Any:
    """Return the kernel of a quantity, compiled once in this process."""
    key = (m.digest, name, method, repr(sorted(settings.items())), repr(m.values))
    return _KERNELS.get(key, lambda: compile(m, name, method, **settings))
