"""Which column belongs to which coordinate: exact names, or a map `elbow=act_pos_3:deg`.

A column is named HEAD, or HEAD with steps behind colons that are applied from left to right: a
unit (`deg`, `mm`, `rev`, `ms`), `*11.4` or `/100` (a current times its torque constant), `+0.5` or
`-0.5` (an offset), `-` (the other sign). Nothing is guessed: the error offers near names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..catalog.axes import input_port
from ..compute.reach import limits
from ..errors import DescriptionError, Place, UsageError, shown
from ..mechanism import Mechanism
from .table import TIMES, Table, some

Array = np.ndarray
KINDS = ("q", "qd", "qdd", "tau")
FAR = 3.0  # times a limit that an angle may be before it looks like degrees
UNITS = {
    "rad": 1.0, "deg": math.pi / 180, "rev": 2 * math.pi, "rpm": 2 * math.pi / 60, "m": 1.0,
    "cm": 1e-2, "mm": 1e-3, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "N": 1.0, "Nm": 1.0,
    "kN": 1e3, "mNm": 1e-3, "Nmm": 1e-3, "A": 1.0, "mA": 1e-3, "°": math.pi / 180,
}  # fmt: skip
ANGLES = ("rad", "deg", "°", "rev", "rpm")
LENGTHS = ("m", "cm", "mm")
# unit of a coordinate, rate or force -> units that its column may have; others need a factor
MEANT: Mapping[str, tuple[str, ...]] = {
    "s": ("s", "ms", "us", "ns"), "rad": ANGLES[:4], "rad/s": ANGLES, "rad/s2": ANGLES,
    "m": LENGTHS, "m/s": LENGTHS, "m/s2": LENGTHS, "N": ("N", "kN"), "N m": ("Nm", "mNm", "Nmm"),
}  # fmt: skip


PIECE = re.compile(r'(?:"(?:[^"]|"")*"|[^",])+')  # up to a comma outside quotes
WORD = re.compile(r'((?:"(?:[^"]|"")*"|[^"=])+)=(.+)', re.S)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.A)
MOST_STEPS = 16
QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def parse_columns(text: str) -> dict[str, str]:
    """Return the map of `elbow=act_pos_3:deg,wrist="pos, 4":deg`; quotes are those of CSV."""
    out: dict[str, str] = {}
    for item in (x.strip() for x in PIECE.findall(text) if x.strip()):
        found = WORD.fullmatch(item)
        name, head = (_plain(x) for x in found.groups()) if found else ("", "")
        if not name or not head:
            raise UsageError(
                f"--columns {shown(item)!r} is not NAME=HEAD",
                hint='elbow=act_pos_3:deg; a head with a comma in quotes: elbow="pos, 3":deg',
            )
        if name in out:
            raise UsageError(f"--columns names {shown(name)!r} twice", hint="keep one")
        out[name] = head
    return out


def _plain(text: str) -> str:
    return QUOTED.sub(lambda x: x[1].replace('""', '"'), text.strip()).strip()


def column(table: Table, wanted: str, unit: str) -> Array:
    """Return a column by HEAD or HEAD:step:step, in a unit; the longest head that exists wins."""
    head = _head(table, wanted)
    x = table.columns[head]
    steps = wanted.removeprefix(head).split(":")[1:]
    if sum(step in UNITS for step in steps) > 1:
        raise UsageError(f"{shown(wanted)!r} has more than one unit", hint="HEAD:mA:*0.0114")
    for step in steps:
        x = _changed(x, step, wanted)
    strange = [step for step in steps if step in UNITS and step not in MEANT.get(unit, ())]
    if strange and not any(step[:1] in ("*", "/") for step in steps):
        may = f"units: {', '.join(MEANT[unit])}; " if unit in MEANT else ""
        what = "a column of numbers" if unit == "1" else f"a column in {unit}"
        raise UsageError(
            f"{strange[0]!r} in {shown(wanted)!r} is no unit of {what}",
            hint=f"{may}another one needs a factor behind it, as in HEAD:A:*12.5",
        )
    return x


def _changed(x: Array, step: str, wanted: str) -> Array:
    if step in UNITS:
        return x * UNITS[step]
    if step == "-":
        return -x
    sign, number = step[:1], step[1:]
    try:
        value = float(number) if NUMBER.fullmatch(number) else math.nan
        if sign not in "*/+-" or not math.isfinite(value) or (sign == "/" and value == 0):
            raise ValueError
    except ValueError:
        raise UsageError(
            f"{shown(step)!r} in {shown(wanted)!r} is neither a unit nor a step",
            hint="units: " + ", ".join(UNITS) + "; steps: *2.5 /100 +0.1 -0.1 -",
        ) from None
    return {"*": x * value, "/": x / (value or 1.0), "+": x + value, "-": x - value}[sign]


def places(m: Mechanism) -> dict[str, tuple[str, int]]:
    """Return every head of a motion table: `q.elbow` -> ("q", 3), `tau.base.vx` -> ("tau", 0)."""
    found = {f"q.{n}": ("q", k) for k, n in enumerate(m.coordinate_names)}
    for kind in KINDS[1:]:
        found |= {f"{kind}.{n}": (kind, k) for k, n in enumerate(m.rate_names)}
    return found


def assigned(m: Mechanism, table: Table, given: Any) -> tuple[dict[str, Array], list[str]]:
    """Return arrays q, qd, qdd, tau (those that are there) and t, and the heads that were not used.

    Columns that are missing are NaN; `q` of every coordinate must be there.
    """
    known = places(m)
    mapping = _mapping(m, known, given)
    found: dict[str, Array] = {}
    used = {_head(table, mapping["t"])} if "t" in mapping else set()
    units = {kind: input_port(kind).units(m) for kind in KINDS}
    out: dict[str, Array] = {"t": np.array(column(table, mapping["t"], "s")) if "t" in mapping
                             else np.array(table.times())}  # fmt: skip
    for target, wanted in used_heads(m, table, given).items():
        kind, k = known[target]
        found[target] = column(table, wanted, units[kind][k])
        used.add(_head(table, wanted))
    missing = [t for t in known if t.startswith("q.") and t not in found]
    if missing:
        _refuse(table, missing, used)
    for kind in KINDS:
        size = m.nq if kind == "q" else m.nv
        columns = {k: found[t] for t, (own, k) in known.items() if own == kind and t in found}
        if columns:
            out[kind] = np.full((len(table), size), np.nan)
            for k, x in columns.items():
                out[kind][:, k] = x
    spare = [h for h in table.heads if h not in used and h not in TIMES]
    return out, spare


def used_heads(m: Mechanism, table: Table, given: Any) -> dict[str, str]:
    """Return the column of every coordinate, rate and force: `q.elbow` -> `act_pos_3:deg`."""
    known = places(m)
    mapping = _mapping(m, known, given)
    out = {}
    for target, place in known.items():
        wanted = mapping.get(target) or _own_head(table, target, m)
        if wanted is None:
            continue
        head = _head(table, wanted)
        steps = wanted.removeprefix(head).split(":")[1:]
        if table.degrees and _turns(m, place) and not any(x in ANGLES for x in steps):
            wanted = ":".join([head, "deg", *steps])  # the file says what they are
        out[target] = wanted
    return out


def told_map(heads: Mapping[str, str], name: str, target: str, steps: str = "") -> str:
    """Return an item of a map, as one writes it: `elbow=act_pos_3:deg:-`.

    >>> told_map({"q.elbow": "pos, 3:deg"}, "elbow", "q.elbow", ":-")
    'elbow="pos, 3:deg":-'
    """
    head = heads.get(target, target)
    if any(sign in head for sign in ',"='):
        head = '"' + head.replace('"', '""') + '"'
    return f"{shown(name)}={shown(head)}{steps}"


def _mapping(m: Mechanism, known: dict[str, Any], given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, str):
        given = parse_columns(given)
    if not isinstance(given, Mapping) or not all(isinstance(v, str) for v in given.values()):
        raise UsageError(
            "columns is a mapping from names to heads", hint="columns={'elbow': 'act_pos_3:deg'}"
        )
    out = {}
    for name, head in given.items():
        target = str(name)
        if target != "t" and target not in known:
            target = f"q.{name}"
        if target != "t" and target not in known:
            near = get_close_matches(str(name), [*m.coordinate_names, *known], 3, 0.5)
            raise UsageError(
                f"columns names {shown(str(name))!r}, which is no coordinate",
                hint=f"near: {some(near)}" if near else f"coordinates: {some(m.coordinate_names)}",
            )
        if target in out:
            raise UsageError(f"columns names {shown(target)!r} twice", hint="keep one")
        out[target] = head
    return out


def _head(table: Table, wanted: str) -> str:
    """Return the longest head that a wanted column, HEAD:step:step, begins with."""
    parts = wanted.split(":")
    if len(parts) > MOST_STEPS and wanted not in table.columns:
        raise UsageError(f"{shown(wanted)!r} has {len(parts) - 1} steps", hint="HEAD:mA:*0.0114")
    for k in range(len(parts), 0, -1):
        head = ":".join(parts[:k])
        for name in (head, head.lstrip("# ")):  # heads behind # are read without it
            if name in table.columns:
                return name
    near = get_close_matches(parts[0], table.heads, 3, 0.5)
    raise DescriptionError(
        f"there is no column {shown(parts[0])!r}",
        where=Place(table.source),
        hint=f"near: {some(near)}" if near else f"heads: {some(table.heads)}",
    )


def _own_head(table: Table, target: str, m: Mechanism) -> str | None:
    """Return the head of a coordinate: its own, or a joint's plain name for its position."""
    kind, _, name = target.partition(".")
    number = {n: k for k, n in enumerate(m.coordinate_names if kind == "q" else m.rate_names)}
    names = [target, f"{kind}[{number[name]}]"]
    if kind == "q":
        names += [name, f"{name}/value"]
    elif kind == "qd":
        names += [f"{name}/speed"]
    for head in names:
        if head in table.columns:
            return head
    return None


def _turns(m: Mechanism, place: tuple[str, int]) -> bool:
    """Return whether a coordinate is an angle (OpenSim writes those in degrees)."""
    kind, k = place
    if kind == "tau":
        return False
    at = 0
    for body in m.bodies:
        n = body.joint.nq if kind == "q" else body.joint.nv
        if at <= k < at + n:
            return body.joint.kind in ("revolute", "screw") or (
                body.joint.kind == "planar" and k - at == 2
            )
        at += n
    return False


def _refuse(table: Table, missing: list[str], used: set[str]) -> None:
    spare = [h for h in table.heads if h not in used]
    first = missing[0].removeprefix("q.")
    near = get_close_matches(first, spare, 3, 0.4) or [h for h in spare if first in h][:3]
    more = f" and {len(missing) - 1} more coordinates" if len(missing) > 1 else ""
    hint = f"near: {some(near)}; " if near else ""
    head = near[0] if near else "HEAD"
    raise DescriptionError(
        f"there is no column for {shown(first)!r}{more}",
        where=Place(table.source),
        hint=f"{hint}write columns={{{first!r}: {head!r}}}; heads: {some(table.heads)}",
        command=f"{hint}write --columns {first}={head}; heads: {some(table.heads)}",
    )


def perhaps_degrees(
    m: Mechanism, q: Array, mend: str = "map its column with the unit deg"
) -> list[str]:
    """Return a note of joints whose angles are far beyond their limits, as degrees would be."""
    notes = []
    turning = [b.joint.kind == "revolute" for b in m.bodies for _ in range(b.joint.nq)]
    for name, turns, low, high, x in zip(m.coordinate_names, turning, *limits(m), q.T, strict=True):
        most, widest = float(np.fmax.reduce(np.abs(x), initial=0.0)), max(abs(low), abs(high))
        if turns and np.isfinite(widest) and most > max(FAR * widest, 2 * np.pi):
            notes.append(
                f"{shown(name)}: angles up to {most:.4g} rad, and a limit of {widest:.4g} rad; "
                f"if they are degrees, {mend}"
            )
    return notes


def require_own(m: Mechanism, motion: Any) -> None:
    """Raise UsageError where a motion holds the coordinates of another mechanism, or their order.

    A motion that says nothing of a mechanism passes.
    """
    other = getattr(motion, "m", None)
    if isinstance(other, Mechanism) and other.coordinate_names != m.coordinate_names:
        raise UsageError(
            "the motion belongs to another mechanism: it holds "
            f"{some(other.coordinate_names, 8)}, not {some(m.coordinate_names, 8)}",
            hint="da.read_motion(file, m) of this one",
        )
