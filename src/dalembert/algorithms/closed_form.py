"""Closed forms as a model: Q, A, B, C, whole or simplified, evaluated at a state.

tau_i = Σ A_ij q̈_j + Σ_{k>j} B_ijk q̇_j q̇_k + Σ C_ij q̇_j² - Q_i, Liégeois and Aldon, INRIA RR 32
(1980). Each coefficient is a sum of products of what moves (sines, cosines, slides) with constants
in front that are computed once, before any state is known (S0.42).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import mul
from typing import Any

from ..errors import ComputationError, UsageError
from ..expr import Scalar, cos, sin
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Matrix, general, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from .drives import Drives, friction, rotor_inertia
from .held_joints import Outcome, held_system, resistance

Powers = tuple[tuple[int, int], ...]  # (symbol, power)
Constant = tuple[tuple[Any, Powers], ...]  # a sum of products of constants
Key = tuple[str, tuple[int, ...]]  # kind and indices from 1


@dataclass(frozen=True, slots=True)
class Part:
    """number · constant · powers · (sum of the bracket, if it has parts)."""

    number: Any
    constant: Constant
    powers: Powers
    bracket: tuple[Part, ...] = ()


@dataclass(frozen=True)
class ClosedForm:
    """The coefficients of a mechanism, and what they are written with.

    A symbol is ("sin" or "cos", joints with their signs, places of constant angles with theirs),
    ("q", joint), or ("number", places, joint): Σ numbers[place] q^k, k = 0, 1, ...; joints from 1.
    """

    numbers: tuple[Any, ...]  # expressions of parameters; over working scalars once bound
    symbols: tuple[tuple[Any, ...], ...]
    coefficients: tuple[tuple[Key, tuple[Part, ...]], ...]
    definite: bool  # whether A is that of a mechanism: symmetric positive definite
    left_out: tuple[str, ...] = ()  # in words
    held: tuple[tuple[str, Any], ...] = ()  # joints that are frozen, by name, and where
    followers: tuple[tuple[int, Any, Any], ...] = ()  # leader, ratio, offset: after the others
    names: tuple[str, ...] = ()  # of the symbols, as they are printed
    proven: tuple[tuple[tuple[float, float], ...], ...] = ()  # ranges of q, qd, qdd of its bounds

    def map(self, f: Callable[[Any], Any]) -> ClosedForm:
        """Return the form with its numbers mapped, as those of a mechanism are."""
        led = tuple((k, f(a), f(b)) for k, a, b in self.followers)
        return replace(self, numbers=tuple(map(f, self.numbers)), followers=led)


def values_of(form: ClosedForm, q: Vector) -> list[Scalar]:
    """Return the value of every symbol."""
    turn = {"sin": sin, "cos": cos}
    q = [*q, *(a * q[k - 1] + b for k, a, b in form.followers)]
    out: list[Scalar] = []
    for kind, *key in form.symbols:
        if kind == "q":
            out.append(q[key[0] - 1])
        elif kind == "number":
            places, joint = key
            found = form.numbers[places[0]]
            for power, k in enumerate(places[1:], 1):
                found = found + form.numbers[k] * _power(q[joint - 1], power)
            out.append(found)
        else:
            first, *others = key[0]
            angle = q[first - 1] if first > 0 else -q[-first - 1]
            for j in others:
                angle = angle + q[j - 1] if j > 0 else angle - q[-j - 1]
            for place, sign in key[1]:
                angle = angle + sign * form.numbers[place]
            out.append(turn[kind](angle))
    return out


def _power(x: Scalar, e: int) -> Scalar:
    return reduce(mul, [x] * e)


def _product(powers: Powers, values: Sequence[Scalar]) -> Scalar:
    return reduce(mul, [_power(values[i], e) for i, e in powers]) if powers else 1


def _sum(parts: Sequence[Part], values: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for part in parts:
        x = _product(part.powers, values)
        if part.bracket:
            x = x * _sum(part.bracket, values)
        front: Scalar = 0
        for number, powers in part.constant:
            front = front + number * _product(powers, values)
        x = x * front if part.constant else x
        total = total + part.number * x
    return total


def coefficients(m: Mechanism, q: Vector) -> dict[Key, Scalar]:
    """Return the value of every coefficient that is not zero."""
    form: ClosedForm = m.form
    values = values_of(form, q)
    return {key: _sum(parts, values) for key, parts in form.coefficients}


# -- quantities ------------------------------------------------------------------------------------


def _counted(m: Mechanism, drives: Drives) -> None:
    """Refuse to leave out the rotors: their inertia is one of the terms."""
    if drives == "none" and rotor_inertia(m):
        raise UsageError(
            "the inertia of rotors is part of these equations",
            hint='drives="inertia", or ask the mechanism itself',
            command="write --drives inertia",
        )


def _matrix(found: Mapping[Key, Scalar], n: int) -> Matrix:
    joints = range(1, n + 1)
    return Matrix([[found.get(("A", (min(i, j), max(i, j))), 0) for j in joints] for i in joints])


def _load(found: Mapping[Key, Scalar], n: int) -> Values:
    return Values(-found.get(("Q", (i,)), 0) for i in range(1, n + 1))


def _rates(found: Mapping[Key, Scalar], n: int, qd: Vector) -> Values:
    """Return Σ_j q̇_j (C_ij q̇_j + Σ_{k>j} B_ijk q̇_k) of every joint."""
    out: list[Scalar] = []
    for i in range(1, n + 1):
        force: Scalar = 0
        for j in range(1, n + 1):
            inner = found.get(("C", (i, j)), 0) * qd[j - 1]
            for k in range(j + 1, n + 1):
                inner = inner + found.get(("B", (i, j, k)), 0) * qd[k - 1]
            force = force + inner * qd[j - 1]
        out.append(force)
    return Values(out)


def _bias(m: Mechanism, found: Mapping[Key, Scalar], qd: Vector) -> Values:
    return _load(found, m.nv) + _rates(found, m.nv, qd)


def mass_matrix(m: Mechanism, q: Vector, drives: Drives = "inertia") -> Matrix:
    """Return A, rotors included."""
    _counted(m, drives)
    return _matrix(coefficients(m, q), m.nv)


def gravity(m: Mechanism, q: Vector) -> Values:
    """Return the load of gravity, -Q."""
    return _load(coefficients(m, q), m.nv)


def coriolis(m: Mechanism, q: Vector, qd: Vector) -> Values:
    """Return the forces of Coriolis and centrifugal kind."""
    return _rates(coefficients(m, q), m.nv, qd)


def bias(m: Mechanism, q: Vector, qd: Vector, drives: Drives = "inertia") -> Values:
    """Return the forces at zero acceleration, gravity and friction included."""
    _counted(m, drives)
    return _bias(m, coefficients(m, q), qd).plus(friction(m, qd, drives))


def inverse_dynamics(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, drives: Drives = "inertia"
) -> Values:
    """Return the forces that the equations give for the accelerations qdd."""
    _counted(m, drives)
    found = coefficients(m, q)
    tau = _bias(m, found, qd) + _matrix(found, m.nv) @ qdd
    return tau.plus(friction(m, qd, drives))


def forward_dynamics(
    m: Mechanism, q: Vector, qd: Vector, tau: Vector, drives: Drives = "inertia"
) -> Values:
    """Return the accelerations that the equations give for the forces tau."""
    _counted(m, drives)
    found = coefficients(m, q)
    h = _bias(m, found, qd).plus(friction(m, qd, drives))
    solver = spd if m.form.definite else general  # pruned or with terms dropped, A may be neither
    return solver(_regular(m, found), Values(tau) - h)


def _regular(m: Mechanism, found: Mapping[Key, Scalar]) -> Matrix:
    """Return A, refused when a joint has no inertia at all left in it."""
    present = {place for (kind, place), parts in m.form.coefficients if kind == "A" and parts}
    for i in range(1, m.nv + 1):
        if not any(i in place for place in present):
            raise ComputationError(
                f"no term of A is left for joint {m.joint_names[i - 1]!r}: it has no acceleration",
                hint="drop or prune less, or freeze the joint",
            )
    return _matrix(found, m.nv)


def outcome(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    direction: Mapping[int, Scalar],
    drives: Drives = "all",
) -> Outcome:
    """Return the motion under forces, with joints that dry friction holds or lets slide."""
    _counted(m, drives)
    rub = resistance(m, qd, direction, drives)
    found, n = coefficients(m, q), m.nv
    load = (Values(tau) - _bias(m, found, qd)).less(rub.force)
    A = _regular(m, found)
    z, held = held_system(A, load, Matrix.unit(n), [0] * n, rub.sliding, m.form.definite)
    qdd = list(z)
    for k, s in rub.sliding.items():
        qdd[k] = qdd[k] * s
    return Outcome(qdd, {k: -f for k, f in held.items()}, {})
