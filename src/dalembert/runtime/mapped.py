"""Object code put into memory without LLVM: a kernel from the cache starts in no time.

Our object code names nothing outside itself, so that loading it is to lay its sections side by
side, write the distances between them where the code refers to them, and let the processor run the
result. That is done here for ELF files for x86-64 on Linux (System V ABI, AMD64 supplement, 4.4);
whatever else is met raises `Unmapped`, and LLVM loads the code. No page is ever both writable and
executable.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_PLACE = struct.Struct("<QQq")
_DISTANCE = struct.Struct("<i")
_BEGINS = b"\x7fELF\x02\x01\x01"  # 64 bits, least byte first
_RELOCATABLE, _X86_64 = 1, 62
_PROGRAM, _SYMBOLS, _PLACES, _ZEROS = 1, 2, 4, 8  # types of sections
_WRITE, _HELD, _RUN, _KNOWN = 1, 2, 4, 0x37  # flags of sections; merging is left undone
_PC32, _PLT32 = 2, 4  # a distance of 32 bits, to data or to a function
_MOST = 20_000  # places: above them LLVM is quicker


class Unmapped(Exception):
    """Code that has to be loaded by LLVM."""


class _Section(NamedTuple):
    kind: int
    flags: int
    start: int
    size: int
    link: int
    info: int
    align: int


class Mapped:
    """Loaded object code; the addresses it gives are valid as long as it lives."""

    def __init__(self, code: bytes):
        if sys.platform != "linux" or os.uname().machine != "x86_64":
            raise Unmapped("another system")
        try:
            image, ends, self._places = linked(code)
        except (struct.error, IndexError, ValueError, UnicodeDecodeError, OverflowError) as error:
            raise Unmapped(f"not understood: {error}") from None
        try:
            kind, access = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE
            self._memory = mmap.mmap(-1, len(image), kind, access)
            self._memory[:] = bytes(image)
        except OSError as error:
            raise Unmapped(str(error)) from None
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        _protected(self._start, ends[0], mmap.PROT_READ | mmap.PROT_EXEC)
        _protected(self._start + ends[0], ends[1] - ends[0], mmap.PROT_READ)

    def address(self, name: str) -> int:
        """Return where a function begins, or 0 if there is none of that name."""
        at = self._places.get(name)
        return 0 if at is None else self._start + at


def _protected(start: int, size: int, access: int) -> None:
    protect = ctypes.CDLL(None).mprotect
    if size and protect(ctypes.c_void_p(start), ctypes.c_size_t(size), access):
        raise Unmapped("the system does not allow it")


def linked(code: bytes) -> tuple[bytearray, tuple[int, int], dict[str, int]]:
    """Return the image of code, where what runs and what is only read end, and its functions.

    Raises Unmapped, or ValueError, IndexError or struct.error where the file is not whole.
    """
    sections = _sections(code)
    held = [k for k, s in enumerate(sections) if s.flags & _HELD]
    at: dict[int, int] = {}
    end, ends = 0, []
    for kind in (_RUN, 0, _WRITE):
        for k in held:
            if sections[k].flags & (_RUN | _WRITE) == kind:
                end += -end % max(sections[k].align, 1)
                at[k] = end
                end += sections[k].size
        end += -end % mmap.PAGESIZE
        ends.append(end)
    if len(at) < len(held):
        raise Unmapped("code that is written to")
    image = bytearray(end)
    for k in held:
        if sections[k].kind == _PROGRAM:
            image[at[k] : at[k] + sections[k].size] = _part(code, sections[k])
    symbols = _symbols(code, sections, at)
    for section in sections:
        if section.kind == _PLACES and section.info in at:
            _refer(image, at[section.info], sections[section.info].size, code, section, symbols)
    names = {name: place for name, place in symbols if name and place is not None}
    return image, (ends[0], ends[1]), names


def _sections(code: bytes) -> list[_Section]:
    """Return the sections of a file of a kind that is known here."""
    head = _HEADER.unpack_from(code)
    if not head[0].startswith(_BEGINS) or head[1:3] != (_RELOCATABLE, _X86_64):
        raise Unmapped("another kind of file")
    start, size, many = head[6], head[11], head[12]
    found = []
    for k in range(many):
        _, kind, flags, _, offset, length, link, info, align, _ = _SECTION.unpack_from(
            code, start + k * size
        )
        if flags & _HELD and (flags & ~_KNOWN or kind not in (_PROGRAM, _ZEROS)):
            raise Unmapped("a section of another kind")
        if align > mmap.PAGESIZE or length > len(code) * 64:
            raise Unmapped("a section that is too large")
        found.append(_Section(kind, flags, offset, length, link, info, align))
    return found


def _part(code: bytes, section: _Section) -> bytes:
    """Return the bytes of a section, all of them."""
    part = code[section.start : section.start + section.size]
    if len(part) != section.size:
        raise ValueError("the file is not whole")
    return part


def _symbols(
    code: bytes, sections: list[_Section], at: dict[int, int]
) -> list[tuple[str, int | None]]:
    """Return name and place of each symbol, None where it lies outside of the code."""
    tables = [s for s in sections if s.kind == _SYMBOLS]
    if len(tables) != 1:
        raise Unmapped("not one table of symbols")
    names = _part(code, sections[tables[0].link])
    found: list[tuple[str, int | None]] = []
    for name, _, _, section, value, _ in _SYMBOL.iter_unpack(_part(code, tables[0])):
        text = names[name : names.index(b"\0", name)].decode()
        found.append((text, at[section] + value if section in at else None))
    return found


def _refer(
    image: bytearray, start: int, size: int, code: bytes, places: _Section,
    symbols: list[tuple[str, int | None]],
) -> None:  # fmt: skip
    """Write the distances that a section of the image refers to."""
    if places.size > _MOST * _PLACE.size:
        raise Unmapped("large code")
    for offset, info, more in _PLACE.iter_unpack(_part(code, places)):
        target = symbols[info >> 32][1]
        if info & 0xFFFFFFFF not in (_PC32, _PLT32) or target is None:
            raise Unmapped("another kind of place")
        if offset + _DISTANCE.size > size:
            raise ValueError("a place beyond its section")
        at = start + offset
        _DISTANCE.pack_into(image, at, target + more - at)
