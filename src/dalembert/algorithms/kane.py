"""Kane's method: Newton-Euler of each body projected on the independent speeds.

DeSantis, Dynamique des systèmes mécaniques (1996): velocities v_i of the mass centres in body axes,
J_h (2.6)-(2.8), J_nh (2.12), J = J_h J_nh (2.14), D = J'MJ and C = J'(MJ̇ + WMJ) (4.8, E3.4),
D α̇ = -C α + τ (4.9), constraint forces dropping out (4.16). Errata E3.1-E3.6. C is not
Christoffel's: only α'(Ḋ - 2C)α vanishes (E3.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from ..algebra import Rotation, Transform, Vec3
from ..errors import ModelError, shown
from ..expr import Scalar
from ..frozen import dataclass
from ..joint import Vector
from ..linalg import Blocks, Matrix, each_column, spd
from ..linalg import Vector as Values
from ..mechanism import Mechanism
from ..mechanism.followers import Fold
from ..spatial import ZERO, Twist
from .closure_rows import closure_names, closure_rows
from .equation_rows import equation_row
from .joint_forces import JointForces
from .kinematics import Target, target_jacobian, target_jacobian_derivative, target_pose
from .newton_euler import Wrenches, newton_euler
from .single_body import extended
from .single_body import forces as body_forces
from .velocity_constraints import Constraints
from .velocity_rows import Row, forward_row, velocity_names, velocity_rows

Steering = Mapping[str, tuple[Scalar, Scalar]]  # what is prescribed, with its rate, by name


# -- one body: Newton and Euler at the mass centre, body axes ----------------------------------


def massive(m: Mechanism) -> list[int]:
    """Return the bodies that have inertia."""
    return [j for j, body in m.outward() if not body.inertia.is_massless()]


def centre(m: Mechanism, j: int) -> Target:
    """Return the frame at the mass centre of body j, in body axes."""
    return j, Transform(Rotation(), m.bodies[j].inertia.centre)


def kane(
    m: Mechanism, q: Vector, qd: Vector, qdd: Vector, wrenches: Wrenches | None = None
) -> Values:
    """Return the joint forces tau, with α = q̇ (S3.11): Σ J_i' (f_i, n_i) less the active forces."""
    acting, tau = wrenches or {}, Values.zeros(m.nv)
    for j in sorted({*massive(m), *acting}):
        target = centre(m, j) if j in massive(m) else (j, Transform())
        J = target_jacobian(m, target, q)
        Jd = target_jacobian_derivative(m, target, q, qd)
        v, w = Twist.of(J @ qd)
        vd, wd = Twist.of(J @ qdd + Jd @ qd)
        f, n = body_forces(m.bodies[j].m, m.bodies[j].inertia.about_centre, v, w, vd, wd)
        f = f - target_pose(m, target, q).R.T @ m.gravity * m.bodies[j].m
        if j in acting:
            force, couple = acting[j]
            f, n = f + force, n + couple - target[1].p.cross(force)
        tau = tau + J.T @ [*f, *n]
    return tau


# -- the whole machine: J_nh, J, D, C ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reduction:
    """q̇ = J_nh α + b and its rate: the constraint rows and the rows of the chosen speeds."""

    q: Vector
    steer: Steering
    constraints: list[Row]
    J_nh: Matrix  # nv x l
    J_nh_dot: Matrix
    qd: Values
    drift: Values  # q̈ at α̇ = 0

    @property
    def H(self) -> Matrix:
        """The rows of the constraints, H q̇ = h."""
        return Matrix([row.H for row in self.constraints], len(self.qd))


@dataclass(frozen=True, slots=True)
class Acting:
    """What acts on a machine: joint forces, traction of wheels, springs and drives, wrenches."""

    tau: Vector
    traction: Vector
    forces: JointForces
    wrenches: Wrenches = field(default_factory=dict)  # that links exert on the environment


def speed_names(m: Mechanism) -> tuple[str, ...]:
    """Return the names of α: those of `speeds`, or all joints of an unconstrained machine."""
    count = m.nv - Constraints.of(m).count
    if m.speeds:
        if len(m.speeds) != count:
            raise ModelError(
                f"{len(m.speeds)} speed{'s are' if len(m.speeds) != 1 else ' is'} named, the "
                f"constraints leave {count}",
                hint=f"speeds = [...] with {count} names" if count else "they decide the motion",
            )
        return m.speeds
    if count == m.nv:
        return m.rate_names
    if count == 0:
        return ()  # the constraints decide the motion
    if count == 1 and m.wheels:
        return ("v",)
    raise ModelError(
        f"the constraints leave {count} speeds: name them",
        hint='speeds = ["v", ...]: joint names, "v" or "<wheel>.v"',
    )


def speed_rows(m: Mechanism, q: Vector, qd: Vector, steer: Steering) -> list[Row]:
    """Return the row of each chosen speed: a joint rate, or the forward speed of a wheel."""
    return [named_row(m, name, q, qd, steer) for name in speed_names(m)]


def named_row(m: Mechanism, name: str, q: Vector, qd: Vector, steer: Steering) -> Row:
    """Return the row of a speed: a joint's rate, "v" of the first wheel not steered, "<wheel>.v".

    Speeds that are expressions in the rates are in `speed_equations`.
    """
    wheel = next((w for w in m.wheels if name == f"{w.name}.v"), None)
    if name == "v" and name not in m.joint_names:
        wheel = next((w for w in m.wheels if w.steer is None), None)
    if wheel is not None:
        return forward_row(m, wheel, q, qd, steer)
    told = next((c for c in m.speed_equations if c.name == name), None)
    if told is not None:
        return equation_row(m, told, q, qd, (0, 1))
    if name not in m.rate_names:
        raise ModelError(
            f"speed {shown(name)!r} is neither a joint nor a wheel",
            hint="speeds: "
            + ", ".join(map(shown, m.rate_names[:12]))
            + (", v or <wheel>.v; " if m.wheels else "; ")
            + f'others as {{ name = "{shown(name, 20)}", equation = "xd*cos(th) + yd*sin(th)" }}',
        )
    return Row(name, list(Values.unit(m.nv, m.rate_names.index(name))), [0] * m.nv)


def steering(m: Mechanism, angles: Vector, rates: Vector) -> Steering:
    """Return the prescribed values by name, each with its rate."""
    return dict(zip(Constraints.of(m).inputs, zip(angles, rates, strict=True), strict=True))


def reduction(
    m: Mechanism, q: Vector, alpha: Vector, angles: Vector = (), rates: Vector = (), t: Scalar = 0
) -> Reduction:
    """Return q̇ = J_nh α, from the constraints and the speeds together: [H; S] q̇ = [h; α]."""
    steer, held = steering(m, angles, rates), Constraints.of(m)
    n, k = m.nv, held.count
    rest = Values.zeros(n)
    if k == 0 and m.speeds in ((), m.rate_names):
        return Reduction(q, steer, [], Matrix.unit(n), Matrix.zeros(n, n), Values(alpha), rest)
    still = held.rows(q, rest, steer, t) + speed_rows(m, q, rest, steer)
    E = Blocks([row.H for row in still])
    J_nh = Matrix.columns([E.solve(Values.unit(n, c)) for c in range(k, n)], n)
    qd = Values(E.solve([*(row.h for row in still[:k]), *alpha]))
    moving = held.rows(q, qd, steer, t)
    Ed = Matrix([row.Hd for row in moving + speed_rows(m, q, qd, steer)])
    J_nh_dot = Matrix.columns([E.solve(-(Ed @ column)) for column in J_nh.T], n)
    right = Values([*(row.hd for row in moving), *([0] * (n - k))])
    return Reduction(q, steer, moving, J_nh, J_nh_dot, qd, Values(E.solve(right - Ed @ qd)))


def follower_reduction(fold: Fold, q: Vector, alpha: Vector) -> Reduction:
    """Return q̇ = R α of a whole tree in which joints follow others: J_nh is constant."""
    n, units = len(fold.v), Matrix.unit(fold.count)
    R, rest = Matrix.columns([fold.rates(u) for u in units], n), Values.zeros(n)
    still = Matrix.zeros(n, fold.count)
    return Reduction(fold.coordinates(q), {}, [], R, still, Values(fold.rates(alpha)), rest)


def J_h(m: Mechanism, q: Vector) -> Matrix:
    """Return J_h, six rows per massive body: v = J_h q̇ (2.8)."""
    return Matrix([row for j in massive(m) for row in target_jacobian(m, centre(m, j), q)], m.nv)


def J_h_dot(m: Mechanism, q: Vector, qd: Vector) -> Matrix:
    """Return dJ_h/dt."""
    parts = (target_jacobian_derivative(m, centre(m, j), q, qd) for j in massive(m))
    return Matrix([row for part in parts for row in part], m.nv)


def J_and_rate(m: Mechanism, r: Reduction) -> tuple[Matrix, Matrix]:
    """Return J = J_h J_nh and J̇ = J̇_h J_nh + J_h J̇_nh (2.14), (2.16)."""
    Jh, Jh_dot = J_h(m, r.q), J_h_dot(m, r.q, r.qd)
    return Jh @ r.J_nh, Jh_dot @ r.J_nh + Jh @ r.J_nh_dot


def D(m: Mechanism, r: Reduction, forces: JointForces) -> Matrix:
    """Return D = J'MJ (4.8); rotors turn with the joints, by J_nh."""
    J, total = J_h(m, r.q) @ r.J_nh, _of_rotors(r, r.J_nh, forces.rotor)
    for b, j in enumerate(massive(m)):
        J_i = J[6 * b : 6 * b + 6]
        total = total + J_i.T @ (_extended(m, j)[0] @ J_i)
    return total


def C(m: Mechanism, r: Reduction, forces: JointForces) -> Matrix:
    """Return C = J'(MJ̇ + WMJ) (4.8), E3.4."""
    (J, Jd), Jh = J_and_rate(m, r), J_h(m, r.q)
    total = _of_rotors(r, r.J_nh_dot, forces.rotor)
    for b, j in enumerate(massive(m)):
        own = slice(6 * b, 6 * b + 6)
        M, W = _extended(m, j, Vec3(*(Jh[6 * b + 3 : 6 * b + 6] @ r.qd)))
        total = total + J[own].T @ (M @ Jd[own] + W @ (M @ J[own]))
    return total


def _extended(m: Mechanism, j: int, w: Vec3 = ZERO) -> tuple[Matrix, Matrix]:
    """Return M_i and W_i of body j."""
    return extended(m.bodies[j].m, m.bodies[j].inertia.about_centre, w)


def _of_rotors(r: Reduction, rate: Matrix, rotor: Mapping[int, Scalar]) -> Matrix:
    """Return J_nh' diag(Ia) rate."""
    joints = list(rotor)
    scaled = Matrix([rate[k] * rotor[k] for k in joints], r.J_nh.width)
    return r.J_nh.pick(joints).T @ scaled


# -- the state model ---------------------------------------------------------------------------


def active_forces(m: Mechanism, r: Reduction, acting: Acting) -> Values:
    """Return generalized forces on q̇: gravity, tau, springs, traction along each wheel's heading.

    With drives="all" friction takes its part away.
    """
    rest = Values.zeros(m.nv)
    weight = kane(m, r.q, rest, rest, acting.wrenches)
    told = replace(m, told=tuple((n, *x) for n, x in r.steer.items()), checked=True)
    passive = replace(acting.forces, m=told).passive(r.q, r.qd)
    total = passive + acting.tau - weight
    for wheel, force in zip(m.wheels, acting.traction, strict=True):
        row = forward_row(m, wheel, r.q, rest, r.steer)
        total = total + [h * force for h in row.H]
    return total


def state_model(m: Mechanism, r: Reduction, acting: Acting) -> tuple[Values, Values, Values]:
    """Return (α̇, q̇, q̈): D α̇ = -C α + τ (4.9)-(4.15)."""
    f, c = active_forces(m, r, acting), inertia_forces(m, r, acting.forces)
    alpha_dot = spd(D(m, r, acting.forces), r.J_nh.T @ (f - c))
    return alpha_dot, r.qd, r.J_nh @ alpha_dot + r.drift


def inertia_forces(m: Mechanism, r: Reduction, forces: JointForces) -> Values:
    """Return the inertia forces at α̇ = 0, affine terms included; J_nh' times them is Cα (S3.11)."""
    tau = Values(newton_euler(m.weightless, r.q, r.qd, r.drift))
    return tau.plus(forces.inertial(r.drift))


def g0(m: Mechanism, r: Reduction, forces: JointForces) -> Values:
    """Return g0 = -D⁻¹ C α of α̇ = g0 + gw τ (4.14)."""
    return spd(D(m, r, forces), -(r.J_nh.T @ inertia_forces(m, r, forces)))


def gw(m: Mechanism, r: Reduction, forces: JointForces) -> Matrix:
    """Return gw = D⁻¹ of α̇ = g0 + gw τ (4.15)."""
    return each_column(spd, D(m, r, forces), Matrix.unit(r.J_nh.width))


def constraint_forces(m: Mechanism, r: Reduction, acting: Acting) -> Values:
    """Return λ of every constraint: M q̈ + h = active + H'λ; for a wheel the lateral force.

    Redundant ones share what they bear. Of a prescribed joint it is the force beside tau that
    makes it follow its motion.
    """
    _, qd, qdd = state_model(m, r, acting)
    needed = kane(m.weightless, r.q, qd, qdd).plus(acting.forces.inertial(qdd))
    H = r.H
    lam = spd(H @ H.T, H @ (needed - active_forces(m, r, acting)))
    return shared_forces(m, r.q, r.steer, H, lam)


# -- constraints that follow from others: rows left out are combinations of those kept, H = B H_k,
# and so are forces, B'λ = λ_k; of all ways to share, that of least norm: equal wheels bear alike


def force_names(m: Mechanism) -> tuple[str, ...]:
    """Return the name of each constraint force: all rows, redundant ones included."""
    return (*velocity_names(m), *closure_names(m))


def shared_forces(m: Mechanism, q: Vector, steer: Steering, kept: Matrix, lam: Vector) -> Values:
    """Return the force of every row from those of the kept rows."""
    if not m.idle:
        return Values(lam)
    rest = [0] * m.nv
    every = [row.H for row in velocity_rows(m, q, rest, steer)] + closure_rows(m, q, rest)[0]
    B = each_column(spd, kept @ kept.T, kept @ Matrix(every).T).T
    return B @ spd(B.T @ B, lam)
