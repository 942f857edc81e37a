"""The model of a task: against Pinocchio on trees, virtual work and the referee on loops."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
import referee
from dalembert.errors import ComputationError, SingularModel, SingularPose, UsageError
from machines.linkages import PLANAR
from machines.platforms import motion, rods, upu
from machines.spatial import SPATIAL
from pinocchio_model import to_pinocchio
from slow_cases import with_slow

R = da.robots
ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
PARALLEL = {
    name: (PLANAR | SPATIAL)[name]
    for name in ("3-RRR", "3-RPR", "five-bar", "Sarrus", "toggle press", "Delta", "agile eye",
                 "Stewart", "hexaglide", "3-UPU", "3-PRS", "palletiser")
}  # fmt: skip


def random_tree(seed):
    """Return a native dict of seven bodies with every kind of joint, and positive inertias."""
    rng, bodies = np.random.default_rng(seed), []
    kinds = ("revolute", "prismatic", "screw", "planar", "spherical", "free", "revolute")
    for k in range(7):
        A = rng.normal(size=(3, 3)) * 0.3
        turns = [["xyz"[rng.integers(3)], rng.normal()] for _ in range(2)]
        place = {"translation": list(rng.normal(size=3)), "rotation": turns}
        kind = kinds[(k + seed) % 7]
        joint = {"type": kind, "placement": place}
        if kind in ("revolute", "prismatic", "screw"):
            joint["axis"] = list(rng.normal(size=3))
        joint |= {"pitch": 0.2} if kind == "screw" else {}
        tensor = np.trace(A @ A.T) * np.eye(3) - A @ A.T
        parent = k - 1 if k % 3 else int(rng.integers(-1, k))
        mass = {"mass": rng.uniform(0.5, 2), "com": list(rng.normal(size=3) * 0.2)}
        mass["inertia"] = tensor.tolist()
        bodies.append({"name": f"b{k}", "parent": parent, "joint": joint, **mass})
    return da.load({"format": "dalembert/1", "gravity": [1.0, 2.0, -9.0], "bodies": bodies})


def frame_terms(pin, m, model, q, qd, j):
    """Return J and drift of body j's frame in Pinocchio, base axes, [v; w]."""
    joint = next(k for k, n in enumerate(model.names) if n.startswith(f"{j}:"))
    kind = pin.FrameType.OP_FRAME
    f = model.addFrame(pin.Frame("seen", joint, 0, pin.SE3.Identity(), kind), False)
    data = model.createData()
    ref = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = pin.computeFrameJacobian(model, data, q, f, ref)
    pin.forwardKinematics(model, data, q, qd, np.zeros(model.nv))
    return J, pin.getFrameClassicalAcceleration(model, data, f, ref).vector


@pytest.mark.parametrize("seed", range(6))
def test_trees_against_pinocchio(peer, seed):
    """Λ = (J M⁻¹ Jᵀ)⁻¹, J̄ and μ of the operational space, from Pinocchio's M, nle, J, J' q̇."""
    pin = peer("pin")
    m, rng = random_tree(seed), np.random.default_rng(seed)
    model = to_pinocchio(m)
    j = len(m.bodies) - 1
    t = da.task_model(m, frame=m.bodies[j].name)
    q = da.integrate(m, da.neutral(m), rng.uniform(-1, 1, m.nv))
    qd = rng.uniform(-1, 1, m.nv)
    J, drift = frame_terms(pin, m, model, q, qd, j)
    # crba wants subtrees without gaps in their numbers; rnea does not
    rest, run = np.zeros(m.nv), pin.rnea
    load = run(model, model.createData(), q, rest, rest)
    columns = [run(model, model.createData(), q, rest, e) - load for e in np.eye(m.nv)]
    M = np.array(columns).T
    h = pin.nonLinearEffects(model, model.createData(), q, qd)
    keep = [ROWS.index(r) for r in t.rows]
    J, drift = J[keep], drift[keep]
    inertia = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    bar = np.linalg.solve(M, J.T) @ inertia
    s = t(q, qd)
    for found, want in (
        (s.J, J),
        (s.inertia, inertia),
        (s.inverse, bar),
        (s.null_space, np.eye(m.nv) - bar @ J),
        (s.bias, bar.T @ h - inertia @ drift),
    ):
        assert found == pytest.approx(want, rel=1e-8, abs=1e-8 * max(1, np.abs(want).max()))


@pytest.mark.parametrize("robot", ["puma560", "ur5", "tx40"])
def test_square_cases_are_the_cartesian_models(robot):
    m = getattr(R, robot)()
    frame = m.frames[-1]
    t = da.task_model(m, frame=frame, axes="local")
    assert t.kind == "square" and len(t.rows) == 6
    rng = np.random.default_rng(2)
    q = np.array([0.1, -0.7, 0.6, 0.3, 0.8, 0.2]) + rng.uniform(-0.1, 0.1, (5, 6))
    qd, tau = rng.uniform(-1, 1, (2, 5, 6))
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(t.inertia(q), da.cartesian_mass(m, q, frame=frame), **close)
    moving = t.bias(q, qd) - t.bias(q)
    np.testing.assert_allclose(moving, da.cartesian_bias(m, q, qd, frame=frame), **close)
    force = da.cartesian_force(m, q, tau, frame=frame)
    np.testing.assert_allclose(t.force(q, tau), force, **close)


@pytest.mark.parametrize("robot", ["stewart", "delta", "three_rrr"])
def test_the_platform_model_is_the_cartesian_model(robot):
    m = getattr(R, robot)()
    rng = np.random.default_rng(1)
    q = da.regular_pose(m)
    if robot == "stewart":  # legs of positive length
        level = np.eye(4)
        level[:3, 3] = 0.02, 0.03, 0.8
        legs = da.leg_states(m, level, np.zeros(6), np.zeros(6))[0]
        q = np.array([*legs.reshape(-1), *level[:3, 3], 0, 0, 0, 1])
    qd = rng.uniform(-0.5, 0.5, m.nv)
    t = da.task_model(m, frame="platform")
    s = t(q, qd)
    pose = da.pose(m, q, frame="platform")
    twist = da.velocity(m, q, qd, frame="platform")
    A, H = da.cartesian_model(m, pose, twist, branch=_branch(m, q, pose))
    keep = [ROWS.index(r) for r in t.rows]
    A, H = A[np.ix_(keep, keep)], H[keep]
    assert s.inertia == pytest.approx(A, rel=1e-8, abs=1e-9 * np.abs(A).max())
    assert s.bias == pytest.approx(H, rel=1e-8, abs=1e-9 * np.abs(H).max())


def _branch(m, q, pose):
    """Return the signs with which the legs of a platform stand where q says."""
    if m.name.startswith("stewart"):
        return 1
    names = list(m.joint_names)
    signs = []
    legs = [n for n in names if n.startswith("crank")]
    for k, n in enumerate(legs):
        for sign in (1, -1):
            own = [1] * len(legs)
            own[k] = sign
            found = da.leg_states(m, pose, np.zeros(6), np.zeros(6), branch=own)[0][k][0]
            if abs(np.sin((found - q[names.index(n)]) / 2)) < 1e-6:
                signs.append(sign)
                break
        else:
            raise AssertionError(f"{n}: no branch stands here")
    return signs


def moved(data, q, seed):
    """Return a closed state with motor forces, from the referee alone."""
    rng = np.random.default_rng(seed)
    q = np.asarray(q, float)
    m = referee.read(data)
    near = referee.close(data, referee.shifted(m, q, 0.05 * rng.normal(size=m.nv)))
    q = near if near is not None else q
    qd, _ = referee.feasible(data, q, rng)
    return q, qd, rng.normal(size=len(m.active))


@pytest.mark.parametrize("name", with_slow(PARALLEL, fast=6))
def test_ten_parallel_robots_against_the_referee(name):
    """F = Λ x'' + μ of motor forces, x'' the frame's acceleration in the referee's motion."""
    data, q = PARALLEL[name]()
    m = da.load(data)
    q, qd, tau = moved(data, q, 3)
    frame = "platform" if "platform" in m.frames else m.frames[-1]
    t = da.task_model(m, frame=frame)
    assert t.kind == "square"
    s = t(q, qd)
    qdd = referee.forward(data, q, qd, tau)
    # the tree's own kinematics of the referee's accelerations
    keep = [ROWS.index(r) for r in t.rows]
    xdd = da.acceleration(m.tree, q, qd, qdd, frame=frame)[keep]
    F = s.inertia @ xdd + s.bias
    made = s.force_map @ tau
    scale = max(np.abs(made).max(), np.abs(s.bias).max(), np.abs(s.inertia @ xdd).max())
    assert made == pytest.approx(F, rel=1e-7, abs=1e-8 * scale)
    # virtual work: the force at the frame does the work of the motors
    work = tau @ qd[list(referee.read(data).active)]
    assert made @ s.velocity == pytest.approx(work, rel=1e-7, abs=1e-9 * scale)
    # and the way back
    assert s.torques(xdd) == pytest.approx(tau, rel=1e-6, abs=1e-8 * scale)


def test_a_redundant_arm_moves_its_joints_and_not_its_hand():
    m = R.panda()
    t = da.task_model(m)
    assert t.kind == "redundant"
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(0.2, 1, (2, 4, 7))
    xdd, extra = rng.normal(size=(4, 6)), rng.normal(size=(4, 7))
    s = t(q, qd)
    for null in (None, extra):
        tau = s.torques(xdd, null)
        qdd = da.forward_dynamics(m, q, qd, tau)
        found = da.acceleration(m, q, qd, qdd, frame=t.frame)
        np.testing.assert_allclose(found, xdd, rtol=0, atol=1e-9)
    # J̄ is consistent: forces Nᵀ τ0 do not accelerate the hand, N speeds do not move it
    np.testing.assert_allclose(s.J @ s.null_space, 0, atol=1e-10)
    M = da.mass_matrix(m, q)
    pushed = np.linalg.solve(M, np.swapaxes(s.null_space, -1, -2))
    np.testing.assert_allclose(s.J @ pushed, 0, atol=1e-9)
    # every joint has its motor: a force on the hand is held by Jᵀ, and passes back whole
    np.testing.assert_allclose(s.torque_map, np.swapaxes(s.J, -1, -2), atol=1e-10)
    np.testing.assert_allclose(s.force_map @ s.torque_map - np.eye(6), 0, atol=1e-9)
    one = t(q[2], qd[2])
    np.testing.assert_allclose(one.inertia, s.inertia[2], rtol=1e-12)


def test_a_free_base_an_elastic_arm_and_wheels():
    """What has no motor is moved by those that have."""
    machines = (R.flying_arm(), "wx"), (R.spacecraft(), None), (R.differential_drive(), None)
    for m, rows in machines:
        if m.wheels:
            m = replace(m, active=("spin_left", "spin_right"))
        t = da.task_model(m, rows=rows, frame="chassis" if m.wheels else None)
        rng = np.random.default_rng(5)
        q = da.integrate(m, da.neutral(m), rng.uniform(-0.5, 0.5, m.nv))
        qd = rng.uniform(-0.5, 0.5, m.nv)
        if m.wheels:
            qd = da.tree_motion(m, q, qd, np.zeros(m.nv))[0]
        xdd = rng.normal(size=len(t.rows))
        tau = t.torques(q, qd, xdd)
        assert len(tau) == len(t.motors)
        if m.wheels:
            qdd = da.forward_dynamics(m, q, qd, tau)
        else:
            whole = np.zeros(m.nv)
            whole[[m.rate_names.index(n) for n in t.motors]] = tau
            qdd = da.forward_dynamics(m, q, qd, whole)
        keep = [ROWS.index(r) for r in t.rows]
        tree = m.tree if m.wheels else m
        found = da.acceleration(tree, q, qd, qdd, frame=t.frame)[keep]
        np.testing.assert_allclose(found, xdd, rtol=0, atol=1e-8)


def test_springs_stand_between_motors_and_task():
    """Motors of elastic joints move the links only after the springs have: nothing at once."""
    m = R.flexible2r()
    t = da.task_model(m)
    q, qd = [0.1, 0.02, 0.3, -0.04], [0.1, 0.2, 0.3, 0.4]
    s = t(q, qd)
    assert s.force_map == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    with pytest.raises(ComputationError, match="motors cannot"):
        s.torques([0.3, 0.4])
    rest = da.forward_dynamics(m, q, qd, np.zeros(4))
    xdd = da.acceleration(m, q, qd, rest)[:2]
    assert s.inertia @ xdd + s.bias == pytest.approx([0, 0], abs=1e-9)


def test_rows_that_cannot_be_had_are_named():
    m = R.planar2r().with_values(l1=0.8, l2=0.6, m1=3, m2=2, j1=0.1, j2=0.1, G=-9.81)
    t = da.task_model(m, rows="planar")
    assert (t.kind, t.independent, t.follow) == ("deficient", ("vx", "vy"), ("wz",))
    s = t([0.3, 0.8], [0.1, 0.2])
    assert int(s.rank) == 2 and len(s.singular()) == 1
    # the lost direction: a combination of vx, vy, wz that no joint makes
    assert s.lost[0] @ s.J == pytest.approx([0, 0], abs=1e-12)
    with pytest.raises(ComputationError, match="cannot accelerate along"):
        s.torques([0, 0, 1.0])
    qdd = np.array([0.3, -0.2])
    xdd = s.J @ qdd + s.drift
    want = da.inverse_dynamics(m, [0.3, 0.8], [0.1, 0.2], qdd)
    assert s.torques(xdd) == pytest.approx(want, rel=1e-9)


def test_singular_directions_are_named():
    m = R.planar2r().with_values(l1=0.8, l2=0.6, m1=3, m2=2, j1=0.1, j2=0.1, G=-9.81)
    t = da.task_model(m)
    with pytest.raises(SingularPose, match=r"cannot move along vx at this pose, state 1: rank 1"):
        t([[0.3, 0.8], [0.0, 0.0]])
    s = t([[0.3, 0.8], [0.0, 0.0], [np.pi / 2, 0.0]], check=False)
    assert s.singular() == [(), ("vx",), ("vy",)]
    assert s.margin[1] < 1e-12 < s.margin[0]
    # in the direction that is left: 1 / (J M⁻¹ Jᵀ) of the row vy
    M = da.mass_matrix(m, [0.0, 0.0])
    row = s.J[1][1]
    assert s.inertia[1][1, 1] == pytest.approx(1 / (row @ np.linalg.solve(M, row)))


@pytest.mark.parametrize("kind", ["3-UPU", "Delta with rods", "Orthoglide"])
def test_rows_that_never_move_are_not_rounding(kind):
    """A platform that does not turn has no angular rows, not those that rounding leaves."""
    data, start = upu("universal") if kind == "3-UPU" else rods(kind)
    m, q = da.load(data), motion(data, start)[0]
    for rows in ("wx wy wz", "wz"):
        t = da.task_model(m, frame="platform", rows=rows)
        assert (t.kind, t.independent) == ("deficient", ())
        s = t(q)
        assert s.rank == 0 and not s.inertia.any() and not s.inverse.any()
        assert len(s.singular()) == len(t.rows)
        with pytest.raises(ComputationError, match="cannot accelerate along"):
            s.torques(np.ones(len(t.rows)))
    assert da.task_model(m, frame="platform").rows == ("vx", "vy", "vz")


@pytest.mark.parametrize("q", [[0.0, 0.0], [np.pi, 0.0], [0.0, np.pi], [np.pi, np.pi]])
def test_one_row_is_lost_where_only_rounding_moves_it(q):
    m = R.planar2r().with_values(l1=0.8, l2=0.6, m1=3, m2=2, j1=0.1, j2=0.1, G=-9.81)
    t = da.task_model(m, rows="vx")
    with pytest.raises(SingularPose, match="cannot move along vx"):
        t(q)
    s = t(q, check=False)
    assert s.rank == 0 and s.margin == 0 and not s.inertia.any()


def test_what_is_asked_badly_is_refused():
    m = R.puma560()
    for rows in ("vx vq", "", [7], "vx vx", True, [None]):
        with pytest.raises(UsageError, match="row"):
            da.task_model(m, rows=rows)
    with pytest.raises(da.DalembertError, match="nothing"):
        da.task_model(m, frame="nothing")
    with pytest.raises(UsageError, match="axes"):
        da.task_model(m, axes="earth")
    light = da.load("RZ(), TXK(0.5), RZ(), TXK(0.5); body 1: M = 1, D = (0.2, 0, 0);")
    with pytest.raises(SingularModel):
        da.task_model(light)
    t = da.task_model(R.planar2r())
    assert "frame: tip" in repr(t) and "<table>" in t._repr_html_()
    with pytest.raises(da.DalembertError):
        t([0.1])


def test_joints_that_follow_others():
    text = {
        "format": "dalembert/1", "gravity": [0, -9.81, 0],
        "bodies": [
            {"name": f"b{k}", "parent": k - 1, "mass": 1, "com": [0.2, 0, 0],
             "inertia": [0, 0, 0.1], "joint": {"type": "revolute", "axis": [0, 0, 1],
             "placement": {"translation": [0.5 * (k > 0), 0, 0]}}} for k in range(3)],
        "couplings": [{"joint": "b2", "of": "b1", "ratio": 0.5}],
    }  # fmt: skip
    folded, coupled = da.load(text), da.load(text, mimic="couple")
    a, b = (da.task_model(m, frame="b2", rows="vx vy") for m in (folded, coupled))
    assert a.kind == b.kind == "square"
    s = a([0.3, 0.8], [0.1, 0.2])
    r = b([0.3, 0.8, 0.4], [0.1, 0.2, 0.1])
    assert s.inertia == pytest.approx(r.inertia) and s.bias == pytest.approx(r.bias)


@pytest.mark.parametrize("name", ["differential_drive", "fourbar"])
def test_joints_without_a_named_motor_push_no_task(name):
    m = replace(getattr(da.robots, name)(), active=())
    t = da.task_model(m)
    assert t.motors == () and "none is named" in repr(t)
    s = t(da.assemble(m) if m.loops else np.full(m.nq, 0.3))
    assert np.linalg.eigvalsh(s.inertia).min() > 0
    with pytest.raises(da.UsageError, match="no motor is named"):
        s.torques(np.zeros(len(t.rows)))
    for asked in ("force_map", "torque_map"):
        with pytest.raises(da.UsageError, match="no motor is named"):
            getattr(s, asked)
