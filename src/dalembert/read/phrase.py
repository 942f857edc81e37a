"""The phrase language: a mechanism as a sentence of frame changes from the base to the tips.

    RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2); gravity = (0, G, 0);

After the report of 1980, section 4.2, with branches, names, body data and gravity. Joints, bodies
and coordinates are numbered from 1 in the order of the text; nothing recurses on branches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..algebra import Rotation, Transform, Turn, Vec3, turn
from ..errors import Place, shown
from ..expr import Expr, Graph
from ..expr.exact import exact, to_float
from ..joint import UNITS, Fixed, Free, Joint, Planar, Prismatic, Revolute
from ..mechanism import Body, Frame, FrameChange, Mechanism, Parameter
from ..mechanism.edit import LIES_FLAT
from .context import Context
from .expressions import Unit, parse, place_at, snap_angle
from .phrase_data import mass_data
from .phrase_syntax import EXAMPLE, KEYWORD, Branch, Item, Sentence, Value, sentence
from .rounded import rounded, rounded_note

PHRASE = Context("<phrase>")
LISTED = re.compile(r"0[0-9]+(?:MIN|MAX)")  # limits as the report prints them
EARTH = Fraction(-981, 100)


def read_phrase(text: str, context: Context = PHRASE) -> Mechanism:
    """Return the mechanism that a phrase describes."""
    reader = Reader(sentence(text, context.source), context.snap)
    if context.base != "fixed":
        reader.stand_on(Free() if context.base == "free" else Planar())
    for element in reader.sentence.elements:
        if isinstance(element, Branch):
            reader.branch(element)
        else:
            reader.item(element)
    reader.finish()
    mass_data(reader, context.inertia == "full")
    gravity = reader.gravity or Vec3(0, 0, reader.graph.param("G"))
    if reader.gravity is None and _lies_flat(reader):
        reader.notes.append(LIES_FLAT)
    return Mechanism(
        bodies=tuple(b.body() for b in reader.bodies),
        name=context.name,
        gravity=gravity,
        parameters=_parameters(reader, gravity),
        named=tuple(sorted(reader.frames, key=lambda f: f.body)),
        notes=(*reader.notes, *rounded_note(reader.rounded)),
        changes=tuple(reader.changes),
    )


def _lies_flat(reader: Reader) -> bool:
    """Whether all joints of a plane arm turn about z, the direction of gravity, and none tilts."""
    turns = [c for c in reader.changes if c.kind == "R"]
    revolute = all(draft.joint.kind == "revolute" for draft in reader.bodies)
    return len(reader.bodies) > 1 and revolute and all(c.axis == 2 for c in turns)


def _parameters(reader: Reader, gravity: Vec3) -> tuple[Parameter, ...]:
    """Return the names of the phrase by first appearance, then G if gravity asks for it."""
    found = [Parameter(n) for n in reader.graph.parameters() if n != "G"]
    weighs = any(isinstance(x, Expr) and "G" in x.names() for x in gravity)
    return (*found, Parameter("G", EARTH)) if weighs else tuple(found)


@dataclass(slots=True)
class Draft:
    """A body while the phrase is read: what `Body` needs, and its lever."""

    name: str
    parent: int
    number: int  # as in the phrase; 0 for a moving base
    placement: Transform = Transform()
    joint: Joint = Fixed()
    limits: tuple[Any, ...] = ()
    speed: Any = None  # the largest one
    effort: Any = None
    lever: Vec3 | None = None  # from the joint to the next joint, branch point or end
    followed: bool = False  # whether a joint or a branch follows
    children: int = 0
    inertia: Any = None
    start: int = 0

    def body(self) -> Body:
        """Return the body as it was read."""
        return Body(
            self.name,
            self.parent,
            self.placement,
            self.joint,
            self.inertia,
            limits=self.limits,
            velocity_limit=self.speed,
            effort_limit=self.effort,
        )


@dataclass(slots=True)
class Spot:
    """Where the sentence stands: a body, the pose reached from it, and what this chain has had."""

    body: int
    pose: Transform = Transform()
    joints: int = 0  # of this chain
    constants: int = 0  # since the last joint of this chain
    named: bool = False  # whether the last constant has a name
    forked: bool = False  # whether the last element carries branches


@dataclass(slots=True)
class Reader:
    """The state of one reading; `item` and `branch` take the elements in order."""

    sentence: Sentence
    snap: float | None
    graph: Graph = field(default_factory=Graph)
    bodies: list[Draft] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    tips: list[tuple[int, Transform, bool]] = field(default_factory=list)  # has the chain a joint
    changes: list[FrameChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    rounded: list[str] = field(default_factory=list)  # almost exact angles
    names: dict[str, int] = field(default_factory=dict)  # name -> offset, -1 when not in the text
    symbols: dict[str, int] = field(default_factory=dict)  # first use outside limits
    gravity: Vec3 | None = None
    root: int = -1
    stack: list[Spot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stack.append(Spot(-1))

    # -- numbers -------------------------------------------------------------------------------

    def number(self, value: Value, unit: Unit, *, symbols: bool = True) -> Any:
        """Return the exact value of an expression; its names are noted unless they are limits."""
        s = self.sentence

        def at(offset: int) -> Place:
            return place_at(s.source, s.original, value.start + offset)

        result = parse(s.text[value.start : value.stop], self.graph, at, None, unit)
        if isinstance(result, Expr):
            for name in result.names():
                if symbols:
                    self.symbols.setdefault(name, value.start)
                elif name == "G":
                    s.fail("G is the name of gravity", value.start, "name the limit otherwise")
        elif unit == "angle":
            self.rounded += rounded(result, self.snap) if symbols else ()
            result, note = snap_angle(result, self.snap, self.graph)
            if note:
                self.notes.append(f"{at(0)}: {note}")
        return result

    # -- elements ------------------------------------------------------------------------------

    def stand_on(self, joint: Joint) -> None:
        """Begin with a base that moves."""
        self.names["base"] = -1
        self.bodies.append(Draft("base", -1, 0, joint=joint, lever=Vec3.zero(), followed=True))
        self.root = 0
        self.stack[-1].body = 0

    def branch(self, element: Branch) -> None:
        """Begin a branch here, or end the one that is open."""
        spot = self.stack[-1]
        if not element.open:
            self.end_of_chain()
            self.stack.pop()
            return
        if spot.body >= 0:
            self._stop_lever(spot)
            self.bodies[spot.body].followed = True
        spot.forked = True
        self.stack.append(Spot(spot.body, spot.pose))

    def item(self, element: Item) -> None:
        """Take a joint or a constant."""
        kind, axis, constant = self._keyword(element)
        spot = self.stack[-1]
        spot.forked = False
        if constant:
            self._constant(element, kind, axis, spot)
        else:
            self._joint(element, kind, axis, spot)

    def _keyword(self, element: Item) -> tuple[str, int, bool]:
        fail, word = self.sentence.fail, element.word
        found = KEYWORD.fullmatch(word)
        if found:
            return found[1][0], "XYZ".index(found[2]), found[3] == "K"
        hint = "keywords are RX RY RZ TX TY TZ (joints) and RXK ... TZK (constants)"
        if KEYWORD.fullmatch(word.upper()):
            fail(f"unknown keyword {shown(word)!r}", element.start, f"write {word.upper()}")
        axis = re.fullmatch(r"(ROT|TRANS|R|T)(\w)(K?)", word)
        if axis:
            at = element.start + len(axis[1])
            fail(f"bad axis letter {axis[2]!r} in {shown(word)}", at, "the axis is X, Y or Z")
        if re.fullmatch("(ROT|TRANS|R|T)", word):
            at = element.start + len(word)
            fail(f"{word} has no axis", at, f"write {word}X, {word}Y or {word}Z")
        fail(f"unknown keyword {shown(word)!r}", element.start, hint)

    def _constant(self, element: Item, kind: str, axis: int, spot: Spot) -> None:
        arguments = element.arguments or ()
        if len(arguments) != 1:
            what = f"constant {element.word} takes one value, {len(arguments)} are given"
            hint = f"write {element.word}(L1); a joint {element.word[:-1]}(min, max) has no K"
            self.sentence.fail(what, element.bracket, hint)
        value = self.number(arguments[0], "angle" if kind == "R" else "length")
        spot.pose = moved(spot.pose, kind, axis, value, self.graph)
        spot.constants += 1
        spot.named = element.name is not None
        self.changes.append(FrameChange(kind, axis, spot.body, value))  # type: ignore[arg-type]
        if element.name is not None:
            self._name(element.name, element.name_start)
            self.frames.append(Frame(element.name, spot.body, spot.pose))

    def _joint(self, element: Item, kind: str, axis: int, spot: Spot) -> None:
        limits = self._limits(element, "angle" if kind == "R" else "length")
        number = len(self.bodies) + (0 if self.root == 0 else 1)
        name, at = element.name, element.name_start
        if name is None:
            name, at = f"j{number}", element.start
        self._name(name, at)
        if spot.body >= 0:
            self._stop_lever(spot)
            self.bodies[spot.body].followed = True
            self.bodies[spot.body].children += 1
        joint: Joint = Revolute(UNITS[axis]) if kind == "R" else Prismatic(UNITS[axis])
        draft = Draft(name, spot.body, number, spot.pose, joint, limits, start=element.start)
        index = len(self.bodies)
        self.bodies.append(draft)
        self.changes.append(FrameChange(kind, axis, index))  # type: ignore[arg-type]
        self.stack[-1] = Spot(index, joints=spot.joints + 1)

    def _limits(self, element: Item, unit: Unit) -> tuple[Any, ...]:
        arguments = element.arguments
        if not arguments:
            return ()
        if len(arguments) != 2:
            count = "1 is given" if len(arguments) == 1 else f"{len(arguments)} are given"
            way = f"write {element.word}(min, max) or {element.word}"
            hint = f"{way}; a constant is written {element.word}K(value)"
            what = f"joint {element.word} takes two limits, {count}"
            self.sentence.fail(what, element.bracket, hint)
        for a in arguments:
            text = self.sentence.text[a.start : a.stop].strip()
            if LISTED.fullmatch(text):
                hint = f"a name begins with a letter: write T{text[1:]} for {text}"
                self.sentence.fail("the listing of the report prints a theta as 0", a.start, hint)
        low, high = (self.number(a, unit, symbols=False) for a in arguments)
        if not any(isinstance(x, Expr) and x.names() for x in (low, high)):
            if to_float(low) >= to_float(high):
                what = f"the limits of {element.word} are not in order"
                self.sentence.fail(what, arguments[0].start, "write the smaller limit first")
        return ((low, high),)

    def _name(self, name: str, at: int) -> None:
        if name in ("pi", "G"):
            self.sentence.fail(f"{name} is a reserved name", at, "choose another name")
        if name in self.names:
            hint = "joints without a name are called j1, j2, ...; all names must differ"
            self.sentence.fail(f"duplicate name {shown(name)!r}", at, hint)
        self.names[name] = at

    def _stop_lever(self, spot: Spot) -> None:
        draft = self.bodies[spot.body]
        if draft.lever is None:
            draft.lever = spot.pose.p

    # -- ends ----------------------------------------------------------------------------------

    def end_of_chain(self) -> None:
        """Note the tip that the chain just ended leads to, unless it ended in branches."""
        spot = self.stack[-1]
        if spot.body > self.root:
            self._stop_lever(spot)
        if not spot.forked and (spot.joints or not spot.named):
            self.tips.append((spot.body, spot.pose, spot.joints > 0))

    def finish(self) -> None:
        """End the trunk and name the tips: `tip` of a serial mechanism, else `tip_<joint>`."""
        self.end_of_chain()
        first = self.root + 1
        if len(self.bodies) == first:
            self.sentence.fail("there is no joint in the phrase", 0, f"write one, as {EXAMPLE}")
        parents = [b.parent for b in self.bodies[first:]]
        serial = len(set(parents)) == len(parents)
        named = []
        for body, pose, main in sorted(self.tips, key=lambda tip: not tip[2]):
            carrier = self.bodies[body].name if body > self.root else "base"
            last = serial and main and body == len(self.bodies) - 1
            name = free = "tip" if last else f"tip_{carrier}"
            if last and name in self.names:
                if Frame(name, body, pose) in self.frames:
                    continue  # the end of the chain has that name already
                name = free = f"tip_{carrier}"
                self.notes.append(f"the end is the frame {shown(name)!r}: another thing is 'tip'")
            again = 2
            while free in self.names:
                free, again = f"{name}_{again}", again + 1
            self.names[free] = -1
            named.append((main, Frame(free, body, pose)))
        self.frames += [frame for _, frame in sorted(named, key=lambda tip: tip[0])]


def moved(T: Transform, kind: str, axis: int, value: Any, graph: Graph) -> Transform:
    """Return a pose followed by a constant rotation (R) or translation (T), in exact numbers."""
    if kind == "R":
        # an angle is an expression even when it is a number: sums of angles stay exact
        angle = value if isinstance(value, Expr) else graph.constant(value)
        made = turn(axis, angle)
        made = Turn(axis, angle, exact(made.c), exact(made.s))
        return Transform(T.R @ Rotation(() if angle == 0 else (made,)), T.p)
    p = T.p + T.R @ (UNITS[axis] * value)
    return Transform(T.R, p.map(lambda x: exact(x) if isinstance(x, Expr) else x))
