"""Random machines of every joint kind and rolling primitive against maximal coordinates."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import models
import referee
from agreement import floats
from dalembert.algorithms import kane
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.plan.kane import with_speeds
from models import multipliers

JOINTS = ("revolute", "prismatic", "screw", "spherical", "planar")
KINDS = ("disc", "wheel", "sphere", "plate", "knife_edge", "gear", "rack", "holonomic wheels")


class Draw:
    """A machine being drawn: bodies, rolling records, wheels."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.bodies, self.rolling, self.wheels = [], [], []

    def numbers(self, n=3, size=0.4):
        return [round(float(x), 3) for x in self.rng.uniform(-size, size, n)]

    def axis(self):
        a = self.rng.normal(size=3)
        return [float(x) for x in a / np.linalg.norm(a)]

    def body(self, parent, joint, massive=True):
        name = f"b{len(self.bodies)}"
        row = {"name": name, "parent": parent, "joint": {"name": f"j{len(self.bodies)}", **joint}}
        if massive:
            a, b, c = self.rng.uniform(0.02, 0.1, 3)
            row |= {"mass": float(self.rng.uniform(0.5, 3)), "com": self.numbers(3, 0.1),
                    "inertia": [float(a + b), float(b + c), float(c + a)]}  # fmt: skip
        self.bodies.append(row)
        return name

    def link(self, parent):
        kind = str(self.rng.choice(JOINTS))
        place = {
            "translation": self.numbers(),
            "rotation": [["x", round(self.rng.uniform(-1, 1), 3)]],
        }
        joint = {"type": kind, "placement": place}
        if kind in ("revolute", "prismatic", "screw"):
            joint["axis"] = self.axis()
        if kind == "screw":
            joint["pitch"] = 0.07
        return self.body(parent, joint)

    def universal(self, parent):
        """Two hinges that cross, the first of a body without mass."""
        place = {"translation": self.numbers()}
        cross = self.body(
            parent, {"type": "revolute", "axis": [1, 0, 0], "placement": place}, False
        )
        return self.body(cross, {"type": "revolute", "axis": [0, 1, 0]})

    def base(self):
        kind = str(self.rng.choice(["free", "planar", "slides"]))
        if kind != "slides":
            return kind, self.body(-1, {"type": kind})
        x = self.body(-1, {"type": "prismatic", "axis": [1, 0, 0]}, False)
        y = self.body(x, {"type": "prismatic", "axis": [0, 1, 0]}, False)
        return "planar", self.body(y, {"type": "revolute", "axis": [0, 0, 1]})

    def roll(self, kind, body, **more):
        self.rolling.append({"name": f"r{len(self.rolling)}", "kind": kind, "body": body, **more})


def drawn(kind, seed):
    """Return the description of a random machine with one primitive at least."""
    d = Draw(seed)
    space, base = d.base()
    if kind in ("disc", "wheel"):
        base = base if space == "free" else d.body(-1, {"type": "free"})
        hub = {"type": "revolute", "axis": [0, 1, 0], "placement": {"translation": d.numbers()}}
        for _ in range(int(d.rng.integers(1, 3))):
            wheel = d.body(base, hub | {"placement": {"translation": d.numbers()}})
            crown = {"crown": 0.05} if kind == "wheel" else {}
            d.roll(kind, wheel, axis=[0, 1, 0], radius=0.3, **crown)
    elif kind == "sphere":
        ball = d.body(-1, {"type": "free"})
        d.roll("sphere", ball, radius=0.2, normal=d.axis(), at=d.numbers())
    elif kind == "plate":
        turn = {"type": "revolute", "axis": d.axis(), "placement": {"translation": d.numbers()}}
        plate = d.body(base, turn)
        d.roll("sphere", d.body(-1, {"type": "free"}), radius=0.2, on=plate, normal=d.axis())
    elif kind == "knife_edge":
        d.roll("knife_edge", base, point=[0.3, 0.1, 0], axis=[0, 1, 0])
    elif kind == "gear":
        one = d.body(base, {"type": "revolute", "axis": [0, 0, 1]})
        at = {"translation": [0.3, 0, 0]}
        two = d.body(base, {"type": "revolute", "axis": [0, 0, 1], "placement": at})
        d.roll("gear", one, axis=[0, 0, 1], radius=0.1, on=two, on_radius=0.2)
    elif kind == "rack":
        at = {"translation": [0, 0.1, 0]}
        pinion = d.body(base, {"type": "revolute", "axis": [0, 0, 1], "placement": at})
        rack = d.body(base, {"type": "prismatic", "axis": [1, 0, 0]})
        d.roll("rack", pinion, axis=[0, 0, 1], radius=0.1, on=rack, normal=[0, 1, 0])
    else:
        for k in range(2):
            d.wheels.append({"name": f"w{k}", "body": base, "point": [0.4 * k, 0, 0],
                             "normal": [0, 1, 0]})  # fmt: skip
    end = d.universal(base) if d.rng.random() < 0.3 else d.link(base)
    for _ in range(int(d.rng.integers(0, 2))):
        end = d.link(end)
    return {"format": "dalembert/1", "bodies": d.bodies, "rolling": d.rolling, "wheels": d.wheels}


def placed(kind, seed):
    """Return (data, machine, q, qd, qdd, tau), the accelerations being those of the referee."""
    data = drawn(kind, seed)
    m, rng = da.load(data), np.random.default_rng(seed + 1)
    q = np.array(da.integrate(m.tree, da.neutral(m.tree), rng.uniform(-0.5, 0.5, m.nv)))
    for k, (name, *_) in enumerate(zip(m.coordinate_names, strict=True)):
        if name.endswith(".pz"):
            q[k] += 0.4
    q = referee.close(data, q)
    if q is None or referee.is_singular(data, q):
        return None
    qd, _ = referee.feasible(data, q, rng)
    tau = rng.uniform(-1, 1, m.nv)
    return data, m, q, qd, referee.forward(data, q, qd, tau), tau


def compared(kind, seed, compiled=False):
    """Return whether a machine was compared: Kane's method and multipliers, or the kernel."""
    found = placed(kind, seed)
    if found is None:
        return False
    _, m, q, qd, wanted, tau = found
    scale = np.abs(wanted).max() + 1
    if compiled:
        given = da.forward_dynamics(m, q, qd, tau)
        np.testing.assert_allclose(given, wanted, rtol=0, atol=1e-8 * scale)
        return True
    m = with_speeds(m)
    b = m.bound()
    state = q.tolist(), qd.tolist()
    S = np.array([floats(r.H) for r in kane.speed_rows(b, *state, {})])
    held = np.array([floats(r.H) for r in Constraints.of(b).rows(*state, {})])
    if np.linalg.cond(np.vstack([S, held])) > 1e5:
        return False  # the speeds chosen are poor here: they are chosen anew in motions
    alpha = (S @ qd).tolist()
    given = (b, state[0], alpha, [], [], tau.tolist(), [0.0] * len(m.wheels))
    for model in (models.state_model, multipliers):
        _, rates, qdd, *_ = model(*given)
        np.testing.assert_allclose(floats(rates), qd, rtol=0, atol=1e-9 * (1 + np.abs(qd).max()))
        np.testing.assert_allclose(floats(qdd), wanted, rtol=0, atol=1e-7 * scale)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_random_rolling_machines_move_as_the_referee_says(kind):
    assert sum(compared(kind, seed) for seed in range(3)) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_random_machines(kind):
    """25 of each of eight kinds; some poses are singular or their speeds poor."""
    assert sum(compared(kind, 100 + seed) for seed in range(25)) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_of_random_machines(kind):
    assert any(compared(kind, seed, compiled=True) for seed in range(3))


# -- momenta and energy ----------------------------------------------------------------------------


def snakeboard():
    """Return a board with a rotor and two steered pairs of wheels, in the plane."""
    spin = {"type": "revolute", "axis": [0, 0, 1]}

    def part(name, parent, mass, yaw, x=0):
        joint = {**spin, "name": name, "placement": {"translation": [x, 0, 0]}}
        return {
            "name": name,
            "parent": parent,
            "joint": joint,
            "mass": mass,
            "inertia": [0, 0, yaw],
        }

    board = {"name": "board", "parent": -1, "joint": {"type": "planar", "name": "base"}, "mass": 4,
             "inertia": [0, 0, 0.2]}  # fmt: skip
    wheels = [{"name": n, "body": n, "point": [0, 0, 0], "normal": [0, 1, 0]}
              for n in ("front", "back")]  # fmt: skip
    return da.load({"format": "dalembert/1", "wheels": wheels, "bodies": [
        board, part("rotor", "board", 1, 0.15), part("front", "board", 0.5, 0.01, 0.3),
        part("back", "board", 0.5, 0.01, -0.3)]})  # fmt: skip


def noether(m, direction, q, qd, qdd, h=1e-6):
    """Return both sides of d/dt (p · ξ) = p · (dξ/dt of the plane's motions), p = ∂T/∂q̇.

    ξ is a motion of the plane that the wheels allow; seen from the origin it is that of its group.
    """

    def momentum(s):
        x = q + s * qd + s * s / 2 * qdd
        return da.mass_matrix(m.tree, x) @ (qd + s * qdd), direction(x)

    (p0, x0), (p1, x1), (p2, x2) = momentum(0.0), momentum(h), momentum(-h)
    carried = x0[2] * (p0[0] * qd[1] - p0[1] * qd[0])
    return (p1 @ x1 - p2 @ x2) / (2 * h), p0 @ (x1 - x2) / (2 * h) + carried


def test_the_momentum_of_a_snakeboard():
    """Bloch, Krishnaprasad, Marsden and Murray (1996), section 8.4: ξ = (a, b, c)."""
    m, l = with_speeds(snakeboard()), 0.3

    def direction(q):
        th, f, b = q[2], q[4], q[5]
        along = [-l * (np.cos(b) * g(f + th) + np.cos(f) * g(b + th)) for g in (np.cos, np.sin)]
        return np.array([*along, np.sin(b - f), 0, 0, 0])

    q = np.array([0.3, -0.2, 0.4, 0.9, 0.35, -0.25])
    J = da.kane_J_nh(m, q, [])
    # the symmetry keeps the wheels rolling
    xi = direction(q)
    assert np.abs(J @ np.linalg.lstsq(J, xi, rcond=None)[0] - xi).max() < 1e-12
    alpha = np.linspace(0.5, 1.5, J.shape[1])
    qd, qdd = da.kane_motion(m, q, alpha, [], [], [0, 0, 0, 0.3, -0.1, 0.2], [0, 0])
    left, right = noether(m, direction, q, qd, qdd)
    assert left == pytest.approx(right, rel=1e-6) and abs(right) > 1e-3


def test_the_momentum_of_a_roller_racer():
    """Krishnaprasad and Tsakiris (1995): two axles on a hinge; with the hinge still it coasts."""
    spin = {"type": "revolute", "axis": [0, 0, 1], "name": "hinge"}
    bodies = [
        {"name": "seat", "parent": -1, "joint": {"type": "planar", "name": "base"}, "mass": 5,
         "inertia": [0, 0, 0.3]},
        {"name": "handle", "parent": "seat", "joint": spin | {
            "placement": {"translation": [0.4, 0, 0]}}, "mass": 1, "inertia": [0, 0, 0.05]},
    ]  # fmt: skip
    wheels = [
        {"name": "rear", "body": "seat", "point": [0, 0, 0], "normal": [0, 1, 0]},
        {"name": "front", "body": "handle", "point": [0.2, 0, 0], "normal": [0, 1, 0]},
    ]
    m = da.load({"format": "dalembert/1", "bodies": bodies, "wheels": wheels,
                 "speeds": ["rear.v", "hinge"]})  # fmt: skip

    def direction(q):
        th, f = q[2], q[3]
        ahead = 0.2 + 0.4 * np.cos(f)  # seat turns by sin(f) for each `ahead` metres
        return np.array([ahead * np.cos(th), ahead * np.sin(th), np.sin(f), 0])

    q = np.array([0.1, 0.2, 0.7, 0.4])
    qd, qdd = da.kane_motion(m, q, [1.2, 0.8], [], [], [0, 0, 0, 0.5], [0, 0])
    left, right = noether(m, direction, q, qd, qdd)
    assert left == pytest.approx(right, rel=1e-6) and abs(right) > 1e-3
    # hinge held: the speed of the seat does not change
    still = replace(m, prescribed=("hinge",), speeds=("rear.v",))
    assert da.alpha_dot(still, q, [1.2], [0.0], [0.0], np.zeros(4), [0, 0]) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["disc", "sphere", "knife_edge", "gear"])
def test_energy_without_forces_is_kept_over_twenty_seconds(kind):
    found = next(x for x in (placed(kind, seed) for seed in range(10)) if x is not None)
    m = replace(found[1], gravity=found[1].gravity * 0, speeds=())
    r = da.simulate(m, found[2], 0.3 * found[3], t=[0, 10, 20], rtol=1e-12, atol=1e-13)
    assert np.abs(r.energy / r.energy[0] - 1).max() < 1e-9
