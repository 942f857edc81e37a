"""A driven motion says which limits of force and speed it passed."""

import dalembert as da
from dalembert.control import ComputedTorque

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
