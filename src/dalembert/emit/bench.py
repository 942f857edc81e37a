"""The times of single calls, as a second program in the test of exported C."""

from __future__ import annotations

from .language import Vector, each, part
from .unit import Entry, Unit


def bench(unit: Unit, parameters: str) -> str:
    """Return the program under <ID>_BENCH, up to the #else of the golden vectors."""
    id, up = unit.id, unit.id.upper()
    r = "r" if unit.parameters else "NULL"
    times = each(
        unit.entries,
        lambda e: f'    {id}_time("{e.name}", {id}_{e.name}_once, {r}, {len(e.golden)});\n',
    )
    calls = each(unit.entries, lambda entry: _timed(entry, unit))
    return (
        f"#ifdef {up}_BENCH\n\n{part('bench.h', unit)}\n{calls}"
        f"int main(void)\n{{\n{parameters}{times}    return 0;\n}}\n\n#else\n\n"
    )


def _timed(entry: Entry, unit: Unit) -> str:
    """Return the function that makes one call at golden state k."""
    id, name = unit.id, f"{unit.id}_{entry.name}"
    outs = [*map(Vector.of, entry.made, entry.outputs)]
    words = [each(entry.given, f"{name}_{{}}[k]", ", "), "r", each(outs, "x_{0.word}", ", ")]
    given = "" if entry.given else "    (void)k;\n"
    given += each(outs, f"    (void){name}_{{0.word}};\n")  # golden, of no use here
    return (
        f"static void {name}_once(int k, const {id}_real *r)\n{{\n"
        + each(outs, f"    {id}_real x_{{0.word}}[{{0.n}}];\n")
        + given
        + f"    {name}({', '.join(words)});\n    {id}_sink = x_{outs[0].word}[0];\n}}\n\n"
    )
