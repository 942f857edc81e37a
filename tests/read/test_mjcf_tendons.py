"""Fixed tendons of MJCF: equalities as couplings, forces as those of joints, against MuJoCo."""

import numpy as np
import pytest

import dalembert as da

ARM = """<mujoco><worldbody><body name="a"><joint name="j1" type="hinge"
 axis="0 1 0" ref="{ref}" stiffness="{k}" springref="20"/><geom type="capsule" fromto="0 0 0 .3 0 0"
 size=".03"/><body name="b" pos=".3 0 0"><joint name="j2" type="hinge" axis="0 1 0"/>
 <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/><body name="c" pos=".2 0 0">
 <joint name="j3" type="slide" axis="1 0 0"/><geom type="sphere" size=".04"/></body></body></body>
 </worldbody><tendon>{tendons}</tendon>{equality}</mujoco>"""


def fixed(name, *terms, more=""):
    inner = "".join(f'<joint joint="{j}" coef="{c}"/>' for j, c in terms)
    return f'<fixed name="{name}" {more}>{inner}</fixed>'


def text(tendons, equality="", ref=0, k=0):
    return ARM.format(tendons=tendons, equality=equality, ref=ref, k=k)


EQUALITIES = {
    "two tendons": (
        fixed("s", ("j1", 2.0)) + fixed("t", ("j2", -0.5)),
        '<equality><tendon tendon1="s" tendon2="t" polycoef="0.1 3 0 0 0"/></equality>',
    ),
    "one tendon of two joints": (
        fixed("s", ("j1", 2.0), ("j2", -0.5)),
        '<equality><tendon tendon1="s" polycoef="0.1 1 0 0 0"/></equality>',
    ),
}


@pytest.mark.parametrize("name", EQUALITIES)
@pytest.mark.parametrize("ref", [0, 15])
def test_an_equality_of_tendons_is_a_coupling(name, ref, peer):
    mujoco = peer("mujoco")
    tendons, equality = EQUALITIES[name]
    xml = text(tendons, equality, ref)
    m = da.load(xml, mimic="couple")
    (coupling,) = m.couplings
    ratio, offset = float(coupling.ratio), float(coupling.offset)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    for q2 in (-0.4, 0.0, 0.7):
        data.qpos[:] = [ratio * q2 + offset, q2, 0.05]
        mujoco.mj_forward(model, data)
        assert data.nefc == 1 and abs(data.efc_pos[0]) < 1e-12
    assert len(da.load(xml).joint_names) == 2


@pytest.mark.parametrize("k", [0, 4])
def test_forces_of_a_tendon_of_one_joint_are_those_of_the_joint(k, peer):
    mujoco = peer("mujoco")
    more = 'stiffness="30" springlength="0.2" damping="2" frictionloss="0.4" armature="0.05"'
    xml = text(fixed("s", ("j1", 2.0), more=more), k=k)
    m = da.load(xml)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, qd = rng.uniform(-1, 1, (2, 3))
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_forward(model, data)
        j = m.joint_index("j1")
        (spring,) = [s for s in m.elastic if s.joint == j]
        (drive,) = [d for d in m.drives if d.joint == j]
        force = -float(spring.stiffness) * (q[0] - float(spring.rest))
        force -= float(drive.viscous) * qd[0]
        assert force == pytest.approx(data.qfrc_passive[0], rel=1e-12)
        M = np.zeros((3, 3))
        mujoco.mj_fullM(model, data, M)
        assert np.allclose(da.mass_matrix(m, q), M, atol=1e-10)
    assert float(drive.coulomb[0]) == pytest.approx(0.8)


def test_other_tendons_are_listed():
    xml = text(fixed("s", ("j1", 1.0), ("j2", 1.0), more='stiffness="3"'))
    m = da.load(xml)
    assert not m.elastic and any("forces of tendon s" in note for note in m.notes)
    loose = text(fixed("s", ("j1", 1.0), more='stiffness="3" springlength="0.1 0.2"'))
    assert any("forces of tendon s" in note for note in da.load(loose).notes)
    both = fixed("s", ("j1", 2.0)) + fixed("t", ("j2", -0.5))
    bent = '<equality><tendon tendon1="s" tendon2="t" polycoef="0 1 2 0 0"/></equality>'
    m = da.load(text(both, bent))
    assert not m.couplings and any("equality of tendon s" in note for note in m.notes)
