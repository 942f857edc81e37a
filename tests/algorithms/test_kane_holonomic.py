"""Holonomic constraints in Kane's method: equations f(q, t) = 0 and closed loops, on wheels too."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.loop_closure import closure_rates, loop_jacobian
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.errors import ComputationError, ModelError

R = da.robots


def body(name, parent, kind, axis, mass, com=(0, 0, 0), at=(0, 0, 0), yaw=0.01):
    joint = {"type": kind, "name": name, "axis": axis,
             "placement": {"translation": list(at), "rotation": []}}  # fmt: skip
    return {"name": f"b_{name}", "parent": parent, "joint": joint, "mass": mass, "com": list(com),
            "inertia": [0, 0, yaw if mass else 0]}  # fmt: skip


def crank(**more):
    """Return crank, rod and piston in one plane, the piston on a branch of its own."""
    bodies = [
        body("crank", -1, "revolute", [0, 0, 1], 2, (0.1, 0, 0)),
        body("rod", 0, "revolute", [0, 0, 1], 1, (0.3, 0, 0), (0.2, 0, 0)),
        body("piston", -1, "prismatic", [1, 0, 0], 3),
    ]
    return da.load({"format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies,
                    "speeds": ["crank"], **more})  # fmt: skip


def by_equations():
    told = [
        {"name": "along", "equation": "piston = 0.2*cos(crank) + 0.6*cos(crank + rod)"},
        {"name": "across", "equation": "0.2*sin(crank) + 0.6*sin(crank + rod) = 0"},
    ]
    return crank(velocity_constraints=told)


def by_loop():
    loop = {"body_i": "b_rod", "point_i": [0.6, 0, 0], "body_j": "b_piston",
            "point_j": [0, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
    return crank(loops=[loop], active=["crank"])


def closed_crank(angle):
    """Return the pose of the crank by its triangle."""
    second = -np.arcsin(0.2 * np.sin(angle) / 0.6)
    return np.array([angle, second - angle, 0.2 * np.cos(angle) + 0.6 * np.cos(second)])


@pytest.mark.parametrize("angle", [0.4, 2.0, -1.1])
def test_equations_and_loops_are_one_machine(angle):
    q, speed, tau = closed_crank(angle), [1.7], np.array([2.0, 0, -30.0])
    told, loop = by_equations(), by_loop()
    both = [da.kane_motion(m, q, speed, [], [], tau, []) for m in (told, loop)]
    for one, other in zip(*both, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)
    D = da.kane_D(told, q, [])
    np.testing.assert_allclose(D, da.kane_D(loop, q, []), rtol=1e-12)
    np.testing.assert_allclose(D, da.active_mass_matrix(loop, q), rtol=1e-11)


@pytest.mark.parametrize("name", ["fourbar", "fivebar"])
def test_loops_reduce_to_the_models_of_closed_mechanisms(name):
    m = getattr(R, name)()
    m = replace(m, speeds=m.active)
    q = da.assemble(m)
    n = len(m.active)
    speed, force = np.linspace(0.5, 0.9, n), np.linspace(1.0, -2.0, n)
    qd = da.active_map(m, q) @ speed
    tau = np.zeros(m.nv)
    tau[[m.joint_names.index(a) for a in m.active]] = force
    ref = da.forward_dynamics(m, q, qd, force)
    for method in ("kane", "multipliers"):
        found = da.kane_motion(m, q, speed, [], [], tau, [], method=method)
        np.testing.assert_allclose(found[0], qd, rtol=1e-10)
        np.testing.assert_allclose(found[1], ref, rtol=1e-9)
    C = da.kane_C(m, q, speed, [], [])
    h = 1e-6
    ahead, behind = (da.kane_D(m, da.assembly(m, q + s * h * qd), [], check=False) for s in (1, -1))
    Ddot = (ahead - behind) / (2 * h)
    assert abs(speed @ (Ddot - 2 * C) @ speed) < 1e-6 * np.abs(Ddot).max()


def gripper_on_wheels():
    """Return a unicycle that carries a four-bar linkage."""
    bodies = [
        body("x", -1, "prismatic", [1, 0, 0], 0),
        body("y", 0, "prismatic", [0, 1, 0], 0),
        body("th", 1, "revolute", [0, 0, 1], 12, (0.1, 0, 0), yaw=0.4),
        body("crank", 2, "revolute", [0, 0, 1], 1, (0.1, 0, 0), (0.3, 0.1, 0)),
        body("coupler", 3, "revolute", [0, 0, 1], 2, (0.2, 0.05, 0), (0.2, 0, 0)),
        body("rocker", 2, "revolute", [0, 0, 1], 1, (0.15, 0, 0), (0.7, 0.1, 0)),
    ]
    loop = {"body_i": "b_coupler", "point_i": [0.4, 0, 0], "body_j": "b_rocker",
            "point_j": [0.3, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
    wheels = [{"name": "axle", "body": "b_th", "point": [0, 0, 0], "normal": [0, 1, 0]}]
    return da.load({"format": "dalembert/1", "bodies": bodies, "loops": [loop], "wheels": wheels,
                    "active": ["crank"], "speeds": ["v", "th", "crank"]})  # fmt: skip


def unreduced(m, q, qd, tau):
    """Return q̈ and λ by multipliers, the rows of loops and wheels from their own functions."""
    b = m.bound()
    tree = replace(m, loops=(), wheels=(), active=(), speeds=(), checked=True)
    own = Constraints.of(replace(b, loops=(), checked=True)).rows(q, qd, {})
    J = np.array([[float(x) for x in r] for r in (*(r.H for r in own), *loop_jacobian(b, q))])
    second = [-float(np.dot([float(x) for x in r.Hd], qd)) for r in own]
    second += [-float(x) for x in closure_rates(b, q, qd)[1]]
    M, h = da.mass_matrix(tree, q), da.bias(tree, q, qd)
    K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    found = np.linalg.lstsq(K, np.r_[tau - h, second], rcond=None)[0]  # rows may repeat
    return found[: m.nv], J


def test_a_closed_loop_on_wheels_equals_multipliers():
    m = gripper_on_wheels()
    assert Constraints.of(m).names[0] == "axle"
    q = np.asarray(da.assemble(m))
    q[:3] = [0.4, -0.3, 0.8]
    speeds, tau = [0.7, -0.4, 1.3], np.array([0, 0, 0.5, 2.0, 0, 0])
    qd, qdd = da.kane_motion(m, q, speeds, [], [], tau, [0.0])
    ref, J = unreduced(m, q, qd, tau)
    np.testing.assert_allclose(J @ qd, 0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(qdd, ref, rtol=0, atol=1e-9 * np.abs(ref).max())
    other = da.kane_motion(m, q, speeds, [], [], tau, [0.0], method="multipliers")
    np.testing.assert_allclose(other[1], qdd, rtol=0, atol=1e-10 * np.abs(ref).max())


def test_coordinates_that_miss_a_constraint_of_position_are_refused():
    for m, name in ((by_equations(), "along"), (by_loop(), "loop 1")):
        with pytest.raises(ComputationError, match=f"'{name}.*does not hold"):
            da.alpha_dot(m, [0.3, 0.2, 0.1], [1.0], [], [], np.zeros(3), [])
        found = da.alpha_dot(m, [0.3, 0.2, 0.1], [1.0], [], [], np.zeros(3), [], check=False)
        assert np.isfinite(found).all()


def test_equations_are_simulated_like_loops():
    """The reduced crank beside the closed one, which has the whole tree as its state."""
    q0, times = closed_crank(0.4), np.linspace(0, 1.5, 7)
    told = da.simulate(by_equations(), q0, [3.0], t=times, rtol=1e-10)
    loop = by_loop()
    qd0 = da.active_map(loop, q0)[:, 0] * 3.0
    ref = da.simulate(loop, q0, qd0, t=times, rtol=1e-10)
    np.testing.assert_allclose(told.q, ref.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(told.energy, told.energy[0], rtol=1e-7)
    second = 0.2 * np.sin(told.q[:, 0]) + 0.6 * np.sin(told.q[:, 0] + told.q[:, 1])
    np.testing.assert_allclose(second, 0, rtol=0, atol=1e-13)  # brought back, not only near


def test_a_closed_loop_on_wheels_is_simulated():
    m = gripper_on_wheels()
    q0 = np.asarray(da.assemble(m))
    q0[3:] += 0.01  # near a closed pose is enough
    r = da.simulate(m, q0, [0.7, -0.4, 1.3], t=np.linspace(0, 1, 5), rtol=1e-10)
    assert r.residual.max() < 1e-12
    np.testing.assert_allclose(r.energy, r.energy[0], rtol=0, atol=1e-7)
    heading, (xd, yd) = r.q[:, 2], r.qd.T[:2]
    np.testing.assert_allclose(xd * np.sin(heading), yd * np.cos(heading), rtol=0, atol=1e-12)
    far = [{"name": "far", "equation": "0.2*sin(crank) + 0.6*sin(crank + rod) = 2"}]
    with pytest.raises(ComputationError, match=r"do not close.* in far"):
        da.simulate(crank(velocity_constraints=far, speeds=["crank", "piston"]), t=0.1)


def test_equations_of_position_may_hold_time():
    """A piston that is moved by an equation, or by its motion."""
    from dalembert.trajectory import spline

    times = np.linspace(0, 1, 5)
    loop = by_loop()
    driven = {"name": "driven", "equation": "piston = 0.7 + 0.05*sin(3*t)"}
    m = da.load({**_native(loop), "velocity_constraints": [driven], "speeds": []})
    assert da.kane_speeds(m) == ()
    q0 = closed_crank(0.9)
    r = da.simulate(m, q0, [], t=times, rtol=1e-10)
    np.testing.assert_allclose(r.q[:, 2], 0.7 + 0.05 * np.sin(3 * times), rtol=0, atol=1e-12)
    knots = np.linspace(0, 1, 400)
    path = spline(knots, 0.7 + 0.05 * np.sin(3 * knots), "natural")
    ref = da.simulate(replace(loop, speeds=()), r.q[0], t=times, motion={"piston": path})
    np.testing.assert_allclose(r.q, ref.q, rtol=0, atol=1e-6)


def test_an_equation_that_repeats_a_loop_is_named():
    told = [{"name": "again", "equation": "0.2*sin(crank) + 0.6*sin(crank + rod) = 0"}]
    loop = by_loop()
    again = da.load({**_native(loop), "velocity_constraints": told})
    with pytest.raises(ModelError, match="follows from"):
        da.kane_speeds(again)


def _native(m):
    import json
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        m.save(Path(folder) / "m.json")
        return json.loads((Path(folder) / "m.json").read_text())


def test_closed_loops_are_evaluated_at_a_closed_pose(capsys):
    from dalembert.cli import main
    from dalembert.reference import in_floats

    assert main(["eval", "robot:fourbar", "alpha_dot", "--input", "alpha=1", "--json"]) == 0
    import json

    shown = json.loads(capsys.readouterr().out)
    m = R.fourbar()
    q = np.array([shown["inputs"]["q"]])
    given = [q, np.ones((1, 1)), *(np.zeros((1, n)) for n in (0, 0, 3, 0))]
    np.testing.assert_allclose(shown["value"], in_floats(m, "alpha_dot", "kane", given)[0][0])
