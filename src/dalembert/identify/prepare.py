"""A log made ready: forces that are known taken off, a delay found and undone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..compute import evaluate
from ..errors import UsageError
from ..measure.motion import MeasuredMotion
from ..measure.packages import scipy_part
from ..measure.wrench import wrench_rows
from ..mechanism import Mechanism, is_closed
from .rows import triangle
from .unknowns import Unknowns, equation_indices, forces_on, motor_indices, unpushed, unsprung

Array = np.ndarray
LONGEST = 12  # samples of delay that are looked for, either way
SPREAD = 15  # samples over which noise is spread for that
FEW = 3000  # samples that a delay is found with


def without_known_forces(m: Mechanism, d: MeasuredMotion, wrench: Any) -> MeasuredMotion:
    """Return the log with only the forces that bodies and drives must explain.

    No motor drives a free base, an elastic joint or a passive one: their forces are zero. The
    forces of springs and of measured wrenches are known, and subtracted.
    """
    if any(w.tyre for w in m.wheels):
        raise UsageError(
            "the forces of tyres are not measured: nothing can be identified beside them",
            hint="leave `tyre` out of the wheels, or lock the vehicle and identify what it carries",
        )
    none = unpushed(m)
    if not (is_closed(m) or none or m.elastic or m.springs or wrench is not None):
        return d
    if is_closed(m) and d.tau is None:
        return d  # refused later
    tau = np.full((len(d), m.nv), np.nan) if d.tau is None else np.array(d.tau)
    for k in none:
        tau[:, k] = np.where(np.isfinite(tau[:, k]), tau[:, k], 0.0)
    rows = np.flatnonzero(d.valid)
    q, qd = d.q[rows], d.qd[rows]
    rest = np.zeros_like(qd)
    tree, bare = m.tree, unsprung(m)
    load = np.zeros((len(rows), m.nv))
    if m.elastic or m.springs:
        both = [np.asarray(evaluate(x, "inverse_dynamics", q, qd, rest, drives="none"))
                for x in (tree, bare)]  # fmt: skip
        load += both[0] - both[1]
    if wrench is not None:
        w, held = wrench_rows(m, d.t[rows], q, None, wrench)
        d = replace(d, notes=(*d.notes, *held))
        both = [np.asarray(evaluate(bare, "inverse_dynamics", q, rest, rest, drives="none", **x))
                for x in ({"wrench_on_environment": w}, {})]  # fmt: skip
        load += both[0] - both[1]
    tau[rows] = _reduced_forces(m, q, tau[rows], load) if is_closed(m) else tau[rows] - load
    return replace(d, tau=tau)


def _reduced_forces(m: Mechanism, q: Array, tau: Array, load: Array) -> Array:
    """Return tau in which the columns of `equation_indices` hold motor forces less the load."""
    motors = motor_indices(m)
    W = forces_on(m, q)
    pushed = -load
    pushed[:, motors] += np.nan_to_num(tau[:, motors], nan=0.0)
    lost = np.einsum("nik,nk->ni", np.abs(W[..., motors]) > 1e-12, np.isnan(tau[:, motors])) > 0
    out = np.array(tau)
    out[:, equation_indices(m)] = np.where(lost, np.nan, (W @ pushed[..., None])[..., 0])
    return out


def undelayed(u: Unknowns, d: MeasuredMotion, delay: Any) -> tuple[MeasuredMotion, float]:
    """Return the log with its forces brought forward by a delay, "auto": the one that fits best."""
    if delay in (None, 0, 0.0) or d.tau is None:
        return d, 0.0
    if delay == "auto":
        delay = _best_delay(u, d)
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not abs(delay) < 10:
        raise UsageError(f"delay={delay!r}", hint='seconds that forces come late, or "auto"')
    return replace(d, tau=_shifted(d, float(delay))), float(delay)


def _shifted(d: MeasuredMotion, delay: float) -> Array:
    """Return the forces read `delay` later."""
    assert d.tau is not None
    out = np.full_like(d.tau, np.nan)
    for k in range(d.tau.shape[1]):
        good = np.isfinite(d.tau[:, k])
        if good.sum() > 1:
            out[:, k] = np.interp(d.t + delay, d.t[good], d.tau[good, k], np.nan, np.nan)
            out[~good, k] = np.nan
    return out


def _smoothed(d: MeasuredMotion) -> Array:
    """Return forces whose noise is spread over samples: else a shift by half a sample halves it."""
    assert d.tau is not None
    window = np.hanning(SPREAD + 2)[1:-1]
    out = np.array(d.tau)
    for k in range(out.shape[1]):
        good = np.isfinite(out[:, k])
        if good.sum() > SPREAD:
            whole = np.interp(d.t, d.t[good], out[good, k])
            weight = np.convolve(np.ones(len(whole)), window, "same")
            out[:, k] = np.where(good, np.convolve(whole, window, "same") / weight, np.nan)
    return out


def _best_delay(u: Unknowns, d: MeasuredMotion) -> float:
    """Return the delay whose forces the regressor explains best, to a hundredth of a sample."""
    step = float(np.median(np.diff(d.t)))
    whole = np.flatnonzero(d.valid)
    if d.tau is None or not np.isfinite(d.tau[whole][:, equation_indices(u.m)]).any():
        raise UsageError("no joint has measured forces", hint="columns tau.<joint>")
    rows = whole[np.unique(np.linspace(0, len(whole) - 1, FEW).astype(int))]
    indices = equation_indices(u.m)
    Y = u.rows(d.q[rows], d.qd[rows], d.qdd[rows])
    known = u.known(d.q[rows], d.qd[rows], d.qdd[rows])
    size = np.nanstd(d.tau[:, indices], axis=0) if d.tau is not None else np.ones(len(indices))
    size = np.where(np.isfinite(size) & (size > 0), size, 1.0)
    smooth = replace(d, tau=_smoothed(d))

    def rest(delay: float) -> float:
        tau = _shifted(smooth, delay)[rows][:, indices] - known
        good = np.isfinite(tau)
        a = np.concatenate([np.concatenate([Y[good[:, j], j], tau[good[:, j], j, None]], axis=1)
                            / size[j] for j in range(len(size)) if good[:, j].any()])  # fmt: skip
        R = triangle([a])
        x = np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=1e-12)[0]
        return float(((R[:, :-1] @ x - R[:, -1]) ** 2).sum() / max(1, len(a)))

    ladder = step * np.arange(-LONGEST, LONGEST + 1)
    values = [rest(float(s)) for s in ladder]
    k = int(np.argmin(values))
    if k in (0, len(ladder) - 1):
        return float(ladder[k])
    found = scipy_part("optimize").minimize_scalar(
        rest, bounds=(ladder[k - 1], ladder[k + 1]), method="bounded", options={"xatol": step / 100}
    )
    return float(found.x)
