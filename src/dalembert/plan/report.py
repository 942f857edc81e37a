"""What a plan says of a machine: mobility, redundant equations, idle freedoms, motors."""

from __future__ import annotations

from typing import Any

from ..algorithms.loop_closure import equation_names
from ..errors import shown
from ..mechanism import Mechanism
from .loops import LoopPlan, planned


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
    """Return the same as lines of text.

    >>> import dalembert as da
    >>> print(*motion_lines(da.robots.fivebar()), sep="\\n")
    mobility: 2
    redundant equations: 3 of 5: loop 1 (rodA - rodB), equations 3, 4, 5
    idle freedoms: none
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
        "idle freedoms: "
        + (f"{facts['idle_count']}, moved by no motor: {idle}" if facts["idle_count"] else "none"),
        f"motors against mobility: {_motors(m, planned(m))}",
        f"plan: {facts['plan']}",
    ]


def _motors(m: Mechanism, made: LoopPlan) -> str:
    if not m.active:
        return f"none named, mobility {made.mobility}; name them in active"
    text = f"{len(made.motors)} for {made.mobility}"
    if made.spare_motors:
        text += f", {made.spare_motors} spare: forces are shared (least norm)"
    if made.free:
        text += f", {made.free} freedom{'s' * (made.free != 1)} without a motor"
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
