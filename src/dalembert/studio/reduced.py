"""Jobs of the studio that make a model smaller: terms by their share, struck or pruned, proven."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, shown

if TYPE_CHECKING:
    from ..equations import Equations
    from ..equations.shares import Share

TERMS = 400  # that the page lists, the largest share first
STRUCK = 2000
_TERM = re.compile(r"[QABC]\(?[\d,]{1,20}\)?:\d{1,5}")


def limits_of(given: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the speeds and accelerations that the page allows every joint."""
    rates = {}
    for key, usual in (("qd", 1.5), ("qdd", 4.0)):
        x = float(given.get(key) or usual)
        if not 0 < x < 1e6:
            raise UsageError(f"the limit of {key} is a positive number")
        rates[key] = x
    return {"all": rates}


def struck(given: Mapping[str, Any]) -> list[str]:
    """Return the terms that were struck out, as `drop` names them."""
    found = given.get("strike") or []
    if not isinstance(found, list) or len(found) > STRUCK:
        raise UsageError("struck terms are a list such as A12:3")
    for name in found:
        if not isinstance(name, str) or not _TERM.fullmatch(name):
            raise UsageError(f"no such term: {shown(str(name), 40)}", hint="write A12:3")
    return list(dict.fromkeys(found))


def simplified(
    eq: Equations, given: Mapping[str, Any], report: Callable[[float], None] | None = None
) -> tuple[Equations, dict[str, Any]]:
    """Return the equations without the struck and the negligible terms, and what this costs.

    The error of struck terms is at most the sum of the largest force of each: a proof, if a coarse
    one. Pruning adds its own bound.
    """
    limits, names = limits_of(given), struck(given)
    tolerance, budget = (float(given.get(k) or 0.0) for k in ("tolerance", "operations"))
    bound, said = [0.0] * eq.n, ""
    if names:
        bound = _bound(eq.terms({}, limits), names, eq.n)
        eq = eq.drop(names)
    if tolerance > 0 or budget > 0:
        choice = {"operations": int(budget)} if budget > 0 else {"tolerance": min(tolerance, 1.0)}
        made = eq.prune({}, limits, progress=report, **choice)
        bound = [x + y for x, y in zip(bound, made.bound, strict=True)]
        eq, said = made.equations, made.positive_definite
    return eq, {"bound": bound, "definite": said}


def _bound(every: Sequence[Share], names: Sequence[str], n: int) -> list[float]:
    gone, bound = set(names), [0.0] * n
    for term in every:
        if f"{term.entry}:{term.number}" in gone:
            for j, force in term.forces.items():
                bound[j] += force
    return bound


def terms(eq: Equations, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms of the equations, each with its largest share of its joint's force."""
    every = eq.terms({}, limits_of(given))
    rows = [
        {"name": f"{t.entry}:{t.number}", "text": t.text[:300], "share": min(t.share, 1e9),
         "force": t.force, "joints": sorted(t.forces)}
        for t in every[:TERMS]
    ]  # fmt: skip
    return {"rows": rows, "count": len(every)}


def reduced(
    eq: Equations, given: Mapping[str, Any], report: Callable[[float], None] | None = None
) -> dict[str, Any]:
    """Return how many terms and operations are left, and the proven error of each joint."""
    from ..equations.box import box_of

    forces = box_of(eq, {}, limits_of(given)).largest_forces(eq)
    shorter, proof = simplified(eq, given, report)
    names = eq.mechanism.joint_names
    rows = [
        {"joint": shown(name, 40), "error": b, "share": b / f if f > 0 else None}
        for name, b, f in zip(names, proof["bound"], forces, strict=False)
    ]
    return {
        "before": _size(eq), "after": _size(shorter), "joints": rows, "definite": proof["definite"]
    }  # fmt: skip


def _size(eq: Equations) -> dict[str, Any]:
    from ..compute import program_of
    from ..compute.model import model_of

    count = sum(len(entry) for kind in "QABC" for entry in getattr(eq, kind))
    step = program_of(model_of(eq, "cost"), "inverse_dynamics").cost["step"]
    return {"terms": count, "cost": str(step), "operations": step.mul + step.add}
