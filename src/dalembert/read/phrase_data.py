"""Mass data and gravity of a phrase: its statements, or generated symbols; reserved names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..algebra import Mat3, Turn, Vec3, is_plain_zero
from ..errors import shown, some
from ..expr import Expr
from ..expr.exact import to_float
from ..inertia import Inertia
from ..joint import Revolute
from .expressions import Unit
from .phrase_syntax import Statement, Value

if TYPE_CHECKING:
    from .phrase import Draft, Reader

LIMITS = ("speed", "effort")
FIELDS = "M = mass, D = (x, y, z), I or IO = (xx, yy, zz) or (xx, yy, zz, xy, xz, yz)"


def mass_data(reader: Reader, full: bool) -> None:
    """Give every body its mass data and the mechanism its gravity; check the names used."""
    stated: set[int] = set()
    for statement in reader.sentence.statements:
        if statement.word == "joint" and statement.reference_start >= 0:
            _joint_statement(reader, statement)
        elif statement.reference_start >= 0:
            _body_statement(reader, statement, stated)
        else:
            _gravity(reader, statement)
    _reserved(reader)
    if not stated:
        used = set(reader.graph.parameters())
        for draft in reader.bodies:
            draft.inertia = _generated(reader, draft, full, used)
        return
    missing = [d.name for k, d in enumerate(reader.bodies) if k not in stated]
    for draft in reader.bodies:
        draft.inertia = draft.inertia or Inertia()
    if missing:
        reader.notes.append(f"massless, since other bodies have statements: {some(missing, 20)}")


# -- statements --------------------------------------------------------------------------------


def _body_statement(reader: Reader, statement: Statement, stated: set[int]) -> None:
    fail = reader.sentence.fail
    if statement.word != "body":
        hint = "write body 1: M = 2.5; or joint 1: speed = 2; or gravity = (0, 0, G);"
        fail(f"{shown(statement.word)!r} begins no statement", statement.start, hint)
    index = _body_of(reader, statement)
    if index in stated:
        what = f"body {shown(statement.reference)} has two statements"
        fail(what, statement.start, "write all its fields in one: " + FIELDS)
    stated.add(index)
    given: dict[str, Any] = {}
    for word, start, value in statement.fields:
        if word not in ("M", "D", "I", "IO"):
            fail(f"unknown field {shown(word)!r}", start, FIELDS)
        if word in given or (word in ("I", "IO") and ("I" in given or "IO" in given)):
            fail(f"the field {word} is given twice", start, "write it once; I or IO, not both")
        given[word] = _field(reader, word, value)
    mass, lever = given.get("M", 0), given.get("D", Vec3.zero())
    if "IO" in given:
        inertia = Inertia(mass, lever * mass, given["IO"], "origin")
    else:
        inertia = Inertia(mass, lever, given.get("I", Mat3.zero()))
    reader.bodies[index].inertia = inertia


def _joint_statement(reader: Reader, statement: Statement) -> None:
    """Take the largest speed and effort of a joint: joint 1: speed = 2, effort = 50."""
    draft = reader.bodies[_body_of(reader, statement)]
    for word, start, value in statement.fields:
        if word not in LIMITS:
            hint = "joint 1: speed = 2, effort = 50"
            reader.sentence.fail(f"unknown field {shown(word)!r}", start, hint)
        found = reader.number(value, "number", symbols=False)
        if not (isinstance(found, Expr) and found.names()) and to_float(found) < 0:
            reader.sentence.fail(f"negative {word}", value.start, f"give the largest {word}")
        setattr(draft, word, found)


def _body_of(reader: Reader, statement: Statement) -> int:
    """Return the index of the body that a statement names or numbers."""
    reference, first = statement.reference, reader.root + 1
    count = len(reader.bodies) - first
    if reference.isdecimal() and len(reference) < 10:
        number = int(reference)
        if 1 <= number <= count or (number == 0 and first):
            return number - 1 + first
    else:
        for k, draft in enumerate(reader.bodies):
            if draft.name == reference:
                return k
    names = ", ".join(shown(d.name) for d in reader.bodies[:12])
    hint = f"bodies are numbered 1 to {count}; their names: {names}"
    reader.sentence.fail(f"there is no body {shown(reference)}", statement.reference_start, hint)


def _field(reader: Reader, word: str, value: Value) -> Any:
    if word == "M":
        mass = reader.number(value, "number")
        if not (isinstance(mass, Expr) and mass.names()) and to_float(mass) < 0:
            reader.sentence.fail("negative mass", value.start, "a mass is zero or more")
        return mass
    if word == "D":
        return Vec3(*_vector(reader, word, value, (3,), "length"))
    entries = _vector(reader, word, value, (3, 6), "number")
    return Mat3.symmetric(*entries, *([0] * (6 - len(entries))))


def _vector(
    reader: Reader, word: str, value: Value, sizes: tuple[int, ...], unit: Unit
) -> list[Any]:
    parts = value.parts or ()
    if len(parts) not in sizes:
        sixes = f"(xx, yy, zz) or {word} = (xx, yy, zz, xy, xz, yz)"
        way = {"D": "(x, y, z)", "gravity": "(0, 0, G)"}.get(word, sixes)
        need = " or ".join(map(str, sizes))
        what = f"{word} has {len(parts) or 1} entries, {need} are needed"
        reader.sentence.fail(what, value.start, f"write {word} = {way}")
    return [reader.number(part, unit) for part in parts]


def _gravity(reader: Reader, statement: Statement) -> None:
    fail = reader.sentence.fail
    if statement.word != "gravity":
        hint = "write gravity = (0, 0, G); or body 1: M = 2.5;"
        fail(f"{shown(statement.word)!r} begins no statement", statement.start, hint)
    if reader.gravity is not None:
        fail("gravity is given twice", statement.start, "write it once")
    known = "G" in reader.symbols
    reader.gravity = Vec3(*_vector(reader, "gravity", statement.fields[0][2], (3,), "number"))
    if not known:
        reader.symbols.pop("G", None)


# -- generated data ----------------------------------------------------------------------------


def _generated(reader: Reader, draft: Draft, full: bool, used: set[str]) -> Inertia:
    """Return the mass data of a body as symbols: as few as its lever asks for, or all ten."""
    lever = draft.lever or Vec3.zero()
    along = [k for k in range(3) if not is_plain_zero(lever[k])]
    j = draft.number
    if not full and not along and draft.followed and j:
        return Inertia()

    def symbol(text: str) -> Expr:
        name = f"{text}{j}"
        if text == "M" and name in reader.symbols:
            # M1 is free for lengths and angles: the mass gives way
            reader.notes.append(f"the mass of body {draft.name} is {name}_: {name} is taken")
            return reader.graph.param(f"{name}_")
        if name in reader.symbols:
            reader.sentence.fail(
                f"{shown(name)} is also the name of generated mass data of body {draft.name}",
                reader.symbols[name],
                f"choose another name, such as L{j} or {shown(name)}_, "
                f"or write body {j}: M = ..., D = ..., I = ...",
            )
        if name in used:  # by a limit, which no equation prints
            reader.notes.append(
                f"{name} is used in the phrase and is also generated mass data of body {draft.name}"
            )
        return reader.graph.param(name)

    mass = symbol("M")
    if full or len(along) != 1:
        centre = Vec3(symbol("DX"), symbol("DY"), symbol("DZ"))
        six = [symbol("I" + axes) for axes in ("X", "Y", "Z", "XY", "XZ", "YZ")]
        return Inertia(mass, centre, Mat3.symmetric(*six))
    u = along[0]
    distance = symbol("D")
    centre = Vec3(*(distance if k == u else 0 for k in range(3)))
    diagonal = [0 if k == u else symbol("I" + "XYZ"[k]) for k in range(3)]
    return Inertia(mass, centre, Mat3.symmetric(*diagonal, *[0] * 3))


# -- reserved names ----------------------------------------------------------------------------


def _reserved(reader: Reader) -> None:
    """Refuse symbols that this model's own output prints with another meaning."""
    n = len(reader.bodies) - reader.root - 1
    for name, start in reader.symbols.items():
        meaning = _meaning(reader, name, n)
        if meaning:
            what = f"{shown(name)} is a reserved name: {meaning}"
            reader.sentence.fail(what, start, f"choose another name, such as {shown(name)}_")


def _meaning(reader: Reader, name: str, n: int) -> str | None:
    """Return what a name stands for in the output of a model of n joints, if anything."""
    if name == "G":
        return "gravity"
    found = re.fullmatch(r"(q|qd|qdd)([1-9][0-9]{0,9})", name)
    if found and int(found[2]) <= n:
        what = {"q": "coordinate", "qd": "rate", "qdd": "acceleration"}[found[1]]
        return f"the {what} of joint {found[2]}"
    found = re.fullmatch(r"([VWJK])(X|Y|Z|XY|XZ|YZ)([1-9][0-9]*)", name)
    if found:
        return f"a constant V, W or J of body {found[3]}" if int(found[3]) <= n else None
    found = re.fullmatch(r"A([1-9])([1-9])", name)
    if found and n < 10:
        return "a coefficient of the equations" if max(found[1], found[2]) <= str(n) else None
    found = re.fullmatch(r"([CS])(K?)([1-9][0-9]{0,9})", name)
    if found is None:
        return None
    word = "cosine" if found[1] == "C" else "sine"
    if found[2]:
        return f"the {word} of a constant angle" if _has_free_turn(reader) else None
    joints = [int(found[3])] if n > 9 else [int(c) for c in found[3]]
    return f"the {word} of a joint angle" if _is_run(reader, joints, n) else None


def _is_run(reader: Reader, joints: list[int], n: int) -> bool:
    """Return whether joint numbers are successive rotations about one axis along a path."""
    first = reader.root + 1
    if not all(1 <= j <= n for j in joints):
        return False
    at = joints[-1] - 1 + first
    axis = reader.bodies[at].joint
    wanted = [j - 1 + first for j in reversed(joints)]
    while wanted and at >= first:
        draft = reader.bodies[at]
        if isinstance(draft.joint, Revolute):
            if draft.joint != axis or at != wanted[0]:
                return False
            wanted.pop(0)
        turns = [f for f in draft.placement.R.factors if isinstance(f, Turn)]
        if wanted and any(getattr(axis, "axis", Vec3.zero())[f.axis] == 0 for f in turns):
            return False
        at = draft.parent
    return not wanted


def _has_free_turn(reader: Reader) -> bool:
    """Return whether a constant rotation is not a multiple of pi/12."""
    for change in reader.changes:
        if change.kind == "R" and change.value is not None and not is_plain_zero(change.value):
            turns = change.value.over_pi if isinstance(change.value, Expr) else None
            if turns is None or (turns * 12).denominator != 1:
                return True
    return False
