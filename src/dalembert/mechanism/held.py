"""Joints held still, their bodies merged into their parents, or sprung behind their motors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ModelError, UsageError, shown, some
from ..expr import Expr, Graph
from ..expr.exact import to_float
from ..joint import Joint
from .edit import checked, into, number
from .follower import Follower
from .mechanism import Mechanism
from .parts import Body, joint_name
from .rehome import flexible, merged
from .simplified import require_same_terms


def lock(
    m: Mechanism, joints: Mapping[Any, Any] | Sequence[str | int] | str | int, at: Any = 0
) -> Mechanism:
    """Return the mechanism with joints (names, or numbers from 1) held at `at`, bodies merged.

    `at` is one value, a sequence of as many values as joints, or a mapping joint -> value (0 for
    those it does not name); `joints` may be such a mapping itself, as `freeze` takes it. The frames
    of merged bodies stay named. A joint that follows another one is held with it, and holds it.
    """
    require_same_terms(m, "lock")
    if isinstance(joints, Mapping):
        if not (isinstance(at, int) and at == 0):
            raise UsageError(
                "the joints to lock have values, and so has at",
                hint="write lock({joint: value}) or lock([joint], at=value)",
            )
        joints, at = list(joints), joints
    if m.followers:
        from .followers import substituted

        # numbers are those of the joints with coordinates
        names = [_named(m, j) for j in _listed(joints)]
        asked = _plain(at)
        if isinstance(asked, Mapping):
            asked = {_named(m, j): x for j, x in asked.items()}
        return substituted(lock(m.coupled, names, asked))
    graph = Graph()
    new = into(m, graph)
    held: dict[int, Any] = {}
    for j, value in _values_at(new, joints, at).items():
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        joint_type = new.bodies[j].joint
        if joint_type.nq > 1 and values == [0]:
            values = [0] * (joint_type.nq - 1) + [0 if joint_type.nq == 3 else 1]
        if len(values) != joint_type.nq:
            name = shown(joint_name(new.bodies[j]))
            raise UsageError(
                f"joint {name!r} needs {joint_type.nq} values, not {len(values)}",
                hint=f'write at={{"{name}": {_example(joint_type.nq)}}}',
                command=f"write --lock {name}=... for each of them, or leave it out",
            )
        read = (number(x, graph, u) for x, u in zip(values, _units(joint_type), strict=True))
        held[j] = [graph.constant(v) if not isinstance(v, Expr) else v for v in read]
        held[j] = _turned(new.bodies[j], held[j], graph)
    _held_followers(new, held)
    _refuse_named(new, {joint_name(new.bodies[j]) for j in held})
    return _without_energy(checked(merged(new, held, standing=True)), new, held)


def _without_energy(made: Mechanism, m: Mechanism, held: Mapping[int, Any]) -> Mechanism:
    """Return a mechanism with a note where a joint spring is held: its energy is left out."""
    springs = [joint_name(m.bodies[s.joint]) for s in m.elastic if s.joint in held]
    if not springs:
        return made
    note = f"potential energy is without that of the joint springs held: {some(springs)}"
    return replace(made, notes=(*made.notes, note), checked=True)


def _turned(body: Body, values: list[Any], graph: Graph) -> list[Any]:
    """Return the values of a joint, a quaternion of numbers divided by its length.

    UsageError if it is far from unit length.
    """
    from .validate import numeric

    turn = values[-4:]
    if body.joint.nq == body.joint.nv or not numeric(*turn):
        return values
    size = math.hypot(*map(to_float, turn))
    if abs(size - 1) > 1e-4:  # as the coordinates of quantities
        raise UsageError(
            f"lock: the quaternion of {shown(joint_name(body))!r} has length {size:.7g}, not 1",
            hint="divide qx, qy, qz, qw by it",
        )
    if abs(size - 1) < 1e-15:  # exact numbers stay
        return values
    return [*values[:-4], *(graph.constant(to_float(v) / size) for v in turn)]


def _units(joint: Joint) -> list[str]:
    """Return which units the coordinates of a joint may have."""
    turns = "angle" if joint.nq == joint.nv else "number"
    return ["length"] * joint.lengths + [turns] * (joint.nq - joint.lengths)


def _named(m: Mechanism, joint: str | int) -> str | int:
    """Return the name of a joint given by its number; what is not a number stays."""
    known = isinstance(joint, int) and 1 <= joint <= len(m.joint_names)
    return m.joint_names[int(joint) - 1] if known else joint


def _values_at(m: Mechanism, joints: Sequence[str | int] | str | int, at: Any) -> dict[int, Any]:
    """Return body index -> what `at` says of that joint, for each of the joints."""
    chosen = _listed(joints)
    index = [m.joint_index(joint) for joint in chosen]
    at = _plain(at)
    if isinstance(at, Mapping):
        given = _once(m, [(m.joint_index(key), _plain(value)) for key, value in at.items()])
        for key in at:
            if m.joint_index(key) not in index:
                names = ", ".join(shown(str(joint)) for joint in chosen[:20])
                raise UsageError(
                    f"at: joint {shown(str(key))!r} is not among those to lock",
                    hint=f"lock it too, or name one of: {names}",
                )
        return {j: given.get(j, 0) for j in index}
    if isinstance(at, (list, tuple)) and len(index) > 1:
        if len(at) != len(index):
            raise UsageError(
                f"at has {len(at)} values for {len(index)} joints",
                hint="write one value for all joints, or one for each: at=[0.1, 0.2]",
            )
        return _once(m, zip(index, at, strict=True))
    return dict.fromkeys(index, at)


def _once(m: Mechanism, pairs: Iterable[tuple[int, Any]]) -> dict[int, Any]:
    """Return body index -> value; a joint that is named twice has one value."""
    found: dict[int, Any] = {}
    for j, value in pairs:
        if found.setdefault(j, value) != value:
            name, two = shown(joint_name(m.bodies[j])), f"{found[j]} and at {value}"
            raise UsageError(f"joint {name!r} is held at {two}", hint="name each joint once")
    return found


def _listed(joints: Any) -> Sequence[str | int]:
    """Return joints as a list: one name or number, or several."""
    joints = _plain(joints)
    if isinstance(joints, (str, int)):
        return [joints]
    if not isinstance(joints, Iterable):
        raise UsageError(
            f"joints = {shown(repr(joints), 60)}", hint='write ["j1", "j2"] or [1, 2], from 1'
        )
    return list(joints)


def _plain(values: Any) -> Any:
    """Return an array as lists of numbers, anything else as it is."""
    return values.tolist() if hasattr(values, "tolist") else values


def _example(count: int) -> str:
    """Return a value of a joint as one would write it."""
    return "0.1" if count == 1 else "[" + ", ".join(["0"] * (count - 1) + ["1"]) + "]"


def _held_followers(m: Mechanism, held: dict[int, Any]) -> None:
    """Add the joints that couplings hold still together with those already held."""
    while True:
        before = len(held)
        for c in m.couplings:
            still = c.joint in held and c.ratio == 0  # it stands at its offset
            if c.of in held or still:
                follows = c.offset if still else held[c.of][0] * c.ratio + c.offset
                if c.joint in held and not _agree(follows, held[c.joint][0]):
                    name = shown(joint_name(m.bodies[c.joint]))
                    raise ModelError(
                        f"joint {name!r} is held where its coupling does not allow it",
                        hint="lock it at its offset"
                        if c.ratio == 0
                        else "lock one of the two joints: the other follows",
                    )
                held.setdefault(c.joint, [follows])
            elif c.joint in held:
                held[c.of] = [(held[c.joint][0] - c.offset) / c.ratio]
        if len(held) == before:
            return


def _agree(a: Any, b: Any) -> bool:
    from .validate import numeric

    if numeric(a, b):
        return abs(to_float(a) - to_float(b)) <= 1e-9 * max(1.0, abs(to_float(a)))
    return bool(a == b)


def _refuse_named(m: Mechanism, names: set[str]) -> None:
    """Raise ModelError when a wheel or an equation names a joint that is to go."""
    for kind, record, joint in _namings(m, names):
        hint = "prescribe its motion instead: prescribed = [...]"
        if kind != "wheel":
            hint = f"write the {kind} without it first"
        raise ModelError(
            f"{kind} {shown(record)!r} needs joint {shown(joint)!r}: not locked", hint=hint
        )


def _namings(m: Mechanism, names: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, name of the record, joint) of wheels and equations that name these joints."""
    for w in m.wheels:
        yield from (("wheel", w.name, n) for n in (w.steer, w.spin) if n in names)
    told = (("constraint", m.velocity_constraints), ("speed", m.speed_equations))
    for kind, equations in told:
        for c in equations:
            words = set(re.findall(r"[^\W\d]\w*", c.equation))
            found = (n for n in sorted(names) if n in words or f"{n}d" in words)
            yield from ((kind, c.name, n) for n in found)


def _refuse_told_elsewhere(m: Mechanism, names: set[str]) -> None:
    """Raise ModelError when something tells the whole motion of a joint that is to be flexible.

    Such a joint becomes two, motor and deflection: neither of them is what the record means.
    """
    at = {joint_name(b): j for j, b in enumerate(m.bodies)}
    for name in sorted(names):
        own = at[name]
        if any(own in (c.joint, c.of) for c in m.couplings) or any(
            isinstance(b.joint, Follower) and b.joint.of == name for b in m.bodies
        ):
            what = "is coupled to another one"
        elif any(s.joint == own for s in m.elastic):
            what = "has a spring of its own"
        elif found := next(_namings(m, {name}), None):
            what = f"is named by {found[0]} {shown(found[1])!r}"
        else:
            continue
        raise ModelError(
            f"joint {shown(name)!r} {what}: as motor and deflection it would be another machine",
            hint="name the joints that become flexible, joints=[...], without it",
        )


def with_flexible_joints(
    m: Mechanism,
    stiffness: Any,
    motor_inertia: Any,
    joints: Sequence[str | int] | None,
    damping: Any,
) -> Mechanism:
    """Return the mechanism with elastic transmissions: motor side and link side are coordinates.

    Numbers are one for all joints, one per joint of `joints` (all one-freedom joints if None), or
    a mapping joint -> number.
    """
    graph = Graph()
    new = into(m, graph)
    if joints is None:
        chosen = [j for j, b in enumerate(new.bodies) if b.joint.nv == 1]
    else:
        chosen = [new.joint_index(joint) for joint in _listed(joints)]

    def each(value: Any) -> list[Any]:
        value = _plain(value)
        if isinstance(value, Mapping):
            own = {new.joint_index(joint): x for joint, x in value.items()}
            if set(own) != set(chosen):
                names = ", ".join(shown(joint_name(new.bodies[j])) for j in chosen[:20])
                raise UsageError("a number for each flexible joint is needed", hint=f"of {names}")
            value = [own[j] for j in chosen]
        values = list(value) if isinstance(value, (list, tuple)) else [value] * len(chosen)
        if len(values) != len(chosen):
            raise ModelError(
                f"{len(values)} numbers for {len(chosen)} flexible joints",
                hint="write one number for all of them, or one for each",
            )
        return [number(x, graph) for x in values]

    require_same_terms(m, "with_flexible_joints")
    _refuse_told_elsewhere(new, {joint_name(new.bodies[j]) for j in chosen})
    data = zip(each(stiffness), each(motor_inertia), each(damping), strict=True)
    return checked(flexible(new, dict(zip(chosen, data, strict=True))))
