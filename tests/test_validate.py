"""What a mechanism must satisfy."""

import re
from dataclasses import replace

import pytest

import dalembert as da
from dalembert.algebra import Vec3
from dalembert.errors import ModelError
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Revolute
from dalembert.mechanism import Body, Drive, JointSpring, Mechanism, PointSpring

ARM = Body("arm", 0, joint=Revolute(), inertia=Inertia(1))
WELDED_FIRST = (Body("foot", -1, joint=Fixed()), ARM)


@pytest.mark.parametrize("record", [{"drives": (Drive(1),)}, {"elastic": (JointSpring(1),)}])
def test_a_drive_may_stand_beside_a_fixed_first_body(record):
    assert Mechanism(WELDED_FIRST, **record).nv == 1


def test_a_drive_on_a_fixed_joint_is_refused():
    with pytest.raises(ModelError, match="0 is not a moving joint"):
        Mechanism(WELDED_FIRST, drives=(Drive(0),))


def test_a_drive_put_on_a_fixed_joint_by_hand_is_refused():
    m = da.load("RZ(), TXK(1); body 1: M = 1, I = (1, 1, 1);")
    with pytest.raises(ModelError, match="0 is not a moving joint"):
        replace(m, bodies=(replace(m.bodies[0], joint=Fixed()),), drives=(Drive(0),))


@pytest.mark.parametrize(
    ("drive", "says"),
    [
        (Drive(0, viscous=-3), "negative viscous friction -3"),
        (Drive(0, inertia=-1), "negative rotor inertia -1"),
        (Drive(0, coulomb=(7, 7)), r"Coulomb friction \(7, 7\) drives the joint"),
        (Drive(0, coulomb=(-1, 1)), r"Coulomb friction \(-1, 1\) drives the joint"),
    ],
)
def test_friction_that_makes_energy_is_reported(drive, says):
    m = replace(da.load("RZ(), TXK(1); body 1: M = 1, I = (1, 1, 1);"), drives=(drive,))
    assert len(m.report()) == 1
    assert re.search(says, m.report()[0])
    for static in ((0, 0), (0.4, -0.43), (0.5, -0.5)):
        ok = replace(m, drives=(Drive(0, 1, -2, (0.4, -0.43), 0.1, static),))
        assert not ok.report()


def test_springs_that_push_the_wrong_way_are_reported():
    m = da.load("RZ(), TXK(1); body 1: M = 1, I = (1, 1, 1);")
    own = replace(m, elastic=(JointSpring(0, -5, 0, -1),))
    assert own.report() == [
        "spring in joint 'j1': negative stiffness -5",
        "spring in joint 'j1': negative damping -1",
    ]
    ends = (0, Vec3(0, 0, 1), -1, Vec3(0, 0, 2))
    other = replace(m, springs=(PointSpring(*ends, -4, -2, 0),))
    assert other.report() == ["spring 1: negative stiffness -4", "spring 1: negative length -2"]
    assert not replace(m, elastic=(JointSpring(0, 5, -1, 1),)).report()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"drives": (Drive(0), Drive(0))}, "two drives"),
        ({"drives": (Drive(0, coulomb=(20, -20), static=(5, -5)),)}, "static level 5 is below"),
        ({"drives": (Drive(0, coulomb=(2, -2), static=(5, 0)),)}, "static level 0 is below"),
        ({"drives": Drive(0)}, "a tuple of Drive is needed, not Drive"),
        ({"drives": ("j1",)}, "a tuple of Drive is needed, not str"),
        ({"drives": (Drive(7),)}, "7 is not a moving joint"),
        ({"active": ("elbow",)}, "'elbow' is not a joint"),
        ({"active": "j1"}, "a tuple of str"),
        ({"gravity": (0, 0, -9.81)}, "Vec3"),
        ({"gravity": Vec3(0.0, 0.0, float("nan"))}, "the number nan"),
        ({"loops": None}, "a tuple of Loop"),
        ({"bodies": ("a",)}, "a tuple of Body"),
        ({"elastic": (JointSpring(0, 1.0), JointSpring(0, 2.0))}, "two springs"),
    ],
)
def test_parts_given_by_replace_are_validated(changes, said):
    m = da.load("RZ(), TXK(0.4), RZ(), TXK(0.3); body 1: M = 2; body 2: M = 1;")
    with pytest.raises(ModelError, match=said):
        replace(m, **changes)


def test_a_body_of_negative_mass_given_by_replace_is_refused():
    m = da.robots.puma560()
    light = replace(m.bodies[2], inertia=replace(m.bodies[2].inertia, mass=-1))
    with pytest.raises(ModelError, match="negative mass"):
        replace(m, bodies=(*m.bodies[:2], light, *m.bodies[3:]))
    # what is known to be good is not validated again, and values are put in as before
    assert replace(m, bodies=m.bodies, checked=True) == m
    assert replace(m, name="other").name == "other"
    arm = da.load("RZ(), TXK(L1); body 1: M = 2, D = (L1, 0, 0);").with_values(L1=0.5)
    assert replace(arm, name="x").bodies == arm.bodies


@pytest.mark.parametrize("kind, freedoms", [("planar", 3), ("spherical", 3), ("free", 6)])
@pytest.mark.parametrize(
    "record",
    [
        {"drives": [{"joint": "a", "viscous": 1, "Ia": 0.3}]},
        {"elastic": [{"joint": "a", "stiffness": 5}]},
        {"couplings": [{"joint": "a", "of": "b"}]},
        {"couplings": [{"joint": "b", "of": "a"}]},
    ],
)
def test_a_joint_of_several_freedoms_has_no_drive_spring_or_coupling(kind, freedoms, record):
    """Which of its coordinates would it be? Energies and regressors took the first."""
    several = {"name": "p", "parent": -1, "joint": {"type": kind, "name": "a"}, "mass": 1}
    one = {"name": "r", "parent": "p", "joint": {"type": "revolute", "name": "b"}, "mass": 1}
    data = {"format": "dalembert/1", "bodies": [several, one], **record}
    with pytest.raises(da.DalembertError, match=f"joint 'a' .* {freedoms} degrees of freedom"):
        da.load(data, mimic="couple")


def test_limits_that_look_like_degrees_are_questioned():
    (odd,) = da.load("RZ(-90, 180), TXK(L1);").report()
    assert odd == "limits of joint 'j1': -90 to 180 rad; if they are degrees, write 180deg"
    for fine in ("RZ(-90deg, 180deg), TXK(L1);", "RZ(-6, 6), TXK(L1);", "TX(-90, 90), TXK(L1);"):
        assert not da.load(fine).report()
    assert not da.load("RZ(A1, 180), TXK(L1);").report()


def test_massless_bodies_between_joints_are_usual_and_others_are_told():
    def told(phrase):
        return [x for x in da.load(phrase).report() if "massless" in x]

    base = "x: TX(), y: TY(), th: RZ(), TXK(0.5);"
    assert told(f"{base} body th: M = 5, I = (0, 0, 1);") == []
    assert told("RZ(), RY(), RX(), TXK(0.3); body 3: M = 1, D = (0.1, 0, 0);") == []
    assert told("TX(), TYK(0.4), TY(); body 2: M = 1;") == []
    assert told(f"{base} body y: M = 5;") == ["body 'th' is massless"]
    assert told("RZ(), TXK(0.5), RZ(), TXK(0.4); body 2: M = 1;") == ["body 'j1' is massless"]
    assert len(told("TX(), TY(), RZ(), TXK(0.5);  body 1: M = 1;")) == 2


@pytest.mark.parametrize(("values", "odd"), [
    ({"J": -0.2}, "drive of joint 'a': negative rotor inertia -0.2"),
    ({"B": -1}, "drive of joint 'a': negative viscous friction -2"),
    ({"C": -0.3}, "drive of joint 'a': Coulomb friction (-0.3, 0.3) drives the joint; the pair is "
     "(at positive speed, at negative speed), as (0.4, -0.43)"),
    ({"M": -2}, "body 'a': negative mass -2"),
    ({"X": 9}, "body 'a': the principal inertias violate the triangle inequality"),
    ({"K": -4}, "spring in joint 'a': negative stiffness -4"),
    ({"U": -0.5}, "joint 'a': limits 0 to -0.5"),
    ({"E": -3}, "joint 'a': negative effort limit -3"),
    ({"S": -3}, "joint 'a': negative velocity limit -3"),
])  # fmt: skip
def test_letters_are_judged_by_their_values(values, odd):
    usual = {"J": 0.2, "B": 1, "C": 0.3, "M": 2, "X": 1, "K": 4, "U": 0.5, "E": 3, "S": 3}
    joint = {"type": "revolute", "name": "a", "limits": [0, "U"], "velocity_limit": "S",
             "effort_limit": "E"}  # fmt: skip
    body = {"name": "a", "parent": -1, "mass": "M", "inertia": ["X", 1, 1], "joint": joint}
    drive = {"joint": "a", "Ia": "J", "viscous": "2*B", "coulomb": ["C", "-C"]}

    def machine(parameters, **more):
        return da.load({"format": "dalembert/1", "bodies": [body], "drives": [drive], **more,
                        "elastic": [{"joint": "a", "stiffness": "K"}],
                        "parameters": parameters})  # fmt: skip

    assert not machine(usual).report()
    assert machine(usual | values).report() == [odd]
    assert not machine(dict.fromkeys(usual), symbols=list(usual)).report()
