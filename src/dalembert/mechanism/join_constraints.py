"""Wheels, velocity constraints and speeds of two mechanisms that become one: names told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..expr import Expr, Graph
from ..expr.exact import substitute
from .mechanism import Mechanism
from .parts import RollingContact, VelocityConstraint, Wheel, free_name, named_term
from .required import is_closed


def told_apart(names: Iterable[str], taken: set[str], prefix: str) -> dict[str, str]:
    """Return name -> name, with the prefix where a name is taken already."""
    names = list(dict.fromkeys(names))
    used = taken | {n for n in names if n not in taken}
    rename = {}
    for n in names:
        rename[n] = n if n not in taken else free_name(prefix, used, f"_{n}")
        used.add(rename[n])
    return rename


def joined_constraints(
    left: Mechanism,
    right: Mechanism,
    moved: tuple[Wheel, ...],
    rolls: tuple[RollingContact, ...],
    rename: Mapping[str, str],
) -> dict[str, Any]:
    """Return wheels, rolling bodies, velocity constraints and speeds of both.

    `moved` are the wheels of `right`, `rolls` its rolling bodies.
    `rename` says what the joints of `right` are called now. Speeds that one side names are joined
    by the joints of the other, if that one has no constraints; else they are left to be chosen.
    """
    told, held = left.velocity_constraints, right.velocity_constraints
    ours: tuple[Any, ...] = (*left.wheels, *left.rolling, *told)
    added: tuple[Any, ...] = (*right.wheels, *right.rolling, *held)
    names, own = [x.name for x in ours], [x.name for x in added]
    apart = told_apart(own, set(names), right.name)
    wheels = tuple(replace(w, name=apart[w.name]) for w in moved)
    constraints = tuple(replace(_renamed(c, rename), name=apart[c.name]) for c in held)
    first = next((w for w in right.wheels if w.steer is None), None)

    def speed(name: str) -> str:
        if name in rename:
            return rename[name]
        if name == "v" and first is not None:
            return f"{apart[first.name]}.v"
        wheel = name.removesuffix(".v")
        return f"{apart[wheel]}.v" if wheel in apart else name

    mine, theirs = _speeds(left), _speeds(right)
    some = bool(left.speeds or right.speeds) and mine is not None and theirs is not None
    speeds = (*(mine or ()), *map(speed, theirs or ())) if some else ()
    return {
        "wheels": left.wheels + wheels,
        "rolling": left.rolling + tuple(replace(c, name=apart[c.name]) for c in rolls),
        "speed_equations": left.speed_equations
        + tuple(_renamed(c, rename) for c in right.speed_equations),
        "velocity_constraints": told + constraints,
        "speeds": speeds,
    }


def _speeds(m: Mechanism) -> tuple[str, ...] | None:
    """Return the speeds a mechanism names, all joints if nothing holds it, else None."""
    if m.speeds:
        return m.speeds
    plain = all(b.joint.nv in (0, 1) for b in m.bodies)
    return m.joint_names if plain and not is_closed(m) else None


def _renamed(c: VelocityConstraint, rename: Mapping[str, str]) -> VelocityConstraint:
    """Return a velocity constraint in which the joints it names, `q` or `qd`, have new names."""

    def new(word: str) -> str:
        if word in rename:
            return rename[word]
        if word in terms:
            return terms[word].text
        return rename[word[:-1]] + "d" if word[:-1] in rename and word[-1] == "d" else word

    terms = {
        t.text: named_term(t, frames=tuple(rename.get(f, f) for f in t.frames)) for t in c.terms
    }
    c = replace(c, terms=tuple(terms.values()))
    text = re.sub(r"(?<![.\w])[^\W\d]\w*", lambda found: new(found[0]), c.equation)
    if not isinstance(c.expression, Expr):
        return replace(c, equation=text)
    graph = Graph()

    def leaf(source: Graph, i: int) -> Any:
        return graph.param(new(source.args[i][0])) if source.op[i] == "param" else None

    return replace(c, equation=text, expression=substitute(c.expression, graph, leaf))
