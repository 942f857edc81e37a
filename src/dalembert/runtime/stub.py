"""Arrays as the entry of a kernel sees them: what it reads in a plan and in objects of Python.

The functions `array` and `new`, as LLVM IR text, check a given array and make a new one.
"""

from __future__ import annotations

from .llvm import table_entry

PORTS = 16  # ports of each kind that a plan has room for
DIMENSIONS = 4  # dimensions of a port
SHORT = 64  # states up to which the GIL is kept

# words of a plan: a head, then a record per input, then a record per output
HEAD = ("inputs", "outputs", "one", "batch", "scratch", "scratch_batch", "threads", "unused")
RECORD = 4 + DIMENSIONS  # dimensions, bytes, then each dimension, then dtype and its number
_DTYPE_AT, _NUMBER_AT = 16 + 8 * DIMENSIONS, 24 + 8 * DIMENSIONS

# what the function needs from the process, in this order
NEEDS = (
    "array_type",
    "none",
    "out",
    "general",
    "Py_IncRef",
    "Py_DecRef",
    "PyObject_GetAttr",
    "PyObject_Vectorcall",
    "PyArray_New",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
    "malloc",
    "free",
    "PyTuple_New",
    "PyTuple_SetItem",
    "tuple_type",
)

# byte offsets in a tuple, and in an array: PyArrayObject_fields, the same in NumPy 1 and 2
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
DATA, DIMENSION_COUNT, DIMENSIONS_AT, STRIDES_AT, DESCR, FLAGS = 16, 24, 32, 40, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
_DEFAULTS = "ptr null, ptr null, i32 0, i32 0, ptr null"  # strides, data, itemsize, flags, obj


def need(name: str, register: str) -> str:
    """Return the line that loads what the process gave under a name."""
    return table_entry(register, NEEDS.index(name))


def word(register: str, base: str, offset: int, kind: str = "i64") -> str:
    """Return lines that load what lies `offset` bytes after a pointer."""
    return (
        f"{register}.p = getelementptr i8, ptr {base}, i64 {offset}\n"
        f"  {register} = load {kind}, ptr {register}.p, align {4 if kind == 'i32' else 8}"
    )


ARRAY = f"""
; the data of an array that fits a record, or null; its leading length, or -1, goes to %lead
define internal ptr @array(ptr %a, ptr %record, i32 %flags, ptr %lead) #0 {{
entry:
  {word("%type", "%a", 8, "ptr")}
  {need("array_type", "%wanted")}
  %t = icmp eq ptr %type, %wanted
  br i1 %t, label %typed, label %no
typed:
  {word("%descr", "%a", DESCR, "ptr")}
  {word("%dtype", "%record", _DTYPE_AT, "ptr")}
  %d = icmp eq ptr %descr, %dtype
  {word("%has", "%a", FLAGS, "i32")}
  %both = and i32 %has, %flags
  %f = icmp eq i32 %both, %flags
  %df = and i1 %d, %f
  br i1 %df, label %fit, label %no
fit:
  {word("%nd32", "%a", DIMENSION_COUNT, "i32")}
  %nd = zext i32 %nd32 to i64
  {word("%shape", "%a", DIMENSIONS_AT, "ptr")}
  %own = load i64, ptr %record, align 8
  %more = sub i64 %nd, %own
  %ok = icmp ule i64 %more, 1
  br i1 %ok, label %leading, label %no
leading:
  %many = icmp eq i64 %more, 1
  br i1 %many, label %many_, label %single
many_:
  %length = load i64, ptr %shape, align 8
  br label %single
single:
  %l = phi i64 [ -1, %leading ], [ %length, %many_ ]
  store i64 %l, ptr %lead, align 8
  %first = mul i64 %more, 8
  %tail = getelementptr i8, ptr %shape, i64 %first
  %dims = getelementptr i8, ptr %record, i64 16
  br label %loop
loop:
  %k = phi i64 [ 0, %single ], [ %k1, %same ]
  %end = icmp uge i64 %k, %own
  br i1 %end, label %yes, label %compare
compare:
  %xp = getelementptr i64, ptr %tail, i64 %k
  %x = load i64, ptr %xp, align 8
  %yp = getelementptr i64, ptr %dims, i64 %k
  %y = load i64, ptr %yp, align 8
  %eq = icmp eq i64 %x, %y
  br i1 %eq, label %same, label %no
same:
  %k1 = add i64 %k, 1
  br label %loop
yes:
  {word("%data", "%a", DATA, "ptr")}
  ret ptr %data
no:
  ret ptr null
}}
"""

APART = """
; whether %length bytes at %data share none with any of %count others
define internal i1 @apart(ptr %data, i64 %length, ptr %others, ptr %lengths, i64 %count) #0 {
entry:
  %o0 = ptrtoint ptr %data to i64
  %o1 = add i64 %o0, %length
  br label %loop
loop:
  %j = phi i64 [ 0, %entry ], [ %j1, %separate ]
  %end = icmp uge i64 %j, %count
  br i1 %end, label %yes, label %compare
compare:
  %p = getelementptr ptr, ptr %others, i64 %j
  %start = load i64, ptr %p, align 8
  %q = getelementptr i64, ptr %lengths, i64 %j
  %size = load i64, ptr %q, align 8
  %stop = add i64 %start, %size
  %before = icmp ule i64 %stop, %o0
  %after = icmp ule i64 %o1, %start
  %clear = or i1 %before, %after
  br i1 %clear, label %separate, label %no
separate:
  %j1 = add i64 %j, 1
  br label %loop
yes:
  ret i1 true
no:
  ret i1 false
}
"""

NEW = f"""
; a new array of a record's shape, with a leading dimension unless %lead is negative
define internal ptr @new(ptr %record, i64 %lead, ptr %dims) #0 {{
entry:
  %own = load i64, ptr %record, align 8
  %source = getelementptr i8, ptr %record, i64 16
  %one = icmp slt i64 %lead, 0
  %more = select i1 %one, i64 0, i64 1
  store i64 %lead, ptr %dims, align 8
  %to = getelementptr i64, ptr %dims, i64 %more
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %copy ]
  %end = icmp uge i64 %k, %own
  br i1 %end, label %make, label %copy
copy:
  %xp = getelementptr i64, ptr %source, i64 %k
  %x = load i64, ptr %xp, align 8
  %yp = getelementptr i64, ptr %to, i64 %k
  store i64 %x, ptr %yp, align 8
  %k1 = add i64 %k, 1
  br label %loop
make:
  %nd = add i64 %own, %more
  %nd32 = trunc i64 %nd to i32
  {need("array_type", "%type")}
  {need("PyArray_New", "%f")}
  {word("%number", "%record", _NUMBER_AT)}
  %number32 = trunc i64 %number to i32
  %made = call ptr %f(ptr %type, i32 %nd32, ptr %dims, i32 %number32, {_DEFAULTS})
  ret ptr %made
}}
"""
