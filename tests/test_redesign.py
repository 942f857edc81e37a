"""What would make a task fit: each change that is told is checked by doing it."""

import re

import numpy as np
import pytest

import dalembert as da

ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.6, "M3": 4.0},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), TXK(L2); body 1: M = 5, D = (L1/2, 0, 0), "
    "I = (0, 0, 0.1); body 2: M = M3, D = (L2, 0, 0), I = (0, 0, 0.05);",
    "drives": [{"joint": "j2", "Ia": 1e-4, "gear": 80, "viscous": 1e-5}],
}  # fmt: skip


def arm(limit, **values):
    from dataclasses import replace

    m = da.load(ARM).with_values(**values) if values else da.load(ARM)
    bodies = list(m.bodies)
    bodies[0] = replace(bodies[0], effort_limit=200)
    bodies[1] = replace(bodies[1], effort_limit=limit)
    return replace(m, bodies=tuple(bodies))


MOVE = da.trajectory.quintic([0.0, 0.0], [1.0, 1.5], 0.7)


def peak(m):
    return float(da.torques_along(m, MOVE).peak[1])


def test_the_sentence_says_what_helps_and_it_does():
    limit = peak(arm(1e9)) / 1.31
    f = da.torques_along(arm(limit), MOVE)
    text = f.redesign
    assert text.startswith("this task needs joint 2 at 131 % of its limit: ")
    assert text in f.summary()
    found = {c.name: c for c in __import__("dalembert.trajectory.redesign", fromlist=["x"]).changes(
        f, "j2")}  # fmt: skip
    assert {"L2", "M3", "gear"} <= set(found)
    assert re.search(r"L2 [\d.]+ % shorter", text) and "lighter" in found["M3"].text
    for name in ("L2", "M3"):
        c = found[name]
        assert peak(arm(limit, **{name: c.new})) <= limit * (1 + 1e-9)
        less = c.old + 0.97 * (c.new - c.old)
        assert peak(arm(limit, **{name: less})) > limit  # and no smaller change does
    gear = found["gear"].new
    assert f"gear {gear:g}" in text and gear == int(gear)
    wide = da.load({**ARM, "drives": [{**ARM["drives"][0], "gear": gear}]})
    assert peak(wide) <= limit * gear / 80


def test_a_gear_that_is_a_parameter_is_changed_as_a_gear():
    from dataclasses import replace

    from dalembert.trajectory.redesign import changes

    drives = [{**ARM["drives"][0], "gear": "N"}]
    m = da.load({**ARM, "parameters": {**ARM["parameters"], "N": 80}, "drives": drives})
    limit = peak(m) / 1.1
    bodies = (m.bodies[0], replace(m.bodies[1], effort_limit=limit))
    found = {c.name: c for c in changes(da.torques_along(replace(m, bodies=bodies), MOVE), "j2")}
    assert "N" not in found and found["gear"].old == 80  # the limit of force grows with it
    assert peak(m.with_values(N=found["gear"].new)) <= limit * found["gear"].new / 80


def test_the_slower_motion_of_the_sentence_keeps_the_limits():
    m = arm(peak(arm(1e9)) / 1.1)
    f = da.torques_along(m, MOVE)
    if np.isfinite(f.slower):
        slow = da.trajectory.quintic([0.0, 0.0], [1.0, 1.5], 0.7 * f.slower * (1 + 1e-9))
        assert f"{f.slower:.3g} times slower" in f.redesign
        assert da.torques_along(m, slow).peak[1] <= f.effort[1] * (1 + 1e-6)


def test_nothing_is_said_where_the_task_fits():
    f = da.torques_along(arm(1e9), MOVE)
    assert f.redesign == "" and "this task needs" not in f.summary()


def test_a_load_beyond_hope_is_said_so():
    f = da.torques_along(arm(0.01), MOVE)
    assert "no slower motion and no change of one number would do" in f.redesign


@pytest.mark.parametrize("name", ["L1", "L2"])
def test_parameters_of_many_poses_and_machines(name):
    m = da.load(ARM)
    x = np.linspace(0.4, 0.6, 5)
    q = da.inverse_kinematics(m, [0.5, 0.4, 0.0], [0.3, 0.8], frame="tip", parameters={name: x})
    assert q.shape == (5, 2)
    for k, v in enumerate(x):
        p = da.pose(m.with_values(**{name: v}), q[k], frame="tip")[:3, 3]
        assert np.abs(p - [0.5, 0.4, 0.0]).max() < 1e-7
    far = da.inverse_kinematics(m, [[0.5, 0.4, 0.0], [5.0, 0, 0]], [0.3, 0.8], frame="tip")
    assert np.isfinite(far[0]).all() and np.isnan(far[1]).all()


def test_small_motions_and_assemblies_of_many_machines():
    m = da.load("RX(), TZK(L); body 1: M = 1, D = (0, 0, L);").with_values(L=-1.0)
    r = da.linearize(m, [0.0], parameters={"L": [-1.0, -4.0]})
    assert r.A.shape == (2, 2, 2)
    assert r[0].frequencies[0] == pytest.approx(2 * r[1].frequencies[0])
    with pytest.raises(da.UsageError, match="many machines"):
        _ = r.modes
    four = da.load({
        "format": "dalembert/1", "parameters": {"A": 0.2, "B": 0.5}, "active": ["crank"],
        "phrase": "[crank: RZ(), TXK(A), rod: RZ(), TXK(B)] [rocker: RZ(), TXK(0.4)]; "
        "body 1: M = 1; body 2: M = 1; body 3: M = 1;",
        "loops": [{"body_i": "rod", "point_i": ["B", 0, 0], "body_j": "rocker",
                   "point_j": [0.4, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}],
    })  # fmt: skip
    B = np.array([0.5, 0.52, 0.54])
    q = da.assemble(four, [1.0, -0.5, 1.5], hold=["crank"], parameters={"B": B})
    for k in range(3):
        gap = da.closure(four.with_values(B=B[k]), q[k])
        assert np.abs(gap).max() < 1e-10 and q[k, 0] == pytest.approx(1.0)


def test_forces_of_many_machines_along_one_motion():
    m = arm(40.0)
    x = np.array([[0.3, 0.4], [0.5, 0.6]])
    f = da.torques_along(m, MOVE, parameters={"L2": x})
    assert f.tau.shape == (2, 2, len(f.t), 2) and f.peak.shape == f.rms.shape == (2, 2, 2)
    one = da.torques_along(arm(40.0, L2=0.4), MOVE)
    assert np.abs(f.tau[0, 1] - one.tau).max() < 1e-10
    assert f.executable[0, 1] == one.executable and not f.executable.all()
    assert f[0][1].summary().startswith("joint") and np.allclose(f.energy[0, 1], one.energy)
    with pytest.raises(da.UsageError, match="that of one machine"):
        f.summary()
    with pytest.raises(da.ParameterError, match="no parameter 'L7'"):
        da.torques_along(m, MOVE, parameters={"L7": 1.0})
    plain = da.torques_along(m, MOVE, parameters={"L2": 0.4})
    assert np.abs(plain.tau - one.tau).max() < 1e-12
