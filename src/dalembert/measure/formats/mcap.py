"""ROS 2 bags in MCAP files: messages `sensor_msgs/msg/JointState`, read with the package `mcap`.

Messages are in CDR, the plain binary form of DDS: a header of four bytes, then each field at a
multiple of its size.
"""

from __future__ import annotations

from pathlib import Path
from struct import unpack_from
from typing import Any

import numpy as np

from ...errors import DescriptionError, Place
from ..packages import optional
from ..table import Table, some, table_of

KINDS = ("sensor_msgs/msg/JointState", "sensor_msgs/JointState")


class Cdr:
    """A message being read: little- or big-endian by its header."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 4
        self.order = "<" if data[1] & 1 else ">"

    def number(self, form: str, size: int) -> Any:
        """Return the next number, which begins at a multiple of its size."""
        self.at += -(self.at - 4) % size
        (value,) = unpack_from(self.order + form, self.data, self.at)
        self.at += size
        return value

    def text(self) -> str:
        """Return the next string; its length counts the closing zero."""
        size = self.number("I", 4)
        value = self.data[self.at : self.at + size].rstrip(b"\0").decode("utf-8")
        self.at += size
        return value

    def doubles(self) -> np.ndarray:
        """Return the next sequence of float64."""
        count = self.number("I", 4)
        if not count:
            return np.zeros(0)
        self.at += -(self.at - 4) % 8
        made = np.frombuffer(self.data, self.order + "f8", count, self.at)
        self.at += 8 * count
        return made


def read_mcap(file: Path) -> Table:
    """Return `q.NAME`, `qd.NAME`, `tau.NAME` of all joint states, one row a message."""
    reader = optional("mcap.reader").make_reader
    rows: list[tuple[float, dict[str, float]]] = []
    topics: set[str] = set()
    try:
        with open(file, "rb") as stream:
            for schema, channel, message in reader(stream).iter_messages():
                topics.add(channel.topic)
                if schema is not None and schema.name in KINDS:
                    rows.append(_joint_state(message.data))
    except DescriptionError:
        raise
    except Exception as error:  # the package raises its own kinds for torn files
        raise DescriptionError(
            f"the bag cannot be read: {error}"[:200], where=Place(str(file))
        ) from error
    if not rows:
        raise DescriptionError(
            "the bag holds no sensor_msgs/JointState", where=Place(str(file)),
            hint="topics: " + some(sorted(topics)),
        )  # fmt: skip
    heads = list(dict.fromkeys(h for _, row in rows for h in row))
    start = min(t for t, _ in rows)
    columns = {"t": [t - start for t, _ in rows]}
    columns |= {h: [row.get(h, np.nan) for _, row in rows] for h in heads}
    return table_of(columns, str(file))


def _joint_state(data: bytes) -> tuple[float, dict[str, float]]:
    cdr = Cdr(data)
    time = cdr.number("i", 4) + 1e-9 * cdr.number("I", 4)
    cdr.text()  # frame_id
    names = [cdr.text() for _ in range(cdr.number("I", 4))]
    row: dict[str, float] = {}
    for kind in ("q", "qd", "tau"):
        values = cdr.doubles()
        if len(values) == len(names):  # a driver that measures no effort leaves the list empty
            row |= {f"{kind}.{n}": float(v) for n, v in zip(names, values, strict=True)}
    return time, row
