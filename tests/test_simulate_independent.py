"""Twenty random mechanisms of each class: `simulate` beside SciPy over equations written anew.

Trees, springs, moving bases and prescribed joints: M and h of Pinocchio. Loops: maximal
coordinates. Wheels: Lagrange's equations with a multiplier per constraint. Nothing of the dynamics
of dalembert is in the right-hand sides.
"""

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import loops
from dalembert.mechanism import JointSpring
from dalembert.trajectory import quintic
from mechanisms import random_mechanisms, random_state
from peers import peer
from pinocchio_model import to_pinocchio

COUNT, FAST = 20, 3
MILD = {"dof": (1, 6), "masses": {"decade": 1}, "lengths": {"metre": 1}, "massless": 0.1,
        "depth_first": True}  # the order that crba needs  # fmt: skip
TIGHT = {"rtol": 1e-12, "atol": 1e-13, "events": "none", "drives": "inertia"}


def some(items, fast=FAST):
    """Return the items as cases of a test, those after the first few slow."""
    slow = pytest.mark.slow
    return [pytest.param(x, marks=[slow] * (k >= fast), id=f"{k}") for k, x in enumerate(items)]


def by_scipy(rate, x0, t):
    scipy = pytest.importorskip("scipy.integrate")
    found = scipy.solve_ivp(rate, (t[0], t[-1]), x0, "DOP853", t, rtol=1e-11, atol=1e-13)
    assert found.success
    return found.y.T


def close(ours, theirs):
    """Assert equal states, within what both integrators promise over a short motion."""
    worst = np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())
    assert worst < 1e-7, worst


# -- trees -------------------------------------------------------------------------------------


class Lagrange:
    """M, h and the rate of q of a tree, by Pinocchio."""

    def __init__(self, m):
        self.pin = peer("pin")
        self.m, self.model = m, to_pinocchio(m)
        self.data = self.model.createData()

    def mass(self, q):
        M = self.pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        bare = self.pin.Model(self.model)
        bare.armature = np.zeros(self.model.nv)
        # some versions of crba leave rotors out
        own = self.pin.crba(bare, bare.createData(), q)
        with_rotors = np.diag(own) + self.model.armature
        np.fill_diagonal(M, with_rotors)
        return M

    def bias(self, q, v):
        return self.pin.nonLinearEffects(self.model, self.data, q, v)

    def rate(self, q, v):
        """Return dq/dt: quaternions by ½ q ω, positions of a free base by R v."""
        out, at, k = [], 0, 0
        for body in self.m.bodies:
            kind, nq, nv = body.joint.kind, body.joint.nq, body.joint.nv
            own, speed = q[at : at + nq], v[k : k + nv]
            if kind in ("spherical", "free"):
                x, y, z, w = own[-4:]
                turn = speed[-3:]
                u = np.array([x, y, z])
                if kind == "free":
                    a = speed[:3]
                    out.extend(a + 2 * np.cross(u, np.cross(u, a) + w * a))
                out.extend((w * turn + np.cross(u, turn)) / 2)
                out.append(-u @ turn / 2)
            else:
                out.extend(speed)
            at, k = at + nq, k + nv
        return np.array(out)


def start_of(m, seed=5):
    q, qd, _ = random_state(m, seed, mild=True)
    return np.array(q, float), 0.3 * np.array(qd, float)


def tree_against_scipy(m, force=None, given=None):
    """Compare a tree under constant forces, extra forces f(q, v), and prescribed joints."""
    own = Lagrange(m)
    q0, v0 = start_of(m)
    tau = np.linspace(0.4, -0.7, m.nv)
    t = np.linspace(0, 0.2, 5)
    given = given or {}
    held = [m.velocity_index[j] for j, _ in given.values()]
    free = [k for k in range(m.nv) if k not in held]
    for j, path in given.values():
        place = sum(b.joint.nq for b in m.bodies[:j])
        q0[place], v0[m.velocity_index[j]] = path(0.0)[0]

    def rate(t, x):
        q, v = x[: m.nq], x[m.nq :]
        load = tau - own.bias(q, v) + (force(q, v) if force else 0)
        M, a = own.mass(q), np.zeros(m.nv)
        for j, path in given.values():
            a[m.velocity_index[j]] = path(t)[1]
        load = load - M @ a
        a[free] = np.linalg.solve(M[np.ix_(free, free)], load[free])
        return np.concatenate([own.rate(q, v), a])

    motion = {name: quintic([0.2], [0.5], 0.4) for name in given}
    found = by_scipy(rate, np.concatenate([q0, v0]), t)
    r = da.simulate(m, q0, v0, tau, t=t, motion=motion, **TIGHT)
    close(np.concatenate([r.q, r.qd], axis=1), found)


@pytest.mark.parametrize("m", some(random_mechanisms(COUNT, 61, root=0.0, **MILD)))
def test_trees(m):
    tree_against_scipy(m)


@pytest.mark.parametrize("m", some(random_mechanisms(COUNT, 62, **MILD | {"dof": (7, 11)}, root=1)))
def test_moving_bases(m):
    assert m.bodies[0].joint.kind in ("free", "planar")
    tree_against_scipy(m)


def single(m):
    return [j for j, b in enumerate(m.bodies) if b.joint.nv == 1]


def with_one_freedom(seed, **strata):
    """Return twenty mechanisms that have joints of one freedom."""
    drawn = random_mechanisms(3 * COUNT, seed, **strata)
    return [m for m in drawn if len(single(m)) > 1][:COUNT]


@pytest.mark.parametrize("m", some(with_one_freedom(63, **MILD)))
def test_elastic_joints(m):
    rng = np.random.default_rng(len(m.bodies))
    places = {j: sum(b.joint.nq for b in m.bodies[:j]) for j in single(m)[::2]}
    drawn = {j: (float(rng.uniform(5, 60)), float(rng.normal()), 0.2) for j in places}
    springs = tuple(JointSpring(j, *values) for j, values in drawn.items())

    def force(q, v):
        out = np.zeros(m.nv)
        for j, (k, rest, c) in drawn.items():
            at = m.velocity_index[j]
            out[at] = -k * (q[places[j]] - rest) - c * v[at]
        return out

    sprung = replace(m, elastic=springs, checked=False)
    own = [(s.joint, s.stiffness, s.rest, s.damping) for s in sprung.elastic]
    assert own == [(j, *drawn[j]) for j in drawn]
    tree_against_scipy(sprung, force)


@pytest.mark.parametrize("m", some(with_one_freedom(64, **MILD)))
def test_prescribed_joints(m):
    def path(t):
        s = t / 0.4
        height = 10 * s**3 - 15 * s**4 + 6 * s**5
        speed, bend = 30 * s**2 - 60 * s**3 + 30 * s**4, 60 * s - 180 * s**2 + 120 * s**3
        return (0.2 + 0.3 * height, 0.3 * speed / 0.4), 0.3 * bend / 0.16

    names = {m.joint_names[[b.joint.nv > 0 for b in m.bodies[:j]].count(True)]: j
             for j in single(m)[: 1 + len(m.bodies) // 4]}  # fmt: skip
    tree_against_scipy(m, given={name: (j, path) for name, j in names.items()})


# -- loops -------------------------------------------------------------------------------------


def random_loops():
    """Return twenty loops, planar and spatial, with slides, cut at different joints."""
    active = {4: (0,), 5: (0, 1), 6: (0, 1, 2)}
    made = [loops.planar(4 + k % 3, k, active=active[4 + k % 3]) for k in range(6)]
    made += [loops.planar(5, 20 + k, active=(0, 4), cut=1 + k) for k in range(3)]
    made += [loops.slider_crank(k) for k in range(4)]
    made += [loops.spatial(7, k) for k in range(3)]
    made += [loops.concurrent(4, k) for k in range(2)]
    made += [loops.parallelogram(1), loops.bricard(2)]
    assert len(made) == COUNT
    return made


@pytest.mark.parametrize("closed", some(random_loops()))
def test_loops(closed):
    m, n = closed.m, closed.m.nv
    motors = [m.joint_names.index(name) for name in m.active]
    tau = np.zeros(n)
    tau[motors] = np.linspace(1.0, -0.5, len(motors))
    t = np.linspace(0, 0.15, 4)

    def rate(t, x):
        return np.concatenate([x[n:], loops.Maximal(m, x[:n], x[n:]).accelerations(tau)])

    r = da.simulate(m, closed.q, None, tau[motors], t=t, **TIGHT)
    assert np.abs(r.q[0] - closed.q).max() < 1e-9
    found = by_scipy(rate, np.concatenate([r.q[0], np.zeros(n)]), t)
    close(np.concatenate([r.q, r.qd], axis=1), found)
    assert r.residual.max() < 1e-12


def driven_loops():
    """Return loops with a joint that follows a signal, the motor or another one."""
    made = [(loops.planar(5, k, active=(0, 1)), f"j{k % 2}") for k in range(4)]
    made += [(loops.planar(4, 1), "j0"), (loops.slider_crank(2), "j0")]
    made += [(loops.spatial(8, k, active=(0, 1)), f"j{1 + k}") for k in range(2)]
    return made


@pytest.mark.parametrize("case", some(driven_loops(), 1))
def test_loops_with_prescribed_joints(case):
    (closed, name), t = case, np.linspace(0, 0.08, 3)
    m, n = closed.m, closed.m.nv
    j = m.joint_names.index(name)
    motors = [m.joint_names.index(x) for x in m.active]
    tau = np.zeros(n)
    tau[motors] = np.linspace(1.0, -0.5, len(motors))
    path = quintic(closed.q[[j]], closed.q[[j]] + 0.3, 0.3, qd0=[0.4])

    def rate(t, x):
        # the force of the joint for which its acceleration is that of the path
        at, one = loops.Maximal(m, x[:n], x[n:]), np.eye(n)[j]
        a0 = at.accelerations(tau)
        per = at.accelerations(tau + one) - a0
        wanted = float(path.qdd(t)[0])
        return np.concatenate([x[n:], a0 + per * (wanted - a0[j]) / per[j]])

    steps = {"method": "rk4", "step": 2e-4}
    runs = [
        da.simulate(m, closed.q, None, tau[motors], t=t, motion={name: path}, **TIGHT, **more)
        for more in ({}, steps)
    ]
    start = runs[0]
    assert start.qd[0, j] == pytest.approx(0.4)
    found = by_scipy(rate, np.concatenate([start.q[0], start.qd[0]]), t)
    for r in runs:
        close(np.concatenate([r.q, r.qd], axis=1), found)
        assert r.residual.max() < 1e-12
        assert np.abs(r.q[:, j] - path(t)[:, 0]).max() < 1e-12


# -- wheels and velocity constraints -----------------------------------------------------------


def part(name, parent, kind, axis, place=(0, 0, 0), mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0)):
    pose = np.eye(4)
    pose[:3, 3] = place
    joint = {"type": kind, "axis": list(axis), "name": name, "placement": pose.tolist()}
    return {"name": f"b_{name}", "parent": parent, "joint": joint, "mass": mass,
            "com": list(com), "inertia": np.diag(inertia).tolist()}  # fmt: skip


def machine(seed):
    """Return a random cart: trailers, a steered or a rolling wheel, an arm, a text constraint."""
    rng = np.random.default_rng([seed, 9])

    def heavy():
        return {"mass": rng.uniform(1, 4), "com": rng.uniform(-0.3, 0.3, 3),
                "inertia": rng.uniform(0.2, 0.5) + rng.uniform(0, 0.1, 3)}  # fmt: skip

    bodies = [part("x", -1, "prismatic", (1, 0, 0)), part("y", 0, "prismatic", (0, 1, 0)),
              part("th", 1, "revolute", (0, 0, 1), **heavy())]  # fmt: skip
    wheels, told, speeds, data = [], [], [], {}
    side = [0, 1, 0]
    if seed % 5 == 4:
        told = [{"name": "edge", "equation": "xd*sin(th) - yd*cos(th) = 0"}]
        speeds = ["x"]
    else:
        wheels = [{"name": "rear", "body": "b_th", "point": [0, 0, 0], "normal": side}]
        speeds = ["rear.v"]
    if seed % 2:
        front = [float(rng.uniform(0.8, 1.5)), 0, 0]
        wheels += [{"name": "front", "body": "b_th", "point": front, "normal": side,
                    "steer": "delta"}]  # fmt: skip
        data["prescribed"] = ["delta"]
    else:
        speeds += ["th"]
    if seed % 5 == 2:  # the rear wheel turns as it rolls
        bodies += [part("spin", 2, "revolute", (0, 1, 0), mass=0.5, inertia=(0.02, 0.03, 0.02))]
        wheels[0] |= {"radius": 0.3, "spin": "spin"}
    last = 2
    for k in range(seed % 3):
        hitch = (-rng.uniform(0.1, 0.8), rng.uniform(-0.1, 0.1), 0)
        bodies += [part(f"hitch{k}", last, "revolute", (0, 0, 1), hitch, **heavy())]
        last = len(bodies) - 1
        point = [-rng.uniform(0.7, 1.4), rng.uniform(-0.1, 0.1), 0]
        wheels += [{"name": f"axle{k}", "body": f"b_hitch{k}", "point": point, "normal": side}]
    for k in range(seed % 4 // 2 + 1):
        axis = rng.normal(size=3)
        bodies += [part(f"arm{k}", last, "revolute", axis / np.linalg.norm(axis),
                        rng.uniform(-0.3, 0.3, 3), **heavy())]  # fmt: skip
        last, speeds = len(bodies) - 1, [*speeds, f"arm{k}"]
    if seed % 3 == 1:
        data["elastic"] = [{"joint": "arm0", "stiffness": 30.0, "rest": 0.3, "damping": 0.4}]
        data["drives"] = [{"joint": "arm0", "Ia": 0.2, "viscous": 0.5}]
    data |= {"format": "dalembert/1", "name": f"cart{seed}", "bodies": bodies, "wheels": wheels,
             "velocity_constraints": told, "speeds": speeds}  # fmt: skip
    return da.load(json.loads(json.dumps(data, default=float)))


class Multipliers(Lagrange):
    """Lagrange's equations with constraint rows A q̇ = 0 of wheels and edges."""

    def rows(self, q, v, steer):
        """Return (A, Ȧ q̇) at a state; steer is the angle and its rate."""
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, q)
        pin.forwardKinematics(model, data, q, v, np.zeros_like(v))
        A, drift = [], []
        for wheel in self.m.wheels:
            j = wheel.body + 1
            J = pin.getJointJacobian(model, data, j, pin.ReferenceFrame.LOCAL)
            p = np.array([float(x) for x in wheel.point])
            point = J[:3] - loops.skew(p) @ J[3:]
            acceleration = data.a[j].linear + np.cross(data.a[j].angular, p)
            angle, turning = steer if wheel.steer else (0.0, 0.0)
            side = loops.about(np.array([0, 0, 1.0]), angle) @ [float(x) for x in wheel.normal]
            ahead = np.cross(side, [0, 0, 1.0])
            A.append(side @ point)
            drift.append(side @ acceleration - turning * ahead @ (point @ v))
            if wheel.radius is not None:
                row = ahead @ point
                row[self.m.joint_names.index(wheel.spin)] -= float(wheel.radius)
                A.append(row)
                drift.append(ahead @ acceleration + turning * side @ (point @ v))
        for _ in self.m.velocity_constraints:
            s, c = np.sin(q[2]), np.cos(q[2])
            row = np.zeros(len(v))
            row[:2] = s, -c
            A.append(row)
            drift.append((c * v[0] + s * v[1]) * v[2])
        return np.array(A), np.array(drift)

    def accelerations(self, q, v, tau, steer):
        A, drift = self.rows(q, v, steer)
        n, r = len(v), len(A)
        system = np.block([[self.mass(q), -A.T], [A, np.zeros((r, r))]])
        load = tau - self.bias(q, v)
        if self.m.elastic:  # the spring and the drive of the first joint of the arm
            k = self.m.joint_names.index("arm0")
            load[k] += -30.0 * (q[k] - 0.3) - 0.4 * v[k] - 0.5 * v[k]
        return np.linalg.solve(system, np.concatenate([load, -drift]))[:n]


@pytest.mark.parametrize("seed", some(range(COUNT), 5))
def test_wheels(seed):
    m = machine(seed)
    own, rng = Multipliers(m), np.random.default_rng(seed)
    q0 = rng.uniform(-0.5, 0.5, m.nq)
    tau = 0.5 * rng.normal(size=m.nv)
    t = np.linspace(0, 0.5, 6)
    steered = bool(m.prescribed)
    motion = {"delta": ([0.0, 2.0], [[0.1], [0.5]])} if steered else None
    force = np.concatenate([tau, np.zeros(len(m.wheels))])
    speeds = rng.normal(size=len(m.speeds))
    r = da.simulate(m, q0, speeds, force, t=t, motion=motion, **TIGHT | {"drives": "all"})

    def steer(t):
        return 0.1 + 0.2 * t, 0.2

    def rate(t, x):
        q, v = x[: m.nq], x[m.nq :]
        return np.concatenate([v, own.accelerations(q, v, tau, steer(t))])

    start = own.rows(q0, r.qd[0], steer(0.0))[0] @ r.qd[0]
    assert np.abs(start).max() < 1e-12
    found = by_scipy(rate, np.concatenate([q0, r.qd[0]]), t)
    close(np.concatenate([r.q, r.qd], axis=1), found)
