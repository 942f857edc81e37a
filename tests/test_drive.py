"""Vehicles of several speeds that their motors drive along paths."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.control.plane_paths import nearest
from dalembert.errors import UsageError
from machines.vehicles import TRICYCLE, Z, body, chassis, rolls, turn, vehicle, wheel

PATHS = {
    "line": control.Line(),
    "circle": control.Circle((0, 3), 3),
    "eight": control.Eight((0, 0), 8, 5),
}


def drive():
    return replace(da.robots.differential_drive(), active=("spin_left", "spin_right"))


def loader():
    """Two bodies on a driven hinge, an axle with a driven wheel on each: one motor is spare."""
    bodies = [
        chassis(900, (-0.2, 0, 0.5), (100, 200, 200)),
        wheel("back", "chassis", (0, 0, 0.3)),
        body("nose", "chassis", turn("hinge", Z, (1.2, 0, 0)), 700, (0.8, 0, 0.5), (80, 150, 150)),
        wheel("fore", "nose", (1.0, 0, 0.3)),
    ]
    wheels = [rolls("rear", "chassis", (0, 0, 0), "back_spin"),
              rolls("front", "nose", (1.0, 0, 0), "fore_spin")]  # fmt: skip
    made = vehicle("loader", bodies, wheels=wheels, active=["back_spin", "fore_spin", "hinge"])
    return da.load(made)


def driven(m, path, speed, T, q=None, **options):
    """Return a motion from beside the path, and the distance of the guide from it."""
    law = control.DrivePath(path, speed, **options)
    (x, y), (x1, y1), _ = path.curve(0.0)
    q0 = np.zeros(m.nq) if q is None else np.array(q, dtype=float)
    q0[:3] = [x + 0.2, y - 0.3, np.arctan2(y1, x1) + (np.pi if speed < 0 else 0) + 0.2]
    r = da.simulate(m, q0, torque=law, t=np.linspace(0, T, 41))
    feet = [path.curve(nearest(path, *row[:2]))[0] for row in r.q]
    return r, np.hypot(*(r.q[:, :2] - feet).T)


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_a_robot_of_two_wheels_comes_to_its_path(name, speed):
    r, gaps = driven(drive(), PATHS[name], speed, 20, length=0.8)
    assert gaps[0] > 0.1 and gaps[-8:].max() < 1e-6
    forward = np.hypot(r.qd[-1, 0], r.qd[-1, 1])
    assert forward == pytest.approx(1.0, abs=1e-5)


def test_the_forces_of_the_law_are_those_of_the_motion():
    """`torques_along` of what was driven gives each drive wheel its torque."""
    m = drive()
    r, _ = driven(m, PATHS["eight"], 1.0, 6, length=0.8)
    qdd = da.forward_dynamics(m, r.q, r.qd, r.tau[:, 3:5])
    f = da.torques_along(m, (r.t, r.q, r.qd, qdd))
    assert f.names == ("spin_left", "spin_right")
    np.testing.assert_allclose(f.tau, r.tau[:, 3:5], atol=1e-8 * np.abs(r.tau).max())


@pytest.mark.parametrize("speed, guide", [(1.0, "front"), (-1.0, "rear")])
def test_an_articulated_loader_turns_along_a_circle_by_its_hinge(speed, guide):
    """Both axles push, the spare motor shares; the axle behind settles where the circle asks."""
    m, path = loader(), control.Circle((0, 12), 12)
    q0 = [12 - 1.0, -2, np.pi / 2, 0, 0, 0] if speed > 0 else [11.5, 0.4, -np.pi / 2, 0, 0, 0]
    law = control.DrivePath(path, speed, length=3.0, guide=guide)
    r = da.simulate(m, q0, torque=law, t=np.linspace(0, 60, 31))
    hinge = r.q[:, m.coordinate_names.index("hinge")]
    led = "nose" if guide == "front" else "chassis"
    at = [da.pose(m, q, frame=led) @ [1.0 if guide == "front" else 0, 0, 0, 1] for q in r.q[-3:]]
    assert all(abs(np.hypot(x, y - 12) - 12) < 1e-5 for x, y, *_ in at)
    # axles 1.2 and 1.0 from the hinge, both on lines through the centre
    first, last = (1.0, 1.2) if guide == "front" else (1.2, 1.0)
    wanted = np.arctan2(first, 12) + np.arcsin(last / np.hypot(12, first))
    assert np.abs(hinge).max() < 0.6 and abs(hinge[-1]) == pytest.approx(wanted, abs=1e-5)


def test_an_arm_is_held_while_its_base_drives():
    m = da.robots.mobile_manipulator()
    joints = [n for n in m.rate_names if n in ("shoulder", "elbow")]
    m = replace(m, active=("spin_left", "spin_right", *joints))
    q = np.zeros(m.nq)
    hold = dict(zip(joints, (0.4, -0.6), strict=True))
    r, gaps = driven(m, PATHS["line"], 0.5, 20, q=q, length=0.8, hold=hold)
    assert gaps[-1] < 1e-5
    for name, angle in hold.items():
        assert r.q[-1, m.coordinate_names.index(name)] == pytest.approx(angle, abs=1e-6)


def test_what_motors_cannot_drive_is_refused():
    with pytest.raises(UsageError, match="3 are asked for"):
        driven(drive(), PATHS["line"], 1.0, 1, hold={"spin_left": 0.0})
    with pytest.raises(UsageError, match="do not turn the guide") as raised:
        driven(da.load(TRICYCLE), PATHS["line"], 1.0, 1)
    assert "FollowPath" in raised.value.hint
    with pytest.raises(UsageError, match="'hinge' folds while the guide goes straight"):
        driven(loader(), PATHS["line"], 1.0, 1, guide="rear")
    with pytest.raises(UsageError, match="no wheel 'nose'"):
        driven(drive(), PATHS["line"], 1.0, 1, guide="nose")


def test_a_run_longer_than_the_point_moves_is_told():
    law = control.DrivePath(control.Line(), 1.0, length=0.8, time=2.0)
    told = "the point on the path stands still from t = 2 s on: give time=3"
    assert da.simulate(drive(), np.zeros(5), torque=law, t=[0, 3]).notes == (told,)
    assert da.simulate(drive(), np.zeros(5), torque=law, t=[0, 2]).notes == ()
