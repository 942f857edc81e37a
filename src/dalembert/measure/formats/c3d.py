"""C3D, the file of motion laboratories (c3d.org, user guide): points and analogue channels.

Little-endian (Intel) and big-endian (SGI) files, whole numbers or floats; DEC files are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DescriptionError, Place
from ..table import Table, table_of
from ..text import require_size

Array = np.ndarray
BLOCK = 512
LARGEST_C3D = 2**28  # bytes: numbers of 2 or 4 bytes become floats of 8
METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
TYPES = {-1: "S1", 1: "i1", 2: "i2", 4: "f4"}
ORDER = {84: "<", 86: ">"}  # processor kinds Intel and SGI/MIPS


def read_c3d(file: Path) -> Table:
    """Return markers as `NAME.x ...` in metres and analogue channels under their own names.

    Analogue channels are averaged over the samples of a frame; a marker that was not seen is NaN.
    """
    require_size(file, LARGEST_C3D, "several files")
    data = file.read_bytes()
    try:
        return _read(data, str(file))
    except (IndexError, ValueError, KeyError, OverflowError, ZeroDivisionError) as error:
        if isinstance(error, DescriptionError):
            raise
        raise DescriptionError(
            "the C3D file is damaged or cut short", where=Place(str(file))
        ) from error


def _read(data: bytes, source: str) -> Table:
    if len(data) < 2 * BLOCK or data[1] != 0x50:
        raise DescriptionError("this is no C3D file", where=Place(source))
    start = (data[0] - 1) * BLOCK
    if data[start + 3] not in ORDER:
        raise DescriptionError(
            "the file holds numbers in DEC format", where=Place(source),
            hint="convert it to an Intel C3D file",
        )  # fmt: skip
    order = ORDER[data[start + 3]]
    said = _parameters(data, start, order)

    def get(name: str, default: Any) -> Any:
        return said.get(name, default)

    words = np.frombuffer(data, f"{order}u2", 256)
    points, first, last = int(words[1]), int(words[3]), int(words[4])
    per_frame = int(words[9])
    scale = float(np.frombuffer(data, f"{order}f4", 1, 12)[0])
    rate = float(np.frombuffer(data, f"{order}f4", 1, 20)[0])
    rate = float(np.ravel(get("POINT.RATE", rate))[0])
    begin = (int(np.ravel(get("POINT.DATA_START", words[8]))[0]) - 1) * BLOCK
    channels = int(words[2]) // max(1, per_frame) if per_frame else 0
    frames = last - first + 1
    if rate <= 0 or frames <= 0:
        raise DescriptionError("the file holds no frames", where=Place(source))
    kind = f"{order}f4" if scale < 0 else f"{order}i2"
    width = 4 * points + channels * per_frame
    size = np.dtype(kind).itemsize
    frames = min(frames, (len(data) - begin) // max(1, width * size))
    raw = np.frombuffer(data, kind, frames * width, begin).reshape(frames, width).astype(float)
    columns: dict[str, Array] = {"t": (first - 1 + np.arange(frames)) / rate}

    # points: x, y, z in the file's unit, and a word that is negative where nothing was seen
    xyz = raw[:, : 4 * points].reshape(frames, points, 4)
    seen = xyz[..., 3] >= 0
    unit = METRES.get(str(get("POINT.UNITS", ["mm"])[0]).strip().lower(), 1e-3)
    place = np.where(seen[..., None], xyz[..., :3], np.nan) * (unit * (1.0 if scale < 0 else scale))
    labels = _labels(get("POINT.LABELS", []), points, "point")
    for k, label in enumerate(labels):
        for axis, x in enumerate("xyz"):
            columns[f"{label}.{x}"] = place[:, k, axis]

    # analogue channels: (value - offset) * scale * general scale
    if channels:
        general = float(np.ravel(get("ANALOG.GEN_SCALE", [1.0]))[0])
        gains = np.resize(np.ravel(get("ANALOG.SCALE", [1.0])).astype(float), channels)
        zero = np.resize(np.ravel(get("ANALOG.OFFSET", [0])).astype(float), channels)
        values = raw[:, 4 * points :].reshape(frames, per_frame, channels)
        values = ((values - zero) * gains * general).mean(axis=1)
        for k, label in enumerate(_labels(get("ANALOG.LABELS", []), channels, "analog")):
            columns.setdefault(label, values[:, k])
    return table_of(columns, source)


def _labels(given: Any, count: int, kind: str) -> list[str]:
    names = [str(x).strip() for x in given][:count]
    names += [f"{kind}{k + 1}" for k in range(len(names), count)]
    return [n if n and names.count(n) == 1 else f"{n or kind}#{k + 1}" for k, n in enumerate(names)]


def _parameters(data: bytes, start: int, order: str) -> dict[str, Any]:
    """Return `GROUP.NAME` -> values of the parameter section."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Any]] = []
    at = start + 4
    for _ in range(4096):
        length, group = np.frombuffer(data, "i1", 2, at).tolist()
        length = abs(length)
        if length == 0 or group == 0:
            break
        name = data[at + 2 : at + 2 + length].decode("latin-1").strip().upper()
        here = at + 2 + length
        offset = int(np.frombuffer(data, f"{order}i2", 1, here)[0])
        if group < 0:
            groups[-group] = name
        else:
            found.append((group, name, _value(data, here + 2, order)))
        if offset == 0:
            break
        at = here + offset
    return {f"{groups.get(g, str(g))}.{n}": v for g, n, v in found}


def _value(data: bytes, at: int, order: str) -> Any:
    kind, dimensions = int(np.frombuffer(data, "i1", 1, at)[0]), data[at + 1]
    sizes = list(data[at + 2 : at + 2 + dimensions])
    count = int(np.prod(sizes)) if sizes else 1
    begin = at + 2 + dimensions
    if kind == -1:
        width = sizes[0] if sizes else 1
        text = data[begin : begin + count].decode("latin-1")
        return [text[k : k + width] for k in range(0, count, max(1, width))]
    return np.frombuffer(data, f"{order}{TYPES[kind]}", count, begin)
