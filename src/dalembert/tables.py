"""The tables of the 1980 report: the internal code of a mechanism and its reported constants.

Liégeois and Aldon, INRIA RR 32 (1980), sections 4.2 and 4.3. Beyond the printed case:

- MRR column 4: 0 turning joint, 1 constant translation, 2 sliding joint, 3 constant rotation,
  4 screw, 5 ball joint. The index is the joint's number, or the number of the body a constant
  belongs to (0: the base); it stands in each column along which the axis has a component, with a
  minus sign for the axes -x, -y, -z.
- The sequence is the sentence's own. A mechanism from elsewhere is written, body by body, as
  translations along x, y, z and then elementary rotations (a matrix as Rz Ry Rx), zeros left out.
- Fixed links are merged into the bodies that carry them: joints and bodies have the same numbers.
- ANGLE joins joint numbers by `.` in a mechanism of ten joints or more; a run of more than 100
  joints shows its first two and last two, `1.2..999.1000`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .algebra import Mat3, Transform, Turn, Vec3, is_plain_zero, yaw_pitch_roll
from .algorithms.augmented_body import slide
from .equations.reported import Reported, reported
from .errors import UsageError, shown
from .expr import Expr, asin, atan2, sqrt, text
from .expr.exact import to_float
from .expr.formula import formula, grouped, name, total
from .expr.show import readable
from .expr.style import REPORT, value, write
from .joint import Fixed, Joint
from .mechanism import Body, Frame, Mechanism, joint_name
from .mechanism.follower import Follower
from .mechanism.rehome import merge_fixed

Naming = Literal["simple", "full"]
CODES = {"revolute": 0, "prismatic": 2, "screw": 4, "spherical": 5}
RUN = 100  # joint numbers in one ANGLE string
CONSTANTS = {
    "AUGMENTED MASSES": "augmented_masses",
    "REPORTED MASSES": "reported_masses",
    "REPORTED INERTIAS": "reported_inertias",
    "TOTAL INERTIAS": "total_inertias",
}
WIDE = 40  # columns beyond this width are not padded


def tables_text(m: Mechanism, inertia: Naming = "simple") -> str:
    """Return the tables as text; `full` names every component of every body's constants."""
    t = _tables(m, inertia)
    first = 0 if t.labelled else 1
    rows: dict[str, list[Any]] = {
        "TABLE MRR": t.mrr,
        "CONSTANT TRANSLATIONS": [r[first:] for r in t.translations],
        "CONSTANT ROTATIONS": [("BODY", "AXIS", "ANGLE"), *t.rotations] if t.rotations else [],
        "ANGLE": t.angle,
        f"NUMBER OF FRAME CHANGES {len(t.mrr)}": [],
        f"NUMBER OF DEGREES OF FREEDOM {t.freedoms}": [],
        "BODIES": [("BODY", "LENGTH"), *t.lengths],
        "LIMITS": [("DOF", "MIN", "MAX"), *t.limits],
        "MASS DATA": [("BODY", "MASS", "VCG"), *t.mass_data],
        "INERTIA TENSORS": [(f"BODY {j} :", *entries) for j, entries in t.inertias],
        **{head: [f"{n} = {write(x, REPORT)}" for n, x in table.items()]
           for head, table in zip(CONSTANTS, t.reported.tables(), strict=True)},
    }  # fmt: skip
    optional = ("CONSTANT ROTATIONS", "AUGMENTED MASSES")
    parts = [
        "\n".join([head, *_aligned(body)])
        for head, body in rows.items()
        if body or head not in optional
    ]
    remarks = "\n".join(f"# {line}" for line in t.remarks)
    return "\n\n".join([*parts, remarks] if remarks else parts)


def tables_data(m: Mechanism, inertia: Naming = "simple") -> dict[str, Any]:
    """Return the tables as plain data: numbers, texts of expressions, lists and dicts."""
    t = _tables(m, inertia)
    constants = {
        key: {n: value(x, REPORT) for n, x in table.items()}
        for key, table in zip(CONSTANTS.values(), t.reported.tables(), strict=True)
    }
    return {
        "name": t.m.name,
        "NR": len(t.mrr),
        "N": t.freedoms,
        "MRR": [list(r) for r in t.mrr],
        "constant_translations": [
            {"body": r[0], "translation": _plain_all(r[1:])} for r in t.translations
        ],
        "constant_rotations": [
            {"body": j, "axis": axis, "angle": _plain(angle)} for j, axis, angle in t.rotations
        ],
        "ANGLE": [list(r) for r in t.angle],
        "bodies": [{"body": j, "length": _plain(length)} for j, length in t.lengths],
        "limits": [{"dof": j, "min": _plain(a), "max": _plain(b)} for j, a, b in t.limits],
        "mass_data": [
            {"body": r[0], "mass": _plain(r[1]), "centre": _plain_all(r[2:])} for r in t.mass_data
        ],
        "inertia_tensors": [
            {"body": j, "inertia": _plain_all(entries)} for j, entries in t.inertias
        ],
        **{key: {n: _plain(x) for n, x in table.items()} for key, table in constants.items()},
        "remarks": list(t.remarks),
    }


# -- the rows ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Tables:
    """Every table as rows of numbers, expressions and texts."""

    m: Mechanism
    mrr: list[tuple[int, ...]]
    translations: list[tuple[Any, ...]]  # label, x, y, z
    rotations: list[tuple[int, str, Any]]
    angle: list[tuple[str, ...]]
    lengths: list[tuple[str, Any]]
    limits: list[tuple[int, Any, Any]]
    mass_data: list[tuple[Any, ...]]
    inertias: list[tuple[int, tuple[Any, ...]]]
    reported: Reported
    remarks: tuple[str, ...]
    freedoms: int

    @property
    def labelled(self) -> bool:
        """Whether rows need their label: something else than one lever for each body."""
        return [r[0] for r in self.translations] != [str(k + 1) for k in range(len(self.m.bodies))]


def _tables(m: Mechanism, inertia: Naming) -> _Tables:
    if inertia not in ("simple", "full"):
        raise UsageError(f"inertia {shown(str(inertia))!r}", hint='one of "simple", "full"')
    if any(isinstance(b.joint, Fixed) for b in m.bodies):
        m = merge_fixed(m)
    follow = tuple(_followers(m))
    m = replace(m.unfolded, fold=None, checked=True)
    for body in m.bodies:
        slide(body)  # refuses planar and free joints
    steps = list(_steps(m))
    levers = list(_levers(m))
    limits = [(j, *(b.limits[0] if b.limits else (None, None))) for j, b in _numbered(m)]
    return _Tables(
        m,
        [step.row for step in steps],
        [(label, *l) for label, l in levers],
        [(s.number, s.axis, s.value) for s in steps if s.code == 3],
        _angle(m),
        [(label, _length(l)) for label, l in levers if label[0] != "0"],
        limits,
        [(j, b.inertia.m, *b.inertia.centre) for j, b in _numbered(m)],
        [(j, six) for j, b in _numbered(m) if (six := _tensor(b, inertia == "full"))],
        reported(m, inertia == "full"),
        (*_remarks(m), *follow),
        m.nv - len(follow),
    )


def _numbered(m: Mechanism) -> Iterator[tuple[int, Body]]:
    return enumerate(m.bodies, 1)


def _tensor(body: Body, full: bool) -> tuple[Any, ...]:
    """Return XX, YY, ZZ, with XY, XZ, YZ where they are needed; nothing for a zero tensor."""
    six = body.inertia.about_centre.six()
    if all(is_plain_zero(x) for x in six):
        return ()
    return six if full or not all(is_plain_zero(x) for x in six[3:]) else six[:3]


def _followers(m: Mechanism) -> Iterator[str]:
    """Yield which joint follows which; the tables hold all joints."""
    for j, b in _numbered(m):
        if isinstance(b.joint, Follower):
            at = m.joint_index(b.joint.of) + 1
            ratio, offset = (grouped(formula(x)) for x in (b.joint.ratio, b.joint.offset))
            parts = [ratio * name(f"q{at}"), offset]
            yield f"joint {j} follows joint {at}: q{j} = {write(total(parts), REPORT)}"


def _remarks(m: Mechanism) -> Iterator[str]:
    massless = [str(j) for j, b in _numbered(m) if b.inertia.is_massless()]
    if massless:
        yield "massless bodies: " + " ".join(massless)
    if m.loops:
        yield "loops are cut: the tables are those of the tree"
    yield from (shown(note) for note in m.notes)


# -- frame changes -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Step:
    """One frame change: signs of its axis, code of MRR column 4, index, value of a constant."""

    signs: tuple[int, int, int]
    code: int
    number: int
    value: Any = None

    @property
    def row(self) -> tuple[int, ...]:
        return (*(s * self.number for s in self.signs), self.code)

    @property
    def axis(self) -> str:
        return "".join(x for x, s in zip("XYZ", self.signs, strict=True) if s)


def _signs(axis: Vec3) -> tuple[int, int, int]:
    """Return 1 where an axis has a component, -1 where that is exactly -1, else 0."""
    x, y, z = (0 if is_plain_zero(a) else -1 if is_plain_zero(a + 1) else 1 for a in axis)
    return x, y, z


def _joint_signs(joint: Joint) -> tuple[int, int, int]:
    axis = getattr(joint, "axis", None)
    return (1, 1, 1) if axis is None else _signs(axis)


UNIT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def _steps(m: Mechanism) -> Iterator[_Step]:
    """Yield the frame changes: the sentence's own, else placements taken apart."""
    if m.changes:
        for c in m.changes:
            if c.value is None:
                yield _joint_step(m, c.body)
            else:
                yield _Step(UNIT[c.axis], 1 if c.kind == "T" else 3, c.body + 1, c.value)
        return
    tips = _tips(m)
    for j, body in enumerate(m.bodies):
        yield from _constant_steps(body.placement, body.parent + 1)
        yield _joint_step(m, j)
        for tip in tips[j]:
            yield from _constant_steps(tip.placement, j + 1)


def _joint_step(m: Mechanism, j: int) -> _Step:
    joint = m.bodies[j].joint
    return _Step(_joint_signs(joint), CODES[joint.kind], j + 1)


def _constant_steps(T: Transform, number: int) -> Iterator[_Step]:
    for unit, x in zip(UNIT, T.p, strict=True):
        if not is_plain_zero(x):
            yield _Step(unit, 1, number, x)
    for f in T.R.factors:
        for axis, angle in [(f.axis, f.angle)] if isinstance(f, Turn) else _zyx(f):
            yield _Step(UNIT[axis], 3, number, angle)


def _zyx(R: Mat3) -> list[tuple[int, Any]]:
    """Return the turns of a matrix as Rz Ry Rx, zeros left out."""
    angles: tuple[Any, ...]
    if any(isinstance(e, Expr) and e.names() for row in R.rows for e in row):
        (xx, _, _), (yx, _, _), (zx, zy, zz) = R.rows
        angles = atan2(yx, xx), asin(-zx), atan2(zy, zz)
    else:
        angles = yaw_pitch_roll(R)
    turns = zip((2, 1, 0), angles, strict=True)
    return [(axis, angle) for axis, angle in turns if not is_plain_zero(angle)]


def _tips(m: Mechanism) -> list[list[Frame]]:
    """Return for each body the frames that end a chain: `tip`, `tip_<joint>`, `tip_<joint>_2`."""
    tips: list[list[Frame]] = [[] for _ in m.bodies]
    for f in m.named:
        if f.body >= 0 and f.name.startswith("tip"):
            name = f"tip_{joint_name(m.bodies[f.body])}"
            if f.name in ("tip", name) or f.name.removeprefix(name + "_").isdigit():
                tips[f.body].append(f)
    return tips


def _levers(m: Mechanism) -> Iterator[tuple[str, Vec3]]:
    """Yield (label, lever): `j`, or `j>k` for each child k where body j carries several."""
    ends: list[list[tuple[str, Vec3]]] = [[] for _ in range(len(m.bodies) + 1)]
    for j, body in _numbered(m):
        # the base has a row only where something stands off its origin
        if body.parent >= 0 or not body.placement.p.is_zero():
            ends[body.parent + 1].append((str(j), body.placement.p))
    for tips in _tips(m):
        for f in tips:
            if not (ends[f.body + 1] and f.placement.p.is_zero()):
                ends[f.body + 1].append((shown(f.name), f.placement.p))
    for j, found in enumerate(ends):
        if len(found) > 1 or (j == 0 and found):
            yield from ((f"{j}>{k}", l) for k, l in found)
        elif j:
            yield str(j), found[0][1] if found else Vec3.zero()


def _length(l: Vec3) -> Any:
    """Return the lever along its axis, with its sign; its norm when it has several components."""
    parts = [x for x in l if not is_plain_zero(x)]
    if len(parts) < 2:
        return parts[0] if parts else 0
    return sqrt(sum(x * x for x in parts))


def _angle(m: Mechanism) -> list[tuple[str, ...]]:
    """Return the ANGLE rows: for each turning joint the run of turns about one axis it ends."""
    dot = "." if len(m.bodies) > 9 else ""
    rows: list[tuple[str, ...]] = []
    runs: dict[int, tuple[tuple[int, ...], Run]] = {-1: ((0, 0, 0), ())}  # axis, joints about it
    for j, body in _numbered(m):
        axis, run = runs[body.parent]
        if any(_breaks(factor, axis) for factor in body.placement.R.factors):
            axis, run = (0, 0, 0), ()
        signs: tuple[int, ...] = (0, 0, 0)
        if body.joint.kind != "prismatic":
            signs = _joint_signs(body.joint)
            about = tuple(abs(s) for s in signs)
            own = -j if -1 in signs else j
            run = _extended(run, own) if about == axis and sum(about) == 1 else (own,)
            axis = about
        runs[j - 1] = axis, run
        shown_run = dot.join("" if k == 0 else str(k) for k in run)
        rows.append(tuple(shown_run if s else "0" for s in signs))
    return rows


Run = tuple[int, ...]  # joint numbers with sign; 0 stands for those left out of a long run


def _extended(run: Run, j: int) -> Run:
    if 0 in run:
        return (*run[:3], run[-1], j)
    run = (*run, j)
    return run if len(run) <= RUN else (*run[:2], 0, *run[-2:])


def _breaks(factor: Turn | Mat3, axis: tuple[int, ...]) -> bool:
    return not (isinstance(factor, Turn) and UNIT[factor.axis] == axis)


# -- text and plain data -----------------------------------------------------------------------


def _aligned(rows: Sequence[Any]) -> Iterator[str]:
    """Yield rows of cells as lines with aligned columns; a row that is a text stands as it is."""
    table = [r if isinstance(r, str) else [_cell(x) for x in r] for r in rows]
    widths: list[int] = []
    for r in table:
        if not isinstance(r, str):
            widths += [0] * (len(r) - len(widths))
            widths = [max(w, len(r[k])) if k < len(r) else w for k, w in enumerate(widths)]
    for r in table:
        if isinstance(r, str):
            yield r
        else:
            padded = (x.ljust(min(w, WIDE)) for x, w in zip(r, widths, strict=False))
            yield " ".join(padded).rstrip()


def _cell(x: Any) -> str:
    """Return a number, an expression or a text as text; nothing given is `-`."""
    if x is None:
        return "-"
    if isinstance(x, str):
        return x
    return text(x) if isinstance(x, Expr) else readable(x)


def _plain(x: Any) -> Any:
    """Return a number as int or float, an expression as text."""
    if x is None or isinstance(x, (str, int, float)):
        return x
    if not isinstance(x, Expr):
        return float(x)
    if x.names():
        return text(x)
    return x.value if isinstance(x.value, int) else to_float(x)


def _plain_all(values: Sequence[Any]) -> list[Any]:
    return [_plain(x) for x in values]
