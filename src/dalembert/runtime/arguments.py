"""What a user gives to a kernel, checked and brought into the form that compiled code reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import ParameterError, UsageError, closest, shown
from ..expr import Port
from .card import Card

Array = np.ndarray
_DOUBLE = np.dtype(np.float64)


EXACT = 2**53  # whole numbers up to here are floats


def numbers(value: Any, what: str, dtype: np.dtype = _DOUBLE) -> Array:
    """Return a value as an aligned C-ordered array of floats, if no information is lost.

    Single precision that was asked for is not a loss.
    """
    if type(value) is np.ndarray and value.dtype is dtype and value.flags.carray:
        return value
    if type(value) is float:
        return np.array(value, dtype)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise UsageError(
            f"{what}: rows of unequal length", hint="give a rectangular array, a row for each state"
        ) from error
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise UsageError(f"{what} has masked entries", hint="fill them, or leave those states out")
    if not np.can_cast(array.dtype, np.float64, "same_kind"):
        kind = "text" if array.dtype.kind in "US" else f"{array.dtype} values"
        hint = "give real numbers; for degrees: np.radians(45)" if kind == "text" else None
        if isinstance(value, dict):
            kind, hint = "names", "give the numbers alone, in the order of m.coordinate_names"
        raise UsageError(f"{what} holds {kind}", hint=hint or "give real numbers")
    if array.dtype.kind in "iu" and array.size and max(array.max(), -int(array.min())) > EXACT:
        raise UsageError(f"{what} holds whole numbers beyond 2**53", hint="they would be rounded")
    if array.dtype != dtype or not (array.flags.c_contiguous and array.flags.aligned):
        with np.errstate(over="ignore"):
            array = np.array(array, dtype=dtype, order="C")
    return array


def leading(whole: tuple[int, ...], shape: tuple[int, ...], what: str) -> tuple[int, ...]:
    """Return the leading dimensions of an array whose shape must end with `shape`."""
    cut = len(whole) - len(shape)
    if cut < 0 or whole[cut:] != shape:
        wanted = ", ".join(["...", *map(str, shape)])
        size = " x ".join(map(str, shape))
        hint = f"a state has {size} numbers; a batch of n states has shape (n, {wanted[5:]})"
        if whole and whole[::-1][: len(shape)] != shape and whole[: len(shape)] == shape:
            hint = (
                f"batch dimensions come first: give the transposed array, shape (..., {wanted[5:]})"
            )
        raise UsageError(f"{what} has shape {whole}, expected ({wanted})", hint=hint)
    return whole[:cut]


def inputs(card: Card, values: Sequence[Any]) -> tuple[list[Array], list[tuple[int, ...]]]:
    """Return the input arrays and the leading dimensions of each."""
    check_count(card, values)
    arrays, leads = [], []
    for port, value in zip(card.inputs, values, strict=True):
        what = f"{card.name}: input {port.name!r}"
        arrays.append(numbers(value, what, np.dtype(card.form.dtype)))
        leads.append(leading(arrays[-1].shape, port.shape, what))
    return arrays, leads


def in_order(card: Card, values: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return all inputs in the order of the card; some were given by name."""
    names = [p.name for p in card.inputs]
    usage = f"write ({', '.join(names)})"
    known = dict(zip(names, values, strict=False))
    for name in named:
        if name in known:
            raise UsageError(f"{card.name}: input {name!r} is given twice", hint=usage)
        if name not in names:
            near = closest(name, names)
            hint = f"{near} {usage}" if near.startswith("did") else usage
            raise UsageError(f"{card.name} has no input {shown(name)!r}", hint=hint)
    known |= named
    missing = [name for name in names if name not in known]
    if missing or len(values) > len(names):
        check_count(card, tuple(known.values()) if missing else values)
    return tuple(known[name] for name in names)


def check_count(card: Card, values: Sequence[Any]) -> None:
    """Refuse more inputs than there are, or fewer."""
    if len(values) != len(card.inputs):
        names = ", ".join(p.name for p in card.inputs)
        raise UsageError(
            f"{card.name} takes {len(card.inputs)} inputs ({names}), not {len(values)}",
            hint=f"write ({names})",
        )


def by_name(card: Card, values: Mapping[str, Any] | None) -> list[Any]:
    """Return a value for each parameter in the order of the card: as given, or its default."""
    if values is not None and not isinstance(values, Mapping):
        raise UsageError(
            f"{card.name}: parameters is {type(values).__name__}, not a dict of names",
            hint=f"parameters={{{shown(next(iter(card.parameters), 'L1'))!r}: value or array}}",
        )
    unknown = [name for name in values or () if name not in card.parameters]
    given = {**dict.fromkeys(card.idle, 0.0), **card.defaults, **(values or {})}
    if unknown:
        known = ", ".join(card.parameters) or "none"
        raise ParameterError(
            f"{card.name} has no parameter {unknown[0]!r}",
            hint=f"its parameters: {known}; compile(..., parameters=[...]) keeps more",
            command=f"its parameters: {known}",
        )
    missing = [name for name in card.parameters if name not in given]
    if missing:
        raise ParameterError(
            f"{card.name}: no value for parameter {_some(missing)}",
            hint=f"call with parameters={{{shown(missing[0])!r}: ...}}",
            command=f"write --set {shown(missing[0])}=...",
        )
    return [given[name] for name in card.parameters]


def parameters(card: Card, values: Mapping[str, Any] | None) -> tuple[Array | None, tuple]:
    """Return the parameter values, last dimension in the order of the card, and their lead."""
    given = by_name(card, values)
    if not given:
        return None, ()
    dtype, named = np.dtype(card.form.dtype), zip(card.parameters, given, strict=True)
    columns = [numbers(x, f"{card.name}: parameter {n!r}", dtype) for n, x in named]
    if not any(c.ndim for c in columns):
        return np.array(columns), ()
    try:
        return np.stack(np.broadcast_arrays(*columns), axis=-1), np.broadcast(*columns).shape
    except ValueError as error:
        shapes = ", ".join(str(c.shape) for c in columns)
        raise UsageError(
            f"{card.name}: parameters of shapes {shapes} do not broadcast",
            hint="give numbers, or arrays of the leading dimensions of the inputs",
        ) from error


def _some(names: Sequence[str]) -> str:
    """Return the first dozen names, and how many more there are."""
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return ", ".join(map(shown, names[:12])) + more


def common(card: Card, leads: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the leading dimensions that all inputs broadcast to."""
    first = next((lead for lead in leads if lead), ())
    if all(lead in ((), first) for lead in leads):
        return first
    try:
        return np.broadcast_shapes(*leads)
    except ValueError as error:
        shown = ", ".join(map(str, leads))
        raise UsageError(
            f"{card.name}: leading dimensions {shown} do not broadcast",
            hint="give one state, or the same number of states in every input",
        ) from error


def rows(array: Array, own: tuple[int, ...], lead: tuple[int, ...]) -> Array:
    """Return the array with all of `lead`; one that has no leading dimension stays as it is."""
    if own in ((), lead):
        return array
    tail = array.shape[len(own) :]
    return np.ascontiguousarray(np.broadcast_to(array, lead + tail))


def pieces(
    given: Sequence[tuple[Array, tuple[int, ...]]], lead: tuple[int, ...], states: int
) -> Iterator[tuple[slice, list[Array]]]:
    """Yield stretches of the first leading dimension, and the arrays there with all of `lead`.

    Arrays that broadcast are written out once more for each stretch, into the same memory: for the
    whole batch they would be as large as its results, and cost more than the kernel.
    """
    step = max(1, states // max(1, prod(lead[1:])))
    room: dict[int, Array] = {}
    for first in range(0, lead[0], step):
        at = slice(first, min(first + step, lead[0]))
        made = []
        for k, (array, own) in enumerate(given):
            if own in ((), lead):
                made.append(array[at] if own else array)
                continue
            wide = np.broadcast_to(array, lead + array.shape[len(own) :])
            if k not in room or own[:1] == lead[:1]:  # else the same in every stretch
                room.setdefault(k, np.empty((step, *wide.shape[1:]), wide.dtype))
                room[k][: at.stop - first] = wide[at]
            made.append(room[k][: at.stop - first])
        yield at, made


def outputs(card: Card, out: Any, lead: tuple[int, ...], given: Sequence[Any]) -> list[Array]:
    """Return the arrays to write to: new ones, or those of `out` when they are fit for it."""
    if out is None:
        return [np.empty(lead + port.shape, card.form.dtype) for port in card.outputs]
    single = len(card.outputs) == 1
    if single:
        out = (out,)
    elif not isinstance(out, (tuple, list)) or len(out) != len(card.outputs):
        names = ", ".join(p.name for p in card.outputs)
        raise UsageError(
            f"{card.name}: out must be a tuple of {len(card.outputs)} arrays ({names})",
            hint=f"write out=({names})",
        )
    for port, array in zip(card.outputs, out, strict=True):
        _fit(port, array, lead, "out" if single else f"out[{port.name!r}]", card)
    for k, array in enumerate(out):
        for other in (*given, *out[:k]):
            if isinstance(other, np.ndarray) and np.may_share_memory(array, other):
                raise UsageError(
                    f"{card.name}: out overlaps an input or another output in memory",
                    hint="give an array of its own",
                )
    return list(out)


def _fit(port: Port, array: Any, lead: tuple[int, ...], what: str, card: Card) -> None:
    dtype = card.form.dtype
    wanted = f"{card.name}: {what} must be a writeable C-contiguous {dtype} array of shape "
    wanted += str(lead + port.shape)
    kind = "" if dtype == "float64" else f", {dtype!r}"
    hint = f"write out=numpy.empty({lead + port.shape}{kind})"
    if not isinstance(array, np.ndarray):
        raise UsageError(f"{wanted}, not {type(array).__name__}", hint=hint)
    if array.shape != lead + port.shape:
        raise UsageError(f"{wanted}, not {array.shape}", hint=hint)
    if array.dtype != dtype:
        raise UsageError(f"{wanted}, not {array.dtype}", hint=hint)
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable):
        raise UsageError(wanted, hint="it is read-only, unaligned or not contiguous")
