"""MJCF: what <flag> switches off does not act, and forces that are not linear are listed."""

import numpy as np
import pytest

import dalembert as da

ARM = """<mujoco><compiler angle="radian"/><option><flag contact="disable" {flag}/></option>
 <worldbody><body name="a"><joint name="j1" type="hinge" axis="0 1 0" {joint}/>
 <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><body name="b" pos=".3 0 0">
 <joint name="j2" type="hinge" axis="0 1 0" stiffness="3" springref=".2" damping=".4"
 frictionloss=".5"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/></body></body>
 </worldbody><tendon><fixed name="t" {tendon}><joint joint="j1" coef="2"/></fixed></tendon>
 {more}</mujoco>"""
COUPLED = '<equality><joint joint1="j2" joint2="j1" polycoef="0 2 0 0 0"/></equality>'
MOTOR = '<actuator><motor joint="j1" damping="1 2"/></actuator>'


def text(flag="", joint="", tendon="", more=""):
    return ARM.format(flag=flag, joint=joint, tendon=tendon, more=more)


@pytest.mark.parametrize("flag", ["spring", "damper", "spring damper"])
def test_springs_and_dampers_that_are_switched_off_do_not_act(flag, peer):
    mujoco = peer("mujoco")
    off = " ".join(f'{word}="disable"' for word in (*flag.split(), "frictionloss"))
    tendon = 'stiffness="2" springlength="0.1" damping=".3"'
    xml = text(off, joint='damping=".2"', tendon=tendon)
    m = da.load(xml)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qacc[:] = [0.3, -0.7], [1.1, 0.4], [0.2, -0.6]
    mujoco.mj_inverse(model, data)
    ours = da.inverse_dynamics(m, data.qpos, data.qvel, data.qacc, drives="all")
    np.testing.assert_allclose(ours, data.qfrc_inverse, atol=1e-12)
    assert any("<flag>" in n and flag.split()[0] in n for n in m.notes)


@pytest.mark.parametrize("flag", ["frictionloss", "constraint"])
def test_dry_friction_that_is_switched_off_is_not_read(flag):
    (drive,) = da.load(text(f'{flag}="disable"')).drives
    assert not any(drive.coulomb) and drive.viscous
    assert any(da.load(text()).drives[0].coulomb)


@pytest.mark.parametrize("flag", ["equality", "constraint"])
def test_equalities_that_are_switched_off_do_not_hold(flag):
    m = da.load(text(f'{flag}="disable"', more=COUPLED))
    assert m.joint_names == ("j1", "j2")
    assert any("<flag>" in n and "equality" in n for n in m.notes)
    assert da.load(text(more=COUPLED)).joint_names == ("j1",)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"tendon": 'stiffness="3 1 2"'}, "nonlinear stiffness or damping of tendon t"),
        ({"tendon": 'damping="3 1"'}, "nonlinear stiffness or damping of tendon t"),
        ({"more": MOTOR}, "nonlinear damping of actuator 0"),
        ({"joint": 'stiffness="3" springyield=".1"'}, "yield of the spring of j1"),
        ({"tendon": 'stiffness="3" springyield=".1"'}, "yield of the spring of tendon t"),
        ({"joint": 'actuatorfrcrange="-5 10"'}, "force range of j1 (-5 to 10)"),
    ],
)
def test_what_is_not_linear_or_not_even_is_listed(parts, said):
    pytest.importorskip("mujoco", "4.0")
    assert any(said in n for n in da.load(text(**parts)).notes)
