"""What a plan says of a machine: mobility, redundant equations, idle degrees of freedom, motors."""

from __future__ import annotations

from math import acos, degrees
from typing import Any

import numpy as np

from ..algorithms.loop_closure import EQUATIONS, equation_names
from ..errors import shown
from ..mechanism import Mechanism
from .assembly import Closure
from .loops import LoopPlan, planned


def skew_axes(m: Mechanism) -> list[str]:
    """Return the cut universal joints that would close at rest, were their axes at right angles."""
    first, said = 0, []
    c = Closure(m)
    gap: Any = c.residual(np.array(m.neutral)) if m.loops else []
    for k, loop in enumerate(m.loops, 1):
        own = gap[first : first + EQUATIONS[loop.joint]]
        first += len(own)
        if loop.joint != "universal" or max(map(abs, own[:3])) > 1e-9 or abs(own[3]) < 1e-9:
            continue
        angle = degrees(acos(max(-1.0, min(1.0, float(own[3])))))
        ends = " - ".join(shown(_body(m, j)) for j in (loop.body_i, loop.body_j))
        said.append(
            f"loop {shown(loop.name) if loop.name else k} ({ends})"
            f": at rest its points meet and its axes are at {angle:.6g} degrees; a universal joint "
            "that is cut holds them at right angles"
        )
    return said


def _body(m: Mechanism, j: int) -> str:
    return m.bodies[j].name if j >= 0 else "base"


def motion_facts(m: Mechanism) -> dict[str, Any]:
    """Return what the plan of the generic branch says, for a machine with loops or constraints."""
    made = planned(m)
    names = equation_names(m)
    return {
        "mobility": made.mobility,
        "equations": made.equations,
        "redundant": [names[r] for r in made.redundant],
        "idle": list(made.free_joints),
        "idle_count": made.free,
        "motors": len(made.motors) if m.active else 0,
        "spare_motors": max(0, made.spare_motors) if m.active else 0,
        "plan": made.branch or "planned on the generic branch: assembled poses have one rank",
    }


def motion_lines(m: Mechanism) -> list[str]:
    """Return what the motors decide and what moves freely, as lines of text.

    >>> import dalembert as da
    >>> print(*motion_lines(da.robots.fivebar()), sep="\\n")
    mobility: 2
    redundant equations: 3 of 5: loop 1 (rodA - rodB), equations 3, 4, 5
    idle degrees of freedom: none
    motors against mobility: 2 for 2
    plan: planned on the generic branch: assembled poses have one rank
    """
    facts = motion_facts(m)
    redundant = len(facts["redundant"])
    of = f" of {facts['equations']}: {_together(facts['redundant'])}" if redundant else ""
    idle = ", ".join(map(shown, facts["idle"][:12]))
    return [
        f"mobility: {facts['mobility']}",
        f"redundant equations: {redundant or 'none'}{of}",
        "idle degrees of freedom: "
        + (f"{facts['idle_count']}, moved by no motor: {idle}" if facts["idle_count"] else "none"),
        f"motors against mobility: {_motors(m, planned(m))}",
        f"plan: {facts['plan']}",
        *skew_axes(m),
    ]


def _motors(m: Mechanism, made: LoopPlan) -> str:
    if not m.active:
        return f"none named, mobility {made.mobility}; name them in active"
    text = f"{len(made.motors)} for {made.mobility}"
    if made.spare_motors:
        text += f", {made.spare_motors} spare: forces are shared (least norm)"
    if made.free:
        text += f", {made.free} degree{'s' * (made.free != 1)} of freedom without a motor"
    return text


def _together(names: list[str]) -> str:
    """Return equations of the same loop in one entry."""
    of: dict[str, list[str]] = {}
    for name in names:
        loop, _, number = name.partition(", equation ")
        of.setdefault(loop, []).append(number)
    parts = []
    for loop, numbers in list(of.items())[:8]:
        kept = [n for n in numbers if n]
        word = f", equation{'s' * (len(kept) != 1)} {', '.join(kept)}" if kept else ""
        parts.append(shown(loop) + word)
    return "; ".join(parts) + ("; ..." if len(of) > 8 else "")
