"""What the head of exported code says of the model: friction, loops, quaternions, and more."""

from __future__ import annotations

from collections.abc import Sequence

from ..compute.counted import counted, rubs
from ..compute.model import left_out
from ..errors import shown
from ..mechanism import Mechanism, joint_name
from ..plan import planned
from .jobs import Job


def remarks(m: Mechanism, jobs: Sequence[Job]) -> tuple[str, ...]:
    """Return the lines that stand below the counts of operations."""
    return (*_counted(m, jobs), *left_out(m), *_quaternions(m), *_branch(m, jobs))


def _quaternions(m: Mechanism) -> tuple[str, ...]:
    """Return which joints have quaternions: the code computes with them as they are."""
    names = [shown(joint_name(b), 40) for b in m.bodies if b.joint.nq > b.joint.nv]
    if not names:
        return ()
    which = ", ".join(names[:4]) + (" ..." if len(names) > 4 else "")
    return (f"Quaternions ({which}: x, y, z, w) must have length 1: they are not normalised.",)


def _counted(m: Mechanism, jobs: Sequence[Job]) -> tuple[str, ...]:
    """Return whether the code counts friction, where a joint has any and a quantity could."""
    asked = [job.options.get("drives") == "all" for job in jobs if rubs(job.row)]
    verdict = "is counted" if any(asked) else "is left out"
    told = counted(m, "all") if asked else ()
    return tuple(f"F{note[1:].removesuffix('counted')}{verdict}." for note in told)


def _branch(m: Mechanism, jobs: Sequence[Job]) -> tuple[str, ...]:
    """Return on which branch the loops of exported code are planned: it cannot plan again."""
    if not any(job.row.planned for job in jobs):
        return ()
    parts = str(planned(m)).split("; ")
    return ("Loops are planned once, on one branch:", *(f"  {part}" for part in parts))
