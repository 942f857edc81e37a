"""What a mechanism must satisfy."""

import re
from dataclasses import replace

import pytest

import dalembert as da
from dalembert.errors import ModelError
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Revolute
from dalembert.mechanism import Body, Drive, JointSpring, Mechanism

ARM = Body("arm", 0, joint=Revolute(), inertia=Inertia(1))
WELDED_FIRST = (Body("foot", -1, joint=Fixed()), ARM)


@pytest.mark.parametrize("record", [{"drives": (Drive(1),)}, {"elastic": (JointSpring(1),)}])
def test_a_drive_may_stand_beside_a_fixed_first_body(record):
    assert Mechanism(WELDED_FIRST, **record).nv == 1


def test_a_drive_on_a_fixed_joint_is_refused():
    with pytest.raises(ModelError, match="0 is not a moving joint"):
        Mechanism(WELDED_FIRST, drives=(Drive(0),))


def test_a_drive_put_on_a_fixed_joint_by_hand_is_reported():
    m = da.load("RZ(), TXK(1); body 1: M = 1, I = (1, 1, 1);")
    stiff = replace(m, bodies=(replace(m.bodies[0], joint=Fixed()),), drives=(Drive(0),))
    assert any("does not move" in odd for odd in stiff.report())


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
    ok = replace(m, drives=(Drive(0, 1, -2, (0.4, -0.43), 0.1),))
    assert not ok.report()
