"""Nonholonomic machines whose motion books give in closed form."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da

R = da.robots


def sleigh(arm=0.0, mass=2.0, turning=0.3, slope=0.0):
    """Return a knife edge at the contact point, its mass centre ahead by `arm`, on a slope."""
    empty = {"mass": 0, "com": [0, 0, 0], "inertia": [0, 0, 0]}
    kinds = (("x", "prismatic", [1, 0, 0]), ("y", "prismatic", [0, 1, 0]),
             ("th", "revolute", [0, 0, 1]))  # fmt: skip
    bodies = [
        {
            "name": f"b{n}",
            "parent": k - 1,
            "joint": {"type": kind, "name": n, "axis": axis},
            **empty,
        }
        for k, (n, kind, axis) in enumerate(kinds)
    ]
    bodies[2] |= {"mass": mass, "com": [arm, 0, 0], "inertia": [0, 0, turning]}
    blade = [{"name": "blade", "body": "bth", "point": [0, 0, 0], "normal": [0, 1, 0]}]
    down = 9.81 * np.sin(slope)
    return da.load({"format": "dalembert/1", "bodies": bodies, "wheels": blade,
                    "speeds": ["v", "th"], "gravity": [float(down), 0, -9.81]})  # fmt: skip


def test_a_knife_edge_on_a_slope_drifts_across_it():
    """x = g sin(a) sin²(wt) / 2w², y = g sin(a) (wt - sin(2wt)/2) / 2w²: Neimark and Fufaev."""
    w, slope, t = 1.3, 0.4, np.linspace(0, 6, 25)
    r = da.simulate(sleigh(slope=slope), [0, 0, 0], [0, w], t=t, rtol=1e-11)
    reach = 9.81 * np.sin(slope) / (2 * w * w)
    np.testing.assert_allclose(r.q[:, 0], reach * np.sin(w * t) ** 2, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        r.q[:, 1], reach * (w * t - np.sin(2 * w * t) / 2), rtol=0, atol=1e-8
    )
    np.testing.assert_allclose(r.q[:, 2], w * t, rtol=0, atol=1e-9)


def test_the_sleigh_of_chaplygin():
    """v' = a w², w' = -m a v w / (J + m a²): it ends running straight, all energy in v."""
    a, m, J = 0.4, 2.0, 0.3
    sled = sleigh(a, m, J)
    v, w = 0.7, 1.9
    found = da.alpha_dot(sled, [0.3, 0.2, 0.9], [v, w], [], [], np.zeros(3), [0.0])
    np.testing.assert_allclose(found, [a * w * w, -m * a * v * w / (J + m * a * a)], rtol=1e-12)
    r = da.simulate(sled, [0, 0, 0], [v, w], t=[0.0, 30.0], rtol=1e-11)
    last = np.sqrt(v * v + (J / m + a * a) * w * w)
    np.testing.assert_allclose(r.speeds[-1], [last, 0], rtol=0, atol=1e-6)


def test_a_disc_rolls_upright_if_it_is_fast_enough():
    """Small leaning of a thin disc grows below spin² = g/3r and swings above it (Routh)."""
    m, radius = R.rolling_disc(), 0.3
    critical = np.sqrt(9.81 / (3 * radius))

    def slopes(spin):
        """Return d(lean', lean'', yaw'')/d(lean, lean', yaw') about upright rolling."""

        def rate(x):
            lean, leaning, yawing = x
            out = da.alpha_dot(
                m, [0, 0, 0, lean, 0], [yawing, leaning, spin], [], [], np.zeros(5), []
            )
            return np.array([leaning, out[1], out[0]])

        h = 1e-6
        return np.stack([(rate(h * e) - rate(-h * e)) / (2 * h) for e in np.eye(3)], axis=1)

    for spin, stable in ((0.9 * critical, False), (1.1 * critical, True)):
        growth = np.linalg.eigvals(slopes(spin)).real.max()
        assert (growth < 1e-4) == stable
    fast = np.abs(np.linalg.eigvals(slopes(2 * critical)).imag).max()
    # w² = (12/5) spin² - (4/5) g/r
    assert abs(fast**2 - (2.4 * 4 * critical**2 - 0.8 * 9.81 / radius)) < 1e-3 * fast**2


@pytest.mark.parametrize("steer", [0.0, 0.3])
def test_a_driven_wheel_moves_what_it_carries(steer):
    """Torque T on a rolling wheel: (m + Jw/r²) of the whole, on a circle with yaw inertia."""
    base = sleigh(0.0, 20.0, 1.5)
    spin = {"name": "wheel", "parent": 2, "joint": {"type": "revolute", "name": "spin",
            "axis": [0, 1, 0]}, "mass": 0, "com": [0, 0, 0], "inertia": [0, 0.2, 0]}  # fmt: skip
    bodies = [
        {"name": b.name, "parent": b.parent,
         "joint": {"type": b.joint.kind, "name": b.joint_name, "axis": list(b.joint.axis)},
         "mass": b.m, "com": [0, 0, 0], "inertia": [0, 0, 1.5 if b.name == "bth" else 0]}
        for b in base.bodies
    ]  # fmt: skip
    wheels = [
        {"name": "rear", "body": "bth", "point": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.25,
         "spin": "spin"},
        {"name": "front", "body": "bth", "point": [1.2, 0, 0], "normal": [0, 1, 0],
         "steer": "delta"},
    ]  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": [*bodies, spin], "wheels": wheels,
                 "prescribed": ["delta"], "speeds": ["spin"]})  # fmt: skip
    torque, curve = 3.0, np.tan(steer) / 1.2
    found = da.alpha_dot(m, np.zeros(4), [0.0], [steer], [0.0], [0, 0, 0, torque], [0, 0])
    inertia = 20.0 * 0.25**2 + 0.2 + 1.5 * (curve * 0.25) ** 2
    np.testing.assert_allclose(found, [torque / inertia], rtol=1e-12)


def test_a_crane_whose_trolley_is_moved_swings_like_a_pendulum_on_a_cart():
    """θ'' = -(g sin θ + a cos θ)/l with a the acceleration of the trolley; signs of our axes."""
    m = replace(R.crane(), prescribed=("trolley",), speeds=("swing",))
    theta, a = 0.4, 1.7
    found = da.alpha_dot(m, [0, theta], [0.3], [0.5], [a], [0, 0], [])[0]
    want = {s: (-9.81 * np.sin(theta) + s * a * np.cos(theta)) / 6 for s in (1, -1)}
    assert min(abs(found - x) for x in want.values()) < 1e-12
    force = da.constraint_forces(m, [0, theta], [0.3], [0.5], [a], [0, 0], [])[0]
    # the trolley's motor moves both masses and takes the swing of the load
    x = da.inverse_dynamics(replace(m, prescribed=()), [0, theta], [0.5, 0.3], [a, found])
    np.testing.assert_allclose([force, 0], x, rtol=0, atol=1e-9)
