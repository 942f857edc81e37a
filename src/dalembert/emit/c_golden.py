"""Golden vectors in C: tables of all states, a loop over them, and the times of single calls.

OpenCL and CUDA check the same tables.
"""

from __future__ import annotations

import math

from .dialect import numbers
from .language import Vector
from .text import chunks, each, part
from .unit import Entry, Unit

FINEST, LARGEST = 2.0**-126, 2.0**128 - 2.0**104  # normal numbers of single precision


def constant(x: float, up: str) -> str:
    """Return a number in either precision; <ID>_FAR has a second one for single precision."""
    size = abs(x)
    near = not (math.isfinite(x) and size) or FINEST <= size <= LARGEST
    single = "0.0" if size < FINEST else repr(LARGEST)
    text = f"{up}_K({{}})" if near else f"{up}_FAR({{}}, {single})"
    return numbers("INFINITY", "NAN", text)(x)


def results(entry: Entry, form: str) -> str:
    """Return the results of a function, each by a form of a Vector."""
    return each(map(Vector.of, entry.made, entry.outputs), form)


def compared(unit: Unit, entry: Entry) -> str:
    """Return the statements that compare the results of all states with golden ones."""
    id, up, states = unit.id, unit.id.upper(), len(entry.golden)

    def check(k: int) -> str:
        v = Vector.of(entry.made[k], entry.outputs[k])
        return (
            f'        bad |= {id}_differs("{entry.name} {v.word}", {v.size}, {states},'
            f"\n            x_{v.word}[0], {id}_{entry.name}_{v.word}[0], "
            f"{entry.size(k)!r}, {entry.roundings(k)!r}*{up}_EPSILON);\n"
        )

    return each(range(len(entry.outputs)), check)


def golden_tables(unit: Unit) -> str:
    """Return the states of golden vectors and their results as constant tables."""

    def row(values: tuple[float, ...]) -> str:
        texts = [*map(lambda x: constant(x, unit.id.upper()), values or (0.0,))]
        lines = each(chunks(texts, 4), lambda part: ", ".join(part[1]), ",\n        ")
        return f"    {{\n        {lines}\n    }}"

    def table(entry: Entry, word: str, states: tuple[tuple[float, ...], ...]) -> str:
        name = f"{unit.id}_{entry.name}_{word}[{len(states)}][{max(1, len(states[0]))}]"
        rows = each(states, row, ",\n")
        return f"static const {unit.id}_real {name} = {{\n{rows}\n}};\n\n"

    def one(entry: Entry) -> str:
        columns = zip(*map(lambda g: (*g.inputs, *g.outputs), entry.golden), strict=True)
        return each(zip(entry.arguments, columns, strict=True), lambda x: table(entry, *x))

    return each(unit.entries, one)


def _call(unit: Unit, entry: Entry, r: str, out: str) -> str:
    given = each(entry.given, f"{unit.id}_{entry.name}_{{}}[k], ")
    return f"{unit.id}_{entry.name}({given}{r}{results(entry, out)})"


def golden_loop(unit: Unit, entry: Entry, cases: str) -> str:
    states = len(entry.golden)
    call = _call(unit, entry, "r" if unit.parameters else "NULL", ", x_{0.word}[k]")
    return (
        "    {\n"
        + results(entry, f"        {unit.id}_real x_{{0.word}}[{states}][{{0.n}}];\n")
        + f"        for (k = 0; k < {states}; ++k) {{\n            {call};\n        }}\n"
        + f"{compared(unit, entry)}    }}\n"
    )


def _timed(unit: Unit, entry: Entry) -> str:
    """Return the function that makes one call at golden state k."""
    id, golden = unit.id, f"    (void){unit.id}_{entry.name}_{{0.word}};\n"  # of no use here
    words = {
        "room": results(entry, f"    {id}_real x_{{0.word}}[{{0.n}}];\n"),
        "unused": ("" if entry.given else "    (void)k;\n") + results(entry, golden),
        "call": f"    {_call(unit, entry, 'r', ', x_{0.word}')};\n",
        "sink": f"    {id}_sink = x_{entry.made[0]}[0];\n",
    }
    return part("timed.h", unit, words, entry.name)


def golden_words(unit: Unit) -> dict[str, str]:
    """Return what fills the holes of the test."""
    id, r = unit.id, "r" if unit.parameters else "NULL"

    def time(e: Entry) -> str:
        return f'    {id}_time("{e.name}", {id}_{e.name}_once, {r}, {len(e.golden)});\n'

    return {
        "golden_tables": golden_tables(unit),
        "timed": each(unit.entries, lambda entry: _timed(unit, entry)),
        "times": each(unit.entries, time),
    }
