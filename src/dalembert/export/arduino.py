"""An Arduino library: the C of a model in single precision, a sketch, golden vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..emit.c import LANGUAGE
from ..emit.language import write
from ..emit.text import each, part
from ..mechanism import Mechanism
from .unit import unit_of


def arduino_files(m: Mechanism, names: Sequence[str], **options: Any) -> dict[str, str | bytes]:
    """Return the files of the library, in a folder of the model's name."""
    unit = unit_of(m, names, together=False, **options)
    code = write(LANGUAGE, unit)
    up, id, entry = unit.id.upper(), unit.id, unit.entries[0]
    single = f"#ifndef {up}_DOUBLE\n#define {up}_FLOAT /* single precision */\n#endif\n\n"
    sizes = [max(1, p.size) for p in (*entry.inputs, *entry.outputs)]
    vectors = zip(entry.arguments, sizes, strict=True)
    room = f"{id}_parameters p;\n{id}_real r[{unit.room}];\n"
    start = f"  {id}_default_parameters(&p);\n  {id}_prepare(&p, r);\n"
    given = (*entry.given, "r" if unit.parameters else "NULL", *entry.made)
    words = {
        "vectors": each(vectors, f"{id}_real {{0[0]}}[{{0[1]}}];\n") + room * bool(unit.parameters),
        "start": start * bool(unit.parameters),
        "words": ", ".join(given),
        "size": str(sizes[len(entry.given)]),
        "first": entry.made[0],
    }
    sketch = part("sketch.ino", unit, words, entry.name)
    return {
        f"{id}/library.properties": part("arduino.properties", unit),
        f"{id}/src/{id}.h": single + code[f"{id}.h"],
        f"{id}/src/{id}.c": code[f"{id}.c"],
        f"{id}/extras/{id}_test.c": code[f"{id}_test.c"],
        f"{id}/examples/{entry.name}/{entry.name}.ino": sketch,
    }
