"""Closed loops beside a URDF: the YAML lists of Gepetto's example-parallel-robots.

`robot.yaml` stands beside `robot.urdf` and holds lists only: `closed_loop` (pairs of frames that
meet), `type` (6d: the frames coincide, 3d: their origins do), `name_mot` (motors), and where joints
are others than the URDF says, `joint_name` with `joint_type` (SPHERICAL, UJOINT_XY, ...). Only this
part of YAML is read: keys at the start of a line, lists in brackets, quoted or plain words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..algebra import Transform
from ..errors import DescriptionError, Place, shown
from ..joint import UNITS, Joint, Revolute, Spherical
from ..mechanism import Body, Loop, Mechanism, joint_name
from ..mechanism.rehome import rehomed
from .context import Context
from .document import read_bytes
from .urdf import read_urdf

KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
CUTS = {"6d": "fixed", "3d": "spherical"}
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n]+|\#[^\n]*)|(?P<mark>[\[\],:])"""
    r"""|'(?P<single>[^'\n]*)'|"(?P<double>[^"\\\n]*)"|(?P<word>[^\s\[\],:'"\#]+)"""
)


def read_parallel(text: str, context: Context) -> Mechanism:
    """Return the URDF beside a YAML file of loops, with its loops, motors and joints."""
    source, file = context.source, Path(context.source)
    lists = parse_lists(text, source)
    urdf = file.with_suffix(".urdf")
    if not urdf.exists():
        raise DescriptionError(
            f"there is no {shown(urdf.name)} beside it", Place(source), "the tree is read from it"
        )
    m = read_urdf(read_bytes(urdf), replace(context, source=str(urdf)))
    if file.stem in ("robot", "model"):
        m = replace(m, name=file.parent.name or m.name)
    m = _with_joints(m, lists, source)
    loops = _loops(m, lists, source)
    known = set(m.joint_names)
    for name in lists.get("name_mot", []):
        if name not in known:
            _fail(source, f"motor {shown(str(name))!r} is not a joint", "name_mot names joints")
    return replace(m, loops=loops, active=tuple(lists.get("name_mot", ())), checked=False)


def _fail(source: str, message: str, hint: str | None = None) -> Any:
    raise DescriptionError(message, Place(source), hint)


def parse_lists(text: str, source: str) -> dict[str, list[Any]]:
    """Return the lists of a text by key."""
    found: dict[str, list[Any]] = {}
    stack: list[list[Any]] = []
    key: str | None = None
    at, last = 0, ""
    while at < len(text):
        token = _TOKEN.match(text, at)
        line = text.count("\n", 0, at) + 1
        place = Place(source, line, at - text.rfind("\n", 0, at))
        if token is None:
            raise DescriptionError("not a list of words", place, "key: ['a', 'b']")
        kind, value, at = token.lastgroup or "", token.group(token.lastgroup or 0), token.end()
        if kind == "blank":
            continue
        if key is None or (not stack and key in found and found[key] is not None):
            if kind == "word" and value != "---":
                key, last = value, "key"
                if key in found:
                    raise DescriptionError(f"{shown(key)!r} is given twice", place)
                continue
            if value == "---":
                continue
            raise DescriptionError("a key is needed here", place, "key: ['a', 'b']")
        if last == "key":
            if value != ":" or kind != "mark":
                raise DescriptionError(f"a colon is needed after {shown(key)!r}", place)
            last = ":"
        elif value == "[" and kind == "mark":
            new: list[Any] = []
            if stack:
                stack[-1].append(new)
            stack.append(new)
            if len(stack) > 8:
                raise DescriptionError("lists are nested too deep", place)
        elif not stack:
            raise DescriptionError(f"{shown(key)!r}: a list in brackets is needed", place)
        elif value == "]" and kind == "mark":
            done = stack.pop()
            if not stack:
                found[key] = done
        elif kind == "mark":
            if value != ",":
                raise DescriptionError("a comma is needed here", place)
        else:
            stack[-1].append(value)
    if stack or (key is not None and key not in found):
        raise DescriptionError("a list is not closed", Place(source, text.count("\n") + 1, 1))
    unknown = [k for k in found if k not in KEYS]
    if unknown:
        _fail(source, f"unknown key {shown(unknown[0])!r}", "one of " + ", ".join(KEYS))
    return found


def _loops(m: Mechanism, lists: Mapping[str, list[Any]], source: str) -> tuple[Loop, ...]:
    pairs, kinds = lists.get("closed_loop", []), lists.get("type", [])
    if len(pairs) != len(kinds):
        _fail(source, f"{len(pairs)} loops and {len(kinds)} types", "one type for each loop")
    loops = []
    for k, (pair, kind) in enumerate(zip(pairs, kinds, strict=True), 1):
        if not isinstance(pair, list) or len(pair) != 2:
            _fail(source, f"loop {k} is not a pair of frames")
        if str(kind).lower() not in CUTS:
            _fail(source, f"loop {k}: unknown type {shown(str(kind))!r}", "6d or 3d")
        (b_i, T_i), (b_j, T_j) = (m.frame(str(name)) for name in pair)
        loops.append(
            Loop(b_i, T_i.p, b_j, T_j.p, CUTS[str(kind).lower()], rotation_i=T_i.R,
                 rotation_j=T_j.R, name=f"{pair[0]} - {pair[1]}")
        )  # fmt: skip
    return tuple(loops)


def _with_joints(m: Mechanism, lists: Mapping[str, list[Any]], source: str) -> Mechanism:
    """Return the mechanism with the joints that the lists name replaced."""
    names, kinds = lists.get("joint_name", []), lists.get("joint_type", [])
    if len(names) != len(kinds):
        _fail(source, f"{len(names)} joint names and {len(kinds)} joint types")
    wanted = dict(zip(names, kinds, strict=True))
    for name in wanted:
        if name not in {joint_name(b) for b in m.bodies}:
            _fail(source, f"{shown(str(name))!r} is not a joint")
    bodies: list[Body] = []
    new: dict[int, int] = {-1: -1}
    for j, body in enumerate(m.bodies):
        chain = _joints(str(wanted.get(joint_name(body), "")), source) or [body.joint]
        parent, place = new[body.parent], body.placement
        for k, joint in enumerate(chain[:-1]):
            name = f"{joint_name(body)}_{'xyz'[k]}"
            bodies.append(Body(f"{body.name}_{'xyz'[k]}", parent, place, joint, joint_name=name))
            parent, place = len(bodies) - 1, Transform()
        new[j] = len(bodies)
        limits = body.limits if chain == [body.joint] else ()
        changed = replace(body, parent=parent, placement=place, joint=chain[-1], limits=limits)
        bodies.append(changed)
    if not wanted:
        return m
    # friction of a joint that is no longer there goes with it
    gone = {j for j, b in enumerate(m.bodies) if joint_name(b) in wanted}
    m = replace(m, drives=tuple(d for d in m.drives if d.joint not in gone), checked=True)
    home = {j: (k, Transform()) for j, k in new.items()}
    return rehomed(m, {}, home, tuple(bodies), ())


def _joints(kind: str, source: str) -> list[Joint]:
    kind = kind.upper()
    if kind == "SPHERICAL":
        return [Spherical()]
    if re.fullmatch(r"UJOINT_[XYZ]{2}", kind):
        return [Revolute(UNITS["XYZ".index(c)]) for c in kind[-2:]]
    if kind:
        _fail(source, f"unknown joint type {shown(kind)!r}", "SPHERICAL or UJOINT_XY")
    return []
