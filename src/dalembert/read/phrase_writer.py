"""A mechanism as a phrase: trees of revolute and prismatic joints, exactly; the rest is told.

Reading the text gives the same bodies, limits, gravity and frames (leaves without a tip get one).
Values of parameters and everything that is not a tree of joints are listed in the notes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ..algebra import Mat3, Rotation, Transform, Turn, Vec3, is_plain_zero, turn, yaw_pitch_roll
from ..errors import DescriptionError, ModelError, shown
from ..expr import Expr, Graph, decimal
from ..expr.exact import to_float
from ..joint import UNITS, Fixed, Prismatic, Revolute
from ..mechanism import Body, Frame, FrameChange, Mechanism, joint_name
from ..mechanism.edit import into
from ..mechanism.rehome import merge_fixed
from ..mechanism.validate import numeric
from .expressions import LETTER, LONGEST_NUMBER, NAME, snap_angle
from .phrase import EARTH, moved, read_phrase

LEFT_OUT = (
    ("drives", "drives"),
    ("elastic", "elastic joints"),
    ("springs", "springs"),
    ("loops", "loops"),
    ("couplings", "couplings"),
    ("wheels", "wheels"),
    ("rolling", "rolling bodies"),
    ("velocity_constraints", "velocity constraints"),
    ("active", "active joints"),
    ("prescribed", "prescribed joints"),
    ("speeds", "speeds"),
)


def write_phrase(m: Mechanism) -> tuple[str, list[str]]:
    """Return a phrase that describes the mechanism, and notes on what it cannot hold."""
    writer = Writer(m.coupled)
    text = writer.text()
    try:
        read_phrase(text)
    except DescriptionError as error:
        raise ModelError(
            f"this mechanism cannot be written as a phrase: {error.message}",
            hint="write it as toml, which holds every mechanism",
        ) from None
    return text, writer.notes


@dataclass(slots=True)
class Writer:
    """One mechanism on its way to text."""

    m: Mechanism
    notes: list[str] = field(default_factory=list)
    graph: Graph = field(default_factory=Graph)
    names: list[str] = field(default_factory=list)  # of the bodies, as the phrase writes them
    children: dict[int, list[int]] = field(default_factory=dict)
    frames: dict[int, list[Frame]] = field(default_factory=dict)
    said: dict[int, list[FrameChange]] = field(default_factory=dict)  # constants of a sentence
    number: list[int] = field(default_factory=list)  # of the bodies in the phrase, from 1

    def text(self) -> str:
        """Return the phrase with its statements."""
        self._refuse()
        self._leave_out()
        self.m = self._straightened(into(self._without_fixed(), self.graph))
        self._order()
        self._name_bodies()
        for change in self.m.changes:
            if change.value is not None:
                self.said.setdefault(change.body, []).append(change)
        for f in self.m.named:
            self.frames.setdefault(f.body, []).append(f)
        lines = ["".join(self._sentence()) + ";"]
        lines += self._statements()
        return "\n".join(lines) + "\n"

    # -- what cannot be held -------------------------------------------------------------------

    def _refuse(self) -> None:
        for b in self.m.bodies:
            if not isinstance(b.joint, (Revolute, Prismatic, Fixed)):
                raise ModelError(
                    f"the phrase language has no {b.joint.kind} joint ({shown(joint_name(b))})",
                    hint="write it as toml, which holds every joint",
                )

    def _leave_out(self) -> None:
        m = self.m
        for name, what in LEFT_OUT:
            count = len(getattr(m, name))
            if count:
                self.notes.append(f"not written: {count} {what}")
        valued = [
            f"{shown(p.name)} = {decimal(p.value) if not isinstance(p.value, Expr) else p.value}"
            for p in m.parameters
            if p.value is not None and not (p.name == "G" and p.value == EARTH)
        ]
        if valued:
            self.notes.append("values of parameters are not written: " + ", ".join(valued))
        for what in ("velocity_limit", "effort_limit"):
            others = (b for b in m.bodies if b.joint.kind not in ("revolute", "prismatic"))
            count = sum(getattr(b, what) is not None for b in others)
            if count:
                self.notes.append(f"not written: {what.replace('_', ' ')} of {count} joints")

    def _without_fixed(self) -> Mechanism:
        fixed = [b.name for b in self.m.bodies if isinstance(b.joint, Fixed)]
        if not fixed:
            return self.m
        self.notes.append(
            "fixed bodies are merged into their parents, their frames stay: "
            + ", ".join(map(shown, fixed[:20]))
        )
        return merge_fixed(self.m)

    # -- axes ----------------------------------------------------------------------------------

    def _straightened(self, m: Mechanism) -> Mechanism:
        """Return the mechanism with every joint along a positive coordinate axis."""
        turned: dict[int, Rotation] = {}
        bodies: list[Body] = []
        for j, b in enumerate(m.bodies):
            axis = b.joint.axis  # type: ignore[attr-defined]
            if axis not in UNITS:
                k, turned[j] = self._align(b, axis)
                b = replace(b, joint=type(b.joint)(UNITS[k]))  # type: ignore[call-arg]
            T = self._lifted(b.placement)
            if b.parent in turned:
                T = Transform(turned[b.parent].T) @ T
            if j in turned:
                T = T @ Transform(turned[j])
                b = replace(b, inertia=b.inertia.moved(Transform(turned[j].T)))
            bodies.append(replace(b, placement=T))
        if not turned:
            return replace(m, bodies=tuple(bodies), checked=True)
        named = tuple(
            replace(f, placement=Transform(turned[f.body].T) @ self._lifted(f.placement))
            if f.body in turned
            else f
            for f in m.named
        )
        return replace(m, bodies=tuple(bodies), named=named, changes=(), checked=True)

    def _align(self, b: Body, axis: Vec3) -> tuple[int, Rotation]:
        """Return a coordinate axis and the rotation that brings it onto the axis of a joint."""
        who = shown(joint_name(b))
        for k in range(3):
            if axis == -UNITS[k]:
                self.notes.append(f"axis of {who} is reversed: the frame of its body is turned")
                return k, Rotation((turn((k + 1) % 3, self.graph.pi()),))
        if not numeric(*axis):
            raise ModelError(f"joint {who}: an axis with parameters cannot be written")
        x, y, z = (to_float(a) for a in axis)
        self.notes.append(
            f"axis of {who} is not a coordinate axis: the frame of its body is turned, "
            "by angles rounded to 17 digits"
        )
        yaw, pitch = math.atan2(y, x), math.atan2(math.hypot(x, y), z)
        turns = [turn(k, a) for k, a in ((2, self._angle(yaw)), (1, self._angle(pitch)))]
        return 2, Rotation(tuple(t for t in turns if t.angle != 0))

    def _angle(self, value: float) -> Expr:
        found = snap_angle(Fraction(repr(value)), None, self.graph)[0]
        return found if isinstance(found, Expr) else self.graph.constant(found)

    def _lifted(self, T: Transform) -> Transform:
        """Return a transform whose constant angles are expressions, so that products stay exact."""
        factors = tuple(
            replace(f, angle=self.graph.constant(f.angle))
            if isinstance(f, Turn) and not isinstance(f.angle, Expr)
            else f
            for f in T.R.factors
        )
        return Transform(Rotation(factors), T.p)

    # -- order and names -----------------------------------------------------------------------

    def _order(self) -> None:
        for j, b in enumerate(self.m.bodies):
            self.children.setdefault(b.parent, []).append(j)
        self.number = [0] * len(self.m.bodies)
        stack, count = list(reversed(self.children.get(-1, []))), 0
        while stack:
            j = stack.pop()
            count += 1
            self.number[j] = count
            stack.extend(reversed(self.children.get(j, [])))
        if self.number != list(range(1, len(self.number) + 1)):
            self.notes.append("joints are renumbered: each branch is written to its end")

    def _name_bodies(self) -> None:
        taken = {f.name for f in self.m.named}
        for b in self.m.bodies:
            if b.joint_name not in ("", b.name):
                self.notes.append(
                    f"joint {shown(b.joint_name)} gets the name of its body, {shown(b.name)}"
                )
        for b in self.m.bodies:
            self.names.append(self._word(b.name, taken))

    def _word(self, name: str, taken: set[str]) -> str:
        """Return a legal name that is not taken, and note a change."""
        word = re.sub(f"[^{LETTER}0-9_]", "_", name)
        if not re.fullmatch(NAME, word) or word in ("pi", "G"):
            word = "j_" + word
        free, again = word[:100], 2
        while free in taken:
            free, again = f"{word[:100]}_{again}", again + 1
        taken.add(free)
        if free != name:
            self.notes.append(f"{shown(name)!r} is written {free}")
        return free

    # -- the sentence --------------------------------------------------------------------------

    def _sentence(self) -> list[str]:
        out = [self._branches(-1)]
        base = self.children.get(-1, [])
        if not base:
            raise ModelError("there is no joint to write", hint="a phrase needs at least one joint")
        stack: list[int | str] = []
        self._push(stack, base, "," if out[0] or base[1:] else "")
        while stack:
            top = stack.pop()
            if isinstance(top, str):
                out.append(top)
                continue
            b = self.m.bodies[top]
            out.append(",".join([*self._said(b.parent, b.placement), self._item(top)]))
            out.append(self._branches(top))
            children = self.children.get(top, [])
            if children:
                self._push(stack, children, ",")
            else:
                out += ["," + c for c in self._tip(top, bool(out[-1]))]
        return out

    def _push(self, stack: list[int | str], children: Sequence[int], joint: str) -> None:
        """Push the chains of children: all but the last as branches."""
        stack += [children[-1], joint]
        for j in reversed(children[:-1]):
            stack += ["]", j, "["]

    def _said(self, body: int, T: Transform) -> list[str]:
        """Return the constants of a body as its sentence had them, if they lead to T."""
        steps, pose = self.said.get(body, []), Transform()
        for c in steps:
            pose = moved(pose, c.kind, c.axis, c.value, self.graph)
        if not steps or pose != T:
            return self._constants(T)
        return [f"{c.kind}{'XYZ'[c.axis]}K({self._number(c.value)})" for c in steps]

    def _item(self, j: int) -> str:
        b = self.m.bodies[j]
        kind = "R" if isinstance(b.joint, Revolute) else "T"
        word = kind + "XYZ"[UNITS.index(b.joint.axis)]  # type: ignore[attr-defined]
        name = "" if self.names[j] == f"j{self.number[j]}" else self.names[j] + ": "
        for low, high in b.limits:
            if low is None and high is None:
                continue
            pair = low is not None and high is not None
            if not pair or (numeric(low, high) and to_float(low) >= to_float(high)):
                who = self.names[j]
                self.notes.append(f"limits of {who} are not written: not a pair min < max")
                continue
            word += f"({self._number(low)},{self._number(high)})"
        return name + word

    def _branches(self, body: int) -> str:
        """Return the named frames of a body, other than its tip, as branches of constants."""
        out = []
        for f in self.frames.get(body, []):
            if f.name == self._tip_name(body):
                continue
            steps = self._constants(f.placement) or ["TXK(0)"]
            if not re.fullmatch(NAME, f.name):
                self.notes.append(f"frame {shown(f.name)!r} is not written: its name is no word")
                continue
            out.append(",".join([*steps[:-1], f"{f.name}: {steps[-1]}"]))
        return "".join(f"[{x}]" for x in out)

    def _tip_name(self, body: int) -> str | None:
        if body < 0 or self.children.get(body):
            return None
        serial = all(len(c) == 1 for c in self.children.values())
        return "tip" if serial else f"tip_{self.names[body]}"

    def _tip(self, body: int, forked: bool) -> list[str]:
        """Return the constants that lead from a leaf to its tip."""
        wanted = self._tip_name(body)
        for f in self.frames.get(body, []):
            if f.name == wanted:
                return self._said(body, f.placement) or (["TXK(0)"] if forked else [])
        return []

    def _constants(self, T: Transform) -> list[str]:
        """Return a transform as constants: the translations, then the rotations."""
        steps = [
            f"T{'XYZ'[k]}K({self._number(T.p[k])})" for k in range(3) if not is_plain_zero(T.p[k])
        ]
        for f in T.R.factors:
            for axis, angle in [(f.axis, f.angle)] if isinstance(f, Turn) else self._turns(f):
                if not is_plain_zero(angle):
                    steps.append(f"R{'XYZ'[axis]}K({self._number(angle)})")
        return steps

    def _turns(self, matrix: Mat3) -> list[tuple[int, Any]]:
        """Return a matrix as turns about z, y, x."""
        if not numeric(*(x for r in matrix.rows for x in r)):
            raise ModelError("a rotation matrix with parameters cannot be written as a phrase")
        note = "rotation matrices are written as angles rounded to 17 digits"
        if note not in self.notes:
            self.notes.append(note)
        return [*zip((2, 1, 0), map(self._angle, yaw_pitch_roll(matrix)), strict=True)]

    # -- statements ----------------------------------------------------------------------------

    def _statements(self) -> list[str]:
        m, lines = self.m, []
        for j in sorted(range(len(m.bodies)), key=self.number.__getitem__):
            fields = self._fields(j)
            if fields:
                lines.append(f"body {self._who(j)}: {', '.join(fields)};")
            told = {"speed": m.bodies[j].velocity_limit, "effort": m.bodies[j].effort_limit}
            words = [f"{word} = {self._number(x)}" for word, x in told.items() if x is not None]
            if words and m.bodies[j].joint.kind in ("revolute", "prismatic"):
                lines.append(f"joint {self._who(j)}: {', '.join(words)};")
        gravity = ", ".join(self._number(x) for x in m.gravity)
        if gravity != "0, 0, G":
            lines.append(f"gravity = ({gravity});")
        return lines if any(x.startswith("body") for x in lines) else ["body 1: M = 0;", *lines]

    def _who(self, j: int) -> str:
        """Return how a statement calls a body: its number, or a name of its own."""
        plain = self.names[j] == f"j{self.number[j]}"
        return str(self.number[j]) if plain else self.names[j]

    def _fields(self, j: int) -> list[str]:
        inertia = self.m.bodies[j].inertia
        if inertia.is_massless():
            return []
        if inertia.at == "origin" and is_plain_zero(inertia.mass) and not inertia.lever.is_zero():
            self.notes.append(f"first moment of {self.names[j]} without mass is not written")
        fields = [f"M = {self._number(inertia.mass)}"]
        if not inertia.centre.is_zero():
            fields.append(f"D = {self._tuple(inertia.centre)}")
        six = inertia.tensor.six()
        if not all(is_plain_zero(x) for x in six):
            word = "I" if inertia.at == "centre" else "IO"
            short = all(is_plain_zero(x) for x in six[3:])
            fields.append(f"{word} = {self._tuple(six[:3] if short else six)}")
        return fields

    def _tuple(self, values: Any) -> str:
        return "(" + ", ".join(self._number(x) for x in values) + ")"

    def _number(self, x: Any) -> str:
        """Return a number or an expression as text; digits beyond the limit are rounded."""
        if isinstance(x, Expr) and x.value is None:
            return str(x)
        value: Any = x.value if isinstance(x, Expr) else x
        text = decimal(Fraction(repr(value)) if isinstance(value, float) else value)
        if all(len(part) <= LONGEST_NUMBER for part in text.lstrip("-").split("/")):
            return text
        short = repr(float(value))
        if Fraction(short) != value:
            self.notes.append(f"a number of {len(text)} digits is rounded to {short}")
        return short
