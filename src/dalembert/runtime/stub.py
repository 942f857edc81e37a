"""What the entry of a kernel reads in a plan and in objects of Python (`entry` is its code)."""

from __future__ import annotations

PORTS = 16  # ports of each kind that a plan has room for
DIMENSIONS = 4  # dimensions of a port
SHORT = 64  # states up to which the GIL is kept
VECTORS = (1, 2, 3)  # numbers of inputs that have an entry of their own

# words of a plan: a head, then a record per input, then a record per output
HEAD = (
    "inputs", "outputs", "one", "batch", "scratch", "scratch_batch", "threads", "reduced", "tile",
    "desk", "share",
)  # fmt: skip
# dimensions, bytes, each dimension, dtype and its number, where the last array lay
RECORD = 5 + DIMENSIONS
DTYPE_AT, NUMBER_AT, LAST_AT = (8 * (n + DIMENSIONS) for n in (2, 3, 4))

# what the function needs from the process, in this order
NEEDS = [
    "array_type", "none", "out", "general", "tuple_type", "Py_IncRef", "Py_DecRef",
    "PyObject_GetAttr", "PyObject_Vectorcall", "PyArray_New", "PyEval_SaveThread",
    "PyEval_RestoreThread", "malloc", "free", "PyTuple_New", "PyTuple_SetItem",
]  # fmt: skip

# byte offsets in a tuple, and in an array: PyArrayObject_fields, the same in NumPy 1 and 2
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
DATA, DIMENSION_COUNT, DIMENSIONS_AT, STRIDES_AT, DESCR, FLAGS = 16, 24, 32, 40, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
