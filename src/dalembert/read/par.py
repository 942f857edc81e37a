"""SYMORO `.par` files: modified Denavit-Hartenberg frames, loops, standard inertial parameters.

OpenSYMORO (Khalil, Vijayalingam, Khomutenko, Mukhanov, Lemoine, Ecorchard 2014). Frames 1 to NL are
the links; frames NL+1 to NJ are the joints of cut loops and frames NJ+1 to NF = 2 NJ - NL, in the
same order, the fixed frames that they meet on the other side (Khalil 2010, §2.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NoReturn

from ..algebra import Mat3, Rotation, Transform, Vec3
from ..errors import DescriptionError, Place, closest, shown
from ..mechanism import Body, JointSpring, Loop, Mechanism
from ..mechanism.assemble import on_base
from .context import Context
from .dh_cells import Cells
from .exact_pose import factored
from .expressions import place_at
from .mdh import declared, modified_frames

FRAME = {"ant": "a", "sigma": "sigma", "gamma": "gamma", "b": "b", "alpha": "alpha", "d": "d",
         "theta": "theta", "r": "r"}  # fmt: skip
LINK = {key: key for key in ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ")}
LINK |= {"M": "m", "IA": "Ia", "FV": "Fv", "FS": "Fs"}
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
INPUTS = ("QP", "QDP", "GAM")
BASE = ("W0", "WP0", "V0", "VP0")
JOINT = ("mu", "eta", "k")
COUNTS = ("NL", "NJ", "NF", "Type", "is_mobile", "is_floating")
KNOWN = (*COUNTS, *FRAME, *LINK, *WRENCH, *INPUTS, *BASE, *JOINT, "G", "Z")
OLD_NAMES = {"Ant": "ant", "Sigma": "sigma", "B": "b", "R": "r", "Alpha": "alpha", "Mu": "mu",
             "Theta": "theta"}  # fmt: skip

_REMARK = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_ENTRY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=\s*(?:\{([^{}]*)\}|([^\s{}=]+))")
_NAME = re.compile(r"Robotname\s*=\s*'([^'\n]{1,1000})'")
_PI = re.compile(r"\bPi\b")


@dataclass
class _Par:
    """The lists of a file, each cell with its offset in the text."""

    text: str
    source: str
    lists: dict[str, list[tuple[str, int]]]
    starts: dict[str, int]

    def place(self, key: str, k: int = 0) -> Place:
        cells = self.lists.get(key, [])
        offset = cells[k][1] if k < len(cells) else self.starts.get(key, 0)
        return place_at(self.source, self.text, offset)

    def fail(self, key: str, k: int, message: str, hint: str | None = None) -> NoReturn:
        raise DescriptionError(f"{key}: {message}", self.place(key, k), hint)

    def cell(self, key: str, k: int, default: str = "0") -> str:
        cells = self.lists.get(key, [])
        return cells[k][0] if k < len(cells) else default

    def count(self, key: str, default: int | None = None) -> int:
        if key not in self.lists:
            if default is None:
                what = f"{key} is missing"
                raise DescriptionError(what, Place(self.source), f"write: {key} = 6")
            return default
        text = {"true": "1", "false": "0"}.get(self.cell(key, 0).lower(), self.cell(key, 0))
        if not re.fullmatch("[0-9]{1,5}", text):
            self.fail(key, 0, f"{shown(text, 40)!r} is not a number from 0")
        return int(text)

    def nonzero(self, *keys: str) -> list[str]:
        return [k for k in keys if any(c != "0" for c, _ in self.lists.get(k, ()))]


def is_par(text: str) -> bool:
    """Return whether a text is a SYMORO file."""
    start = text[:4000]
    counts = [re.search(rf"(?m)^{key}[ \t]*=", start) for key in ("NL", "NJ")]
    return _NAME.search(start) is not None or None not in counts


def read_par(text: str, context: Context) -> Mechanism:
    """Return the mechanism of a SYMORO file; every name in it is a parameter without a value."""
    par = _parsed(text, context.source)
    NL, NJ = par.count("NL"), par.count("NJ")
    NF = 2 * NJ - NL
    if not 0 < NL <= NJ:
        par.fail("NL", 0, f"{NL} links and {NJ} joints", "there are 1 to NJ links")
    if par.count("NF", NF) != NF:
        par.fail("NF", 0, f"{par.count('NF')} frames, 2 NJ - NL = {NF} needed")
    moving = bool(par.count("is_floating", 0) or par.count("is_mobile", 0))
    _sizes(par, NL, NJ, NF, moving)
    rows = [_row(par, k, NL, moving) for k in range(NF)]
    if moving:
        rows.append({"a": "0", "sigma": "2", **_link(par, 0)})

    def at(j: int, column: str) -> Place:
        names = {v: k for k, v in (FRAME | LINK).items()}
        key = names.get(column, column)
        return par.place(key, j + (moving and key in LINK))

    cells = Cells(rows, at, context.snap)
    frames = modified_frames(cells)[0]
    found = _NAME.search(text[:4000])
    m = _mechanism(par, cells, frames, NL, NJ, found[1] if found else context.name)
    if moving:
        m = on_base(declared(m, cells), "free")
        root = replace(m.bodies[0], inertia=cells.inertia(NF))
        m = replace(m, bodies=(root, *m.bodies[1:]), checked=True)
    return declared(m, cells)


def _parsed(text: str, source: str) -> _Par:
    # remarks and Pi are replaced by texts of the same length, so that offsets stay
    plain = _REMARK.sub(lambda r: re.sub(r"[^\n]", " ", r[0]), text)
    plain = _PI.sub("pi", plain)
    par = _Par(text, source, {}, {})
    at = 0
    while plain[at:].strip():
        entry = _ENTRY.match(plain, at)
        if entry is None:
            offset = at + len(plain[at:]) - len(plain[at:].lstrip())
            where = place_at(source, text, offset)
            raise DescriptionError("not an entry of a .par file", where, "write: ant = {0,1,2}")
        key = OLD_NAMES.get(entry[1], entry[1])
        where = place_at(source, text, entry.start(1))
        if key not in KNOWN:
            hint = closest(key, KNOWN)
            raise DescriptionError(f"unknown entry {shown(key, 40)!r}", where, hint)
        if key in par.lists:
            raise DescriptionError(f"a second {key}", where, "keep one")
        group = 2 if entry[2] is not None else 3
        par.starts[key] = entry.start(group)
        par.lists[key] = _cells(entry[group], entry.start(group))
        at = entry.end()
    return par


def _cells(text: str, start: int) -> list[tuple[str, int]]:
    """Return the cells of a list with their offsets; commas in brackets do not part them."""
    if not text.strip():
        return []
    cells, depth, begin = [], 0, 0
    for k, c in enumerate(text + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and (depth <= 0 or k == len(text)):
            part = text[begin:k]
            cells.append((part.strip(), start + begin + len(part) - len(part.lstrip())))
            begin = k + 1
    return cells


def _sizes(par: _Par, NL: int, NJ: int, NF: int, moving: bool) -> None:
    sizes = dict.fromkeys((*FRAME, "mu"), NF) | dict.fromkeys((*LINK, *WRENCH), NL + moving)
    sizes |= dict.fromkeys((*INPUTS, "eta", "k"), NJ) | dict.fromkeys((*BASE, "G"), 3) | {"Z": 16}
    for key, cells in par.lists.items():
        if key in sizes and len(cells) != sizes[key]:
            par.fail(key, len(cells), f"{len(cells)} entries, {sizes[key]} needed")
        for k, (text, _) in enumerate(cells):
            if not text:
                par.fail(key, k, f"entry {k + 1} is empty", "write 0 for nothing")


def _link(par: _Par, k: int) -> dict[str, str]:
    """Return the mass data and the drive of a link, zeros left out."""
    given = {column: par.cell(key, k) for key, column in LINK.items()}
    return {column: text for column, text in given.items() if text != "0"}


def _row(par: _Par, k: int, NL: int, moving: bool) -> dict[str, str]:
    row = {column: par.cell(key, k) for key, column in FRAME.items() if key != "ant"}
    row["a"] = par.cell("ant", k, str(k))
    return row | (_link(par, k + moving) if k < NL else {})


def _mechanism(
    par: _Par, cells: Cells, frames: list[Body], NL: int, NJ: int, name: str
) -> Mechanism:
    links = tuple(frames[:NL])
    for j in range(NL):
        if links[j].parent >= NL:
            par.fail("ant", j, f"link {j + 1} hangs on frame {links[j].parent + 1}, not on a link")
    drives = tuple(d for j in range(NL) if (d := cells.drive(j)) and links[j].joint.nv)
    elastic = tuple(
        JointSpring(j, cells.value(par.cell("k", j), j, "k"))
        for j in range(NL)
        if par.cell("eta", j) == "1" and links[j].joint.nv
    )
    loops = tuple(_loop(par, cells, frames, k, NL, NJ) for k in range(NL, NJ))
    motors = [j for j in range(NJ) if par.cell("mu", j) == "1"]
    active = tuple(links[j].joint_name or links[j].name for j in motors if j < NL) if loops else ()
    g = Vec3(*(cells.value(par.cell("G", k), 0, "G") for k in range(3)))
    place = _placement(par, cells)
    # G is given in the axes of frame 0, which stands at Z
    links = tuple(replace(b, placement=place @ b.placement) if b.parent < 0 else b for b in links)
    return Mechanism(
        links, name, place.R @ g, drives=drives, elastic=elastic, active=active, checked=True,
        loops=tuple(_placed(loop, place) for loop in loops), notes=_notes(par, cells, motors, NL),
    )  # fmt: skip


def _loop(par: _Par, cells: Cells, frames: list[Body], k: int, NL: int, NJ: int) -> Loop:
    """Return the cut joint k: frame k on link i meets frame k + NJ - NL on link j."""
    other = k + NJ - NL
    (i, T), (j, S) = (_on_link(frames, f, NL) for f in (k, other))
    if frames[other].joint.nv:
        par.fail("sigma", other, f"frame {other + 1} closes a loop and must be fixed", "write 2")
    if i == j:
        par.fail("ant", other, f"frames {k + 1} and {other + 1} are on the same link")
    kind = {"revolute": "revolute", "prismatic": "prismatic"}.get(frames[k].joint.kind, "fixed")
    z = Vec3(0, 0, 1)
    name = cells.variables.get(k, f"j{k + 1}")
    if kind == "revolute":
        return Loop(i, T.p, j, S.p, kind, T.R @ z, S.R @ z, name=name)
    a, b = (T.R @ z, S.R @ z) if kind == "prismatic" else (None, None)
    return Loop(i, T.p, j, S.p, kind, a, b, T.R, S.R, name=name)


def _on_link(frames: list[Body], k: int, NL: int) -> tuple[int, Transform]:
    """Return the link that carries frame k, and the frame's pose on it."""
    T, k = frames[k].placement, frames[k].parent
    while k >= NL:
        T, k = frames[k].placement @ T, frames[k].parent
    return k, T


def _placed(loop: Loop, place: Transform) -> Loop:
    """Return a loop whose end on the base is moved with it."""
    for end, key in (("i", "axis"), ("j", "axis_j")):
        if getattr(loop, f"body_{end}") < 0:
            axis, turned = getattr(loop, key), getattr(loop, f"rotation_{end}")
            changes = {
                f"point_{end}": place @ getattr(loop, f"point_{end}"),
                key: None if axis is None else place.R @ axis,
                f"rotation_{end}": turned if loop.joint == "revolute" else place.R @ turned,
            }
            loop = replace(loop, **changes)
    return loop


def _placement(par: _Par, cells: Cells) -> Transform:
    """Return Z, the pose of frame 0 in the world."""
    if "Z" not in par.lists:
        return Transform()
    Z = [cells.value(par.cell("Z", k), 0, "Z") for k in range(16)]
    if Z[12:] != [0, 0, 0, 1]:
        par.fail("Z", 12, "the last row is 0, 0, 0, 1")
    R = Mat3(tuple(Z[0:3]), tuple(Z[4:7]), tuple(Z[8:11]))
    turned = Rotation() if Mat3.identity() == R else factored(R, cells.graph).rotation
    return Transform(turned, Vec3(Z[3], Z[7], Z[11]))


def _notes(par: _Par, cells: Cells, motors: list[int], NL: int) -> tuple[str, ...]:
    notes = ["SYMORO file: modified Denavit-Hartenberg table (Khalil-Kleinfinger)", *cells.notes]
    wrenches, inputs, base = (par.nonzero(*keys) for keys in (WRENCH, INPUTS, BASE))
    if wrenches:
        notes.append(f"not read, external forces are inputs: {', '.join(wrenches)}")
    if inputs:
        notes.append(f"not read, states and torques are inputs: {', '.join(inputs)}")
    if base:
        notes.append(f"not read, motion of the base: {', '.join(base)}")
    cut = [str(j + 1) for j in motors if j >= NL]
    if cut:
        notes.append(f"motors on cut joints are not read: {', '.join(cut)}")
    return tuple(notes)
