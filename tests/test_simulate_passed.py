"""A driven motion says which limits of force and speed it passed."""

import pickle
from dataclasses import replace

import dalembert as da
from dalembert.control import ComputedTorque
from dalembert.simulate import Simulation
from machines.linkages import PLANAR

ARM = da.load({
    "bodies": [{
        "name": "arm", "parent": -1, "mass": 2, "com": [0, 0, -1],
        "joint": {"type": "revolute", "name": "elbow", "axis": [1, 0, 0],
                  "velocity_limit": 2, "effort_limit": 15},
    }],
})  # fmt: skip
MOVE = da.trajectory.quintic([0.0], [1.0], 0.5)


def test_notes_name_the_force_and_the_speed_beyond_their_limits():
    r = da.simulate(ARM, torque=ComputedTorque(MOVE, 100, 20), t=0.5)
    force, speed = r.notes
    # the quintic's largest speed is 15/8 of the mean
    assert speed.startswith("elbow: speed 3.75 rad/s at t = 0.25 s is beyond its limit of 2 rad/s")
    assert force.startswith(f"elbow: torque {abs(r.tau).max():.4g} N m")
    assert "limit of 15 N m" in force and "limit=" in force
    assert r.state().notes == r.notes


def test_a_law_with_a_limit_keeps_it():
    r = da.simulate(ARM, torque=ComputedTorque(MOVE, 100, 20, limit=15), t=0.5)
    assert not any("torque" in note for note in r.notes)


def test_nothing_is_said_where_nothing_pushes_or_all_is_well():
    assert da.simulate(ARM, [1.5], t=1.0).notes == ()
    slow = da.trajectory.quintic([0.0], [0.3], 3.0)
    assert da.simulate(ARM, torque=ComputedTorque(slow, 100, 20), t=3.0).notes == ()


def test_a_law_without_gains_says_so():
    r = da.simulate(ARM, torque=ComputedTorque(MOVE), t=0.1)
    assert "ComputedTorque law: kp and kd are 0: no error is corrected" in r.notes


def test_limits_are_those_of_the_parameters_of_the_run():
    joint = {"type": "prismatic", "name": "x", "effort_limit": "E"}
    m = da.load({"bodies": [{"name": "cart", "parent": -1, "mass": 2, "joint": joint}],
                 "parameters": {"E": 1}, "gravity": [0, 0, 0]})  # fmt: skip

    def notes(m, **given):
        return da.simulate(m, torque=[5], t=0.5, **given).notes

    assert notes(m)[0].endswith("force 5 N at t = 0 s is beyond its limit of 1 N, and was not held "
                                "back")  # no law is there  # fmt: skip
    assert "limit of 2 N" in notes(m, parameters={"E": 2})[0]
    assert "limit of 2 N" in notes(m.with_values(E=9), parameters={"E": 2})[0]
    assert notes(m, parameters={"E": 100}) == ()
    (told,) = notes(m, parameters={"E": [1, 100]})
    assert told == "limits that depend on E are not watched: there are several values"


def test_speeds_of_joints_without_motors_are_told():
    data, q = PLANAR["five-bar"]()
    for body in data["bodies"]:
        body["joint"]["velocity_limit"] = 1e-3
    m = da.load(data)
    told = da.simulate(m, q, torque=[5, 0], t=0.1).notes
    assert {n for n in m.joint_names if any(x.startswith(f"{n}: speed") for x in told)} == {
        *m.joint_names
    }


def test_notes_are_a_field_of_the_result():
    r = da.simulate(ARM, torque=[20], t=0.1)
    assert len(r.notes) == 1 and pickle.loads(pickle.dumps(r)).notes == r.notes
    assert replace(r, notes=("mine",)).notes == ("mine",)
    assert replace(r, method="other").notes == r.notes
    assert Simulation(ARM, r.t, r.q, r.qd, notes=("mine",)).notes == ("mine",)
    assert Simulation(ARM, r.t, r.q, r.qd).notes == ()
