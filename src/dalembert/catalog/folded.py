"""Quantities of a tree in which joints follow others: traced on the whole tree, projected once.

q_whole = R q + r with a constant R (`mechanism/followers.py`), so that M = R' M_whole R, forces are
R' of those of the whole tree, and Christoffel's symbols change like a tensor. What each output
becomes is read off its axes; models that solve for accelerations have methods of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ..algebra import is_plain_zero
from ..errors import SingularModel, UsageError, shown
from ..expr import Scalar
from ..joint import Vector
from ..linalg import Matrix, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .later import (
    composite,
    derivatives,
    direct_by_mass_matrix,
    joint_forces,
    partition,
    regressor,
)
from .models import INVERSE, Algorithm, acted

Project = Callable[[Any, Any], Any]  # (fold, value on the whole tree) -> value

# what the entries of an output stand for -> how they are projected
PROJECTED: Mapping[tuple[Any, ...], Project] = {
    ("joint",): lambda fold, x: fold.forces(x),
    ("joint", "joint"): lambda fold, x: fold.square(x),
    ("six", "joint"): lambda fold, x: fold.columns(x),
    ("task_row", "joint"): lambda fold, x: fold.columns(x),
    ("joint", "parameter"): lambda fold, x: fold.rows(x),
    ("task_row",): lambda fold, x: x,
}


def folded(row: Any, m: Mechanism) -> Any:
    """Return the row of a quantity for a mechanism in which joints follow others."""
    if row.folded:
        return replace(row, methods=row.folded)
    if row.followers == "known":
        return row
    if row.followers == "kane":
        return replace(row, methods={"kane": row.methods["kane"]})
    if not row.followers:
        raise UsageError(
            f"{row.name} needs joints with coordinates of their own: in {shown(m.name)!r} "
            f"{', '.join(map(shown, m.followers[:8]))} follow others",
            hint='load with mimic="couple" or mimic="free", or lock them',
            command="write --mimic couple, --mimic free, or --lock JOINT",
        )
    made = {name: _projected(row, run) for name, run in row.methods.items()}
    return replace(row, methods=made)


def _projected(row: Any, run: Algorithm) -> Algorithm:
    """Return an algorithm on the coordinates that are left, by one on the whole tree."""

    def projected(whole: Mechanism, *inputs: Vector, **options: Any) -> Any:
        fold, tree = _apart(whole)
        chosen = _chosen(whole, options)
        found = run(tree, *_whole(fold, row.inputs, inputs), **options)
        if not any("joint" in out.axes for out in row.outputs):
            return found if chosen is None else [found[c] for c in chosen]
        if chosen is not None:
            found = [[line[c] for c in chosen] for line in found]
        if len(row.outputs) == 1:
            return PROJECTED[row.outputs[0].axes](fold, found)
        return tuple(
            PROJECTED[out.axes](fold, x) for out, x in zip(row.outputs, found, strict=True)
        )

    return projected


def _chosen(whole: Mechanism, options: dict[str, Any]) -> Any:
    """Return which standard columns are asked for where not all are; the tree has all."""
    columns = options.get("columns", "standard")
    if columns == "standard":
        return None
    options["columns"] = "standard"
    return regressor.chosen_columns(whole, options.get("drives", "inertia"), columns)


def _apart(whole: Mechanism) -> tuple[Any, Mechanism]:
    return whole.fold, replace(whole, fold=None, checked=True)


def _whole(fold: Any, names: tuple[str, ...], inputs: tuple[Vector, ...]) -> list[Vector]:
    return [
        fold.coordinates(x) if name == "q" else fold.rates(x)
        for name, x in zip(names, inputs, strict=True)
    ]


# -- models that solve ---------------------------------------------------------------------------


def _together(whole: Mechanism) -> list[str]:
    """Return, for each velocity variable that is left, the names of all that move with it."""
    names: list[list[str]] = [[] for _ in range(whole.fold.count)]
    for (k, _), name in zip(whole.fold.v, whole.rate_names, strict=True):
        names[k].append(shown(name))
    return [", ".join(own) for own in names]


def _refuse_singular(whole: Mechanism, A: Matrix, known: Collection[int] = ()) -> None:
    """Raise SingularModel for joints, beside those whose motion is known, that move no inertia."""
    for k, name in enumerate(_together(whole)):
        if k not in known and is_plain_zero(A[k][k]):
            raise SingularModel(
                f"no inertia moves with {name}: the direct model does not exist",
                hint="give a body beyond it a mass or an inertia",
            )


def _forward(mass: Algorithm) -> Algorithm:
    """Return the direct model q̈ = (R' M R)⁻¹ (τ - R' h)."""

    def forward(
        whole: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Any = "inertia", **acting: Any
    ) -> Values:
        A, h = _model(whole, mass, q, qd, drives, acting)
        _refuse_singular(whole, A)
        return spd(A, Values(tau) - h)

    return forward


def _model(
    whole: Mechanism, mass: Algorithm, q: Vector, qd: Vector, drives: Any, acting: Any
) -> tuple[Matrix, Values]:
    """Return (R' M R, R' h) with springs counted in h."""
    fold, tree = _apart(whole)
    A = joint_forces.JointForces(tree, drives).mass(mass(tree, fold.coordinates(q)))
    h = forces_of_leaders(whole, q, qd, [0] * fold.count, drives=drives, **acting)
    return Matrix(fold.square(A)), Values(h)


def forces_of_leaders(
    whole: Mechanism, q: Vector, qd: Vector, qdd: Vector, **options: Any
) -> list[Scalar]:
    """Return the forces on the coordinates that are left, R' τ."""
    fold, tree = _apart(whole)
    motion = fold.coordinates(q), fold.rates(qd), fold.rates(qdd)
    forces: list[Scalar] = fold.forces(INVERSE["newton_euler"](tree, *motion, **options))
    return forces


def _leader_of(fold: Any, row: int) -> int:
    """Return the row of the whole tree that a row follows."""
    rows = (r for r, (k, _) in enumerate(fold.v) if k == fold.v[row][0])
    return next(r for r in rows if r not in fold.following)


def hybrid(
    whole: Mechanism, q: Vector, qd: Vector, x: Vector, given: Any = (), drives: Any = "inertia",
    **acting: Any,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """Return (qdd, tau): x is qdd of the joints in `given`, tau of the others."""
    fold = whole.fold
    known: set[int] = set()
    following = {whole.rate_joints[k] for k in fold.following}
    led = [n for n in whole.joint_names if n not in following]
    for name in given:
        if isinstance(name, int) and 1 <= name <= len(led):
            name = led[name - 1]  # numbers are of the coordinates that are left
        rates = whole.rates_of(whole.joint_index(name))
        if set(rates).intersection(fold.following):
            leader = whole.rate_joints[_leader_of(fold, rates[0])]
            raise UsageError(
                f"hybrid_dynamics: joint {shown(str(name))!r} follows {shown(leader)!r}: x has no "
                "acceleration of it",
                hint=f"given=[{leader!r}]: the acceleration of a follower is ratio times that",
                command=f"name {shown(leader)} instead",
            )
        known |= {fold.v[k][0] for k in rates}
    return partitioned(whole, q, qd, x, known, drives, **acting)


def partitioned(
    whole: Mechanism, q: Vector, qd: Vector, x: Vector, known: Collection[int] = (),
    drives: Any = "inertia", **acting: Any,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """Return (qdd, tau): x is qdd of the velocity variables in `known`, tau of the others."""
    A, h = _model(whole, composite.composite, q, qd, drives, acting)
    _refuse_singular(whole, A, known)
    found: tuple[list[Scalar], list[Scalar]] = partition.partitioned(A, h, Values(x), [*known])
    return found


def forward_derivatives(
    whole: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Any = "inertia", **acting: Any
) -> Any:
    """Return (dq̈/dq, dq̈/dq̇, M⁻¹) by -M⁻¹ dτ."""
    fold, tree = _apart(whole)
    qdd = _forward(composite.composite)(whole, q, qd, tau, drives=drives, **acting)
    x, xd, xdd = fold.coordinates(q), fold.rates(qd), fold.rates(qdd)
    slopes = acted(derivatives.inverse_dynamics_derivatives)
    parts = slopes(tree, x, xd, xdd, drives=drives, **acting)
    by_q, by_qd, A = (Matrix(fold.square(part)) for part in parts)
    inverse = each_column(spd, A, Matrix.unit(fold.count))
    return -(inverse @ by_q), -(inverse @ by_qd), inverse


def lagrange(run: Algorithm) -> Algorithm:
    """Return Q, A, B, C: the symbols of the whole tree are summed over what moves together."""

    def coefficients(whole: Mechanism, q: Vector, **options: Any) -> Any:
        fold, tree = _apart(whole)
        Q, A, B, C = run(tree, fold.coordinates(q), **options)
        n, size = fold.count, len(fold.v)
        bent: list[Any] = [[[0] * n for _ in range(n)] for _ in range(n)]
        square: list[Any] = [[0] * n for _ in range(n)]
        for i in range(size):
            for j in range(size):
                for k in range(j, size):
                    (a, ra), (b, rb), (c, rc) = (fold.v[s] for s in (i, j, k))
                    value = (C[i][j] if j == k else B[i][j][k]) * ra * rb * rc
                    if b == c:
                        square[a][b] = square[a][b] + value
                    else:
                        bent[a][b][c] = bent[a][b][c] + value
                        bent[a][c][b] = bent[a][c][b] + value
        return fold.forces(Q), fold.square(A), bent, square

    return coefficients


FORWARD = {
    "composite": _forward(composite.composite),
    "direct_from_inverse": _forward(direct_by_mass_matrix.mass_matrix_by_columns),
}
