"""What JAX and PyTorch share: a kernel of flat arguments, and the one that has its derivatives too.

A derivative is the kernel's own Jacobian (differentiated on the graph, so exact) times what moves;
both frameworks differentiate that product forwards and backwards, and the Jacobian's kernel is
differentiated in the same way when second derivatives are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ..errors import ParameterError, UsageError, shown
from .kernel import Kernel

Array = np.ndarray


@dataclass(frozen=True)
class Flat:
    """A kernel whose arguments stand in one row: its inputs, then its parameters."""

    kernel: Kernel
    known: dict[tuple[str, ...], Flat] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(kernel: Kernel) -> Flat:
        """Return a kernel so, if it has derivatives."""
        if kernel.more is None:
            raise UsageError(
                f"{kernel.name}: this kernel has no derivatives by autodiff",
                hint="compile it without wrt, packed, layout and reduce",
            )
        return Flat(kernel)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return (*(p.name for p in self.kernel.inputs), *self.kernel.parameters)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each argument of one state."""
        return (*(p.shape for p in self.kernel.inputs), *(() for _ in self.kernel.parameters))

    @property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each result of one state."""
        return tuple(p.shape for p in self.kernel.outputs)

    def arguments(self, inputs: Sequence[Any], parameters: Mapping[str, Any] | None) -> list[Any]:
        """Return inputs and parameters in one row; parameters not given have their values."""
        k = self.kernel
        if len(inputs) != len(k.inputs):
            names = ", ".join(p.name for p in k.inputs)
            raise UsageError(f"{k.name} takes {len(k.inputs)} inputs ({names})")
        given = {**dict.fromkeys(k.card.idle, 0.0), **k.defaults, **(parameters or {})}
        for n in given:
            if n not in k.parameters:
                raise ParameterError(
                    f"{k.name} has no parameter {shown(str(n))!r}",
                    hint="compile(..., parameters=[...]) keeps more",
                )
        missing = [n for n in k.parameters if n not in given]
        if missing:
            raise ParameterError(f"{k.name}: no value for parameter {shown(missing[0])!r}")
        return [*inputs, *(given[n] for n in k.parameters)]

    def leads(self, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the leading dimensions of arguments, ones added so that all are as many."""
        made = []
        for name, shape, own in zip(self.names, shapes, self.shapes, strict=True):
            cut = len(shape) - len(own)
            if cut < 0 or shape[cut:] != own:
                wanted = ", ".join(["...", *map(str, own)])
                raise UsageError(
                    f"{self.kernel.name}: {name!r} has shape {tuple(shape)}, expected ({wanted})"
                )
            made.append(tuple(shape[:cut]))
        most = max(map(len, made), default=0)
        return [(1,) * (most - len(lead)) + lead for lead in made]

    def run(self, arrays: Sequence[Any], dtype: Any) -> tuple[Array, ...]:
        """Return the results of NumPy arrays."""
        count = len(self.kernel.inputs)
        own = dict(zip(self.kernel.parameters, arrays[count:], strict=True))
        made = self.kernel(*arrays[:count], parameters=own or None)
        made = made if isinstance(made, tuple) else (made,)
        return tuple(np.asarray(x, dtype) for x in made)

    def derived(self, names: tuple[str, ...]) -> tuple[Flat, int]:
        """Return the kernel with derivatives by some names, and how many results have them."""
        if names not in self.known:
            assert self.kernel.more is not None
            self.known[names] = Flat(self.kernel.more(*names))
        found = self.known[names]
        return found, (len(found.results) - len(self.results)) // len(names)

    def moved(
        self, xp: Any, made: Sequence[Any], names: Sequence[str], rates: Sequence[Any]
    ) -> Any:
        """Return rates of the results that have derivatives: Σ (∂result/∂name) rate.

        `made` are the results of `derived(names)`, `xp` is the array module of a framework.
        """
        own = (len(made) - len(self.results)) // len(names)
        out: list[Any] = [None] * own
        for k, (name, rate) in enumerate(zip(names, rates, strict=True)):
            tail = self.shapes[self.names.index(name)]
            columns = prod(tail)
            flat = rate.reshape((*rate.shape[: rate.ndim - len(tail)], columns))
            for r in range(own):
                shape = self.results[r]
                J = made[own * (k + 1) + r]
                lead = J.shape[: J.ndim - len(shape) - (1 if tail else 0)]
                J = J.reshape((*lead, prod(shape), columns))
                part = xp.einsum("...oc,...c->...o", J, flat).reshape((*lead, *shape))
                out[r] = part if out[r] is None else out[r] + part
        return out
