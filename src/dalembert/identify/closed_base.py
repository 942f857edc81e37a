"""Base parameters of any machine: of a tree in closed form, of a closed one by the rank of Gᵀ Y.

Khalil and Bennis (1995): loops group parameters further than their tree does. The columns that are
independent in the tree are looked at along closed motions; what depends on the others at every
sample is grouped into them. Two sets of samples must agree, and the singular values must leave no
doubt about the rank; where the machine's numbers allow it the rank is exact (`field_rank.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.base_parameters import BaseParameters
from ..algorithms.base_parameters import base_parameters as of_tree
from ..algorithms.drives import Drives
from ..algorithms.loop_closure import closure_rates
from ..algorithms.velocity_constraints import Constraints
from ..compute import evaluate, integrate, neutral
from ..equations.loop_blocks import Solved, solved
from ..equations.loop_passive import parallel_at
from ..errors import ComputationError, DalembertError, UsageError
from ..expr.exact import to_float
from ..mechanism import Mechanism, is_closed, require_mechanism
from ..plan import general_pose, null_space, planned
from ..plan.assembly import Closure, assemble, close
from .field_rank import exact_rank

Array = np.ndarray
NONE = 1e-9  # a column whose part beside the others is less, in parts of itself, depends on them
ZERO = 1e-9  # coefficients below are none
EXACT = "the rank is exact, over a finite field"
ROUNDED = "the rank is that of singular values"
GAP = 30  # between the last singular value that counts and the first that does not


def base_parameters(
    mechanism: Mechanism, drives: Drives = "inertia", q: ArrayLike | None = None
) -> BaseParameters:
    """Return the base inertial parameters of a machine, with its loops, wheels and couplings.

    For a tree the grouping is exact and in symbols. For a closed machine all lengths need values:
    the grouping is found along closed motions, on the branch of the pose `q` or else on that of
    `equations(m)`, where a parallelogram is not crossed.

    >>> import dalembert as da
    >>> da.base_parameters(da.load("RZ(), TXK(L1), RZ(), TXK(L2); gravity = (0, G, 0);")).names
    ('MXR1', 'MY1', 'ZZR1', 'MX2', 'MY2', 'ZZ2')
    >>> m = da.robots.fourbar()
    >>> len(da.base_parameters(m)), len(da.base_parameters(m.tree))
    (8, 9)
    """
    require_mechanism(mechanism, "base_parameters")
    if not is_closed(mechanism):
        return of_tree(mechanism, drives)
    if mechanism.open_parameters:
        raise UsageError(
            "base parameters of a closed machine need values: none for "
            + ", ".join(mechanism.open_parameters[:6]),
            hint="m.with_values(...), or m.tree for those of the cut tree in symbols",
            command="give them values: --set NAME=VALUE",
        )
    if Constraints.of(mechanism).inputs:
        raise UsageError(
            "base parameters are not known where motions are prescribed",
            hint="m.tree has those of the tree",
        )
    tree = of_tree(mechanism.tree, drives)
    columns = list(tree.kept)
    branch = branch_of(mechanism, q)
    one, two = (closed_rows(mechanism, drives, columns, seed, branch) for seed in (1, 2))
    chosen, K = _independent(one)
    rest = [k for k in range(len(columns)) if k not in chosen]
    gap = np.abs(two[:, rest] - two[:, chosen] @ K).max(initial=0.0)
    if len(_independent(two)[0]) != len(chosen) or gap > 1e-6 * np.abs(two).max(initial=0.0):
        raise ComputationError(
            "two sets of closed motions give different groupings of the parameters",
            hint="the machine may be near a singular pose or on branches of different mobility",
        )
    exact = exact_rank(mechanism, drives, columns, branch)
    if exact is not None and exact < len(chosen):
        raise ComputationError(
            f"the rank of the regressor is {exact} exactly, {len(chosen)} by its singular values",
            hint="lengths that nearly agree, or a pose that is nearly singular",
        )
    proof = EXACT if exact == len(chosen) else ROUNDED
    return _grouped(tree, chosen, K, proof)


def _grouped(tree: BaseParameters, chosen: list[int], K: Array, proof: str) -> BaseParameters:
    """Return the parameters that are left, what depends on them added."""
    rest = [k for k in range(len(tree)) if k not in chosen]
    forms: list[Mapping[int, Any]] = []
    for n, k in enumerate(chosen):
        form = dict(tree.forms[k])
        for r, j in enumerate(rest):
            if abs(K[n, r]) > ZERO:
                for c, x in tree.forms[j].items():
                    form[c] = form.get(c, 0) + float(_round(K[n, r])) * to_float(x)
        forms.append({c: x for c, x in form.items() if abs(float(to_float(x))) > ZERO})
    note = f"grouped along closed motions: coefficients are numbers; {proof}"
    kept = tuple(tree.kept[k] for k in chosen)
    return replace(tree, kept=kept, forms=tuple(forms), notes=(*tree.notes, note))


def _round(x: float) -> float:
    """Return a number without the dust that least squares leave."""
    return float(f"{x:.12g}")


def _independent(Y: Array) -> tuple[list[int], Array]:
    """Return the first columns that are independent, and the others as sums of them."""
    size = np.linalg.norm(Y, axis=0)
    top = size.max(initial=0.0)
    scaled = Y / np.where(size > NONE * top, size, 1.0)
    scaled[:, size <= NONE * top] = 0.0
    basis = np.zeros((len(Y), 0))
    chosen: list[int] = []
    for k in range(Y.shape[1]):
        x = scaled[:, k]
        for _ in range(2):
            x = x - basis @ (basis.T @ x)
        left = np.linalg.norm(x)
        if left > NONE:
            chosen.append(k)
            basis = np.column_stack([basis, x / left])
    s = np.linalg.svd(scaled, compute_uv=False)
    n = len(chosen)
    if n < len(s) and s[n] > 0 and s[n - 1] / s[n] < GAP:
        raise ComputationError(
            f"the rank of the regressor is in doubt: singular values {s[n - 1]:.2g}, {s[n]:.2g}",
            hint="lengths that nearly agree, or a pose that is nearly singular",
        )
    rest = [k for k in range(Y.shape[1]) if k not in chosen]
    if not rest or not chosen:
        return chosen, np.zeros((n, len(rest)))
    K = np.linalg.lstsq(scaled[:, chosen], scaled[:, rest], rcond=None)[0]
    K = K * np.where(size[rest] > NONE * top, size[rest], 0.0) / size[chosen][:, None]
    return chosen, K


# -- closed motions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Branch:
    """A closed pose, and the loops in symbols on its branch where they have closed forms."""

    start: Array
    loops: Solved | None = None

    def holds(self, q: Array) -> bool:
        """Return whether a pose has the parallelograms of this branch."""
        at = {f"q{k + 1}": float(x) for k, x in enumerate(q)}
        return self.loops is None or parallel_at(at, self.loops.parallel)


def branch_of(m: Mechanism, q: Any = None) -> Branch | None:
    """Return the branch of a pose, or the one that equations are written on; None without loops."""
    if not (m.loops or m.couplings):
        return None
    try:
        s = solved(m, q)
    except DalembertError:  # a ball, wheels beside the loops: no closed forms
        start = general_pose(m)[1] if q is None else assemble(m, q)
        return Branch(np.asarray(start, dtype=float))
    return Branch(np.array([float(s.at[f"q{k + 1}"]) for k in range(m.nq)]), s)


def closed_rows(
    m: Mechanism, drives: Drives, columns: list[int], seed: int, branch: Branch | None = None
) -> Array:
    """Return rows of Nᵀ Y at closed motions, N an orthonormal basis of the speeds at each.

    Gᵀ Y has the same rows, mixed: N needs no motors and has no dead points.
    """
    rng = np.random.default_rng(seed)
    c = Closure(m)
    count = max(60, -(-6 * len(columns) // max(1, planned(m).mobility)))
    q = np.array(closed_poses(m, count, rng, branch or branch_of(m)))
    qd, qdd, bases = [], [], []
    for pose in q:
        J = c.jacobian(pose)
        N = null_space(J)
        rate = c.column_size * (N @ rng.uniform(-2, 2, N.shape[1]))
        turn = np.array(closure_rates(c.m, pose.tolist(), rate.tolist())[1], dtype=float)
        rest = -np.linalg.lstsq(J, turn / c.row_size, rcond=1e-10)[0]
        qd.append(rate)
        qdd.append(c.column_size * (rest + N @ rng.uniform(-4, 4, N.shape[1])))
        bases.append(c.column_size[:, None] * N)
    Y = evaluate(m.tree, "regressor", q, np.array(qd), np.array(qdd), drives=drives)
    return np.concatenate([N.T @ y for N, y in zip(bases, Y[..., columns], strict=True)])


def closed_poses(
    m: Mechanism, count: int, rng: np.random.Generator, branch: Branch | None
) -> list[Array]:
    """Return closed poses of one branch, walked to in random steps from one in general."""
    if branch is None:
        return [integrate(m, neutral(m), rng.uniform(-1, 1, m.nv)) for _ in range(count)]
    c, start = Closure(m), branch.start
    rank = m.nv - null_space(c.jacobian(start)).shape[1]
    found: list[Array] = []

    def spread(q: Array) -> float:
        """Return how far the closure is from a singular pose."""
        s = np.linalg.svd(c.jacobian(q), compute_uv=False)
        return float(s[rank - 1] / s[0]) if rank else 1.0

    # a machine that is near a singular pose everywhere is asked no more than where it starts, and
    # one whose branch is narrow is walked in shorter steps
    q, least, step = start, min(1e-2, 0.3 * spread(start)), 0.8
    for _ in range(60 * count):
        if len(found) == count:
            break
        N = null_space(c.jacobian(q))
        there, worst = close(c, c.moved(q, step * N @ rng.uniform(-1, 1, N.shape[1])))
        if worst < 1e-11 and spread(there) > least and branch.holds(there):
            q, step = there, 0.8
            found.append(q)
        else:
            q, step = start, max(0.05, 0.8 * step)
    if len(found) < count:
        raise ComputationError("too few closed poses are found to group the parameters at")
    return found
