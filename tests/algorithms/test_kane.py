"""Kane's method: wheels, equations in the rates, and Lagrange with multipliers beside them."""

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algorithms.kane import reduction, speed_names
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.errors import DescriptionError, ModelError
from mechanisms import random_mechanisms, random_state
from models import D_and_C, J_and_rate, constraint_forces, kane, newton_euler, state_model

R = da.robots


def steered():
    """Return a car whose steering is a joint with a motor, and whose rear wheel rolls on a spin."""
    slide = {"mass": 0, "com": [0, 0, 0], "inertia": [0, 0, 0]}
    bodies = [
        {"name": "bx", "parent": -1, "joint": {"type": "prismatic", "name": "x", "axis": [1, 0, 0]},
         **slide},
        {"name": "by", "parent": 0, "joint": {"type": "prismatic", "name": "y", "axis": [0, 1, 0]},
         **slide},
        {"name": "car", "parent": 1, "joint": {"type": "revolute", "name": "th", "axis": [0, 0, 1]},
         "mass": 900, "com": [1.1, 0, 0.4], "inertia": [200, 900, 1000]},
        {"name": "fork", "parent": 2,
         "joint": {"type": "revolute", "name": "delta", "axis": [0, 0, 1],
                   "placement": {"translation": [2.5, 0, 0], "rotation": []}},
         "mass": 30, "com": [0.05, 0, 0], "inertia": [1, 1, 2]},
        {"name": "wheel", "parent": 2,
         "joint": {"type": "revolute", "name": "spin", "axis": [0, 1, 0]},
         "mass": 40, "com": [0, 0, 0], "inertia": [1, 2, 1]},
    ]  # fmt: skip
    wheels = [
        {"name": "rear", "body": "car", "point": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3,
         "spin": "spin"},
        {"name": "front", "body": "car", "point": [2.5, 0, 0], "normal": [0, 1, 0],
         "steer": "delta"},
    ]  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "wheels": wheels,
                    "speeds": ["spin", "delta"]})  # fmt: skip


MACHINES = {
    "steered by a joint": steered(),
    "car": R.truck(0),
    "truck": R.truck(1),
    "road train": R.truck(3),
    "double steering": R.double_steering_car(),
    "unicycle": R.unicycle(),
    "differential drive": R.differential_drive(),
    "mobile manipulator": R.mobile_manipulator(),
    "rolling disc": R.rolling_disc(),
    "crane": R.crane(),
}


def state(m, seed):
    rng = np.random.default_rng(seed)
    steer = Constraints.of(m).inputs
    count = len(speed_names(m))
    return (
        rng.uniform(-0.8, 0.8, m.nq),
        rng.uniform(-1, 1, count),
        rng.uniform(-0.5, 0.5, len(steer)),
        rng.uniform(-1, 1, len(steer)),
        rng.uniform(-5, 5, m.nv),
        rng.uniform(-5, 5, len(m.wheels)),
    )


def multipliers(m, q, alpha, steer, steer_rate, tau, forces):
    """Return (qdd, lambda) by [M -H'; H 0] [q̈; λ] = [τ - h; -Ḣ q̇], not reduced at all."""
    b = m.bound()
    r = reduction(b, q, alpha, steer, steer_rate)
    named = dict(zip(Constraints.of(m).inputs, zip(steer, steer_rate, strict=True), strict=True))
    found = Constraints.of(b).rows(q, r.qd, named)
    H = np.array([floats(x.H) for x in found]).reshape(len(found), m.nv)
    Hd = np.array([floats(x.Hd) for x in found]).reshape(len(found), m.nv)
    M = np.array([floats(newton_euler(_still(b), q, [0.0] * m.nv, e)) for e in np.eye(m.nv)])
    h = floats(newton_euler(b, q, r.qd, [0.0] * m.nv))
    from dalembert.algorithms.velocity_rows import forward_row

    push = np.array(tau, dtype=float)
    for wheel, force in zip(b.wheels, forces, strict=True):
        push = push + force * floats(forward_row(b, wheel, q, [0.0] * m.nv, named).H)
    n, k = m.nv, len(found)
    K = np.block([[M, -H.T], [H, np.zeros((k, k))]])
    hd = floats([x.hd for x in found])
    x = np.linalg.solve(K, np.r_[push - h, hd - Hd @ floats(r.qd)])
    return x[:n], x[n:]


def _still(b):
    from dataclasses import replace

    from dalembert.algebra import Vec3

    return replace(b, gravity=Vec3.zero(), checked=True)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("seed", [1, 2])
def test_kane_equals_lagrange_with_multipliers(name, seed):
    m = MACHINES[name]
    s = state(m, seed)
    qdd = state_model(m.bound(), *s)[2]
    ref, lam = multipliers(m, *s)
    scale = np.abs(ref).max() + 1
    np.testing.assert_allclose(floats(qdd), ref, rtol=0, atol=1e-10 * scale)
    if len(lam):
        found = floats(constraint_forces(m.bound(), *s))
        np.testing.assert_allclose(found, lam, rtol=0, atol=1e-9 * (np.abs(lam).max() + 1))


@pytest.mark.parametrize("name", MACHINES)
def test_the_constraints_hold_and_their_forces_do_no_work(name):
    m = MACHINES[name]
    q, alpha, steer, steer_rate, *_ = state(m, 3)
    r = reduction(m.bound(), q, alpha, steer, steer_rate)
    H = np.array([floats(x.H) for x in r.constraints]).reshape(-1, m.nv)
    J_nh = np.array([floats(x) for x in r.J_nh])
    np.testing.assert_allclose(H @ J_nh, 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(H @ floats(r.qd), 0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MACHINES)
def test_only_the_quadratic_form_of_d_dot_minus_2c_vanishes(name):
    """E3.6: α'(Ḋ - 2C)α = 0; the matrix itself is not skew in general."""
    m = MACHINES[name]
    b = m.bound()
    q, alpha, steer, _, *_ = state(m, 4)
    still = 0 * steer
    r = reduction(b, q, alpha, steer, still)
    D, C = (np.array([floats(x) for x in A]) for A in D_and_C(b, q, r))
    h = 1e-6
    qd = floats(r.qd)
    ahead, behind = (
        np.array([floats(x) for x in D_and_C(b, p, reduction(b, p, alpha, steer, still))[0]])
        for p in (q + h * qd, q - h * qd)
    )
    Ddot = (ahead - behind) / (2 * h)
    assert abs(alpha @ (Ddot - 2 * C) @ alpha) < 1e-6 * (np.abs(D).max() + 1)


def test_j_dot_is_the_rate_of_j():
    m = MACHINES["mobile manipulator"]
    b = m.bound()
    q, alpha, *_ = state(m, 5)
    r = reduction(b, q, alpha)
    _, Jd = J_and_rate(b, q, r)
    h = 1e-6
    qd = floats(r.qd)
    ahead, behind = (
        np.array([floats(x) for x in J_and_rate(b, p, reduction(b, p, alpha))[0]])
        for p in (q + h * qd, q - h * qd)
    )
    found = np.array([floats(x) for x in Jd])
    np.testing.assert_allclose(found, (ahead - behind) / (2 * h), rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    "m", random_mechanisms(25, seed=33, dof=(1, 10), masses={"decade": 1}), ids=lambda m: m.name
)
def test_kane_serves_every_tree(m):
    q, qd, qdd = random_state(m, 6, mild=True)
    b = m.bound()
    a = floats(kane(b, q, qd, qdd, drives="all"))
    ref = floats(newton_euler(b, q, qd, qdd, drives="all"))
    scale = np.abs(ref).max() + 1e-9
    np.testing.assert_allclose(a, ref, rtol=0, atol=1e-9 * scale)


def test_the_car_is_the_truck_without_its_trailer():
    q, delta, rate, v, F = [0.3, -0.2, 0.7], 0.2, 0.1, 3.0, [50.0, 20.0]
    car = da.alpha_dot(R.truck(0), q, [v], [delta], [rate], np.zeros(3), F)
    light = R.truck(1)
    from dataclasses import replace

    from dalembert.inertia import Inertia

    bodies = (*light.bodies[:-1], replace(light.bodies[-1], inertia=Inertia()))
    light = replace(light, bodies=bodies, checked=False)
    other = da.alpha_dot(light, [*q, 0.3], [v], [delta], [rate], np.zeros(4), [*F, 0.0])
    np.testing.assert_allclose(car, other, rtol=1e-12)


def test_a_disc_rolling_straight_keeps_its_speed_and_turns_in_a_circle_when_it_leans():
    """Steady motion of a disc (Routh): yaw rate w at lean a needs the spin this formula gives."""
    m = R.rolling_disc()
    straight = da.alpha_dot(m, [0, 0, 0.4, 0, 0], [0, 0, 5.0], [], [], np.zeros(5), [])
    np.testing.assert_allclose(straight, 0, rtol=0, atol=1e-12)
    r, g, a, w = 0.3, 9.81, 0.3, 2.0
    # thin disc, inertia mr²/2 about its axle and mr²/4 across; lean a from the vertical
    #   w spin (3/2) cos a + w² (5/4) sin a cos a ± (g/r) sin a = 0, sign by the side it leans to
    found = [
        da.alpha_dot(m, [0, 0, 0, a, 0], [w, 0, s], [], [], np.zeros(5), [])[1] for s in (0.0, 1.0)
    ]
    spin = -found[0] / (found[1] - found[0])
    steady = da.alpha_dot(m, [0, 0, 0, a, 0], [w, 0, spin], [], [], np.zeros(5), [])
    np.testing.assert_allclose(steady, 0, rtol=0, atol=1e-10)
    terms = 1.5 * w * spin * np.cos(a), 1.25 * w * w * np.sin(a) * np.cos(a), g / r * np.sin(a)
    balance = min(abs(x * terms[0] + y * terms[1] + terms[2]) for x in (1, -1) for y in (1, -1))
    assert balance < 1e-9


def test_bad_equations_and_speeds_are_named():
    joint = {"type": "prismatic", "name": "x", "axis": [1, 0, 0]}
    body = {
        "name": "b",
        "parent": -1,
        "joint": joint,
        "mass": 1,
        "com": [0, 0, 0],
        "inertia": [0] * 3,
    }
    base = {"format": "dalembert/1", "bodies": [body]}

    def load(equation):
        return da.load({**base, "velocity_constraints": [{"name": "c", "equation": equation}]})

    with pytest.raises(DescriptionError, match="not linear"):
        load("xd*xd = 1")
    with pytest.raises(DescriptionError, match="one ="):
        load("xd")
    with pytest.raises(DescriptionError, match="no rate"):
        load("2 = 1")
    with pytest.raises(DescriptionError):
        load("yd = 0")
    from dataclasses import replace

    with pytest.raises(ModelError, match=r"speeds? (is|are) named"):
        da.alpha_dot(replace(R.unicycle(), speeds=("v",)), [0, 0, 0], [1], [], [], [0, 0, 0], [0])


def moving_walkway(equations, speeds):
    """Return a cart with a swinging arm under equations that may depend on time."""
    joints = [
        ("prismatic", "x", [1, 0, 0]), ("prismatic", "y", [0, 1, 0]), ("revolute", "th", [0, 0, 1]),
        ("revolute", "arm", [0, 1, 0]), ("prismatic", "tool", [0, 0, 1]),
    ]  # fmt: skip
    bodies = [
        {"name": n, "parent": k - 1, "joint": {"type": kind, "name": n, "axis": axis},
         "mass": 1 + k, "com": [0.2, 0.1, 0.3], "inertia": [0.3, 0.4, 0.5]}
        for k, (kind, n, axis) in enumerate(joints)
    ]  # fmt: skip
    told = [{"name": f"c{k}", "equation": e} for k, e in enumerate(equations)]
    return da.load({"format": "dalembert/1", "bodies": bodies, "velocity_constraints": told,
                    "speeds": speeds, "parameters": {"w": 1.7}})  # fmt: skip


TIMED = [
    (["yd = 0.3*t"], ["x", "th", "arm", "tool"]),
    (["xd*sin(th) - yd*cos(th) = sin(w*t)*cos(th)", "armd = w*thd + t^2"], ["x", "th", "tool"]),
    (["toold = x*xd + cos(t)*thd + sqrt(2 + t)", "yd = 2 + th*armd"], ["x", "th", "arm"]),
]


@pytest.mark.parametrize("equations, speeds", TIMED, ids=["belt", "blown blade", "cam"])
def test_motion_prescribed_in_time_equals_multipliers(equations, speeds):
    m = moving_walkway(equations, speeds)
    assert Constraints.of(m).inputs == ("t",)
    rng = np.random.default_rng(9)
    q, alpha = rng.uniform(-0.8, 0.8, m.nq), rng.uniform(-1, 1, len(speeds))
    tau, clock = rng.uniform(-5, 5, m.nv), ([0.7], [1.0])
    qdd = da.kane_motion(m, q, alpha, *clock, tau, [])[1]
    ref, lam = multipliers(m, q, alpha, *clock, tau, [])
    np.testing.assert_allclose(qdd, ref, rtol=0, atol=1e-11 * (np.abs(ref).max() + 1))
    found = da.constraint_forces(m, q, alpha, *clock, tau, [])
    np.testing.assert_allclose(found, lam, rtol=0, atol=1e-9 * (np.abs(lam).max() + 1))
    # the affine part: q̇ at α = 0 fulfils H q̇ = h
    b = m.bound()
    r = reduction(b, q, 0 * alpha, *clock)
    for row in r.constraints:
        assert abs(floats(row.H) @ floats(r.qd) - float(row.h)) < 1e-12


@pytest.mark.parametrize("name", MACHINES)
def test_c_alpha_is_what_the_recursion_gives(name):
    """J'(MJ̇ + WMJ)α is J_nh' of the forces that q̈ at α̇ = 0 needs, without gravity."""
    m = MACHINES[name]
    b = m.bound()
    q, alpha, steer, steer_rate, *_ = state(m, 8)
    r = reduction(b, q, alpha, steer, steer_rate)
    C = np.array([floats(x) for x in D_and_C(b, q, r)[1]])
    forces = floats(newton_euler(_still(b), q, r.qd, r.drift))
    needed = np.array([floats(x) for x in r.J_nh]).T @ forces
    np.testing.assert_allclose(C @ alpha, needed, rtol=0, atol=1e-11 * (np.abs(needed).max() + 1))


def test_planar_machines_cost_planar_operations():
    """(4.23), (4.24): three rows per body, zeros fold."""
    cost = [da.compile(R.truck(n), "alpha_dot").cost["step"] for n in (0, 1)]
    assert cost[0].mul <= 90 and cost[0].add <= 55 and cost[0].div <= 3
    assert cost[1].mul <= 165 and cost[1].add <= 115 and cost[1].div <= 4
    assert cost[1].sincos == 4


def constrained(m, seed):
    """Return a random tree under one to three random equations, some of them moved in time."""
    from dataclasses import replace

    from dalembert.errors import Place
    from dalembert.mechanism import VelocityConstraint
    from dalembert.read.velocity_equation import velocity_equation

    rng = np.random.default_rng(seed)
    names = list(m.joint_names)
    told = []
    for k in range(rng.integers(1, min(4, m.nv))):
        terms = [
            f"{rng.uniform(-2, 2):.3f}*{f}({rng.choice(names)})*{n}d"
            for n, f in zip(names, rng.choice(["sin", "cos"], m.nv), strict=True)
        ]
        right = f"{rng.uniform(-1, 1):.3f}*sin(t)" if rng.random() < 0.5 else "0"
        text = f"{rng.choice(names)}d + {' + '.join(terms)} = {right}".replace("+ -", "- ")
        told.append(velocity_equation(m, VelocityConstraint(f"c{k}", text), Place("<test>")))
    return replace(m, velocity_constraints=tuple(told), speeds=(), checked=False)


@pytest.mark.parametrize(
    "m",
    random_mechanisms(
        15, seed=77, dof=(2, 8), joints={"revolute": 3, "prismatic": 1}, root=0, massless=0,
        masses={"decade": 1}, lengths={"metre": 1}, drives=0,
    ),
    ids=lambda m: m.name,
)  # fmt: skip
def test_random_trees_under_random_constraints_equal_multipliers(m):
    from dataclasses import replace

    m = constrained(m, m.nv)
    m = replace(m, speeds=da.kane_speeds(m))
    rng = np.random.default_rng(5)
    clock = ([0.4], [1.0]) if Constraints.of(m).inputs else ([], [])
    q, alpha = rng.uniform(-0.8, 0.8, m.nq), rng.uniform(-1, 1, len(m.speeds))
    tau = rng.uniform(-5, 5, m.nv)
    b = m.bound()
    _, qd, qdd = state_model(b, q, alpha, *clock, tau, [])
    ref, _ = multipliers(m, q, alpha, *clock, tau, [])
    J_nh = np.array([floats(x) for x in reduction(b, q, alpha, *clock).J_nh])
    M = np.array([floats(newton_euler(_still(b), q, [0.0] * m.nv, e)) for e in np.eye(m.nv)])
    worse = np.linalg.cond(J_nh) ** 2 * np.linalg.cond(M)
    limit = 1e-11 * max(1, 1e-4 * worse) * np.abs(ref).max()
    np.testing.assert_allclose(floats(qdd), ref, rtol=0, atol=limit)
    # the forces of the constraints do no work on the motions that are free
    lam = floats(constraint_forces(b, q, alpha, *clock, tau, []))
    named = dict(zip(Constraints.of(m).inputs, zip(*clock, strict=True), strict=True))
    H = np.array([floats(x.H) for x in Constraints.of(b).rows(q, qd, named)])
    np.testing.assert_allclose(lam @ H @ J_nh, 0, rtol=0, atol=1e-10 * (np.abs(lam @ H).max() + 1))
