"""Kernels that Python calls without a wrapper: a type with a vectorcall slot, made at run time.

What is assumed of CPython and NumPy is read from real objects and compared with their own answers
before first use. Where anything differs, or `DALEMBERT_STUB=off`, kernels are plain Python objects.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import sysconfig
from typing import Any

import numpy as np

from . import cache, stub
from .ahead import MAKING
from .card import Card
from .crew import place
from .kernel import Kernel
from .llvm import Engine, c_library, generate
from .native import Native, address, scratch
from .team import Team

_word = ctypes.c_void_p
_api = ctypes.pythonapi


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("value", _word))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# numbers of the stable ABI
_TP_CALL, _TP_MEMBERS, _SSIZE, _READONLY, _HAVE_VECTORCALL = 50, 72, 19, 1, 1 << 11
_ARRAY_NEW = 93  # PyArray_New in NumPy's table of C functions


def supported() -> bool:
    """Return whether this interpreter and NumPy are of a kind the entry knows."""
    return (
        os.environ.get("DALEMBERT_STUB", "").lower() != "off"
        and platform.python_implementation() == "CPython"
        and ctypes.sizeof(_word) == 8
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and not hasattr(sys, "gettotalrefcount")
        and np.lib.NumpyVersion(np.__version__).major in (1, 2)
    )


def layout_holds() -> bool:
    """Return whether arrays and tuples lie in memory as the entry reads them."""
    base = np.arange(24.0).reshape(4, 6)
    frozen = base.copy()
    frozen.flags.writeable = False
    for a in (base, base[1], base.T, base[:, ::2], frozen, np.array(3.0), base.astype("float32")):
        at = id(a)
        shape = (ctypes.c_int64 * a.ndim).from_address(_read(at + stub.DIMENSIONS_AT) or at)
        strides = (ctypes.c_int64 * a.ndim).from_address(_read(at + stub.STRIDES_AT) or at)
        same = (
            _read(at + 8) == id(np.ndarray)
            and _read(at + stub.DATA) == address(a)
            and ctypes.c_int.from_address(at + stub.DIMENSION_COUNT).value == a.ndim
            and tuple(shape) == a.shape
            and tuple(strides) == a.strides
            and _read(at + stub.DESCR) == id(np.dtype(a.dtype.name))
            and ctypes.c_int.from_address(at + stub.FLAGS).value == a.flags.num
        )
        if not same:
            return False
    names = ("out", "parameters")
    items = [_read(id(names) + stub.TUPLE_ITEMS + 8 * k) for k in range(2)]
    return _read(id(names) + stub.TUPLE_SIZE) == 2 and items == [id(n) for n in names]


def _read(place: int) -> int | None:
    return _word.from_address(place).value


def _array_new() -> int | None:
    """Return the address of PyArray_New, checked by making an array with it."""
    core = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get(
        "numpy.core._multiarray_umath"
    )
    capsule = getattr(core, "_ARRAY_API", None)
    if capsule is None:
        return None
    get = ctypes.PYFUNCTYPE(_word, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", _api)
    )
    place = _read(get(capsule, None) + 8 * _ARRAY_NEW) or 0
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, ctypes.c_int, _word, ctypes.c_int,
        _word, _word, ctypes.c_int, ctypes.c_int, _word,
    )  # fmt: skip
    shape = (ctypes.c_int64 * 2)(3, 5)
    made = kind(place)(np.ndarray, 2, ctypes.addressof(shape), 12, None, None, 0, 0, None)
    good = type(made) is np.ndarray and made.shape == (3, 5) and made.dtype is np.dtype(np.float64)
    return place if good and made.flags.c_contiguous and made.flags.owndata else None


_OUT, _GENERAL = sys.intern("out"), sys.intern("general")


def _needs(array_new: int) -> ctypes.Array[ctypes.c_void_p]:
    own = {
        "array_type": id(np.ndarray),
        "tuple_type": id(tuple),
        "none": id(None),
        "out": id(_OUT),
        "general": id(_GENERAL),
        "PyArray_New": array_new,
    }

    def find(name: str) -> int | None:
        library = c_library() if name in ("malloc", "free") else _api
        return own.get(name) or ctypes.cast(getattr(library, name), _word).value

    return (_word * len(stub.NEEDS))(*(find(name) for name in stub.NEEDS))


def _entry_code(plan_at: int) -> bytes:
    key = f"entry {sys.implementation.cache_tag} {plan_at} {stub.TUPLE_ITEMS} {stub.VECTORS}"
    kept = cache.read(key)
    if kept is not None:
        return kept[1]
    from .entry import module

    code = generate(module(plan_at), 1)
    cache.write(key, {}, code)
    return code


class _Entry:
    """The loaded entry and the type whose objects use it; both live as long as the process."""

    def __init__(self, array_new: int):
        size = Kernel.__basicsize__
        self.plan_at, self.call_at = size + 8, size
        self.engine = Engine(_entry_code(self.plan_at), _needs(array_new))
        self.call = self.engine.address("call")
        self.vectors = {n: self.engine.address(f"call.{n}") for n in stub.VECTORS}
        self.type = self._type(size + 16)

    def _type(self, size: int) -> type[Kernel]:
        name = b"__vectorcalloffset__"
        vectorcall = _Member(name, _SSIZE, self.call_at, _READONLY, None)
        self._members = (_Member * 2)(vectorcall, _Member())
        call = ctypes.cast(_api.PyVectorcall_Call, _word).value
        members = ctypes.addressof(self._members)
        pairs = ((_TP_CALL, call), (_TP_MEMBERS, members), (0, None))
        self._slots = (_Slot * 3)(*(_Slot(*pair) for pair in pairs))
        self._spec = _Spec(b"dalembert.runtime.Kernel", size, 0, _HAVE_VECTORCALL, self._slots)
        make = ctypes.PYFUNCTYPE(ctypes.py_object, _word, ctypes.py_object)(
            ("PyType_FromSpecWithBases", _api)
        )
        made = make(ctypes.addressof(self._spec), (Kernel,))
        made.__doc__ = Kernel.__doc__
        return made

    def kernel(self, card: Card, code: Native, threads: Team) -> Kernel:
        made = self.type(card, code, threads)
        made._plan = _plan(card, code, threads)
        _word.from_address(id(made) + self.plan_at).value = ctypes.addressof(made._plan[0])
        vectors = card.form.reduce is None and len(card.outputs) == 1
        vectors &= all(len(port.shape) == 1 for port in (*card.inputs, *card.outputs))
        call = self.vectors.get(len(card.inputs), self.call) if vectors else self.call
        _word.from_address(id(made) + self.call_at).value = call
        return made


def renewed(made: Kernel) -> None:
    """Let the entry of a kernel run the code that its `Native` has now."""
    if made._plan and isinstance(made.code, Native):
        words = made._plan[0]
        for name, place in (("one", made.code.one_address), ("batch", made.code.whole_address)):
            words[stub.HEAD.index(name)] = place


def _plan(card: Card, code: Native, threads: Team) -> tuple[Any, ...]:
    memory, start = scratch(max(card.scratch_one, card.scratch_batch))
    reduced = card.form.reduce is not None
    desk, share = (0, 0) if threads == 1 or reduced else place(threads)
    words = [
        len(card.inputs), len(card.outputs), code.one_address, code.whole_address,
        start, card.scratch_batch, threads if isinstance(threads, int) else 2,
        int(reduced), card.tile, desk, share,
    ]  # fmt: skip
    dtype = np.dtype(card.form.dtype)  # lives as long as NumPy
    for port in (*card.inputs, *card.outputs):
        shape = (*port.shape, *[0] * (stub.DIMENSIONS - len(port.shape)))
        words += [len(port.shape), dtype.itemsize * port.size, *shape, id(dtype), dtype.num, 0]
    return (ctypes.c_int64 * len(words))(*words), memory


_made: list[_Entry | None] = []  # one at most, for the life of the process


def entry() -> _Entry | None:
    """Return the entry of this process, or None where it may not be used."""
    with MAKING:
        if not _made:
            _made.append(_attempt())
        return _made[0]


def _attempt() -> _Entry | None:
    try:
        array_new = _array_new() if supported() and layout_holds() else None
        return None if array_new is None else _Entry(array_new)
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError):
        return None  # an interpreter or a NumPy that lacks something: plain objects serve


def fits(card: Card) -> bool:
    """Return whether a plan has room for a kernel and needs nothing but arrays."""
    ports = (*card.inputs, *card.outputs)
    return (
        not card.parameters
        and (card.form.reduce is None or card.form.dtype == "float64")
        and 0 < len(card.inputs) <= stub.PORTS
        and 0 < len(card.outputs) <= stub.PORTS
        and all(len(p.shape) <= stub.DIMENSIONS and p.size for p in ports)
    )


def kernel(card: Card, code: Any, threads: Team = 1) -> Kernel:
    """Return the quickest kernel that this process allows."""
    if isinstance(code, Native) and fits(card) and (found := entry()) is not None:
        return found.kernel(card, code, threads)
    return Kernel(card, code, threads)
