"""Vehicles that follow paths: steering as a state, laws and functions compiled with the model."""

import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.algorithms.kinematics import target_pose
from dalembert.control.plane_paths import bends, curvature, nearest
from dalembert.errors import DalembertError, UsageError

R = da.robots
Follow, Pursuit = control.FollowPath, control.PurePursuit
Line, Circle, Eight = control.Line, control.Circle, control.Eight
EIGHT = Eight((0, 0), 80, 50)


def driven(n, law, T, speed, off=0.5, rtol=1e-6):
    """Return a truck's motion from beside its path, and the distance of its guide from it."""
    m, path = R.truck(n), law.path
    made = law.prepared(m, "delta").vehicle
    (x, y), (x1, y1), _ = path.curve(0.3)
    q0, g = np.zeros(m.nq), np.hypot(x1, y1)
    q0[2] = np.arctan2(y1, x1) + (np.pi if law.backwards else 0)
    p = target_pose(made.numbers, made.target, q0.tolist()).p
    q0[:2] = [x - off * y1 / g - float(p.x), y + off * x1 / g - float(p.y)]
    r = da.simulate(
        m, q0, [speed], t=np.linspace(0, T, 41), motion={"delta": law}, rtol=rtol,
        torque=control.Cruise(speed, 40000.0),
    )  # fmt: skip
    gaps = []
    for row in r.q:
        p = target_pose(made.numbers, made.target, row[: m.nq].tolist()).p
        (x, y), _, _ = path.curve(nearest(path, float(p.x), float(p.y)))
        gaps.append(np.hypot(float(p.x) - x, float(p.y) - y))
    return r, np.array(gaps)


def test_a_car_returns_to_a_line_and_keeps_its_speed():
    r, gaps = driven(0, control.FollowPath(control.Line(), length=4), 14, 4.0)
    assert gaps[0] == pytest.approx(0.5) and gaps[-1] < 1e-3
    assert r.m.joint_names[-2:] == ("delta", "delta.progress")
    assert abs(r.qd[-1, 0] - 4) < 1e-3 and np.abs(r.q[:, 3]).max() < 0.2
    # steering is a state: its rate is what the law gives
    h = np.gradient(r.q[:, 3], r.t)
    assert np.abs(h[5:-5] - r.qd[5:-5, 3]).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    "n, law, T, last, folded",
    [
        (0, Follow(Circle((0, 20), 20), length=4), 60, 1e-3, 0),
        (0, Follow(EIGHT, length=4), 100, 1e-3, 0),
        (0, Follow(Circle((0, 20), -20), backwards=True, length=4), 60, 1e-3, 0),
        (0, Pursuit(Circle((0, 20), 20), ahead=4.0), 60, 1e-2, 0),
        (0, Pursuit(Line(), backwards=True), 60, 1e-2, 0),
        (2, Follow(EIGHT, length=8), 100, 1e-2, 0.5),
        (2, Follow(Line(), "axle2", True, length=8), 80, 1e-2, 0.2),
        (2, Follow(Circle((0, 40), -40), "axle2", True, length=8), 120, 1e-2, 0.5),
        (1, Follow(EIGHT, "axle1", True, length=8), 150, 6e-2, 0.5),
        (2, Follow(Eight((0, 0), 100, 70), "axle2", True, length=8), 150, 6e-2, 0.5),
    ],
)  # fmt: skip
def test_paths_are_followed_forwards_and_backwards(n, law, T, last, folded):
    """Guides come to their path and stay there; trailers never fold."""
    r, gaps = driven(n, law, T, -2.0 if law.backwards else 2.0)
    assert gaps[-8:].max() < last
    assert np.abs(r.q[:, 3 : 3 + n]).max(initial=0) <= folded
    assert np.abs(r.q[:, -2]).max() < 0.5


def test_curvature_changes_as_differences_say():
    for s in (0.2, 1.9):
        found = bends(EIGHT, s)
        h = 1e-4

        def arc(a, b):
            x = np.linspace(a, b, 21)
            d = [np.hypot(*EIGHT.curve(v)[1]) for v in x]
            return np.trapezoid(d, x)

        ends = [curvature(EIGHT, s + e) for e in (h, -h)]
        assert found[0] == pytest.approx((ends[0] - ends[1]) / arc(s - h, s + h), rel=1e-6)
        ends = [bends(EIGHT, s + e)[1] for e in (h, -h)]
        assert found[2] == pytest.approx((ends[0] - ends[1]) / arc(s - h, s + h), rel=1e-6)


@pytest.mark.slow
def test_circles_are_held_at_the_angles_of_geometry():
    """δ* = atan(l κ) of a car; of a trailer on its axle sin φ = l2 κ, which has none of its own."""
    v = control.FollowPath(control.Circle((0, 0), 12)).prepared(R.truck(0), "delta").vehicle
    assert v.held(1 / 12)[-1] == pytest.approx(np.arctan(3.6 / 12), abs=1e-5)
    assert len(v.joints) == 0
    m = R.truck(1)
    v = control.FollowPath(control.Circle((0, 0), 30)).prepared(m, "delta").vehicle
    assert [m.bodies[j].joint_name for j in v.joints] == ["phi1"]
    R1, c, l2 = 30.0, 0.35, 7.2
    folded = np.arctan2(l2, np.sqrt(R1**2 + c**2 - l2**2)) + np.arctan2(c, R1)
    assert v.held(1 / R1)[2] == pytest.approx(-folded, abs=1e-6)


def test_functions_of_time_are_read_to_rounding():
    m = R.truck(0)
    times = np.linspace(0, 3, 7)
    r = da.simulate(m, [0, 0, 0], [2.0], t=times, motion={"delta": lambda t: 0.2 * np.sin(t)})
    fine = np.linspace(0, 3, 4001)
    rows = da.simulate(m, [0, 0, 0], [2.0], t=times, motion={"delta": (fine, 0.2 * np.sin(fine))})
    np.testing.assert_allclose(r.q, rows.q, atol=1e-5)  # the table has corners
    links = "body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"
    arm = da.load(f"RX(), TZK(-1), RX(), TZK(-1); {links}")
    r = da.simulate(arm, t=times, motion={arm.joint_names[0]: lambda t: 0.3 * t**2})
    np.testing.assert_allclose(r.q[:, 0], 0.3 * times**2, atol=1e-12)


def test_tables_of_forces_that_end_are_held_and_said():
    m = da.load("RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 1);")
    late = ([0.5, 1], [[1.0], [1.0]])
    r = da.simulate(m, torque=late, t=[0, 2])
    assert r.notes == ("torque is given from 0.5 to 1 s, and held before and after",)
    assert r.qd[-1, 0] == pytest.approx(2.0, abs=1e-9)
    assert da.simulate(m, torque=([0, 1], late[1]), t=[0, 2], hold=True).notes == ()
    assert da.simulate(m, torque=([0, 2], late[1]), t=[0, 2]).notes == ()
    push = {"tip": ([0, 1], [[0, 1, 0, 0, 0, 0]] * 2)}
    notes = da.simulate(m, wrench_on_body=push, t=[0, 2]).notes
    assert notes == ("wrench on tip is given from 0 to 1 s, and held after",)
    (note,) = da.simulate(m, torque=([0.5, 2], late[1]), t=[0, 2]).notes
    assert note == "torque is given from 0.5 to 2 s, and held before"
    (note,) = da.simulate(m, torque=late, t=[0, 2], hold=True).notes
    assert note == "torque is given from 0.5 to 1 s, and held before"
    (note,) = da.simulate(m, motion={"j1": ([0, 1], [0, 1])}, t=[0, 2]).notes
    assert note == "motion of j1 is given from 0 to 1 s, and held after"


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_too_few_rows_are_refused(rows):
    m = da.load("RZ(), TXK(1); gravity = (0, 0, 0); body 1: M = 1, I = (0, 0, 1);")
    times = np.zeros(rows)
    said = f"a table over time has {rows} rows, at least"
    for one in ({"torque": (times, np.zeros((rows, 1)))},
                {"wrench_on_body": {"tip": (times, np.zeros((rows, 6)))}}):  # fmt: skip
        with pytest.raises(da.UsageError, match=said):
            da.simulate(m, t=[0, 2], **one)
        if not rows:
            with pytest.raises(da.UsageError, match=said):
                da.simulate(m, t=[0, 2], **one, hold=True)
        else:  # a step needs one
            assert da.simulate(m, t=[0, 2], **one, hold=True).notes == ()
    with pytest.raises(da.UsageError, match=said if rows else "holds no numbers"):
        da.simulate(m, t=[0, 2], motion={"j1": (times, np.zeros(rows))})


def test_a_spline_that_swings_far_beyond_its_table_is_told():
    m = da.load("RZ(), TXK(1), RZ(), TXK(1); body 1: M = 1; body 2: M = 1, D = (1, 0, 0);")
    times, values = [0, 0.5, 0.51, 0.52, 10], [0, 0, 0.1, 0, 0]
    (note,) = da.simulate(m, t=[0, 0.6], motion={"j1": (times, values)}).notes
    assert note.startswith("motion of j1: the spline through its table swings to ")
    even = np.linspace(0, 1, 21)
    assert da.simulate(m, t=[0, 1], motion={"j1": (even, 0.1 * np.sin(6 * even))}).notes == ()


def test_a_table_that_ends_is_held_at_rest_and_said():
    """The angle stays, and so does the energy: its rate is zero from there on."""
    truck, t = da.robots.truck(1), np.linspace(0, 3, 7)
    short, whole = (
        da.simulate(truck, [0] * 4, [5], t=t, motion={"delta": table})
        for table in (([0.5, 1], [0.1, 0.2]), ([0, 0.5, 1, 3], [0.1, 0.1, 0.2, 0.2]))
    )
    assert short.notes == ("motion of delta is given from 0.5 to 1 s, and held before and after",)
    assert whole.notes == ()
    np.testing.assert_allclose(short.q, whole.q, rtol=0, atol=1e-9)
    assert abs(short.energy[-1] - short.energy[2]) < 1e-9 * short.energy[0]


def test_a_function_of_the_state_gives_the_rate_of_steering():
    m = R.truck(0)
    steer = {"delta": lambda t, q, qd: 0.3 * np.cos(2 * t) - 0.5 * q[3]}
    r = da.simulate(m, [0, 0, 0.1], [2.0], t=np.linspace(0, 4, 9), motion=steer, rtol=1e-10)

    def angle(t):  # δ' = 0.3 cos 2t - δ/2, δ(0) = 0
        a, b = 0.3 * 0.5 / (4 + 0.25), 0.3 * 2 / (4 + 0.25)
        return a * np.cos(2 * t) + b * np.sin(2 * t) - a * np.exp(-t / 2)

    np.testing.assert_allclose(r.q[:, 3], angle(r.t), atol=1e-8)
    same = da.simulate(m, [0, 0, 0.1], [2.0], t=r.t, motion={"delta": angle}, rtol=1e-10)
    np.testing.assert_allclose(r.q[:, :3], same.q, atol=1e-7)


@pytest.mark.parametrize(
    "motion, said",
    [
        ({"phi1": control.FollowPath(control.Line())}, "moves steering angles"),
        ({"delta": control.FollowPath(control.Line(), guide="front")}, "not steered"),
        ({"delta": control.FollowPath(control.Circle((0, 0), 1.0))}, "curvature"),
        ({"delta": lambda t: "x"}, "fails"),
    ],
)
def test_motions_that_cannot_be_say_why(motion, said):
    with pytest.raises(DalembertError, match=said) as error:
        da.simulate(R.truck(1), [0] * 4, [1.0], t=1.0, motion=motion)
    assert error.value.hint


def test_a_machine_of_two_speeds_is_no_vehicle_of_one():
    with pytest.raises(DalembertError, match="one speed"):
        control.FollowPath(control.Line()).prepared(R.unicycle(), "delta")
    with pytest.raises(UsageError, match="radius zero"):
        control.Circle((0, 0), 0)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Follow("line"), "'line' is no path"),
        (lambda: Follow(Line(), length=0), "length = 0"),
        (lambda: control.Cruise(float("nan"), 1.0), "does not hold"),
        (lambda: control.Cruise(5.0, -1.0), "does not hold"),
        (lambda: Pursuit(Line(), ahead=-5), "ahead = -5"),
        (lambda: control.DrivePath(Line(), 0.0), "at rest"),
        (lambda: control.DrivePath(Line(), 1.0, length=-1), "length = -1"),
    ],
)
def test_laws_that_cannot_be_say_why(make, said):
    with pytest.raises(UsageError, match=said) as error:
        make()
    assert error.value.hint


@pytest.mark.slow
def test_pursuit_asks_no_more_of_a_trailer_than_it_can_hold():
    """0.25 per metre would fold the trailer: a smaller curvature is found, and the line reached."""
    law = Pursuit(Line((0, 1)), ahead=8)
    assert 0.05 < law.prepared(R.truck(1), "delta").sharpest < 0.2
    r = da.simulate(R.truck(1), [0] * 4, [3.0], t=[0, 20], motion={"delta": law})
    assert abs(r.q[-1, 1] - 1) < 0.05 and np.abs(r.q[:, 3]).max() < 0.5
    with pytest.raises(UsageError, match="curvature") as error:
        Pursuit(Line(), sharpest=0.25).prepared(R.truck(1), "delta")
    assert "sharpest=" in error.value.hint


def test_a_law_that_is_driven_against_its_path_says_so():
    """The motion is true and of no use: an event, a note with what to write, and a way to stop."""
    go = {"torque": control.Cruise(-2.0, 4e4), "motion": {"delta": Follow(Line())}}
    r = da.simulate(R.truck(0), [0, 0.5, 0], [-2.0], t=[0, 12], stop="delta", **go)
    assert [n.partition(" at ")[0] for n in r.notes] == [
        "rear moves against its law", "rear heads against its path", "delta turns beyond 1.5 rad",
    ]  # fmt: skip
    assert "backwards=True" in r.notes[0] and "t = 0 s" in r.notes[0]
    last = r.events[-1]
    assert r.stopped == last.name == "delta turns beyond 1.5 rad"
    assert abs(last.q[3]) == pytest.approx(1.5) and f"t = {last.time:.4g} s" in r.notes[2]


@pytest.mark.slow
def test_trailers_that_fold_are_told_with_or_without_events():
    go = {"torque": control.Cruise(-2.0, 4e4), "motion": {"delta": Follow(Line())}}
    r = da.simulate(R.truck(1), [0, 0.5, 0, 0], [-2.0], t=np.linspace(0, 12, 9), **go)
    first = next(e for e in r.events if e.name.startswith("phi1 folds"))
    assert abs(first.q[3]) == pytest.approx(1.5) and f"t = {first.time:.4g} s" in r.notes[2]
    r = da.simulate(R.truck(1), [0, 0.5, 0, 0], [-2.0], t=[0, 5], events="none", **go)
    assert not r.events and "rear moves against its law at t = 0 s" in r.notes[0]
    assert "phi1 folds beyond 1.5 rad at t = 5 s" in r.notes[1]


@pytest.mark.slow
def test_an_articulation_that_is_stated_is_kept_or_told():
    law = Follow(Circle((0, 20), 20), length=8, articulation=0.3)
    with pytest.raises(UsageError, match="folds 'phi1' by") as error:
        law.prepared(R.truck(1), "delta")
    assert "wider path" in error.value.hint
    law = Follow(Line((0, 3.0)), length=5, articulation=0.1)
    go = {"torque": control.Cruise(3.0, 4e4), "motion": {"delta": law}}
    r = da.simulate(R.truck(1), [0] * 4, [3.0], t=[0, 20], **go)
    assert len(r.notes) == 1 and r.notes[0].startswith("phi1 folds beyond 0.1 rad at t = ")
    assert abs(r.q[-1, 1] - 3) < 0.02


def test_paths_far_away_are_come_to_at_an_angle():
    """A law that is linear in the distance would turn round at 40 m."""
    go = {"torque": control.Cruise(4.0, 4e4), "motion": {"delta": Follow(Line())}}
    r = da.simulate(R.truck(0), [0, 40, 0], [4.0], t=np.linspace(0, 30, 61), **go)
    assert abs(r.q[-1, 1]) < 0.01 and np.abs(r.q[:, 2]).max() < 0.85 and r.notes == ()
    assert np.abs(r.q[:, 3]).max() < 0.5
