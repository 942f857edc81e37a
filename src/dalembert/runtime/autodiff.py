"""What JAX and PyTorch share: a kernel of flat arguments, and the one that has its derivatives too.

A derivative is the kernel's own Jacobian (differentiated on the graph, so exact) times what moves;
both frameworks differentiate that product forwards and backwards, and the Jacobian's kernel is
differentiated in the same way when second derivatives are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from ..errors import UsageError
from .arguments import by_name, check_count, leading
from .kernel import Kernel

Array = np.ndarray


def framework(name: str) -> Any:
    """Return a package that has to be installed for this."""
    try:
        return import_module(name)
    except ImportError as error:
        what = f"this needs {name}, which is not installed"
        raise UsageError(what, hint=f"pip install {name}") from error


class Over:
    """A kernel as a function of arrays of another framework."""

    def __init__(self, function: Callable[..., Any], name: str, text: str):
        self.function, self.__name__, self.__qualname__, self.text = function, name, name, text
        self.__doc__ = text

    def __call__(self, *inputs: Any, parameters: Mapping[str, Any] | None = None) -> Any:
        """Return the outputs as arrays of the framework."""
        return self.function(*inputs, parameters=parameters)

    def __repr__(self) -> str:
        return self.text


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

    def function(self, core: Any, arrays: Callable[[list[Any]], list[Any]], what: str) -> Any:
        """Return f(*inputs, parameters=None) over arrays of a framework, called `what`.

        `arrays` makes such arrays of all arguments, `core` takes them with equally many leading
        dimensions, ones added where there were fewer.
        """
        kernel = self.kernel

        def function(*inputs: Any, parameters: Mapping[str, Any] | None = None) -> Any:
            check_count(kernel.card, inputs)
            given = arrays([*inputs, *by_name(kernel.card, parameters)])
            ends = list(zip(self.names, given, self.shapes, strict=True))
            leads = [leading(tuple(x.shape), own, f"{kernel.name}: {n!r}") for n, x, own in ends]
            most = max(map(len, leads), default=0)
            made = core(*(
                x.reshape((*(1,) * (most - len(lead)), *lead, *own))
                for (_, x, own), lead in zip(ends, leads, strict=True)
            ))  # fmt: skip
            return made[0] if len(made) == 1 else made

        return Over(function, kernel.name, f"<{repr(kernel)[1:-1]}, over {what}>")

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
