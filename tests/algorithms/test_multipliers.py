"""Multipliers beside Kane's reduction, and the power of what acts."""

import numpy as np
import pytest

import dalembert as da
from dalembert.agree import agree
from dalembert.algorithms.velocity_constraints import Constraints
from slow_cases import with_slow

R = da.robots
MACHINES = {
    "truck": R.truck(2),
    "manipulator": R.mobile_manipulator(),
    "disc": R.rolling_disc(),
    "arm without constraints": R.planar2r().with_values(l1=1, l2=0.7, m1=2, m2=1, j1=0.1, j2=0.2),
}


def state(m, seed, count=4):
    rng = np.random.default_rng(seed)
    steered = len(m.prescribed)
    sizes = (m.nq, len(da.kane_speeds(m)), steered, steered, m.nv, len(m.wheels))
    return [rng.uniform(-0.6, 0.6, (count, n)) for n in sizes]


@pytest.mark.parametrize("name", with_slow(MACHINES, fast=2))
def test_both_methods_give_one_motion(name):
    m, s = MACHINES[name], state(MACHINES[name], 1)
    for quantity in ("alpha_dot", "kane_motion", "constraint_forces"):
        both = [getattr(da, quantity)(m, *s, method=x) for x in ("kane", "multipliers")]
        a, b = (x if isinstance(x, tuple) else (x,) for x in both)
        for one, other in zip(a, b, strict=True):
            limit = 1e-11 * (np.abs(one).max(initial=0) + 1)
            np.testing.assert_allclose(one, other, rtol=0, atol=limit)


@pytest.mark.parametrize("name", ["truck", "disc"])
def test_power_of_the_active_forces_is_the_rate_of_energy(name):
    """d(T + V)/dt = τ·q̇: forces of the constraints do no work."""
    m = MACHINES[name]
    q, alpha, steer, _, tau, _ = state(m, 2, 1)
    q, alpha, steer, tau = q[0], alpha[0], steer[0], tau[0]
    zero = np.zeros(len(m.wheels))
    qd, qdd = da.kane_motion(m, q, alpha, steer, 0 * steer, tau, zero)

    def energy(h):
        """Return the energy a moment h later, to second order in h."""
        there, rates = q + h * qd + h * h / 2 * qdd, qd + h * qdd
        return da.kinetic_energy(m.tree, there, rates) + da.potential_energy(m, there)

    h = 1e-5
    rate = (energy(h) - energy(-h)) / (2 * h)
    assert abs(rate - tau @ qd) < 1e-5 * (abs(energy(0)) + 1)


@pytest.mark.slow
def test_agreement_of_a_machine_on_wheels_holds_both():
    found = {one.quantity: one for one in agree(R.truck(1), 20)}
    assert found["alpha_dot"].ok and "multipliers" in found["alpha_dot"].formalisms
    assert "alpha_dot" not in {one.quantity for one in agree(R.crane(), 5)}


def test_results_bear_the_names_of_constraints_and_speeds(capsys):
    from dalembert.cli import main

    assert Constraints.of(R.truck(1)).names == ("rear", "front", "axle1")
    assert main(["eval", "robot:truck", "constraint_forces", "--input", "alpha=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["rear", "front", "axle1"]
    assert main(["eval", "robot:unicycle", "kane_D"]) == 0
    assert capsys.readouterr().out.splitlines()[-3].split() == ["v", "th"]
    assert main(["eval", "robot:truck", "alpha_dot", "--input", "traction=1"]) == 2
    assert "they mean rear, front, axle1" in capsys.readouterr().err


def test_check_shows_constraints_and_what_is_wrong_with_them(capsys, tmp_path):
    from dalembert.cli import main

    assert main(["check", "robot:truck"]) == 0
    out = capsys.readouterr().out
    assert "wheel front: on chassis at l1 0 0, no slip along 0 1 0, steered by delta" in out
    assert "speeds: v" in out
    file = tmp_path / "cart.json"
    m = R.unicycle()
    m.save(file)
    import json

    data = json.loads(file.read_text())
    data["velocity_constraints"] = [{"name": "twice", "equation": "xd*sin(th) - yd*cos(th) = 0"}]
    file.write_text(json.dumps(data))
    assert main(["check", str(file)]) == 0
    out = capsys.readouterr().out
    assert "redundant equations: 1 of 2: twice" in out
    assert "which share their forces: twice follows from axle" in out


def test_what_takes_no_steering_is_exported_and_checked(capsys, tmp_path):
    from dalembert.cli import main

    asked = ["alpha_dot", "constraint_forces"]
    export = ["export", "robot:rolling_disc", *asked, "--to", "python", "--out", str(tmp_path)]
    assert main([*export, "--check"]) == 0
    assert "kernel alpha_dot.alpha_dot" in capsys.readouterr().out
