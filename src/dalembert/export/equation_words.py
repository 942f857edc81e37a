"""The names of equations in the code that is written of them: C234, VZ6, A11, and what is what.

A line of a program is known by its value: at a random state it has that of one symbol or
coefficient of the closed forms, and of no other. Names are for readers; nothing is computed from
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms import closed_form
from ..emit.unit import Entry
from ..errors import shown
from ..expr.block import Block
from ..mechanism import Mechanism

DIGITS = 11
Numbers = Mapping[str, Sequence[float]]
KINDS = {"A": "A{}", "B": "B_{}", "C": "C_{}", "Q": "Q_{}"}


def with_words(
    entries: Sequence[Entry], m: Mechanism, values: Mapping[str, float], prepare: Block
) -> tuple[Entry, ...]:
    """Return functions with names for their lines and remarks, where they are of equations."""
    if m.form is None:
        return tuple(entries)
    return tuple(_with_words(entry, m, values, prepare) for entry in entries)


def _with_words(entry: Entry, m: Mechanism, values: Mapping[str, float], prepare: Block) -> Entry:
    rng = np.random.default_rng(17)
    state = {p.name: rng.uniform(-1, 1, p.size).tolist() for p in entry.inputs}
    if "q" not in state:
        return entry
    given = [values[name] for name in values]
    prepared = prepare.run({}, given)
    known = _targets(m, values, state["q"])
    words: dict[int, str] = {}
    lines = _values(entry.step, state, prepared)
    for v, x in enumerate(lines):
        leaf = entry.step.leaves[v] if v < len(entry.step.leaves) else None
        name = known.get(_key(x)) or (f"{known[_key(-x)]}_minus" if _key(-x) in known else None)
        if name and (leaf is None or leaf.kind == "prepared") and name not in words.values():
            words[v] = name
    return replace(entry, words=words, told=_told(entry, m))


def _key(x: float) -> str:
    return f"{x:.{DIGITS}e}"


def _values(block: Block, inputs: Numbers, prepared: Sequence[float]) -> list[float]:
    """Return the value of every leaf and line."""
    every = replace(block, results=tuple(range(len(block.leaves) + len(block.lines))))
    return every.run(inputs, (), prepared)


def _targets(m: Mechanism, values: Mapping[str, float], q: Sequence[float]) -> dict[str, str]:
    """Return the name of each value that symbols and coefficients have at a posture."""
    bound = m.bound({**{k: v for k, v in m.values.items()}, **values})
    form = bound.form
    found: dict[str, str] = {}
    for (kind, place), x in closed_form.coefficients(bound, q).items():
        wide = "_" if m.nv > 9 else ""
        found.setdefault(_key(x), KINDS[kind].format(wide.join(map(str, place))))
    for name, x in zip(form.names, closed_form.values_of(form, q), strict=False):
        found[_key(x)] = name
    for x in (0.0, 1.0, -1.0):
        found.pop(_key(x), None)
    return found


def _told(entry: Entry, m: Mechanism) -> dict[int, str]:
    """Return a remark for results of equations: the joint, and the law it follows."""
    joints = [shown(name) for name in m.joint_names]
    present = [key for key, parts in m.form.coefficients if parts]
    out: dict[int, str] = {}
    name, n = entry.outputs[0].name, m.nv
    for i in range(1, n + 1):
        law = {
            "tau": _force(present, i, "QABC"), "h": _force(present, i, "QBC"),
            "c": _force(present, i, "BC"), "g": _force(present, i, "Q"),
        }.get(name)  # fmt: skip
        if law is not None:
            out[i - 1] = f"joint {i} ({joints[i - 1]}): {name}({i}) = {law}"
        elif name == "M":
            out[(i - 1) * n] = f"joint {i} ({joints[i - 1]}): row {i} of M, A of the equations"
    return out


def _force(present: Sequence[Any], i: int, kinds: str) -> str:
    """Return the right side of one equation of motion."""
    words = []
    for kind, place in present:
        if kind not in kinds or (i != place[0] and not (kind == "A" and i in place)):
            continue
        rest = [x for x in place[1:]]
        if kind == "A":
            rest = [place[1] if place[0] == i else place[0]]
        motion = {
            "Q": "", "A": "*qdd{}", "B": "*qd{}*qd{}", "C": "*qd{}**2",
        }[kind].format(*rest)  # fmt: skip
        sign = "-" if kind == "Q" else "+"
        words.append(f"{sign} {KINDS[kind].format(''.join(map(str, place)))}{motion}")
    return " ".join(words).removeprefix("+ ") or "0"
