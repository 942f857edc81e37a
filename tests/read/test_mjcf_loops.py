"""Connect and weld of MJCF close where MuJoCo says they do, and leave the motions it leaves."""

import numpy as np
import pytest

import dalembert as da
from dalembert.joint import quaternion_matrix

GEOM = '<geom type="capsule" size="0.02" fromto="0 0 0 {}" mass="0.5"/>'


def leg(k, x, y):
    """Return a leg of a platform: two hinges that cross, then a slide."""
    return f"""<body name="cross{k}" pos="{x} {y} 0"><joint name="u{k}" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="0.01" diaginertia="1e-4 1e-4 1e-4"/>
      <body name="low{k}"><joint name="v{k}" axis="0 1 0"/>{GEOM.format("0 0 0.4")}
      <body name="up{k}" pos="0 0 0.4"><joint name="s{k}" type="slide" axis="0 0 1"/>
      {GEOM.format("0 0 0.2")}</body></body></body>"""


FEET = [(0.5, 0.1), (-0.2, 0.5), (-0.3, -0.4), (0.4, -0.3)]
PLATE = """<body name="plate" pos="0 0 0.6"><freejoint name="plate"/>
  <geom type="box" size="0.2 0.2 0.02" mass="2"/></body>"""


def text(bodies, equality):
    return f"""<mujoco><compiler angle="radian"/><option jacobian="dense"/>
      <default><geom contype="0" conaffinity="0"/></default>
      <worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>"""


def platform(count):
    legs = "".join(leg(k, x, y) for k, (x, y) in enumerate(FEET[:count]))
    pins = "".join(f'<connect body1="up{k}" body2="plate" anchor="0 0 0.2"/>' for k in range(count))
    return text(legs + PLATE, pins)


def bar(name, joint, end, pos="0 0 0", inner="", axis="0 0 1"):
    """Return a body on a hinge that is not at its origin."""
    return f"""<body name="{name}" pos="{pos}"><joint name="{joint}" axis="{axis}"
      pos="0.01 0.02 0"/>{GEOM.format(end)}{inner}</body>"""


ROD = bar("rod", "b", "0.5 0.1 0", "0.2 0.1 0")
CRANK = bar("crank", "a", "0.2 0.1 0", inner=ROD)
ROCKER = bar("rocker", "c", "0.1 0.3 0", "0.6 -0.1 0")
HALF = bar("half", "d", "-0.2 0 0", "0.1 0.3 0")
GLUED = bar("rocker", "c", "0.1 0.3 0", "0.6 -0.1 0", HALF)
PIN = '<connect body1="rod" body2="rocker" anchor="0.5 0.1 0"/>'
MODELS = {
    # text, mobility: hinges in a plane, and 18 + 6 freedoms less three for each leg
    "four-bar": (text(CRANK + ROCKER, PIN), 1),
    "welded halves": (text(CRANK + GLUED, '<weld body1="rod" body2="half"/>'), 1),
    "pinned to the world": (text(CRANK, '<connect body1="rod" anchor="0.3 0.1 0"/>'), 0),
    "three legs": (platform(3), 6),
    "four legs": (platform(4), 6),
}  # fmt: skip


def placed(mujoco, engine, m, q):
    """Return MuJoCo's data at a pose of ours."""
    data = mujoco.MjData(engine)
    data.qpos[:] = q
    at = 0
    for body in m.bodies:
        at += body.joint.nq
        if body.joint.kind == "free":
            data.qpos[at - 4 : at] = np.roll(q[at - 4 : at], 1)
    mujoco.mj_fwdPosition(engine, data)
    return data


def to_ours(m, q):
    """Return B with (MuJoCo's velocities) = B (ours): a free body's is in base axes there."""
    B, at, v = np.eye(m.nv), 0, 0
    for body in m.bodies:
        if body.joint.kind == "free":
            R = np.array(quaternion_matrix(*q[at + 3 : at + 7]).rows, dtype=float)
            B[v : v + 3, v : v + 3] = R
        at, v = at + body.joint.nq, v + body.joint.nv
    return B


@pytest.mark.parametrize("name", MODELS)
def test_assembled_poses_have_no_residual_in_mujoco_and_the_same_motions(peer, name):
    mujoco, (source, mobility) = peer("mujoco"), MODELS[name]
    engine, m = mujoco.MjModel.from_xml_string(source), da.load(source)
    assert da.mobility(m) == mobility
    rng = np.random.default_rng(0)
    start = np.array([float(x) for x in engine.qpos0])
    for body, at in zip(m.bodies, np.cumsum([b.joint.nq for b in m.bodies]), strict=True):
        if body.joint.kind == "free":
            start[at - 4 : at] = np.roll(start[at - 4 : at], -1)
    for _ in range(3):
        q = da.assemble(m, da.integrate(m, start, 0.1 * rng.normal(size=m.nv)))
        data = placed(mujoco, engine, m, q)
        equal = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert equal.sum() == 3 * len(m.loops) + 3 * (name == "welded halves")
        np.testing.assert_allclose(data.efc_pos[equal], 0, atol=1e-9)
        # what MuJoCo leaves free is what the closure leaves free
        J = data.efc_J.reshape(-1, m.nv)[equal] @ to_ours(m, q)
        ours = da.loop_jacobian(m, q)
        rank = np.linalg.matrix_rank(J, tol=1e-8)
        assert rank == m.nv - mobility == np.linalg.matrix_rank(ours, tol=1e-8)
        assert np.linalg.matrix_rank(np.vstack([J, ours]), tol=1e-7) == rank
        # and a pose that is open here is open there
        off = np.zeros(m.nv)
        off[-1] = 0.05
        open_pose = da.integrate(m, q, off)
        there = placed(mujoco, engine, m, open_pose).efc_pos[equal]
        assert (np.abs(there).max() > 1e-3) == (np.abs(da.closure(m, open_pose)).max() > 1e-3)
