"""A numeric tree as URDF, with notes on what that format cannot hold.

What would move differently without it (a screw, a loop, a wheel) is an error; what acts on the tree
(gravity, springs, rotor inertias) is named in the notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, count
from typing import Any
from xml.sax.saxutils import quoteattr

from ..algebra import Rotation, Transform, Turn, Vec3, yaw_pitch_roll
from ..errors import ParameterError, UsageError, shown
from ..expr import Expr, decimal
from ..expr.exact import exact, to_float
from ..joint import Free, Planar
from ..mechanism import Body, Drive, Mechanism, how_to_give, joint_name
from ..mechanism.edit import with_values
from ..mechanism.validate import numeric
from .urdf_fields import TENSOR, UNLIMITED

TYPES = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "free": "floating",
    "planar": "planar",
}
EARTH = Vec3(0, 0, Fraction(-981, 100))


def write_urdf(m: Mechanism) -> tuple[str, list[str]]:
    """Return a mechanism as URDF text, and notes on what is not in it."""
    notes: list[str] = []
    m = _numeric(m.coupled, notes)
    _refuse(m)
    _remarks(m, notes)
    lines = [f"<robot name={_quoted(m.name or 'robot')}>"]
    root = _root(m)
    names = _links(m, root)
    if root is None:
        lines.append(f"  <link name={_quoted(names[-1])}/>")
    else:
        notes.append(f'the base moves: load it with base="{m.bodies[0].joint.kind}"')
    for j, body in enumerate(m.bodies):
        lines += _link(body)
        if j != root:
            lines += _joint(m, j, body, names[body.parent])
    taken = {joint_name(b) for b in m.bodies}
    for frame in m.named:
        if frame.body < 0 and frame.name == names[-1]:
            continue  # the root link itself
        joint = next(n for n in _fresh(f"{frame.name}_joint") if n not in taken)
        taken.add(joint)
        lines.append(f"  <link name={_quoted(frame.name)}/>")
        lines += [
            f'  <joint name={_quoted(joint)} type="fixed">',
            *_ends(names[frame.body], frame.name),
            *_origin(frame.placement, "    "),
            "  </joint>",
        ]
    return "\n".join([*lines, "</robot>"]) + "\n", notes


def _numeric(m: Mechanism, notes: list[str]) -> Mechanism:
    """Return the mechanism with the values of its parameters in place."""
    if m.open_parameters:
        raise ParameterError(
            "URDF holds numbers only: no value for " + ", ".join(map(shown, m.open_parameters[:8])),
            **how_to_give(m.open_parameters[0]),
        )
    if m.values:
        notes.append("parameters are written as their values")
        m = with_values(m, m.values)
    if any(isinstance(x, Expr) and x.names() for b in m.bodies for pair in b.limits for x in pair):
        notes.append("not written: limits without a value")
    return m


def _refuse(m: Mechanism) -> None:
    for body in m.bodies:
        if body.joint.kind not in TYPES:
            name = shown(joint_name(body))
            raise UsageError(
                f"joint {name!r}: URDF has no {body.joint.kind} joint",
                hint="save the mechanism as TOML or JSON",
            )
    for field, what in (
        ("loops", "loops"),
        ("wheels", "wheels"),
        ("rolling", "rolling bodies"),
        ("velocity_constraints", "velocity constraints"),
    ):
        if getattr(m, field):
            raise UsageError(f"URDF has no {what}", hint="save the mechanism as TOML or JSON")


def _remarks(m: Mechanism, notes: list[str]) -> None:
    if m.gravity != EARTH:
        notes.append("gravity is not part of URDF")
    for field, what in (
        ("elastic", "elastic joints"),
        ("springs", "springs"),
        ("active", "the list of active joints"),
        ("prescribed", "the list of prescribed joints"),
        ("speeds", "the names of speeds"),
    ):
        if getattr(m, field):
            notes.append(f"not written: {what}")
    if any(
        b.joint.nq == 1
        and (b.limits or b.joint.kind == "prismatic")
        and (b.effort_limit is None or b.velocity_limit is None or not b.limits)
        for b in m.bodies
    ):
        notes.append("limits that are not known are written as 1e9: the format needs a number")
    if any(d.inertia != 0 for d in m.drives):
        notes.append("not written: rotor inertias")
    for drive in m.drives:
        ahead, back = drive.coulomb
        if ahead != -back:
            name, mean = shown(joint_name(m.bodies[drive.joint])), number(_coulomb(drive))
            notes.append(f"joint {name!r}: one friction for both directions, the mean {mean}")
    for body in m.bodies:
        inertia = body.inertia
        if inertia.at == "origin" and inertia.mass == 0 and not inertia.lever.is_zero():
            notes.append(f"body {shown(body.name)!r}: not written: a first moment without a mass")
    followers = [c.joint for c in m.couplings]
    if len(set(followers)) < len(followers):
        raise UsageError("URDF lets a joint follow one other joint only")


def _root(m: Mechanism) -> int | None:
    """Return 0 when the first body is a moving base that carries everything, else None."""
    on_base = [j for j, b in enumerate(m.bodies) if b.parent < 0]
    if on_base != [0] or any(f.body < 0 for f in m.named):
        return None
    first = m.bodies[0]
    moving = isinstance(first.joint, (Free, Planar)) and joint_name(first) == "base"
    return 0 if moving and first.placement.is_identity() else None


def _links(m: Mechanism, root: int | None) -> dict[int, str]:
    """Return the name of every link; the base is called as a frame that stands on it."""
    names = {j: b.name for j, b in enumerate(m.bodies)}
    if root is None:
        standing = [f.name for f in m.named if f.body < 0 and f.placement.is_identity()]
        taken = set(m.frames)
        free = (n for n in _fresh("base_link") if n not in taken)
        names[-1] = standing[0] if standing else next(free)
    return names


def _fresh(name: str) -> Iterator[str]:
    return chain([name], (f"{name}{k}" for k in count(1)))


def _link(body: Body) -> list[str]:
    head = f"  <link name={_quoted(body.name)}"
    inertia = body.inertia
    if inertia.is_massless():
        return [head + "/>"]
    tensor = inertia.about_centre.map(exact)
    rows = dict(zip(TENSOR, tensor.six(), strict=True))
    entries = " ".join(f'{key}="{number(rows[key])}"' for key in rows)
    return [
        head + ">",
        "    <inertial>",
        *_origin(Transform(Rotation(), inertia.centre), "      "),
        f'      <mass value="{number(inertia.mass)}"/>',
        f"      <inertia {entries}/>",
        "    </inertial>",
        "  </link>",
    ]


def _ends(parent: str, child: str) -> list[str]:
    return [f"    <parent link={_quoted(parent)}/>", f"    <child link={_quoted(child)}/>"]


def _joint(m: Mechanism, j: int, body: Body, parent: str) -> list[str]:
    kind = TYPES[body.joint.kind]
    limits = body.limits[0] if body.limits and body.joint.nq == 1 else (None, None)
    if kind == "revolute" and not any(x is not None and numeric(x) for x in limits):
        kind = "continuous"
    lines = [
        f'  <joint name={_quoted(joint_name(body))} type="{kind}">',
        *_ends(parent, body.name),
        *_origin(body.placement, "    "),
    ]
    axis = getattr(body.joint, "axis", None)
    if axis is not None:
        lines.append(f'    <axis xyz="{_three(axis)}"/>')
    return [*lines, *_limit(kind, body, limits), *_acting(m, j), "  </joint>"]


def _limit(kind: str, body: Body, limits: tuple[Any, Any]) -> list[str]:
    """Return the <limit> of a joint; ROS and Pinocchio want all of it, 1e9 where none is known."""
    given = {"lower": limits[0], "upper": limits[1]} if kind in ("revolute", "prismatic") else {}
    given |= {"effort": body.effort_limit, "velocity": body.velocity_limit}
    known = {key: number(x) for key, x in given.items() if x is not None and numeric(x)}
    if not known and kind != "prismatic":
        return []
    lacking = {"lower": f"-{UNLIMITED}"}
    parts = [f'{key}="{known.get(key, lacking.get(key, UNLIMITED))}"' for key in given]
    return [f"    <limit {' '.join(parts)}/>"]


def _acting(m: Mechanism, j: int) -> list[str]:
    """Return friction and coupling of a joint, seen at the joint."""
    lines = []
    for drive in m.drives:
        ahead, back = drive.coulomb
        if drive.joint == j and not (ahead == 0 == back == drive.viscous):
            gear = abs(to_float(drive.gear))
            plain = drive.gear in (1, -1)
            damping = drive.viscous if plain else to_float(drive.viscous) * gear * gear
            friction = number(_coulomb(drive))
            lines.append(f'    <dynamics damping="{number(damping)}" friction="{friction}"/>')
    for c in m.couplings:
        if c.joint == j:
            of = _quoted(joint_name(m.bodies[c.of]))
            ratio, offset = number(c.ratio), number(c.offset)
            lines.append(f'    <mimic joint={of} multiplier="{ratio}" offset="{offset}"/>')
    return lines


def _coulomb(drive: Drive) -> Any:
    """Return the Coulomb friction at the joint: the mean size of its two directions."""
    ahead, back = drive.coulomb
    size = ahead if ahead == -back else (exact(ahead) - exact(back)) / 2
    return size if drive.gear in (1, -1) else to_float(size) * abs(to_float(drive.gear))


def _origin(T: Transform, indent: str) -> list[str]:
    if T.is_identity():
        return []
    rpy = " ".join(number(x) for x in roll_pitch_yaw(T.R))
    return [f'{indent}<origin xyz="{_three(T.p)}" rpy="{rpy}"/>']


def _three(v: Vec3) -> str:
    return " ".join(number(x) for x in v)


def roll_pitch_yaw(R: Rotation) -> tuple[Any, Any, Any]:
    """Return the angles of R = Rz(yaw) Ry(pitch) Rx(roll): its own where it is such a product."""
    axes = [f.axis if isinstance(f, Turn) else -1 for f in R.factors]
    if -1 not in axes and sorted(set(axes), reverse=True) == axes:
        angle = {f.axis: f.angle for f in R.factors if isinstance(f, Turn)}
        return angle.get(0, 0), angle.get(1, 0), angle.get(2, 0)
    yaw, pitch, roll = yaw_pitch_roll(R.matrix())
    return roll, pitch, yaw


def number(x: Any) -> str:
    """Return a number as a decimal: its own digits where it is one, else the nearest double."""
    x = exact(x)
    text = "" if isinstance(x, Expr) else decimal(x)
    return repr(to_float(x)) if not text or "/" in text else text


def _quoted(name: str) -> str:
    for c in name:
        if (ord(c) < 32 and c not in "\t\n\r") or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff":
            raise UsageError(f"the name {shown(name, 60)!r} has a character that XML has not")
    return quoteattr(name, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
