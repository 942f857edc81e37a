"""What a mechanism must satisfy."""

import pytest

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
