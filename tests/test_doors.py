"""Public calls given something else: a typed error that says what to write instead."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algebra import Mat3, Rotation, Transform, Vec3

ARM = "RZ(), TXK(0.4), RZ(), TXK(0.3); gravity = (0, -9.81, 0); body 1: M = 2; body 2: M = 1;"
FREE = {"all": {"q": (-1, 1), "qd": 1, "qdd": 1}}


def arm():
    return da.load(ARM)


@pytest.mark.parametrize(
    "call",
    [
        lambda: da.compile("robot.urdf", "mass_matrix"),
        lambda: da.mass_matrix("robot.urdf", [0]),
        lambda: da.equations("robot.urdf"),
        lambda: da.export("robot.urdf", "mass_matrix"),
        lambda: da.simulate("robot.urdf", [0.0], t=1.0),
        lambda: da.torques_along("robot.urdf", ([0, 1], [[0], [1]])),
        lambda: da.linearize("robot.urdf", [0.0], [0.0]),
        lambda: da.equilibrium("robot.urdf", [0.0]),
        lambda: da.assemble("robot.urdf"),
        lambda: da.mobility("robot.urdf"),
        lambda: da.kane_speeds("robot.urdf"),
        lambda: da.base_parameters("robot.urdf"),
        lambda: da.neutral("robot.urdf"),
        lambda: da.integrate("robot.urdf", [0], [0]),
        lambda: da.kane_form("robot.urdf"),
        lambda: da.inverse_kinematics("robot.urdf", [0, 0, 0], [0]),
        lambda: arm().attach("robot.urdf", "tip"),
        lambda: da.base_parameters(arm()).values("robot.urdf"),
    ],
)
def test_a_text_is_not_a_mechanism(call):
    with pytest.raises(da.UsageError, match="a Mechanism is needed, not str") as error:
        call()
    assert "da.load" in error.value.hint


def test_joints_are_locked_at_arrays_lists_and_mappings_alike():
    m = arm()
    one = m.lock([1, 2], at=[0.1, 0.2])
    assert m.lock([1, 2], at=np.array([0.1, 0.2])) == one
    assert m.lock([1, 2], at={1: 0.1, "j2": 0.2}) == one
    assert m.lock(np.array([1, 2]), at=(0.1, 0.2)) == one
    free = da.load(ARM, base="free")
    pose = [1, 2, 3, 0, 0, 0, 1]
    both = free.lock(["base", "j1"], at={"base": pose, "j1": 0.1})
    after = free.lock("base", at=pose).lock("j1", at=0.1)
    np.testing.assert_array_equal(da.pose(both, [0.3]), da.pose(after, [0.3]))


@pytest.mark.parametrize(
    ("joints", "at", "message"),
    [
        ([1, 2], [0.1], "at has 1 values for 2 joints"),
        ([1, 2], np.array([0.1, 0.2, 0.3]), "at has 3 values for 2 joints"),
        ([1], [0.1, 0.2], "needs 1 values, not 2"),
        ([1], {"j2": 1}, "'j2' is not among those to lock"),
    ],
)
def test_values_that_fit_no_joint_are_refused(joints, at, message):
    with pytest.raises(da.UsageError, match=message) as error:
        arm().lock(joints, at=at)
    assert error.value.hint


def test_a_value_of_an_unknown_joint_is_refused():
    with pytest.raises(da.ModelError, match="there is no joint 'typo'"):
        arm().lock([1], at={"typo": 1})


FLIP = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        ((0, 0, 0, 0, 0, 0, 1), "4 rows of 4 numbers"),
        (np.eye(3), "4 rows of 4 numbers"),
        (3, "4 rows of 4 numbers"),
        (2 * np.eye(4), "last row"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "length 1"),
        ([[1, 0.1, 0, 0], [0, 0.99498743710662, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "right angles"),
        (FLIP, "reflection"),
        (Transform(Rotation.of(Mat3((1, 0, 0), (0, 1, 0), (0, 0, -1))), Vec3(0, 0, 0)), "reflec"),
        (np.full((4, 4), np.nan), "nan"),
    ],
)
def test_a_pose_that_is_none_is_refused(pose, message):
    with pytest.raises(da.DalembertError, match=message):
        arm().rooted(pose)


def test_a_pose_of_floats_is_taken_and_keeps_the_motion():
    angle = 0.7
    turned = np.eye(4)
    turned[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    turned[:3, 3] = [1, 2, 3]
    found = da.pose(arm().rooted(turned), [0.0, 0.0], frame="tip")
    np.testing.assert_allclose(found, turned @ da.pose(arm(), [0.0, 0.0], frame="tip"), atol=1e-15)


def test_a_file_is_no_directory_to_export_to(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for path in (taken, taken / "below"):
        with pytest.raises(da.UsageError, match="is a file"):
            da.export(arm(), "mass_matrix", path=path)
    assert taken.read_text() == "mine"


def test_a_share_is_a_number_or_a_percentage():
    eq = da.equations(arm())
    assert str(eq.prune({}, FREE, "20%")) == str(eq.prune({}, FREE, 0.2))
    with pytest.raises(da.UsageError, match="a tolerance or a number of operations"):
        eq.prune({}, FREE, None)
    for wrong in ("x", "120%", -0.1, float("nan")):
        with pytest.raises(da.UsageError, match="a share between 0 and 1"):
            eq.prune({}, FREE, wrong)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("x", "limits must be a mapping, not str"),
        ([1, 2], "limits must be a mapping, not list"),
        ({"all": 3}, "limits of all must be a mapping"),
        ({"j1": [1]}, "limits of j1 must be a mapping"),
        ({"all": {"qd": (1, 2, 3), "qdd": 1}}, "has the limit qd"),
        ({"all": {"qd": "x", "qdd": 1}}, "has the limit qd"),
        ({"all": {"qd": (2, 1), "qdd": 1}}, "has the limit qd"),
    ],
)
def test_limits_are_a_mapping(limits, message):
    eq = da.equations(arm())
    for call in (lambda: eq.terms({}, limits), lambda: eq.prune({}, limits, 0.01)):
        with pytest.raises(da.UsageError, match=message) as error:
            call()
        assert error.value.hint
    with pytest.raises(da.UsageError, match="values must be a mapping"):
        eq.terms([1], FREE)


def test_freeze_and_neglect_take_lists():
    eq = da.equations(arm())
    assert eq.freeze([2]).text() == eq.freeze({2: 0}).text() == eq.freeze(2).text()
    assert eq.neglect(["coriolis", "gravity"]) == eq.neglect("coriolis", "gravity")
    with pytest.raises(da.UsageError, match="cannot neglect 'wind'"):
        eq.neglect(["wind"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arm().lock(None), "joints = None"),
        (lambda: arm().with_flexible_joints(1, 1, joints=2.5), "joints = 2.5"),
        (lambda: arm().with_payload("tip", 1, 5), "mass centre has 3 components"),
        (lambda: arm().with_payload("tip", 1, (0, 0, 0), 5), "3 or 6 entries"),
        (lambda: da.simulate(arm(), events=5), "events = 5"),
        (lambda: da.simulate(arm(), parameters="L1"), "parameters must be a mapping, not str"),
        (lambda: da.equations(arm()).evaluate({}, "x"), "q does not hold numbers alone: x"),
        (lambda: da.equations(arm()).evaluate({}, [0, 0], [1]), "qd has 1 entries"),
        (lambda: da.torques_along(arm(), ([0, 1],)), "a motion of 1 arrays"),
        (lambda: da.inverse_kinematics(arm(), [0, 0], [0, 0]), "pose has shape"),
        (lambda: da.inverse_kinematics(arm(), np.eye(4), [0, 0], rows="xq"), "rows = 'xq'"),
        (lambda: da.trajectory.quintic([0.0], [0.0, 1.0], 1), "q0 has shape"),
        (lambda: da.trajectory.quintic("x", [0.0], 1), "q0 holds"),
        (lambda: da.trajectory.quintic([0.0], [1.0], 1, qd0=[1, 2]), "qd0 has shape"),
        (lambda: da.trajectory.trapezoidal([0.0], [1.0], "x", 1), "speed holds"),
        (lambda: da.trajectory.spline([0, 1], [[0.0]]), "1 points at 2 times"),
    ],
)
def test_a_wrong_shape_or_kind_is_named(call, message):
    with pytest.raises(da.DalembertError, match=message) as error:
        call()
    assert error.value.hint


def test_terms_to_drop_may_be_a_list_and_sections_a_text():
    eq = da.equations(da.robots.planar2r())
    assert eq.text(only="Q, constants") == eq.text(only=["Q", "constants"])
    both = eq.drop("A12:1 Q1:1")
    assert eq.drop(["A12:1", "Q1:1"]).text() == both.text()


# -- what a reader would have dropped in silence ---------------------------------------------------


def test_a_joint_called_tip_does_not_swallow_the_end_of_the_chain():
    m = da.load("tip: RZ(),TXK(1);")
    assert m.frames == ("tip", "tip_tip") and any("'tip_tip'" in note for note in m.notes)
    np.testing.assert_array_equal(da.pose(m, [0.0], frame="tip_tip")[:3, 3], [1, 0, 0])
    # a named constant that ends the chain is its tip; an earlier one is not
    assert da.load("RZ(),tip: TXK(1);").frames == ("j1", "tip")
    earlier = da.load("RZ(),tip: TXK(1),TYK(2);")
    np.testing.assert_array_equal(da.pose(earlier, [0.0], frame="tip_j1")[:3, 3], [1, 2, 0])


def test_another_gravity_of_what_is_attached_is_noted():
    tool = da.load("RZ(); body 1: M = 1; gravity = (0, -9.81, 0);")
    assert arm().attach(tool, "tip").notes == arm().notes
    turned = tool.with_gravity((0, 0, -1.62))
    (note,) = arm().attach(turned, "tip").notes
    assert "its gravity 0 0 -1.62 is left" in note and "0 -9.81 0 acts on all" in note


@pytest.mark.parametrize(("axis", "noted"), [([0, 0, 2], 1), ([0, 0, 1], 0), ([0.6, 0, 0.8], 0)])
def test_an_axis_that_is_no_unit_vector_is_noted(axis, noted):
    body = {"name": "a", "parent": -1, "joint": {"type": "revolute", "axis": axis}, "mass": 1}
    m = da.load({"format": "dalembert/1", "bodies": [body]})
    assert sum("unit vectors: 0 0 2" in note for note in m.notes) == noted


def follower():
    joint = {"type": "revolute", "axis": [0, 0, 1]}
    bodies = [{"name": n, "parent": k - 1, "joint": joint, "mass": 1} for k, n in enumerate("ab")]
    coupling = {"joint": "b", "of": "a", "ratio": 2}
    return {"format": "dalembert/1", "bodies": bodies, "couplings": [coupling]}


def test_mimic_holds_for_native_couplings():
    assert len(da.load(follower(), mimic="couple").couplings) == 1
    free = da.load(follower(), mimic="free")
    assert not free.couplings and "ignored, as asked: b" in free.notes[-1]
    m = da.load(follower())
    assert m == da.load(follower(), mimic="substitute") and m.followers == ("b",) and m.nq == 1


@pytest.mark.parametrize(
    "source",
    [ARM, [{"a": 1, "alpha": 0, "d": 0, "theta": 0}], "a,alpha,d,theta\n1,0,0,0\n"],
)
def test_mimic_is_refused_where_no_joint_follows(source):
    with pytest.raises(da.UsageError, match="has no joints that follow others"):
        da.load(source, mimic="free")


@pytest.mark.parametrize("call", [da.simulate, da.linearize, da.equilibrium, da.excite])
def test_a_machine_without_joints_is_refused_by_what_moves_it(call):
    stone = {"name": "stone", "parent": -1, "joint": {"type": "fixed"}, "mass": 1}
    m = da.load({"format": "dalembert/1", "bodies": [stone]})
    with pytest.raises(da.ModelError, match=f"does not move: {call.__name__} needs a joint"):
        call(m)
    assert da.mobility(m) == 0


def test_a_division_by_zero_is_a_singular_pose_only_in_a_formula_of_the_model():
    from fractions import Fraction

    from dalembert.door import door
    from dalembert.linalg import general

    with pytest.raises(da.SingularPose, match="division by zero at this pose"):
        door(general)([[0.0]], [1.0])
    with pytest.raises(da.UsageError, match="Fraction"):
        door(Fraction)(1, 0)
