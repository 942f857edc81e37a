"""What an operation becomes in IR: one instruction, or a call of the C library."""

from __future__ import annotations

from ..expr import OPS

# one instruction each; {t} is the value type, {m} its suffix, {0} {1} the operands
SIMPLE = {
    "add": "fadd contract {t} {0}, {1}",
    "sub": "fsub contract {t} {0}, {1}",
    "mul": "fmul contract {t} {0}, {1}",
    "div": "fdiv {t} {0}, {1}",
    "neg": "fneg {t} {0}",
    "sqrt": "call {t} @llvm.sqrt.{m}({t} {0})",
    "absolute": "call {t} @llvm.fabs.{m}({t} {0})",
    "minimum": "call {t} @llvm.minimum.{m}({t} {0}, {t} {1})",
    "maximum": "call {t} @llvm.maximum.{m}({t} {0}, {t} {1})",
}
ROUNDED = "fmul {t} {0}, {1}"  # a product that no sum takes in before it is rounded
MASKS = {
    "lt": "fcmp olt {t} {0}, {1}",
    "le": "fcmp ole {t} {0}, {1}",
    "eq": "fcmp oeq {t} {0}, {1}",
}
# what no instruction computes is left to the C library, by the name it has there
LIBM = {
    op.libm: op.arity
    for op in OPS.values()
    if op.libm and op.kind != "sincos" and op.name not in SIMPLE
}
SIMPLE |= {
    op.name: f"call {{t}} @{op.libm}.{{m}}({', '.join(f'{{t}} {{{k}}}' for k in range(op.arity))})"
    for op in OPS.values()
    if op.libm in LIBM
}
