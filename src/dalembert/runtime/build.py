"""From a Program to a Kernel: found in the cache, compiled, or run by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import UsageError
from . import cache
from .ahead import Ahead
from .card import Card, card
from .form import PLAIN, Form, check_single
from .kernel import Kernel
from .native import Native
from .packed import Places, packed
from .refused import Refused, refusal, unwanted, warn_once
from .team import Team, checked_team

if TYPE_CHECKING:
    from ..expr import Program
    from ..expr.rolled import Rolled
    from .module import Object

Made: TypeAlias = "Program | Rolled"


def compile_program(
    program: Made | Callable[[], Made],
    key: str | None = None,
    threads: int | Sequence[int] = 1,
    defaults: Mapping[str, float] | None = None,
    form: Form = PLAIN,
    single: bool = False,
    scalar: int | None = None,
    driven: bool = False,
) -> Kernel:
    """Return the kernel of a Program, or of the Program that a function without arguments makes.

    Under a `key` the code is kept on disk; when it is found there the function is not called.
    `threads` share batches of more than a tile: so many, or one on each core of a list. `defaults`
    are values of run-time parameters for calls that do not give them; `form` says what its arrays
    are like. A kernel that is called state by state is `single`: half as much is compiled, batches
    are slower. Up to `scalar` lines one state has code of its own, else it is a batch of one. A
    `driven` kernel is called by compiled code, from Python rarely: nothing is made for that, and
    the code of a long one is made quickly, well only where it runs long.
    """
    return _begun(program, key, threads, defaults, form, single, scalar, driven, beside=False)()


def begin_program(
    program: Made | Callable[[], Made], key: str | None = None, single: bool = False,
    driven: bool = False,
) -> Callable[[], Kernel]:  # fmt: skip
    """Return the function that waits for the kernel of `compile_program`, and returns it once.

    LLVM makes the code in a thread of its own while Python goes on.
    """
    return _begun(program, key, 1, None, PLAIN, single, None, driven, beside=True)


def _begun(
    program: Made | Callable[[], Made], key: str | None, threads: int | Sequence[int],
    defaults: Mapping[str, float] | None, form: Form, single: bool, scalar: int | None,
    driven: bool, beside: bool,
) -> Callable[[], Kernel]:  # fmt: skip
    """Return the function that ends the making of a kernel: its program is made, or it is found."""
    threads = checked_team(threads)
    if single:
        check_single(form)
    if key is not None and form != PLAIN:
        key += repr(form)
    if key is not None and single:
        key += "single"
    found = None if key is None or unwanted() else _found(key, threads, defaults, (single, driven))
    if found is not None:
        return lambda: found
    if refused := refusal():
        warn_once(refused)
        from .interpret import Interpreted

        made, places = made_of(program, form)
        own = card(made, places=places, form=form, lanes=_lanes(form, 4))
        kernel = Kernel(_with(own, defaults), Interpreted(made, form, own.lanes), threads)
        return lambda: kernel
    from ..expr.function import uncollected
    from .module import unmade_object

    with uncollected():
        made, places = made_of(program, form)
        make = unmade_object(made, form, single, scalar, driven)
    make = Ahead(make).result if beside else make
    use = key, threads, defaults, (single, driven)
    return lambda: _ended(make(), made, places, form, *use)


def _ended(
    code: Object, made: Any, places: Places | None, form: Form, key: str | None, threads: Team,
    defaults: Mapping[str, float] | None, use: tuple[bool, bool],
) -> Kernel:  # fmt: skip
    """Return the kernel of code that is made, and keep that."""
    from .llvm import host

    lanes = _lanes(form, host().lanes)
    own = card(made, code.scratch_one, code.scratch_batch, code.tile, places, form, lanes)
    if key is not None:
        _keep(key, own, code.code, code.better)
    kernel = _loaded(_with(own, defaults), code.code, threads, use)
    _improve(kernel, code.better, key, use[1])
    return kernel


def _keep(key: str, own: Card, code: bytes, better: bytes) -> None:
    """Keep code, and after it packed IR text if better code can be made of that."""
    cache.write(key, own.to_dict() | {"code": len(code)}, code + better)


def _improve(kernel: Kernel, text: bytes, key: str | None, driven: bool) -> None:
    """Let better code be made of packed IR text, and be used and kept when it is there.

    That of a `driven` kernel is begun when it has run long.
    """
    if not text:
        return
    from .background import Background, startable
    from .fast import renewed
    from .library import library, parts_of
    from .llvm import Engine

    def use(code: bytes) -> None:
        if isinstance(kernel.code, Native):
            parts = parts_of(kernel.card.form.dtype)
            kernel.code.run(Engine(code, library(parts)))
            renewed(kernel)
        if key is not None:
            _keep(key, kernel.card, code, b"")

    def begin() -> None:
        kernel.later = Background(text, use)

    if startable():
        if driven:
            kernel.better = begin
        else:
            begin()


def _lanes(form: Form, doubles: int) -> int:
    """Return the states of a tile, or 1 where states lie in rows."""
    return int(form.lanes(doubles)) if form.layout == "tiles" else 1


def made_of(program: Made | Callable[[], Made], form: Form) -> tuple[Any, Places | None]:
    """Return the program in a form, and what its values are places of."""
    from ..expr.rolled import Rolled

    made = program() if callable(program) else program
    if isinstance(made, Rolled):
        return made, Places(made.whole, made.index) if form.packed else None
    return packed(made) if form.packed else (made, None)


def _with(own: Card, defaults: Mapping[str, float] | None) -> Card:
    return replace(own, defaults=dict(defaults)) if defaults else own


def _found(
    key: str, threads: Team, defaults: Mapping[str, float] | None, use: tuple[bool, bool]
) -> Kernel | None:
    kept = cache.read(key)
    if kept is None:
        return None
    try:
        own, (code, better) = Card.from_dict(kept[0]), cache.parts(*kept)
        kernel = _loaded(_with(own, defaults), code, threads, use)
        _improve(kernel, better, key, use[1])  # the process that kept it ended too early for that
        return kernel
    except Refused:
        return None
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, UsageError):
        cache.damaged(key)  # written by hand: compile again
        return None


def _loaded(own: Card, code: bytes, threads: Team, use: tuple[bool, bool]) -> Kernel:
    """Return the kernel of code; `use` says whether it is single, and whether driven."""
    from .fast import kernel
    from .library import library, parts_of
    from .llvm import Engine

    single, driven = use
    native = Native(own, Engine(code, library(parts_of(own.form.dtype, single))))
    return Kernel(own, native, threads) if driven else kernel(own, native, threads)
