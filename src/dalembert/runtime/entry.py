"""The entry that Python calls directly, as LLVM IR text: no wrapper stands before the kernel.

One function serves all kernels. It reads a plan (see `fast.py`), takes C-contiguous aligned arrays
of the dtype of each port, and hands anything else to the general path in Python, which converts or
complains.
It keeps the GIL for one state and short batches, and releases it for long ones.
"""

from __future__ import annotations

from .llvm import table
from .stub import (
    ALIGNED,
    APART,
    ARRAY,
    C_CONTIGUOUS,
    DATA,
    DIMENSIONS,
    HEAD,
    NEEDS,
    NEW,
    PORTS,
    RECORD,
    SHORT,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    WRITEABLE,
    need,
    word,
)

FLAGS_IN = C_CONTIGUOUS | ALIGNED
FLAGS_OUT = FLAGS_IN | WRITEABLE
_AT = {name: 8 * k for k, name in enumerate(HEAD)}


def _entry(offset: int) -> str:
    """Return the IR of the number of arguments, and `out`."""
    return f"""
define ptr @call(ptr %self, ptr %args, i64 %nargsf, ptr %kw) #0 {{
entry:
  %ins = alloca [{PORTS} x ptr], align 16
  %strides = alloca [{PORTS} x i64], align 16
  %bytes = alloca [{PORTS} x i64], align 16
  %outs = alloca [{PORTS} x ptr], align 16
  %obytes = alloca [{PORTS} x i64], align 16
  %made = alloca [{PORTS} x ptr], align 16
  %dims = alloca [{DIMENSIONS + 1} x i64], align 16
  %leadp = alloca i64, align 8
  {word("%plan", "%self", offset, "ptr")}
  %n = and i64 %nargsf, {(1 << 63) - 1}
  {word("%inputs", "%plan", _AT["inputs"])}
  {word("%outputs", "%plan", _AT["outputs"])}
  {word("%scratch", "%plan", _AT["scratch"], "ptr")}
  %records = getelementptr i8, ptr %plan, i64 {8 * len(HEAD)}
  %enough = icmp eq i64 %n, %inputs
  br i1 %enough, label %keywords, label %slow
keywords:
  %plain = icmp eq ptr %kw, null
  br i1 %plain, label %read, label %keyword
keyword:
  {word("%kws", "%kw", TUPLE_SIZE)}
  {word("%kw0", "%kw", TUPLE_ITEMS, "ptr")}
  {need("out", "%outname")}
  %single = icmp eq i64 %kws, 1
  %named = icmp eq ptr %kw0, %outname
  %both = and i1 %single, %named
  br i1 %both, label %given, label %slow
given:
  %outp = getelementptr ptr, ptr %args, i64 %n
  %value = load ptr, ptr %outp, align 8
  {need("none", "%none")}
  %is_none = icmp eq ptr %value, %none
  %one_out = icmp eq i64 %outputs, 1
  %ready = or i1 %is_none, %one_out
  %kept = select i1 %is_none, ptr null, ptr %value
  br i1 %ready, label %read, label %several
several:
  ; several outputs: a tuple of as many arrays
  {word("%vtype", "%value", 8, "ptr")}
  {need("tuple_type", "%tuples")}
  %tupled = icmp eq ptr %vtype, %tuples
  br i1 %tupled, label %counted, label %slow
counted:
  {word("%vsize", "%value", TUPLE_SIZE)}
  %items = getelementptr i8, ptr %value, i64 {TUPLE_ITEMS}
  %all = icmp eq i64 %vsize, %outputs
  br i1 %all, label %read, label %slow
"""


# each input: its data, its stride, the common leading length
_INPUTS = f"""read:
  %out = phi ptr [ null, %keywords ], [ %kept, %given ], [ %value, %counted ]
  %targets = phi ptr [ null, %keywords ], [ %outp, %given ], [ %items, %counted ]
  br label %input
input:
  %i = phi i64 [ 0, %read ], [ %i1, %next ]
  %lead = phi i64 [ -1, %read ], [ %merged, %next ]
  %end = icmp uge i64 %i, %n
  br i1 %end, label %checked, label %take
take:
  %ap = getelementptr ptr, ptr %args, i64 %i
  %a = load ptr, ptr %ap, align 8
  %ro = mul i64 %i, {8 * RECORD}
  %record = getelementptr i8, ptr %records, i64 %ro
  %data = call ptr @array(ptr %a, ptr %record, i32 {FLAGS_IN}, ptr %leadp)
  %fits = icmp ne ptr %data, null
  br i1 %fits, label %place, label %slow
place:
  %own = load i64, ptr %leadp, align 8
  {word("%row", "%record", 8)}
  %alone = icmp slt i64 %own, 0
  %first = icmp slt i64 %lead, 0
  %merged = select i1 %alone, i64 %lead, i64 %own
  %equal = icmp eq i64 %own, %lead
  %fine0 = or i1 %alone, %first
  %fine = or i1 %fine0, %equal
  %stride = select i1 %alone, i64 0, i64 %row
  %rows = select i1 %alone, i64 1, i64 %own
  %length = mul i64 %rows, %row
  %p1 = getelementptr ptr, ptr %ins, i64 %i
  store ptr %data, ptr %p1, align 8
  %p2 = getelementptr i64, ptr %strides, i64 %i
  store i64 %stride, ptr %p2, align 8
  %p3 = getelementptr i64, ptr %bytes, i64 %i
  store i64 %length, ptr %p3, align 8
  br i1 %fine, label %next, label %slow
next:
  %i1 = add i64 %i, 1
  br label %input
"""

# where results go: arrays that were given, or new ones
_OUTPUTS = f"""checked:
  ; an empty batch, and one for several threads, are left to Python
  {word("%threads", "%plan", _AT["threads"])}
  %empty = icmp eq i64 %lead, 0
  %short = icmp sle i64 %lead, {SHORT}
  %alone1 = icmp eq i64 %threads, 1
  %mine0 = or i1 %short, %alone1
  %notempty = xor i1 %empty, true
  %mine = and i1 %mine0, %notempty
  %ro2 = mul i64 %inputs, {8 * RECORD}
  %outrecords = getelementptr i8, ptr %records, i64 %ro2
  br i1 %mine, label %results, label %slow
results:
  %has_out = icmp ne ptr %out, null
  br i1 %has_out, label %existing, label %fresh

existing:
  %e = phi i64 [ 0, %results ], [ %e1, %placed ]
  %eend = icmp uge i64 %e, %outputs
  br i1 %eend, label %run, label %target
target:
  %tp = getelementptr ptr, ptr %targets, i64 %e
  %given_out = load ptr, ptr %tp, align 8
  %eo = mul i64 %e, {8 * RECORD}
  %erec = getelementptr i8, ptr %outrecords, i64 %eo
  %odata = call ptr @array(ptr %given_out, ptr %erec, i32 {FLAGS_OUT}, ptr %leadp)
  %ofits = icmp ne ptr %odata, null
  br i1 %ofits, label %same_lead, label %slow
same_lead:
  %olead = load i64, ptr %leadp, align 8
  %osame = icmp eq i64 %olead, %lead
  {word("%orow", "%erec", 8)}
  %osingle = icmp slt i64 %olead, 0
  %orows = select i1 %osingle, i64 1, i64 %olead
  %olength = mul i64 %orows, %orow
  br i1 %osame, label %from_inputs, label %slow
from_inputs:
  ; apart in memory from each input, and from each output before it
  %c0 = call i1 @apart(ptr %odata, i64 %olength, ptr %ins, ptr %bytes, i64 %n)
  br i1 %c0, label %from_outputs, label %slow
from_outputs:
  %c1 = call i1 @apart(ptr %odata, i64 %olength, ptr %outs, ptr %obytes, i64 %e)
  br i1 %c1, label %placed, label %slow
placed:
  %s3 = getelementptr ptr, ptr %outs, i64 %e
  store ptr %odata, ptr %s3, align 8
  %s4 = getelementptr i64, ptr %obytes, i64 %e
  store i64 %olength, ptr %s4, align 8
  %e1 = add i64 %e, 1
  br label %existing

fresh:
  %m = phi i64 [ 0, %results ], [ %m1, %filled ]
  %mend = icmp uge i64 %m, %outputs
  br i1 %mend, label %run, label %allocate
allocate:
  %mo = mul i64 %m, {8 * RECORD}
  %mrec = getelementptr i8, ptr %outrecords, i64 %mo
  %arr = call ptr @new(ptr %mrec, i64 %lead, ptr %dims)
  %failed = icmp eq ptr %arr, null
  br i1 %failed, label %drop, label %filled
filled:
  %s1 = getelementptr ptr, ptr %made, i64 %m
  store ptr %arr, ptr %s1, align 8
  {word("%adata", "%arr", DATA, "ptr")}
  %s2 = getelementptr ptr, ptr %outs, i64 %m
  store ptr %adata, ptr %s2, align 8
  %m1 = add i64 %m, 1
  br label %fresh
drop:
  %dm = phi i64 [ %m, %allocate ], [ %dm1, %dropped ]
  %none_left = icmp eq i64 %dm, 0
  br i1 %none_left, label %error, label %dropped
dropped:
  %dm1 = sub i64 %dm, 1
  %dp = getelementptr ptr, ptr %made, i64 %dm1
  %da = load ptr, ptr %dp, align 8
  {need("Py_DecRef", "%dec0")}
  call void %dec0(ptr %da)
  br label %drop
error:
  ret ptr null

"""

# the kernel itself
_RUN = f"""run:
  %state = icmp slt i64 %lead, 0
  br i1 %state, label %run_one, label %run_many
run_one:
  {word("%one", "%plan", _AT["one"], "ptr")}
  call void %one(ptr %ins, ptr null, ptr %outs, ptr %scratch)
  br label %return
run_many:
  {word("%batch", "%plan", _AT["batch"], "ptr")}
  br i1 %short, label %run_short, label %run_long
run_short:
  call void %batch(ptr %ins, ptr %strides, ptr null, i64 0, ptr %outs, i64 %lead, ptr %scratch)
  br label %return
run_long:
  ; the plan's scratch belongs to the holder of the GIL
  {word("%need", "%plan", _AT["scratch_batch"])}
  %room = add i64 %need, 64
  {need("malloc", "%malloc")}
  %memory = call ptr %malloc(i64 %room)
  %no_memory = icmp eq ptr %memory, null
  br i1 %no_memory, label %run_short, label %run_free
run_free:
  %raw = ptrtoint ptr %memory to i64
  %up = add i64 %raw, 63
  %aligned = and i64 %up, -64
  %mine_ = inttoptr i64 %aligned to ptr
  {need("PyEval_SaveThread", "%save")}
  {need("PyEval_RestoreThread", "%restore")}
  {need("free", "%free")}
  %thread = call ptr %save()
  call void %batch(ptr %ins, ptr %strides, ptr null, i64 0, ptr %outs, i64 %lead, ptr %mine_)
  call void %restore(ptr %thread)
  call void %free(ptr %memory)
  br label %return

"""

# the answer
_RETURN = f"""return:
  br i1 %has_out, label %return_out, label %return_new
return_out:
  {need("Py_IncRef", "%inc")}
  call void %inc(ptr %out)
  ret ptr %out
return_new:
  %just_one = icmp eq i64 %outputs, 1
  br i1 %just_one, label %return_array, label %return_tuple
return_array:
  %only = load ptr, ptr %made, align 8
  ret ptr %only
return_tuple:
  {need("PyTuple_New", "%tuple_new")}
  {need("PyTuple_SetItem", "%tuple_set")}
  %tuple = call ptr %tuple_new(i64 %outputs)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %error, label %fill
fill:
  %z = phi i64 [ 0, %return_tuple ], [ %z1, %fill ]
  %zp = getelementptr ptr, ptr %made, i64 %z
  %za = load ptr, ptr %zp, align 8
  %zr = call i32 %tuple_set(ptr %tuple, i64 %z, ptr %za)
  %z1 = add i64 %z, 1
  %zm = icmp ult i64 %z1, %outputs
  br i1 %zm, label %fill, label %full
full:
  ret ptr %tuple

"""

# all other arguments: the general path in Python
_SLOW = f"""slow:
  {need("general", "%general")}
  {need("PyObject_GetAttr", "%getattr")}
  {need("PyObject_Vectorcall", "%vectorcall")}
  {need("Py_DecRef", "%dec")}
  %method = call ptr %getattr(ptr %self, ptr %general)
  %lost = icmp eq ptr %method, null
  br i1 %lost, label %error, label %slow_call
slow_call:
  %answer = call ptr %vectorcall(ptr %method, ptr %args, i64 %nargsf, ptr %kw)
  call void %dec(ptr %method)
  ret ptr %answer
}}
"""


def module(offset: int) -> str:
    """Return the IR of the entry for objects that keep their plan at byte `offset`."""
    own = [_entry(offset), _INPUTS, _OUTPUTS, _RUN, _RETURN, _SLOW]
    return "".join([table(len(NEEDS)), ARRAY, APART, NEW, *own])
