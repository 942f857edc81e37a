"""The bodies of a Unit's functions in a dialect: inputs and results by their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..expr.block import Leaf
from ..expr.function import Port
from .dialect import Dialect
from .statements import Code, statements
from .unit import Entry, Unit

Place = Callable[[str, Port, int], str]  # of entry k, in C order, of an output


def entry_body(entry: Entry, dialect: Dialect, place: Place | None = None) -> Code:
    """Return the body of a function; `place` writes an entry of a result, flat by default."""
    names = {port.name: word for port, word in zip(entry.inputs, entry.given, strict=True)}
    leaves = [_leaf(leaf, dialect, names) for leaf in entry.step.leaves]
    ends = [
        place(word, port, k) if place else dialect.at(word, k)
        for word, port in zip(entry.made, entry.outputs, strict=True)
        for k in range(port.size)
    ]
    return statements(entry.step, dialect, leaves, ends)


def _leaf(leaf: Leaf, dialect: Dialect, names: dict[str, str]) -> str:
    """Return an input or a prepared value; numbers are written by the walk."""
    return (
        ""
        if leaf.kind == "const"
        else dialect.at(names[leaf.name] if leaf.name else "r", leaf.index)
    )


def prepare_body(unit: Unit, dialect: Dialect, parameter: Callable[[int], str]) -> Code:
    """Return the body of `prepare`; `parameter` writes one by its number."""
    leaves = [parameter(leaf.index) if leaf.kind == "param" else "" for leaf in unit.prepare.leaves]
    ends = [dialect.at("r", k) for k in range(unit.prepared)]
    return statements(unit.prepare, dialect, leaves, ends)


def indices(shape: tuple[int, ...], k: int) -> tuple[int, ...]:
    """Return the indices, from 0, of entry k of an array in C order.

    >>> indices((2, 3), 4)
    (1, 1)
    """
    found: list[int] = []
    for n in reversed(shape):
        found.append(k % n)
        k //= n
    return tuple(reversed(found))


def results(entry: Entry) -> Iterator[tuple[str, Port, int]]:
    """Yield identifier, port and number of the outputs that golden vectors know."""
    for k, port in enumerate(entry.outputs[: entry.own]):
        yield entry.made[k], port, k
