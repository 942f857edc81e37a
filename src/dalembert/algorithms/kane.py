"""Kane's method: Newton-Euler of each body projected on the independent speeds.

DeSantis, Dynamique des systèmes mécaniques (1996): velocities v_i of the mass centres in body axes,
J_h (2.6)-(2.8), J_nh (2.12), J = J_h J_nh (2.14), D = J'MJ and C = J'(MJ̇ + WMJ) (4.8, E3.4),
D α̇ = -C α + τ (4.9), constraint forces dropping out (4.16). Errata E3.1-E3.6. C is not
Christoffel's: only α'(Ḋ - 2C)α vanishes (E3.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..algebra import Rotation, Transform, Vec3
from ..errors import ModelError, shown
from ..expr import Scalar, solve
from ..joint import Vector
from ..mechanism import Mechanism, joint_name
from .block_solve import Blocks
from .drives import Drives, friction, rotor_inertia
from .elastic import joint_springs
from .kinematics import Target, target_jacobian, target_jacobian_derivative, target_pose
from .newton_euler import Wrench, newton_euler
from .single_body import forces as body_forces
from .springs import spring_forces
from .velocity_constraints import Row, constraint_count, forward_row, prescribed_names, rows

Matrix = list[list[Scalar]]


# -- one body: Newton and Euler at the mass centre, body axes ----------------------------------


def massive(m: Mechanism) -> list[int]:
    """Return the bodies that have inertia."""
    return [j for j, body in m.outward() if not body.inertia.is_massless()]


def centre(m: Mechanism, j: int) -> Target:
    """Return the frame at the mass centre of body j, in body axes."""
    return j, Transform(Rotation(), m.bodies[j].inertia.centre)


def kane(
    mechanism: Mechanism,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    wrenches: Mapping[int, Wrench] | None = None,
    drives: Drives = "inertia",
) -> list[Scalar]:
    """Return the joint forces tau, with α = q̇ (S3.11): Σ J_i' (f_i, n_i) less the active forces."""
    m, acting = mechanism, wrenches or {}
    tau: list[Scalar] = [0] * m.nv
    for j in sorted({*massive(m), *acting}):
        target = centre(m, j) if j in massive(m) else (j, Transform())
        J = target_jacobian(m, target, q)
        Jd = target_jacobian_derivative(m, target, q, qd)
        v, w = _split(_times(J, qd))
        vd, wd = _split(_plus(_times(J, qdd), _times(Jd, qd)))
        f, n = body_forces(m.bodies[j].m, m.bodies[j].inertia.about_centre, v, w, vd, wd)
        f = f - target_pose(m, target, q).R.T @ m.gravity * m.bodies[j].m
        if j in acting:
            force, couple = acting[j]
            f, n = f + force, n + couple - target[1].p.cross(force)
        tau = _plus(tau, _transposed_times(J, [*f, *n]))
    for k, Ia in rotor_inertia(m, drives).items():
        tau[k] = tau[k] + Ia * qdd[k]
    for k, force in friction(m, qd, drives).items():
        tau[k] = tau[k] + force
    return tau


# -- the whole machine: J_nh, J, D, C ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reduction:
    """q̇ = J_nh α + b and its rate: the constraint rows and the rows of the chosen speeds."""

    constraints: list[Row]
    J_nh: Matrix  # nv x l
    J_nh_dot: Matrix
    qd: list[Scalar]
    drift: list[Scalar]  # q̈ at α̇ = 0


def speed_names(m: Mechanism) -> tuple[str, ...]:
    """Return the names of α: those of `speeds`, or all joints of an unconstrained machine."""
    count = m.nv - constraint_count(m)
    if m.speeds:
        if len(m.speeds) != count:
            raise ModelError(
                f"{len(m.speeds)} speeds are named, the constraints leave {count}",
                hint=f"speeds = [...] with {count} names" if count else "they decide the motion",
            )
        return m.speeds
    if count == m.nv:
        return tuple(n for b in m.bodies for n in [joint_name(b)] * b.joint.nv)
    if count == 0:
        return ()  # the constraints decide the motion
    if count == 1 and m.wheels:
        return ("v",)
    raise ModelError(
        f"the constraints leave {count} speeds: name them",
        hint='speeds = ["v", ...]: joint names, "v" or "<wheel>.v"',
    )


def speed_rows(m: Mechanism, q: Vector, qd: Vector, steer: Mapping) -> list[Row]:
    """Return the row of each chosen speed: a joint rate, or the forward speed of a wheel."""
    return [named_row(m, name, q, qd, steer) for name in speed_names(m)]


def named_row(m: Mechanism, name: str, q: Vector, qd: Vector, steer: Mapping) -> Row:
    """Return the row of a speed: a joint, "v" (of the first wheel not steered), "<wheel>.v"."""
    wheel = next((w for w in m.wheels if name == f"{w.name}.v"), None)
    if name == "v" and name not in m.joint_names:
        wheel = next((w for w in m.wheels if w.steer is None), None)
    if wheel is not None:
        return forward_row(m, wheel, q, qd, steer)
    row: list[Scalar] = [0] * m.nv
    at = [m.velocity_index[j] for j, b in m.outward() if b.joint.nv and joint_name(b) == name]
    if not at:
        raise ModelError(
            f"speed {shown(name)!r} is neither a joint nor a wheel",
            hint="speeds: " + ", ".join(map(shown, m.joint_names[:12])) + ", v or <wheel>.v",
        )
    row[at[0]] = 1
    return Row(name, row, [0] * m.nv)


def steering(m: Mechanism, angles: Vector, rates: Vector) -> dict[str, tuple[Scalar, Scalar]]:
    """Return what is prescribed, with its rate, by name."""
    return dict(zip(prescribed_names(m), zip(angles, rates, strict=True), strict=True))


def reduction(
    m: Mechanism, q: Vector, alpha: Vector, angles: Vector = (), rates: Vector = (), t: Scalar = 0
) -> Reduction:
    """Return q̇ = J_nh α, from the constraints and the speeds together: [H; S] q̇ = [h; α]."""
    steer = steering(m, angles, rates)
    n, count = m.nv, m.nv - constraint_count(m)
    rest = [0] * n
    if count == n:
        unit = [[1 if r == c else 0 for c in range(n)] for r in range(n)]
        return Reduction([], unit, [rest] * n, list(alpha), rest)
    still = rows(m, q, rest, steer, t) + speed_rows(m, q, rest, steer)
    E = [row.H for row in still]
    k, together = n - count, Blocks(E)
    columns = [together.solve([*([0] * k), *(_unit(count, c))]) for c in range(count)]
    qd = together.solve([*(row.h for row in still[:k]), *alpha])
    moving = rows(m, q, qd, steer, t)
    all_rows = moving + speed_rows(m, q, qd, steer)
    Ed = [row.Hd for row in all_rows]
    dots = [together.solve([-x for x in _times(Ed, c)]) for c in columns]
    right = [row.hd for row in moving] + [0] * count
    drift = together.solve([a - b for a, b in zip(right, _times(Ed, qd), strict=True)])
    J_nh, J_nh_dot = ([[c[k] for c in A] for k in range(n)] for A in (columns, dots))
    return Reduction(moving, J_nh, J_nh_dot, qd, drift)


def J_h(m: Mechanism, q: Vector) -> Matrix:
    """Return J_h, six rows per massive body: v = J_h q̇ (2.8)."""
    return [row for j in massive(m) for row in target_jacobian(m, centre(m, j), q)]


def J_h_dot(m: Mechanism, q: Vector, qd: Vector) -> Matrix:
    """Return dJ_h/dt."""
    return [row for j in massive(m) for row in target_jacobian_derivative(m, centre(m, j), q, qd)]


def J_and_rate(m: Mechanism, q: Vector, r: Reduction) -> tuple[Matrix, Matrix]:
    """Return J = J_h J_nh and J̇ = J̇_h J_nh + J_h J̇_nh (2.14), (2.16)."""
    H, Hd = J_h(m, q), J_h_dot(m, q, r.qd)
    J = _product(H, r.J_nh)
    return J, _sum(_product(Hd, r.J_nh), _product(H, r.J_nh_dot))


def D_and_C(
    m: Mechanism, q: Vector, r: Reduction, drives: Drives = "inertia"
) -> tuple[Matrix, Matrix]:
    """Return D = J'MJ and C = J'(MJ̇ + WMJ) (4.8), E3.4; rotors turn with the joints, by J_nh."""
    J, Jd = J_and_rate(m, q, r)
    H = J_h(m, q)
    MJ, inner = [], []
    for b, j in enumerate(massive(m)):
        rows_, rates_ = J[6 * b : 6 * b + 6], Jd[6 * b : 6 * b + 6]
        w = Vec3(*_times(H[6 * b + 3 : 6 * b + 6], r.qd))
        momentum = _momentum(m, j, rows_)
        MJ += momentum
        inner += _sum(_momentum(m, j, rates_), _crossed(w, momentum))
    for k, Ia in rotor_inertia(m, drives).items():
        J, MJ = [*J, r.J_nh[k]], [*MJ, [Ia * x for x in r.J_nh[k]]]
        inner.append([Ia * x for x in r.J_nh_dot[k]])
    JT = _turned(J)
    return _product(JT, MJ), _product(JT, inner)


def _momentum(m: Mechanism, j: int, part: Matrix) -> Matrix:
    """Return M_i times six rows."""
    inertia = m.bodies[j].inertia.about_centre
    top = [[m.bodies[j].m * x for x in row] for row in part[:3]]
    return [*top, *_product([list(r) for r in inertia.rows], part[3:])]


def _crossed(w: Vec3, part: Matrix) -> Matrix:
    """Return W_i times six rows: S(Ω) on the upper and on the lower half."""
    S = [list(r) for r in w.skew().rows]
    return [*_product(S, part[:3]), *_product(S, part[3:])]


# -- the state model ---------------------------------------------------------------------------


def active_forces(
    m: Mechanism,
    q: Vector,
    qd: Vector,
    tau: Vector,
    forces: Vector,
    steer: Mapping,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> list[Scalar]:
    """Return generalized forces on q̇: gravity, tau, springs, traction along each wheel's heading.

    With drives="all" friction takes its part away; wrenches are those on the environment.
    """
    total = [-x for x in kane(m, q, [0] * m.nv, [0] * m.nv, wrenches, drives="none")]
    total = _plus(_plus(total, tau), spring_forces(m, q, qd))
    for k, force in joint_springs(m, q, qd).items():
        total[k] = total[k] + force
    for k, force in friction(m, qd, drives).items():
        total[k] = total[k] - force
    for wheel, force in zip(m.wheels, forces, strict=True):
        row = forward_row(m, wheel, q, [0] * m.nv, steer)
        total = _plus(total, [h * force for h in row.H])
    return total


def state_model(
    m: Mechanism,
    q: Vector,
    alpha: Vector,
    angles: Vector,
    rates: Vector,
    tau: Vector,
    forces: Vector,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
    """Return (α̇, q̇, q̈): D α̇ = -C α + τ (4.9)-(4.15)."""
    r = reduction(m, q, alpha, angles, rates)
    D, _ = D_and_C(m, q, r, drives)
    told = steering(m, angles, rates)
    acting = active_forces(m, q, r.qd, tau, forces, told, drives, wrenches)
    right = _transposed_times(r.J_nh, _less(acting, inertia_forces(m, q, r, drives)))
    found = solve(D, right) if right else []
    qdd = _plus(_times(r.J_nh, found), r.drift)
    return found, r.qd, qdd


def inertia_forces(m: Mechanism, q: Vector, r: Reduction, drives: Drives) -> list[Scalar]:
    """Return what the motion needs at α̇ = 0, affine terms included; J_nh' of it is Cα (S3.11)."""
    return newton_euler(without_gravity(m), q, r.qd, r.drift, drives=rotors(drives))


def g0_and_gw(
    m: Mechanism, q: Vector, r: Reduction, drives: Drives = "inertia"
) -> tuple[list[Scalar], Matrix]:
    """Return g0 = -D⁻¹ C α and gw = D⁻¹ of α̇ = g0 + gw τ (4.11), (4.14), (4.15)."""
    D, _ = D_and_C(m, q, r, drives)
    n = len(D)
    if not n:
        return [], []
    moving = _transposed_times(r.J_nh, inertia_forces(m, q, r, drives))
    columns = [solve(D, _unit(n, k)) for k in range(n)]
    return solve(D, [-x for x in moving]), _turned(columns)


def constraint_forces(
    m: Mechanism,
    q: Vector,
    alpha: Vector,
    angles: Vector,
    rates: Vector,
    tau: Vector,
    forces: Vector,
    drives: Drives = "inertia",
    wrenches: Mapping[int, Wrench] | None = None,
) -> list[Scalar]:
    """Return λ of every constraint: M q̈ + h = active + H'λ; for a wheel the lateral force.

    Of a prescribed joint it is the force beside tau that makes it follow its motion.
    """
    r = reduction(m, q, alpha, angles, rates)
    _, qd, qdd = state_model(m, q, alpha, angles, rates, tau, forces, drives, wrenches)
    told = steering(m, angles, rates)
    acting = active_forces(m, q, qd, tau, forces, told, drives, wrenches)
    needed = kane(without_gravity(m), q, qd, qdd, drives=rotors(drives))
    gap = _less(needed, acting)
    H = [row.H for row in r.constraints]
    return solve(_product(H, _turned(H)), _times(H, gap))


def rotors(drives: Drives) -> Drives:
    """Return the choice of drives without friction, which counts among the active forces."""
    return "none" if drives == "none" else "inertia"


def without_gravity(m: Mechanism) -> Mechanism:
    """Return the mechanism where nothing weighs."""
    return replace(m, gravity=Vec3.zero(), checked=True)


# -- small matrices ----------------------------------------------------------------------------


def _times(A: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [sum((a * b for a, b in zip(row, x, strict=True)), 0) for row in A]


def _transposed_times(A: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return _times(_turned(A), x)


def _product(A: Sequence[Sequence[Scalar]], B: Sequence[Sequence[Scalar]]) -> Matrix:
    columns = _turned(B)
    return [_times(columns, row) for row in A]


def _turned(A: Sequence[Sequence[Scalar]]) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return [_plus(a, b) for a, b in zip(A, B, strict=True)]


def _plus(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _less(a: Sequence[Scalar], b: Sequence[Scalar]) -> list[Scalar]:
    return [x - y for x, y in zip(a, b, strict=True)]


def _unit(n: int, k: int) -> list[Scalar]:
    return [1 if r == k else 0 for r in range(n)]


def _split(x: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    return Vec3(*x[:3]), Vec3(*x[3:])
