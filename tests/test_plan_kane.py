"""Velocity constraints and speeds that cannot be, and poses at which they break down."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Vec3
from dalembert.algorithms.velocity_rows import TIME
from dalembert.errors import ComputationError, ModelError, SingularPose
from dalembert.plan.kane import OPEN, _at_rest, _sample, check_positions, with_speeds

R = da.robots


def sliders(*equations, **more):
    """Return three slides in a row under equations c0, c1, ..."""
    axes = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
    bodies = [
        {"name": n, "parent": k - 1, "joint": {"type": "prismatic", "name": n, "axis": axis},
         "mass": 1, "com": [0, 0, 0], "inertia": [0, 0, 0]}
        for k, (n, axis) in enumerate(axes.items())
    ]  # fmt: skip
    told = [{"name": f"c{k}", "equation": e} for k, e in enumerate(equations)]
    return da.load(
        {"format": "dalembert/1", "bodies": bodies, "velocity_constraints": told, **more}
    )


@pytest.mark.parametrize(
    "m, said",
    [
        (sliders("xd = yd", "2*xd - 2*yd = 1"), "'c1' contradicts 'c0'"),
        (sliders("xd = t", "xd = 2*t"), "'c1' contradicts 'c0'"),
        (sliders("xd = yd", speeds=["x", "y"]), "speed 'y' is decided"),
        (sliders("xd = yd", speeds=["x"]), "1 speed is named, the constraints leave 2"),
        (sliders("xd = yd", speeds=["x", "u"]), "'u' is neither a joint nor a wheel"),
        (replace(R.unicycle(), speeds=("v", "x")), "speed 'x' is decided"),
    ],
)
def test_what_cannot_be_is_named(m, said):
    for ask in (da.kane_speeds, da.kane_form, lambda m: da.compile(m, "alpha_dot")):
        with pytest.raises(ModelError) as error:
            ask(m)
        assert said in str(error.value) and error.value.hint


def test_a_wheel_that_names_what_is_not_there_is_named():
    wheel = R.truck(0).wheels[1]
    said = {
        "steering 'delta' is neither": (replace(wheel, body=2), ()),
        "'front' has a radius and no spin": (replace(wheel, radius=1, steer=None), ()),
        "spin 'wheel' is not a joint": (replace(wheel, radius=1, spin="wheel", steer=None), ()),
    }
    for text, (bad, prescribed) in said.items():
        with pytest.raises(ModelError, match=text) as error:
            replace(R.unicycle(), wheels=(bad,), prescribed=prescribed, checked=False)
        assert error.value.hint


def test_two_wheels_on_one_axle_share_their_force():
    """A redundant row is left out, reported, and bears its half of the lateral force."""
    plain = R.differential_drive()
    wheel = replace(plain.wheels[0], radius=0.11)
    both = tuple(
        replace(wheel, name=n, spin=f"spin_{n}", point=Vec3(0, y, 0))
        for n, y in (("left", 0.25), ("right", -0.25))
    )
    m = replace(plain, wheels=both, velocity_constraints=(), speeds=(), checked=False)
    assert da.kane_speeds(m) == ("spin_left", "spin_right")
    assert with_speeds(m).idle == ("right",)
    assert any("right follows from left" in note for note in with_speeds(m).notes)
    given = [0.3, 0.2, 0.5, 0.1, 0.2], [3.0, 5.0], [], [], [0, 0, 0, 0.4, 0.1]
    assert np.allclose(
        da.alpha_dot(m, *given, [0, 0]), da.alpha_dot(plain, *given, [0]), rtol=1e-12
    )
    for method in ("kane", "multipliers"):
        forces = da.constraint_forces(m, *given, [0, 0], method=method)
        alone = da.constraint_forces(plain, *given, [0], method=method)
        assert np.allclose(forces, [alone[0] / 2, alone[1], alone[0] / 2, alone[2]], rtol=1e-11)
    state = [0.3, 0.2, 0.5, 0.1, 0.2], da.kane_motion(m, *given, [0, 0])[0]
    assert np.allclose(
        da.forward_dynamics(m, *state, given[4]),
        da.kane_motion(plain, *given, [0])[1],
        rtol=1e-11,
        atol=1e-12,
    )


def test_an_equation_twice_holds_once():
    m = sliders("xd = yd", "2*xd - 2*yd = 0")
    assert with_speeds(m).idle == ("c1",)
    assert "c1 follows from c0" in with_speeds(m).notes[-2]


def test_speeds_are_chosen_when_none_are_named():
    for m in (R.truck(2), R.unicycle(), R.differential_drive(), R.rolling_disc()):
        assert da.kane_speeds(replace(m, speeds=())) == m.speeds
    m = replace(R.mobile_manipulator(), speeds=())
    assert da.kane_speeds(m) == ("spin_left", "spin_right", "shoulder", "elbow")
    assert "chosen by rank" in da.kane_form(m).text()
    given = da.kane_D(R.mobile_manipulator(), np.full(7, 0.2), [])
    np.testing.assert_array_equal(da.kane_D(m, np.full(7, 0.2), []), given)


def test_a_choice_of_speeds_that_fails_at_a_state_names_state_and_rows():
    m = R.truck(1)
    rest = ([1.0], [0.0], np.zeros(4), np.zeros(3))
    steer = [[0.1], [np.pi / 2], [0.2]]
    args = (np.zeros((3, 4)), rest[0], steer, rest[1], *rest[2:])
    with pytest.raises(SingularPose, match=r"at state 1.*'front'"):
        da.alpha_dot(m, *args)
    found = da.alpha_dot(m, *args, check=False)
    assert np.isfinite(found[[0, 2]]).all() and np.isnan(found[1]).all()
    with pytest.raises(SingularPose, match="'c0', 'x'"):
        da.kane_J_nh(sliders("xd = yd*z", speeds=["x", "z"]), [0, 0, 0], [])


def arm():
    body = "M = 1, D = (1, 0, 0), I = (0, 0, 0.1)"
    bodies = "".join(f"body {k}: {body};" for k in (1, 2, 3))
    return da.load(f"RZ(), TXK(1), RZ(), TXK(1), RZ(), tool: TXK(1); {bodies}")


def test_a_singular_pose_names_the_frame():
    m = arm()
    for q in ([0.3, 0, 0.2], [0.3, np.pi, 0.2]):  # stretched, folded
        with pytest.raises(SingularPose, match="mass centre of j3"):
            da.cartesian_mass(m, q)
    with pytest.raises(SingularPose, match=r"'tool'.*state 1"):
        da.cartesian_force(m, [[0.3, 1, 0], [0.3, 0, 0]], np.zeros(3), frame="tool")
    da.cartesian_bias(m, [0.3, np.pi, 0.2], np.zeros(3), check=False)


def test_the_report_of_a_pose():
    report = da.cartesian_singularity(arm(), [[0.3, 1.0, 0.2], [0.3, 1e-13, 0.2]])
    assert report.smallest[0] > 0.1 and report.condition[0] < 20
    assert report.smallest[1] < 1e-12 and "singular" in str(report)


# a bicycle on its rear contact: planar motion, lean and pitch; the height of the rear wheel holds
# by itself, to rounding
CHAIN = {
    "format": "dalembert/1",
    "rolling": [
        {"name": "R", "kind": "disc", "body": "rear", "axis": [0, 1, 0], "radius": 0.3},
        {"name": "F", "kind": "disc", "body": "front", "axis": [0, 1, 0], "radius": 0.35},
    ],
    "bodies": [
        {"name": "yaw", "parent": -1, "joint": {"type": "planar", "name": "p"}},
        {"name": "roll", "parent": 0,
         "joint": {"type": "revolute", "name": "lean", "axis": [1, 0, 0]}},
        {"name": "frame", "parent": 1, "mass": 85, "com": [0.3, 0, 0.6],
         "inertia": [9.2, 11, 2.8, 0, -2.4, 0],
         "joint": {"type": "revolute", "name": "pitch", "axis": [0, 1, 0],
                   "placement": {"translation": [0, 0, 0.3]}}},
        {"name": "rear", "parent": 2, "mass": 2, "inertia": [0.0603, 0.12, 0.0603],
         "joint": {"type": "revolute", "name": "rs", "axis": [0, 1, 0]}},
        {"name": "fork", "parent": 2, "mass": 4, "com": [-0.2, 0, 0.7],
         "inertia": [0.05892, 0.06, 0.00708, 0, 0.00756, 0],
         "joint": {"type": "revolute", "name": "steer", "axis": ["-sin(pi/10)", 0, "cos(pi/10)"],
                   "placement": {"translation": [1.1, 0, -0.3]}}},
        {"name": "front", "parent": 4, "mass": 3, "inertia": [0.1405, 0.28, 0.1405],
         "joint": {"type": "revolute", "name": "fs", "axis": [0, 1, 0],
                   "placement": {"translation": [-0.08, 0, 0.35]}}},
    ],
}  # fmt: skip


def test_a_contact_that_holds_by_itself_takes_no_speed():
    """Its row is rounding and no row: three speeds are left, and Whipple's eigenvalues."""
    m = da.load(CHAIN)
    assert da.kane_speeds(m) == ("lean", "steer", "fs") and with_speeds(m).idle == ("R.contact",)
    found = np.linalg.eigvals(da.linearize(m, np.zeros(8), [0, 0, 5 / 0.35]).A)
    for value in (-14.078389692798216, -0.322866429004090, -0.775341882195845 + 4.464867713788229j):
        assert np.abs(found - value).min() < 1e-8  # Meijaard et al. (2007), table 2


def test_speeds_that_are_chosen_decide_the_motion_in_the_neutral_pose():
    runner = {"name": "edge", "kind": "knife_edge", "body": "sleigh", "axis": [0, 1, 0]}
    sleigh = {"name": "sleigh", "parent": -1, "joint": {"type": "planar", "name": "p"}, "mass": 2,
              "com": [0.3, 0, 0], "inertia": [0, 0, 0.5]}  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": [sleigh], "rolling": [runner]})
    assert da.kane_speeds(m) == ("p.x", "p.theta")  # p.y is no speed at theta = 0
    np.testing.assert_allclose(da.kane_J_nh(m, [0, 0, 0], []), [[1, 0], [0, 0], [0, 1]], atol=1e-15)


def test_redundant_positions_are_met_by_the_others_or_refused():
    m = da.load(CHAIN)
    q = da.assembly(m, [0, 0, 0, 0.1, 0, 0.3, 0.2, 0.2])
    given = {"steer": [], "steer_rate": [], "tau": np.zeros(8), "traction": []}
    for quantity in (da.alpha_dot, da.constraint_forces):
        two = [quantity(m, q, [0.1, 0.2, 14], method=k, **given) for k in ("kane", "multipliers")]
        np.testing.assert_allclose(*two, atol=1e-10)
    apart = sliders("x = y", "x = y + 1")
    with pytest.raises(ComputationError, match="'c1' does not hold"):
        da.alpha_dot(apart, [1, 1, 0], [0, 0], [], [], [0, 0, 0], [])
    with pytest.raises(ComputationError, match=r"residual .* in c1"):
        da.simulate(apart, [1, 1, 0], [0, 0], t=1.0)


def test_positions_are_checked_to_a_part_of_the_coordinates():
    m = sliders("x = y + L", parameters={"L": 1.0})
    check_positions(m, [1, 0, 0], [])
    check_positions(m, [[1, 0, 0], [3, 2, 5]], [])
    check_positions(m, [1 + 1e-4 * OPEN, 0, 0], [])
    for q in ([2, 0, 0], [[1, 0, 0], [3, 3, 0]], [1 + 3 * OPEN, 0, 0]):
        with pytest.raises(ComputationError, match="'c0' does not hold"):
            check_positions(m, q, [])
    check_positions(m, [1e6 + 1 + 1e3 * OPEN, 1e6, 0], [])  # rounding of large coordinates
    check_positions(m, [3, 1, 0], [], {"L": 2.0})
    # rows of parameters are checked state by state elsewhere; rates bound no positions
    check_positions(m, [9, 0, 0], [], {"L": np.array([1.0, 2.0])})
    check_positions(sliders("xd = yd"), [9, 0, 0], [])
    timed = sliders("x = t")
    check_positions(timed, [0.5, 0, 0], [0.5])
    with pytest.raises(ComputationError, match=r"off by 0\.25"):
        check_positions(timed, [0.5, 0, 0], [0.25])


def test_speeds_that_are_chosen_decide_the_motion_at_the_start():
    """At time 0 and rest y is held, although it is free at most other times and places."""
    for pace in (0.5, 3):
        m = sliders(f"y + 10*x*x + z = {pace}*t", "z = 0")
        assert da.kane_speeds(m) == ("x",)
        assert da.constraint_forces(m, [0, 0, 0], [0.2], [0.0], [1.0], [0, 0, 0], []).shape == (2,)
    # a pose that fits at another time is no start
    later = sliders("x = t - 1")
    assert _at_rest(later, _sample(later, 0)) == []


def test_at_rest_steering_is_straight_and_the_clock_starts():
    m = da.load("RZ(), TXK(1); gravity = (0, 0, 0);")
    steer = {TIME: (0.7, 1.0), "front": (0.3, 0.1)}
    ((_, q, straight),) = _at_rest(m, (m, [0.4], steer))
    assert q == [0.0] and straight == {TIME: (0.0, 1.0), "front": (0.0, 0.1)}
