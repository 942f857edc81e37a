"""The callable that a user holds: compiled code, its names and shapes, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display import table_html
from ..errors import UsageError
from ..expr import Cost, Port
from . import arguments, reduce
from .card import Card
from .evaluator import Given
from .native import Native
from .team import Team, size

PIECE = 2048  # states that inputs are spread out for at once
SHARED = 16  # times as many for each of several threads: they have to meet after each piece

if TYPE_CHECKING:
    from .background import Background
    from .interpret import Interpreted

LONG = 0.25  # seconds of work above which better code than the quick one is worth another process


class Kernel:
    """A compiled quantity: `k(*inputs, out=None, parameters=None)`.

    Inputs are arrays whose last dimensions are those of `inputs`; dimensions before them are
    states and broadcast. The result is one array, or a tuple with one array per output.
    Kernels keep no state between calls and may be shared by threads.

    >>> import dalembert as da
    >>> k = da.compile(da.robots.scara(), "jacobian")
    >>> k([0.1, 0.2, 0.3, 0.4]).shape, k([[0.1, 0.2, 0.3, 0.4]] * 5).shape
    ((6, 4), (5, 6, 4))
    """

    __slots__ = (
        "_plan", "better", "card", "code", "later", "more", "notes", "origin", "source", "spent",
        "threads",
    )  # fmt: skip

    def __init__(self, card: Card, code: Native | Interpreted, threads: Team = 1):
        self.card, self.code, self.threads = card, code, threads
        self._plan: tuple[Any, ...] = ()  # memory that a quicker entry reads
        self.origin: Callable[[], Kernel] | None = None  # the call that makes it again
        self.more: Callable[..., Kernel] | None = None  # the kernel with derivatives by names
        self.source: Callable[[], Any] | None = None  # makes the program once more
        self.notes: tuple[str, ...] = ()  # the branch of loops, what equations leave out
        self.later: Background | None = None  # better code, while it is being made
        self.better: Callable[[], None] | None = None  # begins to make that
        self.spent = 0.0  # seconds in which drivers called it

    def ran(self, seconds: float) -> None:
        """Note that a driver called it for so long: better code is made where that is long."""
        self.spent += seconds
        if self.better is not None and self.spent > LONG:
            begin, self.better = self.better, None
            begin()

    @property
    def name(self) -> str:
        """The name of the quantity."""
        return self.card.name

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Name and shape of each input, in the order of a call: `k.inputs[0].shape`."""
        return self.card.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Name and shape of each output: `[port.name for port in k.outputs]`."""
        return self.card.outputs

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that are given at each call, in the order of the mechanism."""
        return self.card.parameters

    @property
    def defaults(self) -> Mapping[str, float]:
        """Values of parameters that are used where none is given."""
        return self.card.defaults

    @property
    def cost(self) -> dict[str, Cost]:
        """Operations per state and, once, on parameters alone: `k.cost["step"].mul`, "prepare".

        Those of a routine count as often as it runs; `dalembert cost` counts the program with
        routines written out, which may have fewer.
        """
        return self.card.cost

    @property
    def packed(self) -> np.ndarray | tuple[np.ndarray, ...] | None:
        """Where entries of the whole result lie in the packed one: an index each, -1 for zeros.

        One array, or a tuple with one array per output; None where the kernel is not packed.
        """
        return None if self.card.places is None else _bare(self.card.places.maps())

    def unpack(self, result: Any) -> np.ndarray | tuple[np.ndarray, ...]:
        """Return the whole arrays of a packed result: what a kernel that is not packed gives.

        >>> import dalembert as da
        >>> k = da.compile(da.robots.ur5(), "mass_matrix", packed=True)
        >>> x = k([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]] * 5)
        >>> x.shape, k.unpack(x).shape
        ((5, 16), (5, 6, 6))
        """
        if self.card.places is None:
            raise UsageError(
                f"{self.name}: results of this kernel are whole",
                hint="compile(..., packed=True) gives packed ones",
            )
        given = (result,) if len(self.outputs) == 1 else result
        if not isinstance(given, (tuple, list)) or len(given) != len(self.outputs):
            names = ", ".join(p.name for p in self.outputs)
            raise UsageError(
                f"{self.name}: unpack takes {len(self.outputs)} arrays ({names})",
                hint="give what the kernel returned",
            )
        return _bare(self.card.places.unpacked(given, self.name))

    @property
    def tile(self) -> int:
        """The states of a tile of a kernel with layout="tiles"; 1 where states lie in rows."""
        return self.card.lanes

    def to_tiles(self, rows: Any) -> np.ndarray:
        """Return (states, ...) as (tiles, ..., k.tile), the last state repeated to fill its tile.

        >>> import dalembert as da
        >>> k = da.compile(da.robots.ur5(), "gravity", layout="tiles")
        >>> q = [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]] * 10
        >>> k.from_tiles(k(k.to_tiles(q)), 10).shape
        (10, 6)
        """
        self._tiled()
        from .tiles import to_tiles

        return to_tiles(rows, self.tile, self.card.form.dtype)

    def from_tiles(self, array: Any, states: int | None = None) -> np.ndarray:
        """Return (tiles, ..., k.tile) as (states, ...), without those that fill the last tile."""
        self._tiled()
        from .tiles import from_tiles

        return from_tiles(array, self.tile, states)

    def _tiled(self) -> None:
        if self.card.form.layout != "tiles":
            raise UsageError(
                f"{self.name}: states of this kernel lie in rows",
                hint="compile(..., layout='tiles') keeps them in lanes",
            )

    @property
    def ready(self) -> bool:
        """Whether no better code will come in this process: that of long programs comes later."""
        return self.later is None or self.later.done

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the kernel is ready, so many seconds at most; return whether it is.

        Results do not change when better code comes, not in a bit.
        """
        return self.later is None or self.later.wait(seconds)

    def jax(self) -> Callable[..., Any]:
        """Return the kernel as a function of JAX arrays with exact derivatives of any order.

        It may stand under `jit`, `grad`, `jvp`, `vjp` and `vmap`; leading dimensions broadcast as
        in the kernel, and `parameters={"L1": x}` may be differentiated too. Arrays in the memory of
        the processor are read where they lie. A quaternion has derivatives by its four numbers.
        """
        from .as_jax import as_jax

        return as_jax(self)

    def torch(self) -> Callable[..., Any]:
        """Return the kernel as a function of PyTorch tensors with exact derivatives of any order.

        `backward`, forward mode and `torch.func` know it; see `jax` for the rest.
        """
        from .as_torch import as_torch

        return as_torch(self)

    def save(self, folder: str | PathLike[str], name: str | None = None) -> Path:
        """Write the code as an object file with a C header for other programs; return the header.

        `name` is that of the files and of the function, by default that of the quantity. The code
        is made for this processor; see docs/kernels.md for how to link it.
        """
        from .linked import save

        return save(self, folder, name)

    def _repr_html_(self) -> str:
        ports = [("input", *_row(p)) for p in self.inputs]
        ports += [("output", *_row(p)) for p in self.outputs]
        given = ", ".join(self.parameters)
        notes = [f"cost of a state: {self.cost['step']}"]
        notes += [f"parameters at each call: {given}"] if given else []
        return table_html(("", "name", "shape"), ports, f"kernel {self.name}", notes)

    def __repr__(self) -> str:
        ins = ", ".join(p.name for p in self.inputs)
        outs = ", ".join(p.name for p in self.outputs)
        said = "".join(f"; {note}" for note in self.notes)
        return f"<Kernel {self.name}({ins}) -> {outs}: {self.cost['step']}{said}>"

    def __call__(
        self, *inputs: Any, out: Any = None, parameters: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> np.ndarray | tuple[np.ndarray, ...]:  # fmt: skip
        """Return the outputs at one state, or at each of many; inputs may be given by name."""
        card = self.card
        if named:
            inputs = arguments.in_order(card, inputs, named)
        arrays, leads = arguments.inputs(card, inputs)
        params, params_lead = arguments.parameters(card, parameters)
        lead = arguments.common(card, [*leads, params_lead])
        given = (*inputs, *arrays, *((parameters or {}).values()))
        left = lead if card.form.reduce is None else reduce.states(card.name, lead)
        outs = arguments.outputs(card, out, left, given)
        if not lead:
            self.code.one(arrays, params, outs)
        elif (count := prod(lead)) or card.form.reduce:
            self._batch(arrays, leads, params, params_lead, outs, lead, count)
        if out is not None:
            return out
        return _bare(outs)

    def _batch(
        self, arrays: list[np.ndarray], leads: Any, params: np.ndarray | None, params_lead: Any,
        outs: list[np.ndarray], lead: tuple[int, ...], count: int,
    ) -> None:  # fmt: skip
        """Write the outputs at many states, in pieces if inputs have to be spread out for them."""
        form = self.card.form
        batched, varied = [bool(own) for own in leads], bool(params_lead)
        given = list(zip(arrays, leads, strict=True))
        given += [(params, params_lead)] if params is not None else []
        if form.reduce is None and count > PIECE and any(own not in ((), lead) for _, own in given):
            team = size(self.threads)
            states = PIECE if team == 1 else PIECE * SHARED * team
            for at, made in arguments.pieces(given, lead, states):
                ins = made[: len(arrays)]
                some = Given(ins, batched, made[-1] if params is not None else None, varied)
                here = [x[at] for x in outs]
                self.code.batch(some, here, count // lead[0] * (at.stop - at.start), self.threads)
            return
        wide = [arguments.rows(a, own, lead) for a, own in given]
        some = Given(wide[: len(arrays)], batched, wide[-1] if params is not None else None, varied)
        if form.reduce:
            reduce.reduced(self.code, form.reduce, some, outs, lead, self.threads)
        else:
            self.code.batch(some, outs, count, self.threads)

    general = __call__  # the way for all arguments that a quicker entry does not take

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle keeps: the call that makes the kernel, never its code."""
        if self.origin is None:
            raise UsageError(
                f"{self.name}: a kernel of a bare program cannot be pickled",
                hint="send what the program is made of, and compile it there",
            )
        return again, (self.origin,)

    def __copy__(self) -> Kernel:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: Any) -> Kernel:
        return self


def again(origin: Callable[[], Kernel]) -> Kernel:
    """Return the kernel of a call; where it is kept on disk, nothing is compiled."""
    return origin()


def _bare(arrays: Sequence[np.ndarray]) -> np.ndarray | tuple[np.ndarray, ...]:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _row(port: Port) -> tuple[str, str]:
    return port.name, " x ".join(map(str, port.shape)) or "1"
