"""What a quantity is asked of: a mechanism, or equations that stand for one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..catalog import Quantity
from ..errors import UsageError, shown
from ..kept import Kept
from ..mechanism import Mechanism, is_rolling, require_mechanism

KEPT = 32  # simplified mechanisms whose equations are kept
_MODELS: Kept[Any] = Kept(KEPT)
TURN = 2 * math.pi - 1e-9
ROUNDING = 1e-9  # by which a motion may pass the limits of proven bounds


def equations_of(m: Any) -> Any:
    """Return the equations that stand for a model, or None for a plain mechanism."""
    if isinstance(m, Mechanism):
        return _equations(m) if m.simplified is not None else None
    from ..equations import Equations
    from ..equations.prune import Pruned

    if isinstance(m, Pruned):
        return m.equations
    return m if isinstance(m, Equations) else None


def model_of(m: Any, call: str, quantity: str = "") -> Mechanism:
    """Return the mechanism of a model: its own, or the closed forms that stand for it."""
    _refuse_lost_springs(m, quantity)
    found = equations_of(m)
    if found is not None:
        model: Mechanism = found.model
        return model
    require_mechanism(m, call)
    return m  # type: ignore[no-any-return]


def _refuse_lost_springs(m: Any, name: str) -> None:
    """Raise UsageError where a simplified mechanism has springs: closed forms leave them out.

    Its file says what is left out on purpose, and springs are not among it. Uses say so in a note.
    """
    sprung = isinstance(m, Mechanism) and m.simplified is not None and (m.springs or m.elastic)
    if sprung and name in ("inverse_dynamics", "forward_dynamics"):
        raise UsageError(
            f"{name}: {shown(m.name)!r} is simplified and has springs, which closed forms have not",
            hint="m.full counts them, with nothing left out; equations(m) leaves them out too",
            command="take `simplified` or the springs out of the file",
        )


def _equations(m: Mechanism) -> Any:
    """Return the equations of a simplified mechanism; to prune takes time, so they are kept."""
    from ..equations import equations

    return _MODELS.get(m.digest, lambda: equations(m))


def check_joints(model: Mechanism, m: Mechanism) -> None:
    """Raise UsageError where equations have a joint that a mechanism has not, or has no word on.

    A joint of the mechanism is one of the equations, or it is frozen in them.
    """
    frozen = {name for name, _ in model.form.held}
    lost = [n for n in model.joint_names if n not in m.joint_names]
    new = [n for n in m.joint_names if n not in model.joint_names and n not in frozen]
    if m.nq != len(m.joint_names) or lost or new:
        names = ", ".join(map(shown, (lost or new or m.joint_names)[:8]))
        where = "the mechanism" if lost else "the equations"
        raise UsageError(
            f"no joint of this name in {where}: {names}",
            hint="the equations must be those of this mechanism, some joints frozen",
        )


def unproven(m: Mechanism, motion: Sequence[Any]) -> tuple[str, ...]:
    """Return a note where a motion (q, qd, qdd or less) leaves the limits of proven bounds.

    `m` is the mechanism of equations; the last dimension of a motion is that of its joints.
    """
    import numpy as np

    out = []
    turning = [b.joint.kind == "revolute" for b in m.bodies if b.joint.nv]
    proven = m.form.proven if m.form is not None else ()
    for what, ranges, rows in zip(("q", "qd", "qdd"), proven, motion, strict=False):
        for j, (low, high) in enumerate(ranges):
            column = np.ravel(np.asarray(rows)[..., j])
            column = column[np.isfinite(column)]
            whole = what == "q" and turning[j] and high - low >= TURN  # every posture
            if len(column) and not whole:
                far = max(float(column.max()) - high, low - float(column.min()))
                if far > ROUNDING * max(abs(low), abs(high), 1.0):
                    worst = float(column[np.argmax(np.abs(column - (low + high) / 2))])
                    name = shown(m.joint_names[j])
                    out.append(f"{what} of {name} is {worst:.4g} ({low:.4g} to {high:.4g})")
    if not out:
        return ()
    told = ", ".join(out[:3]) + (f", and {len(out) - 3} more" if len(out) > 3 else "")
    return (f"the bounds do not hold for this motion, it leaves their limits: {told}",)


def left_out(m: Mechanism) -> tuple[str, ...]:
    """Return the notes on terms left out, in characters that every comment may hold."""
    told = m.form.left_out if m.form is not None else ()
    return tuple(line.replace("%", " percent").replace("; ", ", ") for line in told)


def forced(m: Mechanism, row: Quantity | None) -> Mechanism:
    """Return the machine of a direct model; if loops name no motor, every joint is one."""
    takes = row is not None and row.planned and "tau_active" in row.inputs
    if not takes or m.active or not m.loops or is_rolling(m):
        return m
    return replace(m, active=m.joint_names, checked=True)
