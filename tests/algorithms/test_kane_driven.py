"""Kane's method with prescribed joints, drives and springs, beside Lagrange with multipliers.

The reference is not reduced: mass matrix and bias of the tree by the composite and recursive
algorithms, the rows of the constraints, and one row more for each joint that follows a motion.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import dalembert as da
from agreement import floats, plainly
from dalembert.algebra import Vec3
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.algorithms.velocity_rows import TIME, forward_row
from dalembert.errors import ModelError, UsageError
from dalembert.mechanism import Drive, JointSpring, PointSpring
from dalembert.trajectory import quintic
from mechanisms import random_mechanisms, random_state

R = da.robots
ALL = ("none", "inertia", "all")


def equipped():
    """Return the mobile manipulator with drives on wheels and arm, and springs of both kinds."""
    m = R.mobile_manipulator()
    at = {n: m.joint_index(n) for n in m.joint_names}
    drives = (
        Drive(at["spin_left"], 0.02, 20, (0.3, -0.3), 0.01),
        Drive(at["spin_right"], 0.03, -15, (0.3, -0.25), 0.02),
        Drive(at["shoulder"], 1e-4, 100, (0.05, -0.05), 1e-3),
        Drive(at["x"], 0.4, 1, (0, 0), 0.2),
    )
    elastic = (JointSpring(at["elbow"], 40.0, 0.3, 0.8), JointSpring(at["th"], 3.0, 0.1, 0.2))
    springs = (
        PointSpring(at["th"], Vec3(0.2, 0.1, 0.1), at["elbow"], Vec3(0, 0, 0.2), 90.0, 0.3, 4.0),
        PointSpring(-1, Vec3(1.0, 2.0, 0.5), at["shoulder"], Vec3(0, 0.1, 0.2), 25.0, 0, 0),
    )
    return replace(m, drives=drives, elastic=elastic, springs=springs, checked=False)


def held(m, *joints, speeds=()):
    """Return the machine with joints that follow a motion."""
    return replace(m, prescribed=(*m.prescribed, *joints), speeds=speeds, checked=False)


MACHINES = {
    "manipulator": equipped(),
    "its shoulder follows": held(
        equipped(), "shoulder", speeds=("spin_left", "spin_right", "elbow")
    ),
    "its heading follows": held(equipped(), "th", "elbow", speeds=("spin_left", "shoulder")),
    "unicycle that is turned": held(R.unicycle(), "th", speeds=("v",)),
    "disc that is spun": held(R.rolling_disc(), "spin", speeds=("yaw", "lean")),
    "crane with a driven trolley": held(R.crane(), "trolley", speeds=("swing",)),
    "truck with a stiff hitch": replace(
        R.truck(1), elastic=(JointSpring(3, 5e4, 0.05, 2e3),), checked=False
    ),
}


def state(m, seed):
    rng = np.random.default_rng(seed)
    given, speeds = len(Constraints.of(m).inputs), len(da.kane_speeds(m))
    sizes = (m.nq, speeds, given, given, m.nv, len(m.wheels))
    return [rng.uniform(-0.7, 0.7, n) for n in sizes]


def kernel(m, name, *inputs, **options):
    """Return a quantity by its kernel."""
    return getattr(da, name)(m, *inputs, **options)


def multipliers(m, q, alpha, given, rate, tau, traction, drives, ask=kernel):
    """Return (q̇, q̈, λ) of the tree under the rows of its constraints, joints that follow last."""
    joints = [n for n in m.prescribed if n in m.joint_names]
    plain = replace(m, prescribed=Constraints.of(m).steering, speeds=(), checked=True)
    own = [n for n in Constraints.of(plain).inputs if n != TIME]
    k = len(own)
    told = {n: (given[i], rate[i]) for i, n in enumerate(own)}
    if TIME in Constraints.of(m).inputs:
        told[TIME] = (given[-1], 1.0)
    b, still = plain.bound(), [0.0] * m.nv
    at = [m.velocity_index[m.joint_index(n)] for n in joints]
    extra = np.eye(m.nv)[at]

    def stacked(qd):
        found = Constraints.of(b).rows(q, qd, told)
        own = (np.array([floats(getattr(x, a)) for x in found]) for a in ("H", "Hd"))
        sides = (np.array([float(getattr(x, a)) for x in found]) for a in ("h", "hd"))
        H, Hd = (np.reshape(x, (-1, m.nv)) for x in own)
        h, hd = sides
        follow = slice(k, k + len(at))
        H, Hd = np.vstack([H, extra]), np.vstack([Hd, 0 * extra])
        return H, Hd, np.r_[h, given[follow]], np.r_[hd, rate[follow]]

    # velocities: the constraints and the speeds decide them
    from dalembert.algorithms.kane import named_row

    H, _, h, _ = stacked(still)
    S = np.array([floats(named_row(b, n, q, still, told).H) for n in da.kane_speeds(m)])
    qd = np.linalg.solve(np.vstack([H, S.reshape(-1, m.nv)]), np.r_[h, alpha])
    H, Hd, _, hd = stacked(qd)
    tree = replace(plain, wheels=(), velocity_constraints=(), prescribed=(), checked=True)
    M = ask(tree, "mass_matrix", q, drives=drives)
    # what inertia forces, gravity, springs and friction need at rest of the accelerations
    bias = ask(tree, "inverse_dynamics", q, qd, still, drives=drives)
    push = np.array(tau)
    for wheel, force in zip(b.wheels, traction, strict=True):
        push = push + force * np.array(floats(forward_row(b, wheel, q, still, told).H))
    K = np.block([[M, -H.T], [H, np.zeros((len(H), len(H)))]])
    x = np.linalg.solve(K, np.r_[push - bias, hd - Hd @ qd])
    return qd, x[: m.nv], x[m.nv :]


@pytest.mark.parametrize("drives", ALL)
@pytest.mark.parametrize("name", MACHINES)
def test_kernels_equal_multipliers(name, drives):
    m = MACHINES[name]
    s = state(m, 3)
    qd, qdd, lam = multipliers(m, *s, drives, plainly)
    found = da.kane_motion(m, *s, drives=drives)
    np.testing.assert_allclose(found[0], qd, rtol=0, atol=1e-12 * (np.abs(qd).max() + 1))
    np.testing.assert_allclose(found[1], qdd, rtol=0, atol=1e-10 * (np.abs(qdd).max() + 1))
    forces = da.constraint_forces(m, *s, drives=drives)
    np.testing.assert_allclose(forces, lam, rtol=0, atol=1e-9 * (np.abs(lam).max() + 1))


@pytest.mark.parametrize("drives", ALL)
@pytest.mark.parametrize("name", ["manipulator", "truck with a stiff hitch"])
def test_the_pieces_make_the_state_model(name, drives):
    """D α̇ = -C α + τ (4.9), rotors in D and C, springs and friction in τ."""
    m = MACHINES[name]
    q, alpha, steer, rate, tau, traction = state(m, 5)
    ask = partial(kernel if drives == "all" else plainly, m, drives=drives)
    D = ask("kane_D", q, steer)
    C = ask("kane_C", q, alpha, steer, rate)
    acting = ask("kane_tau", q, alpha, steer, rate, tau, traction)
    rates = ask("alpha_dot", q, alpha, steer, rate, tau, traction)
    np.testing.assert_allclose(
        D @ rates, acting - C @ alpha, rtol=0, atol=1e-10 * np.abs(acting).max()
    )
    # α̇ = g0 + gw τ, g0 = -D⁻¹ C α, gw = D⁻¹ (4.11)-(4.15)
    g0 = ask("kane_g0", q, alpha, steer, rate)
    gw = ask("kane_gw", q, steer)
    np.testing.assert_allclose(g0, -np.linalg.solve(D, C @ alpha), rtol=0, atol=1e-11)
    np.testing.assert_allclose(g0 + gw @ acting, rates, rtol=0, atol=1e-10 * np.abs(rates).max())


def test_rotors_keep_the_quadratic_form_of_d_dot_minus_2c():
    m = MACHINES["manipulator"]
    q, alpha, *_ = state(m, 6)
    C = da.kane_C(m, q, alpha, [], [])
    qd, h = da.kane_J_nh(m, q, []) @ alpha, 1e-6
    Ddot = (da.kane_D(m, q + h * qd, []) - da.kane_D(m, q - h * qd, [])) / (2 * h)
    bare = da.kane_C(m, q, alpha, [], [], drives="none")
    assert abs(alpha @ (Ddot - 2 * C) @ alpha) < 1e-7
    assert abs(alpha @ (C - bare) @ alpha) > 1e-9  # the rotor of `x` is carried by J_nh(q)


@pytest.mark.parametrize("drives", ALL)
@pytest.mark.parametrize(
    "m",
    random_mechanisms(
        8, seed=12, dof=(2, 8), masses={"decade": 1}, massless=0, drives=1.0, lengths={"metre": 1}
    ),
    ids=lambda m: m.name,
)
def test_trees_with_drives_and_springs_equal_articulated_bodies(m, drives):
    one = [j for j, b in m.outward() if b.joint.nv == 1]
    if one:
        last = len(m.bodies) - 1
        m = replace(
            m,
            elastic=(JointSpring(one[-1], 30.0, 0.2, 0.5),),
            springs=(PointSpring(-1, Vec3(1, 2, 3), last, Vec3(0.1, 0, 0.2), 20.0, 0.5, 1.0),),
            checked=True,
        )
    q, qd, tau = random_state(m, 4, mild=True)
    ask = kernel if drives == "all" else plainly
    ref = ask(m, "forward_dynamics", q, qd, tau, drives=drives)
    found = ask(m, "alpha_dot", q, qd, [], [], tau, [], drives=drives)
    M = plainly(m, "mass_matrix", q)
    d = 1 / np.sqrt(np.diag(M))
    limit = 1e3 * m.nv * np.finfo(float).eps * np.linalg.cond(M * np.outer(d, d))
    np.testing.assert_allclose(found, ref, rtol=0, atol=max(limit, 1e-11) * (np.abs(ref).max() + 1))
    D, whole = ask(m, "kane_D", q, [], drives=drives), ask(m, "mass_matrix", q, drives=drives)
    np.testing.assert_allclose(D, whole, rtol=0, atol=1e-10 * M.max())


def test_the_force_of_a_prescribed_joint_is_the_motor_force_it_needs():
    """The same motion with the joint free and this force as its torque."""
    free, m = MACHINES["manipulator"], MACHINES["its shoulder follows"]
    q, alpha, given, rate, tau, traction = state(m, 8)
    _, qdd = da.kane_motion(m, q, alpha, given, rate, tau, traction)
    force = da.constraint_forces(m, q, alpha, given, rate, tau, traction)[-1]
    moved = np.array(tau)
    moved[m.joint_names.index("shoulder")] += force
    own = [alpha[0], alpha[1], given[0], alpha[2]]  # spins, shoulder, elbow
    _, other = da.kane_motion(free, q, own, [], [], moved, traction)
    np.testing.assert_allclose(other, qdd, rtol=0, atol=1e-10 * np.abs(qdd).max())


# -- in time --------------------------------------------------------------------------------------


def integrated(m, q0, alpha0, times, told, drives="inertia", tau=None, traction=None):
    """Return q at times by SciPy over the multiplier form; told(t) gives values and rates."""
    from scipy.integrate import solve_ivp

    n, names = m.nv, da.kane_speeds(m)
    tau = np.zeros(n) if tau is None else tau
    traction = np.zeros(len(m.wheels)) if traction is None else traction

    def rate(t, x):
        q, alpha = x[:n], x[n:]
        given, rates = told(t)
        qd, qdd, _ = multipliers(m, q, alpha, given, rates, tau, traction, drives)
        return np.r_[qd, _speed_rates(m, names, q, qd, qdd, given, rates)]

    found = solve_ivp(rate, (times[0], times[-1]), np.r_[q0, alpha0], "DOP853", times,
                      rtol=1e-9, atol=1e-10)  # fmt: skip
    return found.y.T[:, :n]


def _speed_rates(m, names, q, qd, qdd, given, rates):
    from dalembert.algorithms.kane import named_row

    b = replace(m, prescribed=Constraints.of(m).steering, speeds=(), checked=True).bound()
    told = dict(zip(Constraints.of(b).inputs, zip(given, rates, strict=False), strict=False))
    found = [named_row(b, n, list(q), list(qd), told) for n in names]
    return [np.dot(floats(r.H), qdd) + np.dot(floats(r.Hd), qd) for r in found]


def test_a_joint_that_follows_a_motion_is_simulated():
    m = MACHINES["manipulator"]
    smooth = tuple(replace(d, coulomb=(0, 0)) for d in m.drives)  # nothing sticks
    m = replace(m, drives=smooth, checked=True)
    path = quintic([0.1], [0.2], 0.2)
    times = np.linspace(0, 0.2, 3)
    q0 = np.array([0, 0, 0.2, 0.1, 0, 0.3, 0])
    start = [1.0, 2.0, 0.0]  # spins, elbow
    asked = {"motion": {"shoulder": path}, "t": times, "rtol": 1e-10, "drives": "all"}
    r = da.simulate(m, q0, start, torque={"spin_left": 1.0}, **asked)
    follow = replace(MACHINES["its shoulder follows"], drives=smooth, checked=True)
    k = m.joint_names.index("shoulder")
    p, v, a = path.signal, path.signal.derivative(), path.signal.derivative().derivative()
    np.testing.assert_allclose(r.q[:, k], p(times)[:, 0], rtol=0, atol=1e-12)
    tau = np.zeros(7)
    tau[m.joint_names.index("spin_left")] = 1.0
    q0[k] = 0.1
    ref = integrated(follow, q0, start, times, lambda t: (v(t), a(t)), "all", tau)
    np.testing.assert_allclose(r.q, ref, rtol=0, atol=2e-7)
    assert r.m.speeds == ("spin_left", "spin_right", "elbow")


def walkway():
    """Return a unicycle with a trailing arm on a belt whose speed changes in time."""
    slides = [("prismatic", "x", [1, 0, 0]), ("prismatic", "y", [0, 1, 0]),
              ("revolute", "th", [0, 0, 1]), ("revolute", "arm", [0, 0, 1])]  # fmt: skip
    bodies = [
        {"name": f"b{n}", "parent": k - 1, "joint": {"type": kind, "name": n, "axis": axis},
         "mass": 0 if k < 2 else 2, "com": [0.3, 0.1, 0], "inertia": [0, 0, 0 if k < 2 else 0.2]}
        for k, (kind, n, axis) in enumerate(slides)
    ]  # fmt: skip
    belt = "yd*cos(th) - xd*sin(th) = 0.4*sin(3*t)*cos(th)"
    told = [{"name": "blade", "equation": belt}]
    return da.load({"format": "dalembert/1", "bodies": bodies, "velocity_constraints": told,
                    "speeds": ["x", "th", "arm"]})  # fmt: skip


@pytest.mark.parametrize("method", ["dop853", "rk4", "radau"])
def test_constraints_that_depend_on_time_are_simulated(method):
    m = walkway()
    times = np.linspace(0.4, 2.4, 6)
    q0, alpha0 = [0.1, 0.2, 0.3, -0.4], [1.0, 0.4, -0.3]
    r = da.simulate(m, q0, alpha0, t=times, method=method, rtol=1e-10, step=1e-3)
    ref = integrated(m, q0, alpha0, times, lambda t: ([t], [1.0]))
    np.testing.assert_allclose(r.q, ref, rtol=0, atol=1e-7)
    # the rates fulfil the equation at every sample
    th, (xd, yd) = r.q[:, 2], r.qd.T[:2]
    gap = yd * np.cos(th) - xd * np.sin(th) - 0.4 * np.sin(3 * times) * np.cos(th)
    np.testing.assert_allclose(gap, 0, rtol=0, atol=1e-12)


def test_motions_that_cannot_be_are_named():
    with pytest.raises(UsageError, match="'spin' is prescribed and its motion is not given"):
        da.simulate(MACHINES["disc that is spun"], t=0.1)
    with pytest.raises(ModelError, match="2 speeds are named, the constraints leave 1"):
        da.simulate(R.differential_drive(), motion={"th": 0.2}, t=0.1)
    with pytest.raises(ModelError, match="constraint 'y' contradicts"):
        da.kane_D(held(R.unicycle(), "th", "x", "y"), np.zeros(3), np.zeros(3))
