"""MJCF models load with the mass matrix and the forces that MuJoCo computes."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.drives import friction
from dalembert.algorithms.kinematics import pose
from dalembert.joint import quaternion_matrix
from models import composite, newton_euler

ARM = """
<mujoco model="arm">
  <compiler angle="degree"/>
  <default>
    <joint armature="0.02" damping="0.3"/>
    <default class="stiff"><joint stiffness="40" springref="20" frictionloss="0.7"/></default>
    <geom density="700" type="capsule" size="0.04"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 0.3" euler="0 90 0">
      <joint name="shoulder" axis="0 1 0" range="-90 60"/>
      <geom fromto="0 0 0 0.4 0 0.1"/>
      <body name="lower" pos="0.4 0 0.1" euler="10 20 30">
        <joint name="elbow" axis="1 2 -1" pos="0.02 -0.03 0.01" class="stiff"/>
        <joint name="reach" type="slide" axis="1 0 0.5" pos="0.1 0 0" ref="0.2"/>
        <geom fromto="0 0 0 0.3 0.1 0" mass="1.5"/>
        <geom type="box" size="0.02 0.05 0.1" pos="0.1 0 0.2"/>
        <body name="plate" pos="0.3 0.1 0" quat="0.6 0.3 -0.2 0.7">
          <inertial pos="0.01 0.02 0.03" mass="0.8"
                    fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
        </body>
      </body>
      <body name="hand" pos="0.1 0.2 0.3">
        <joint name="wrist" type="ball" pos="0.05 0 -0.1" armature="0" damping="0"/>
        <geom fromto="0 0 0 0 0 0.2"/>
        <site name="palm" pos="0 0 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FLYING = """
<mujoco model="flying">
  <option gravity="0 1 -9"/>
  <worldbody>
    <body name="rock" pos="5 5 5"><freejoint name="orbit"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0" mass="2"/>
      <body name="arm" pos="0 0.2 0"><joint name="j" axis="0 0 1" ref="0.5"/>
        <geom type="box" size="0.1 0.3 0.05" pos="0 0.3 0" mass="1"/></body>
    </body>
  </worldbody>
</mujoco>
"""

GIMBAL = """
<mujoco model="gimbal">
  <compiler angle="radian"/>
  <worldbody><body name="top" pos="1 0 0">
    <joint name="z" axis="0 0 1"/><joint name="y" axis="0 1 0" pos="0 0 0.1"/>
    <joint name="x" axis="1 0 0" ref="0.4" pos="0 0.2 0"/><joint type="slide" axis="0 1 1"/>
    <geom type="cylinder" size="0.1 0.2" pos="0.3 0.1 0.2"/>
    <body pos="0 0 1"><geom size="0.1"/><body name="tail" pos="0 1 0"><joint axis="0.6 0.8 0"/>
      <geom size="0.05" pos="0.1 0.1 0.1"/></body></body>
  </body></worldbody>
</mujoco>
"""


class Engine:
    """MuJoCo's answers for a text, in the coordinates of the mechanism read from it."""

    def __init__(self, mujoco, text):
        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def set(self, m, q, qd):
        """Set a state; return B with (our velocities) = B (MuJoCo's)."""
        model, data = self.model, self.data
        B, at, v = np.eye(m.nv), 0, 0
        data.qpos[:] = q
        data.qvel[:] = qd
        for body in m.bodies:
            kind = body.joint.kind
            if kind in ("spherical", "free"):
                last = at + body.joint.nq
                data.qpos[last - 4 : last] = np.roll(q[last - 4 : last], 1)
            if kind == "free":
                R = np.array(quaternion_matrix(*q[at + 3 : at + 7]).rows, dtype=float)
                B[v : v + 3, v : v + 3] = R.T
                data.qvel[v : v + 3] = R @ qd[v : v + 3]
            at, v = at + body.joint.nq, v + body.joint.nv
        self.mujoco.mj_fwdPosition(model, data)
        self.mujoco.mj_fwdVelocity(model, data)
        return B


def state(m, seed):
    rng = np.random.default_rng(seed)
    q, at = rng.uniform(-1, 1, m.nq), 0
    for body in m.bodies:
        at += body.joint.nq
        if body.joint.kind in ("spherical", "free"):
            q[at - 4 : at] /= np.linalg.norm(q[at - 4 : at])
    return q, rng.uniform(-1, 1, m.nv)


@pytest.mark.parametrize("text", [ARM, FLYING, GIMBAL], ids=["arm", "flying", "gimbal"])
@pytest.mark.parametrize("seed", range(3))
def test_the_mass_matrix_is_that_of_mujoco(peer, text, seed):
    mujoco = peer("mujoco")
    engine, m = Engine(mujoco, text), da.load(text)
    assert (m.nq, m.nv) == (engine.model.nq, engine.model.nv)
    q, qd = state(m, seed)
    B = engine.set(m, q, qd)
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(engine.model, engine.data, full)
    ours = np.array(composite(m.bound(), list(q)), dtype=float)
    np.testing.assert_allclose(ours, B @ full @ B.T, atol=1e-10)


@pytest.mark.parametrize("text", [ARM, GIMBAL], ids=["arm", "gimbal"])
def test_gravity_and_velocity_forces_are_those_of_mujoco(peer, text):
    mujoco = peer("mujoco")
    engine, m = Engine(mujoco, text), da.load(text)
    q, qd = state(m, 7)
    engine.set(m, q, qd)
    ours = newton_euler(m.bound(), list(q), list(qd), [0.0] * m.nv)
    np.testing.assert_allclose(ours, engine.data.qfrc_bias, atol=1e-10)


@pytest.mark.parametrize("text", [ARM, FLYING, GIMBAL], ids=["arm", "flying", "gimbal"])
def test_every_body_stands_where_mujoco_puts_it(peer, text):
    engine, m = Engine(peer("mujoco"), text), da.load(text)
    q, qd = state(m, 3)
    engine.set(m, q, qd)
    for k in range(1, engine.model.nbody):
        name = engine.model.body(k).name or f"body{k}"
        T = np.array(pose(m.bound(), name, list(q)), dtype=float)
        np.testing.assert_allclose(T[:3, 3], engine.data.xpos[k], atol=1e-12)
        np.testing.assert_allclose(T[:3, :3].ravel(), engine.data.xmat[k], atol=1e-12)


def test_drives_springs_and_limits_are_understood(peer):
    peer("mujoco")
    m = da.load(ARM)
    assert m.joint_names == ("shoulder", "elbow", "reach", "wrist")
    drive = {m.joint_names[0]: None} | {m.bodies[d.joint].joint_name: d for d in m.drives}
    assert float(drive["shoulder"].inertia) == 0.02 and float(drive["reach"].viscous) == 0.3
    assert [float(x) for x in drive["elbow"].coulomb] == [0.7, -0.7]
    (spring,) = m.elastic
    assert m.bodies[spring.joint].joint_name == "elbow" and float(spring.stiffness) == 40
    assert float(spring.rest) == pytest.approx(np.radians(20))
    low, high = m.bodies[0].limits[0]
    assert float(low) == pytest.approx(-np.pi / 2) and float(high) == pytest.approx(np.pi / 3)
    assert any("contacts of" in note for note in m.notes)


def test_springs_and_dampers_push_as_those_of_mujoco(peer):
    engine, m = Engine(peer("mujoco"), ARM), da.load(ARM)
    q, qd = state(m, 11)
    engine.set(m, q, qd)
    b = m.bound()
    spring, damper = np.zeros(m.nv), np.zeros(m.nv)
    for s in b.elastic:
        (angle,) = m.split_q(q)[s.joint]
        spring[m.velocity_index[s.joint]] = -s.stiffness * (angle - s.rest)
    for k, force in friction(b, list(qd)).items():
        dry = next(d.coulomb[0] for d in b.drives if m.velocity_index[d.joint] == k)
        damper[k] = -(force - dry * np.sign(qd[k]))
    np.testing.assert_allclose(spring, engine.data.qfrc_spring, atol=1e-12)
    np.testing.assert_allclose(damper, engine.data.qfrc_damper, atol=1e-12)
    assert np.abs(spring).max() > 1 and np.abs(damper).max() > 0.01


def test_several_joints_on_a_body_make_massless_bodies(peer):
    peer("mujoco")
    m = da.load(GIMBAL)
    assert [b.inertia.is_massless() for b in m.bodies[:4]] == [True, True, True, False]
    assert m.joint_names == ("z", "y", "x", "top.4", "tail")


def test_the_rotor_of_an_actuator_counts_through_its_gear(peer):
    mujoco = peer("mujoco")
    text = """<mujoco><worldbody><body><joint name="a" armature="0.01"/><geom size="0.1"/></body>
      </worldbody><actuator><motor joint="a" gear="3" armature="0.5" damping="0.2"/></actuator>
      </mujoco>"""
    engine, m = Engine(mujoco, text), da.load(text)
    engine.set(m, [0.0], [0.0])
    full = np.zeros((1, 1))
    mujoco.mj_fullM(engine.model, engine.data, full)
    assert composite(m.bound(), [0.0])[0][0] == pytest.approx(full[0, 0], abs=1e-12)
    assert float(m.drives[0].viscous) == pytest.approx(9 * 0.2)
    assert any("1 actuators" in note for note in m.notes)


EQUALITIES = """
<mujoco model="closed">
  <worldbody>
    <body name="a" pos="0 0 0"><joint name="ja" axis="0 0 1" ref="0.1"/>
      <geom size="0.1" pos="0.5 0 0"/><site name="sa" pos="1 0 0"/>
      <body name="b" pos="1 0 0"><joint name="jb" axis="0 0 1" pos="0 0.1 0"/>
        <geom size="0.1" pos="0.5 0 0"/></body></body>
    <body name="c" pos="2 0 0"><joint name="jc" axis="0 0 1" ref="0.3"/><geom size="0.1"/>
      <site name="sc" pos="0 1 0" euler="0 0 90"/></body>
    <body name="d" pos="3 0 0" euler="0 0 30"><joint name="jd" axis="0 1 0"/>
      <geom size="0.1"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="1 0.2 0"/>
    <weld name="glue" body1="c" body2="d" anchor="0.1 0 0"/>
    <weld name="sites" site1="sa" site2="sc"/>
    <joint name="follow" joint1="ja" joint2="jc" polycoef="0.2 3 0 0 0"/>
    <joint name="curved" joint1="ja" joint2="jc" polycoef="0 1 1 0 0"/>
    <connect name="off" body1="a" body2="d" anchor="0 0 0" active="false"/>
  </equality>
</mujoco>
"""


def test_equalities_become_loops_and_couplings(peer):
    peer("mujoco")
    m = da.load(EQUALITIES)
    assert [(loop.name, loop.joint) for loop in m.loops] == [
        ("pin", "spherical"), ("glue", "fixed"), ("sites", "fixed"),
    ]  # fmt: skip
    (coupling,) = m.couplings
    assert (coupling.joint, coupling.of, coupling.ratio) == (0, 2, 3)
    # q1 - 0.1 = 0.2 + 3 (q2 - 0.3), ref in degrees
    assert float(coupling.offset) == pytest.approx(np.radians(0.1) + 0.2 - 3 * np.radians(0.3))
    text = " ".join(m.notes)
    assert "inactive equality off" in text and "polynomial" in text
    assert not da.load(EQUALITIES, mimic="free").couplings


def test_loops_are_closed_where_mujoco_says_so(peer):
    """In the first pose the compiler has made every connect and weld of bodies hold."""
    engine, m = Engine(peer("mujoco"), EQUALITIES), da.load(EQUALITIES)
    bound = m.bound()
    q = [float(x) for x in engine.model.qpos0]
    for loop in bound.loops[:2]:
        ends = []
        for body, point, R in (
            (loop.body_i, loop.point_i, loop.rotation_i),
            (loop.body_j, loop.point_j, loop.rotation_j),
        ):
            T = np.array(pose(bound, m.bodies[body].name, q), dtype=float)
            p = T @ [*(float(x) for x in point), 1.0]
            ends.append((p[:3], T[:3, :3] @ np.array(R.matrix().rows, dtype=float)))
        np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-12)
        if loop.joint == "fixed":
            np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-12)


def _bar(name, joint, end, mass, pos="0 0 0", inner="", axis="0 0 1"):
    """Return a body on a hinge, its mass between its origin and another point."""
    return f"""<body name="{name}" pos="{pos}"><joint name="{joint}" axis="{axis}" armature="0.01"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 {end}" mass="{mass}" contype="0"
            conaffinity="0"/>{inner}</body>"""


def _closed(bodies, equality, motor):
    return f"""<mujoco><compiler angle="radian"/><option gravity="1 -9 2" jacobian="dense"/>
      <worldbody>{bodies}</worldbody><equality>{equality}</equality>
      <actuator><motor joint="{motor}"/></actuator></mujoco>"""


ROD = _bar("rod", "b", "0.5 0.1 0", 0.8, "0.2 0.1 0")
CRANK = _bar("crank", "a", "0.2 0.1 0", 0.5, inner=ROD)
ROCKER = _bar("rocker", "c", "0.1 0.3 0", 0.7, "0.6 -0.1 0")
# the rod in two halves that are glued together; the second half hangs on the rocker's end
HALF = _bar("half", "d", "-0.2 0 0", 0.4, "0.1 0.3 0")
GLUED = _bar("rocker", "c", "0.1 0.3 0", 0.7, "0.6 -0.1 0", HALF)
LINK = _bar("link", "c", "0.1 -0.3 0", 0.6, "0.5 0.1 0")
LONG = _bar("rod", "b", "0.5 0.1 0", 0.8, "0.2 0.1 0", LINK)
CHAIN = _bar("crank", "a", "0.2 0.1 0", 0.5, inner=LONG)
LOOPS = {
    "connect": _closed(
        CRANK + ROCKER, '<connect name="pin" body1="rod" body2="rocker" anchor="0.5 0.1 0"/>', "a"
    ),
    "connect to the world": _closed(
        CHAIN, '<connect name="pin" body1="link" anchor="0.1 -0.3 0"/>', "b"
    ),
    "weld": _closed(CRANK + GLUED, '<weld name="glue" body1="rod" body2="half"/>', "c"),
    "joint": _closed(CRANK, '<joint joint1="b" joint2="a" polycoef="0.2 -1.5 0 0 0"/>', "a"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_move_as_the_constraints_of_mujoco_ask(peer, name):
    """M qdd + h = tau + Jᵀ λ and d(J qd)/dt = 0, with M, h and J of MuJoCo."""
    mujoco, text = peer("mujoco"), LOOPS[name]
    engine, m = Engine(mujoco, text), da.load(text, mimic="couple")
    motor = engine.model.joint(int(engine.model.actuator_trnid[0][0])).name
    if name == "joint":
        # a coupling alone says nothing of motors
        assert len(m.couplings) == 1 and not m.active
        m = replace(m, active=(motor,))
    else:
        assert [loop.joint for loop in m.loops] == ["fixed" if name == "weld" else "spherical"]
        assert m.active == (motor,) and any(f"actuator: {motor}" in note for note in m.notes)
    # away from the pose the compiler closed, where the loop is closed again
    q = np.array(da.assembly(m, np.where([n == motor for n in m.joint_names], 0.3, 0.0)))
    assert np.abs(q).min() > 1e-3
    J = _constraints(engine, m, q)
    free = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :]
    qd = free.T @ np.full(len(free), 0.7)
    engine.set(m, q, qd)
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(engine.model, engine.data, full)
    h, step = engine.data.qfrc_bias.copy(), 1e-5
    slope = (_constraints(engine, m, q + step * qd) - _constraints(engine, m, q - step * qd)) @ qd
    tau = np.where([name == motor for name in m.joint_names], 1.3, 0.0)
    # independent rows: the others are satisfied by them
    U, S, V = np.linalg.svd(J, full_matrices=False)
    kept = S > 1e-9
    rows, right = V[kept], (U[:, kept].T @ (-slope / (2 * step))) / S[kept]
    r = len(rows)
    system = np.block([[full, -rows.T], [rows, np.zeros((r, r))]])
    wanted = np.linalg.solve(system, np.concatenate([tau - h, right]))[: m.nv]
    found = da.forward_dynamics(m, q, qd, [1.3])
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())
    back = da.inverse_dynamics(m, q, qd, found)
    np.testing.assert_allclose(back, [1.3], atol=1e-9 * np.abs(h).max())


def _constraints(engine, m, q):
    """Return MuJoCo's Jacobian of its equality constraints at a pose."""
    engine.set(m, q, np.zeros(m.nv))
    rows = engine.data.ne
    assert rows == engine.data.nefc
    return engine.data.efc_J.reshape(-1, m.nv)[:rows].copy()


def test_xml_is_told_apart_by_its_first_element(tmp_path, peer):
    peer("mujoco")
    file = tmp_path / "arm.xml"
    file.write_text("<?xml version='1.0'?>\n<!-- <robot/> -->\n" + FLYING.strip())
    assert da.load(file).name == "flying" and da.load(file).joint_names[0] == "orbit"
    robot = '<robot name="r"><link name="a"/></robot>'
    file.write_text(robot)
    assert da.load(file).name == "r"


def test_a_free_base_may_be_added(peer):
    peer("mujoco")
    assert da.load(GIMBAL, base="free").nv == 6 + da.load(GIMBAL).nv


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco>\n<worldbody>\n<body><jiont/></body></worldbody></mujoco>", "jiont"),
        ("<mujoco>\n<worldbody>\n<body><joint/></body></worldbody></mujoco>", "MJCF"),
        ("<mujoco><worldbody>", "XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><mujoco/>', "document type"),
    ],
)
def test_a_mistake_is_our_own_error(peer, text, message):
    peer("mujoco")
    with pytest.raises(da.DescriptionError, match=message):
        da.load(text)


def test_a_warning_of_mujoco_is_a_note_and_no_file(peer, tmp_path, monkeypatch):
    peer("mujoco")
    monkeypatch.chdir(tmp_path)
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    joints = "".join(f'<joint axis="{a}"/>' for a in ("1 0 0", "0 1 0", "1 0 0"))
    text = f"<mujoco><worldbody><body>{joints}{inertial}</body></worldbody></mujoco>"
    m = da.load(text)
    assert m.nv == 3 and not list(tmp_path.iterdir())
    assert any("MuJoCo: " in note for note in m.notes)


def test_without_mujoco_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import dalembert as da\n"
        "try:\n    da.load('<mujoco/>')\n"
        "except da.UsageError as error:\n    print(error.hint)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install mujoco" in out.stdout


def test_several_free_bodies_are_called_like_their_bodies():
    ball = '<body name="{}" pos="0 0 {}"><freejoint/><geom size="0.1" mass="1"/></body>'
    text = "<mujoco><worldbody>{}</worldbody></mujoco>"
    two = da.load(text.format(ball.format("red", 1) + ball.format("blue", 2)))
    assert two.joint_names == ("red", "blue")
    assert two.nv == 12
    assert da.load(text.format(ball.format("red", 1))).joint_names == ("base",)
