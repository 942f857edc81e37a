"""An Arduino library: the C of a model in single precision, a sketch, golden vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..emit.c import LANGUAGE
from ..emit.language import write
from ..emit.text import part
from ..mechanism import Mechanism
from .unit import unit_of


def arduino_files(m: Mechanism, names: Sequence[str], **options: Any) -> dict[str, str | bytes]:
    """Return the files of the library, in a folder of the model's name."""
    unit = unit_of(m, names, together=False, **options)
    code = write(LANGUAGE, unit)
    up, id = unit.id.upper(), unit.id
    single = f"#ifndef {up}_DOUBLE\n#define {up}_FLOAT /* single precision */\n#endif\n\n"
    entry = unit.entries[0]
    words = (*entry.given, *entry.made)
    sizes = [max(1, p.size) for p in (*entry.inputs, *entry.outputs)]
    vectors = "".join(f"{id}_real {w}[{n}];\n" for w, n in zip(words, sizes, strict=True))
    start = ""
    if unit.parameters:
        vectors += f"{id}_parameters p;\n{id}_real r[{max(1, unit.prepared)}];\n"
        start = f"  {id}_default_parameters(&p);\n  {id}_prepare(&p, r);\n"
    last = "r" if unit.parameters else "NULL"
    call = f"{id}_{entry.name}({', '.join((*entry.given, last, *entry.made))})"
    sketch = (
        "// One evaluation and its time. Replace the zeros by what your joints measure.\n"
        f"#include <{id}.h>\n\n{vectors}\n"
        f"void setup() {{\n  Serial.begin(115200);\n{start}}}\n\n"
        f"void loop() {{\n  const unsigned long begin = micros();\n  {call};\n"
        "  const unsigned long time = micros() - begin;\n"
        f"  for (int k = 0; k < {sizes[len(entry.given)]}; ++k) {{\n"
        f"    Serial.print((double){entry.made[0]}[k], 6);\n    Serial.print(' ');\n  }}\n"
        '  Serial.print(time);\n  Serial.println(" us");\n  delay(1000);\n}\n'
    )
    return {
        f"{id}/library.properties": part("arduino.properties", unit),
        f"{id}/src/{id}.h": single + code[f"{id}.h"],
        f"{id}/src/{id}.c": code[f"{id}.c"],
        f"{id}/extras/{id}_test.c": code[f"{id}_test.c"],
        f"{id}/examples/{entry.name}/{entry.name}.ino": sketch,
    }
