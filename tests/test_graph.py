"""Graphs of bodies and joints: cut anywhere, in any order, they are the same machine."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import models
from dalembert.algebra import Transform, Vec3
from dalembert.algorithms import loop_closure
from dalembert.algorithms.kinematics import acceleration
from dalembert.joint import Prismatic, Revolute, Screw, Spherical
from dalembert.mechanism import Body, Mechanism, joint_name
from dalembert.mechanism.graph import Connection, own_connection, spanning_tree
from dalembert.read.native_writer import native_text
from loops import about, bricard, inertia, planar, random_rotation, rot, slider_crank, spatial, vec


def unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def matrix(T):
    out = np.eye(4)
    out[:3, :3] = np.array(T.R.matrix().rows, float)
    out[:3, 3] = np.array(list(T.p), float)
    return out


def swapped(c):
    """Return a connection given from its other body, its coordinate the same."""
    chain = tuple(replace(joint, axis=-joint.axis) for joint in reversed(c.chain))
    return replace(c, body_i=c.body_j, frame_i=c.frame_j, body_j=c.body_i, frame_j=c.frame_i,
                   chain=chain)  # fmt: skip


def made(bodies, connections, active, keep=(), gravity=(0.3, -9.7, 1.1)):
    tree = spanning_tree(bodies, connections, {*active, *keep})
    return Mechanism(tree.bodies, "graph", vec(gravity), named=tree.frames, loops=tree.loops,
                     active=tuple(active), notes=tree.notes)  # fmt: skip


def closed_direct(m, q, rates, tau):
    """Return qdd of all joints in floats, the rates of the independent ones given."""
    bound, p = m.bound(), da.plan(m, q)
    pose = np.asarray(q, float).tolist()
    qd = models.tree_motion(bound, p, pose, list(rates), [0.0] * m.nv)[0]
    return qd, np.array(models.closed_forward(bound, p, pose, qd, list(tau))[0])


# -- coordinates keep their meaning ----------------------------------------------------------------

CHAINS = {
    "revolute": lambda a, b: (Revolute(a),),
    "prismatic": lambda a, b: (Prismatic(a),),
    "screw": lambda a, b: (Screw(a, 0.2),),
    "cylindrical": lambda a, b: (Prismatic(a), Revolute(a)),
    "universal": lambda a, b: (Revolute(a), Revolute(b)),
    "spherical": lambda a, b: (Spherical(),),
    "fixed": lambda a, b: (),
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", CHAINS)
def test_a_joint_means_the_same_from_either_side(kind, backwards):
    # a chain base - a - b; the second joint is described from a to b or from b to a
    rng = np.random.default_rng(3)
    frames = [Transform(rot(random_rotation(rng)), vec(rng.normal(size=3))) for _ in range(4)]
    axes = [vec(unit(rng)) for _ in range(3)]
    bodies = [Body(n, -1, inertia=inertia(rng)) for n in "ab"]
    ends = (1, 0) if backwards else (0, 1)
    c = Connection("j", kind, ends[0], frames[2], ends[1], frames[3], CHAINS[kind](*axes[:2]))
    first = Connection("r", "revolute", -1, frames[0], 0, frames[1], (Revolute(axes[2]),))
    m = made(bodies, [first, c], ["r"])
    q = rng.uniform(-1, 1, m.nq)
    if kind == "spherical":
        q[1:] /= np.linalg.norm(q[1:])
    named = dict(zip(m.joint_names, [q[:1], *([q[1:]] if kind == "spherical" else q[1:, None])],
                     strict=True))  # fmt: skip
    step = np.eye(4)
    for joint, name in zip(c.chain, c.names if c.chain else (), strict=True):
        R, p = joint.map(float).pose(named[name].tolist())
        step = step @ matrix(Transform(R, p))
    if kind == "spherical" and backwards:  # noted: the body that is carried is turned
        assert any("body_j carries it" in note for note in m.notes)
        step = np.linalg.inv(step)
    X_i, X_j = (da.pose(m, q, frame="ab"[k]) for k in ends)
    expected = matrix(frames[2]) @ step @ np.linalg.inv(matrix(frames[3]))
    np.testing.assert_allclose(np.linalg.inv(X_i) @ X_j, expected, atol=1e-12)
    turned = matrix(frames[0])[:3, :3] @ about(np.array(list(axes[2]), float), float(q[0]))
    assert m.total_mass == pytest.approx(sum(float(b.m) for b in bodies))
    np.testing.assert_allclose(
        da.pose(m, q, frame="a")[:3, :3], turned @ matrix(frames[1])[:3, :3].T, atol=1e-12
    )


# -- rings cut anywhere ----------------------------------------------------------------------------

RINGS = {
    "five-bar": lambda: planar(5, 2, active=(0, 1)),
    "slider-crank": lambda: slider_crank(4),
    "seven revolutes": lambda: spatial(7, 7),
    "a ball": lambda: spatial(5, 9, kinds=["revolute"] * 4 + ["spherical"]),
    "bricard": lambda: bricard(12),
}


def graph_of(closed):
    """Return (bodies, connections, coordinate by name) of a ring, its cut joint one of them."""
    m, (loop,) = closed.m, closed.m.loops
    bodies = [replace(b, parent=-1, placement=Transform(), joint=Body("x", -1).joint)
              for b in m.bodies]  # fmt: skip
    own = [own_connection(b, j) for j, b in enumerate(m.bodies)]
    frame_i = Transform(loop.rotation_i, loop.point_i)
    frame_j = Transform(loop.rotation_j, loop.point_j)
    kinds = {"revolute": Revolute, "prismatic": Prismatic}
    axis = loop.rotation_i.T @ loop.axis
    chain = (kinds[loop.joint](axis),) if loop.joint in kinds else (Spherical(),)
    last = Connection("cut", loop.joint, loop.body_i, frame_i, loop.body_j, frame_j, chain)
    zero = [0.0, 0, 0, 1] if loop.joint == "spherical" else [0.0]
    values = {joint_name(b): [x] for b, x in zip(m.bodies, closed.q, strict=True)}
    return bodies, [*own, last], values | {"cut": zero}


@pytest.mark.parametrize("name", RINGS)
def test_the_order_of_a_graph_changes_nothing(name):
    closed = RINGS[name]()
    m, rng = closed.m, np.random.default_rng(8)
    tau, rates = rng.normal(size=len(m.active)), dict.fromkeys(m.joint_names, 0.0)
    rates |= {n: float(x) for n, x in zip(m.active, rng.normal(size=len(m.active)), strict=True)}
    _, found = closed_direct(m, closed.q, [rates[n] for n in m.joint_names], tau)
    qdd = dict(zip(m.joint_names, found, strict=True))
    bodies, connections, values = graph_of(closed)
    cuts = set()
    passive = [c.name for c in connections if c.name not in m.active]
    for cut in [None, *passive]:
        order = rng.permutation(len(connections))
        mixed = [connections[k] for k in order]
        mixed = [swapped(c) if rng.random() < 0.5 and c.kind != "spherical" else c for c in mixed]
        others = [n for n in passive if n != cut] if cut else ()
        other = made(bodies, mixed, m.active, others)
        cuts.add(other.loops[0].name)
        assert cut in (None, other.loops[0].name) and (cut or name != "a ball" or cuts == {"cut"})
        assert not {loop.name for loop in other.loops} & set(m.active)
        q = np.concatenate([values[n] for n in other.joint_names])
        assert np.abs(loop_closure.closure(other.bound(), q.tolist())).max() < 1e-13
        given = [rates.get(n, 0.0) for n in other.joint_names]
        if other.nv != len(given):
            continue  # the ball stayed: its rates are three
        _, found = closed_direct(other, q, given, tau)
        scale = max(map(abs, qdd.values()))
        for n, x in zip(other.joint_names, found, strict=True):
            if n in qdd:
                assert x == pytest.approx(qdd[n], abs=1e-9 * scale)
    assert len(cuts) == len(passive)


# -- random graphs ---------------------------------------------------------------------------------


def random_graph(seed):
    """Return bodies in the plane and spare pins between them, drawn where they are."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 8))
    frames = [np.eye(4)]
    bodies = []
    for k in range(count):
        T = np.eye(4)
        T[:3, :3] = random_rotation(rng)
        T[:2, 3] = rng.uniform(-1, 1, 2)
        frames.append(T)
        bodies.append(Body(f"b{k}", -1, inertia=inertia(rng)))
    pairs = [(int(rng.integers(0, k + 1)) - 1, k) for k in range(count)]
    while len(pairs) < count + 2:
        i, j = sorted(rng.choice(count + 1, 2, replace=False) - 1)
        if (int(i), int(j)) not in pairs:
            pairs.append((int(i), int(j)))
    connections = []
    for k, (i, j) in enumerate(pairs):
        spot = np.eye(4)
        spot[:2, 3] = rng.uniform(-1, 1, 2)
        ends = [np.linalg.inv(frames[b + 1]) @ spot for b in (i, j)]
        at = [Transform(rot(T[:3, :3]), vec(T[:3, 3])) for T in ends]
        slide = rng.random() < 0.2
        chain = (Prismatic(Vec3(1, 0, 0)),) if slide else (Revolute(Vec3(0, 0, 1)),)
        kind = "prismatic" if slide else "revolute"
        connections.append(Connection(f"c{k}", kind, i, at[0], j, at[1], chain))
    return bodies, connections


@pytest.mark.parametrize(
    "seed", [0, 1, 2, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 30))]
)
def test_random_graphs_move_alike_wherever_they_are_cut(seed):
    bodies, connections = random_graph(seed)
    rng = np.random.default_rng([seed, 1])
    first = made(bodies, connections, [])
    q = np.zeros(first.nv)
    mobility = da.mobility(first, q)
    if not mobility:
        pytest.skip("nothing moves")
    active = [first.joint_names[k] for k in da.plan(first, q).independent]
    tau = rng.normal(size=mobility)
    motion = dict(zip(active, rng.normal(size=mobility).tolist(), strict=True))
    answers = []
    for order in (range(len(connections)), rng.permutation(len(connections))):
        m = made(bodies, [connections[k] for k in order], active)
        assert da.mobility(m, q) == mobility and len(m.loops) == 2
        rates = [motion.get(n, 0.0) for n in m.joint_names]
        qd, qdd = closed_direct(m, q, rates, tau)
        bound = m.bound()
        found = {
            b.name: np.array(acceleration(bound, b.name, q.tolist(), qd, qdd.tolist()))
            for b in bodies
        }
        found["motors"] = qdd[[m.joint_names.index(n) for n in active]]
        answers.append(found)
    for key, value in answers[0].items():
        np.testing.assert_allclose(value, answers[1][key], atol=1e-8 * np.abs(value).max() + 1e-9)


SPATIAL = {
    # kinds of the joints of one loop after its motor; freedoms 7 in all: one motion
    "R U S": ("universal", "spherical", "revolute"),
    "C U R R": ("cylindrical", "universal", "revolute", "revolute"),
    "C C C": ("cylindrical", "cylindrical", "cylindrical"),
    "U S R, welded": ("universal", "spherical", "fixed", "revolute"),
    "P S U": ("prismatic", "spherical", "universal"),
}


def spatial_graph(kinds, seed):
    """Return bodies and joints of one loop in space, drawn at q = 0."""
    rng = np.random.default_rng(seed)
    kinds = ("revolute", *kinds)
    count = len(kinds) - 1
    frames = [np.eye(4)] + [np.eye(4) for _ in range(count)]
    for T in frames[1:]:
        T[:3, :3], T[:3, 3] = random_rotation(rng), rng.uniform(-1, 1, 3)
    bodies = [Body(f"b{k}", -1, inertia=inertia(rng)) for k in range(count)]
    connections = []
    for k, kind in enumerate(kinds):
        i, j = k - 1, k if k < count else -1
        spot = np.eye(4)
        spot[:3, :3], spot[:3, 3] = random_rotation(rng), rng.uniform(-1, 1, 3)
        ends = [np.linalg.inv(frames[b + 1]) @ spot for b in (i, j)]
        at = [Transform(rot(T[:3, :3]), vec(T[:3, 3])) for T in ends]
        chain = CHAINS[kind](Vec3(1, 0, 0), Vec3(0, 0, 1))
        connections.append(Connection(f"j{k}", kind, i, at[0], j, at[1], chain))
    return bodies, connections


@pytest.mark.parametrize("name", SPATIAL)
def test_joints_of_every_kind_may_be_cut_or_stay(name):
    bodies, connections = spatial_graph(SPATIAL[name], 5)
    rng = np.random.default_rng(6)
    answers = []
    for cut in connections[1:]:
        keep = [c.name for c in connections if c is not cut]
        mixed = [swapped(c) if rng.random() < 0.5 and c.kind != "spherical" else c
                 for c in connections]  # fmt: skip
        m = made(bodies, mixed, ["j0"], keep)
        assert [loop.name for loop in m.loops] == [cut.name]
        q = da.neutral(m)
        assert da.mobility(m, q) == 1
        rates = [0.0] * m.nv
        motor = m.velocity_index[m.index["j0"]]
        rates[motor] = 0.7
        qd, qdd = closed_direct(m, q, rates, [1.3])
        bound = m.bound()
        found = [acceleration(bound, b.name, q.tolist(), qd, qdd.tolist()) for b in bodies]
        answers.append((cut.name, np.array([*np.ravel(found), qdd[motor]])))
    for cut, answer in answers[1:]:
        scale = np.abs(answers[0][1]).max()
        np.testing.assert_allclose(answer, answers[0][1], atol=1e-9 * scale, err_msg=cut)


# -- files -----------------------------------------------------------------------------------------


def bar(name, length, mass):
    across = mass * length * length / 12
    return {"name": name, "mass": mass, "com": [length / 2, 0, 0],
            "inertia": [across / 50, across, across]}  # fmt: skip


def pin(name, i, at_i, j, at_j):
    return {"name": name, "joint": "revolute", "axis": [0, 0, 1],
            "body_i": i, "point_i": at_i, "body_j": j, "point_j": at_j}  # fmt: skip


FIVEBAR = {
    "format": "dalembert/1",
    "name": "fivebar",
    "gravity": [0, -9.81, 0],
    "bodies": [bar("crankA", 0.4, 1.2), bar("rodA", 0.6, 0.9), bar("crankB", 0.4, 1.2),
               bar("rodB", 0.6, 0.9)],
    "joints": [
        pin("A", -1, [0, 0, 0], "crankA", [0, 0, 0]),
        pin("P", "crankA", [0.4, 0, 0], "rodA", [0, 0, 0]),
        pin("C", "rodA", [0.6, 0, 0], "rodB", [0.6, 0, 0]),
        pin("Q", "rodB", [0, 0, 0], "crankB", [0.4, 0, 0]),
        pin("B", "crankB", [0, 0, 0], "base", [0.5, 0, 0]),
    ],
    "active": ["A", "B"],
}  # fmt: skip


def test_a_five_bar_given_as_a_graph_is_the_one_cut_by_hand():
    hand, m = da.robots.fivebar(), da.load(FIVEBAR)
    assert m.joint_names == ("A", "P", "B", "Q") and m.loops[0].name == "C"
    assert m.notes == ("loops were cut at C (revolute)",)
    assert da.mobility(m) == 2
    q = da.assemble(hand, [2.0, -1.0, 1.0, 1.0])
    A, P, B, Q = q
    # as described, B turns the base in crankB and Q crankB in rodB
    other = np.array([A, P, -B, -Q])
    assert np.abs(da.closure(m, other)).max() < 1e-12
    qd, qdd = np.array([0.3, -0.7]), np.array([1.1, 0.4])
    mine = da.active_torques(hand, q, [qd[0], 0, qd[1], 0], [qdd[0], 0, qdd[1], 0])
    theirs = da.active_torques(m, other, [qd[0], 0, -qd[1], 0], [qdd[0], 0, -qdd[1], 0])
    np.testing.assert_allclose(theirs * [1, -1], mine, rtol=1e-12)
    # the other way round, and written out and read back
    turned = dict(FIVEBAR, joints=[*FIVEBAR["joints"][:4],
                                   pin("B", "base", [0.5, 0, 0], "crankB", [0, 0, 0])])  # fmt: skip
    again = da.load(turned)
    assert again.joint_names == m.joint_names
    other[2] = B
    theirs = da.active_torques(again, other, [qd[0], 0, qd[1], 0], [qdd[0], 0, qdd[1], 0])
    np.testing.assert_allclose(theirs, mine, rtol=1e-12)
    text = native_text(again, "json")
    assert da.load(json.loads(text)) == again


@pytest.mark.slow
def test_legs_of_a_stewart_platform_may_be_listed_as_joints():
    hand = da.robots.stewart()
    data = json.loads(native_text(hand, "json"))
    data["joints"] = [{**loop, "name": f"ball{k}"} for k, loop in enumerate(data.pop("loops"), 1)]
    m = da.load(data)
    assert [loop.name for loop in m.loops] == [f"ball{k}" for k in range(1, 7)]
    assert m.joint_names == hand.joint_names and m.nv == 24
    q = da.assemble(hand)
    rng = np.random.default_rng(5)
    qd, qdd = da.tree_motion(hand, q, rng.normal(size=24), rng.normal(size=24))
    one, two = (da.inverse_dynamics(x, q, qd, qdd) for x in (hand, m))
    np.testing.assert_allclose(two, one, rtol=1e-11)
    # without a joint of its own the platform is carried by one leg and 15 equations remain
    plate = next(b for b in data["bodies"] if b["name"] == "platform")
    del plate["parent"], plate["joint"]
    light = da.load(data)
    assert (light.nv, len(light.loops), da.mobility(light)) == (21, 5, 6)
    assert "ball1" in light.joint_names
    at = {n: k for k, n in enumerate(hand.joint_names)}
    start = [q[at[n]] for n in light.joint_names if n != "ball1"]
    X = [da.pose(hand, q, frame=n) for n in ("L1_upper", "platform")]
    R = X[0][:3, :3].T @ X[1][:3, :3]
    where = light.joint_names.index("ball1")
    pose = np.array([*start[:where], *quaternion(R), *start[where:]])
    tau = rng.normal(size=6)
    a = da.forward_dynamics(hand, q, np.zeros(24), tau)
    b = da.forward_dynamics(light, pose, np.zeros(21), tau)
    motors = [light.joint_names.index(n) for n in light.active]
    motors = [k if k < where else k + 2 for k in motors]
    np.testing.assert_allclose(b[motors], a[[at[n] for n in hand.active]], rtol=1e-9)


def quaternion(R):
    w = np.sqrt(1 + np.trace(R)) / 2
    return [(R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w),
            (R[1, 0] - R[0, 1]) / (4 * w), w]  # fmt: skip


def test_springs_and_frames_stay_where_they_were_described():
    data = dict(FIVEBAR)
    data["springs"] = [{"body_i": "rodB", "point_i": [0.3, 0.1, 0], "body_j": -1,
                        "point_j": [0, 1, 0], "stiffness": 100, "length": 0.2}]  # fmt: skip
    data["frames"] = [{"name": "mark", "body": "rodB", "placement": {"translation": [0.3, 0.1, 0]}}]
    data["drives"] = [{"joint": "C", "viscous": 0.1}]
    m = da.load(data)
    assert m.loops[0].name == "Q"  # C would be cut, but has a drive
    assert "rodB.C" in m.frames and "rodB" in m.frames
    q = da.assemble(m, [2.0, -1.0, 1.0, -1.0])
    rod = da.pose(m, q, frame="rodB")
    mark = da.pose(m, q, frame="mark")[:3, 3]
    np.testing.assert_allclose(mark, rod[:3, :3] @ [0.3, 0.1, 0] + rod[:3, 3], atol=1e-12)
    stretch = np.linalg.norm(mark - [0, 1, 0]) - 0.2
    slack = dict(data)
    del slack["springs"]
    difference = da.potential_energy(m, q) - da.potential_energy(da.load(slack), q)
    assert float(np.squeeze(difference)) == pytest.approx(50 * stretch**2, rel=1e-12)


def test_lengths_of_a_graph_may_be_parameters():
    data = {**FIVEBAR, "parameters": {"L": 0.6}}
    data["joints"] = [dict(j) for j in FIVEBAR["joints"]]
    data["drives"] = [{"joint": "C", "viscous": 0.1}]  # rodB hangs on C, away from its frame
    for joint in data["joints"]:
        for key in ("point_i", "point_j"):
            joint[key] = ["L" if x == 0.6 else x for x in joint[key]]
    m = da.load(data)
    fixed = da.load({**FIVEBAR, "drives": data["drives"]})
    q = da.assemble(fixed, [2.0, -1.0, 1.0, -1.0])
    rest = np.zeros(4)
    np.testing.assert_allclose(
        da.inverse_dynamics(m, q, rest, rest), da.inverse_dynamics(fixed, q, rest, rest), rtol=1e-12
    )
    longer = m.with_values(L=0.65)
    assert np.abs(da.closure(longer, q)).max() > 1e-3
    assert da.mobility(longer) == 2


def test_the_four_bar_of_the_manual_is_cut_at_its_coupler():
    text = (Path(__file__).parents[1] / "docs" / "loops.md").read_text("utf-8")
    m = da.load(text.split("```toml\n")[2].split("```")[0])
    assert m.joint_names == ("A", "B", "D") and m.notes == ("loops were cut at C (revolute)",)
    assert da.mobility(m) == 1 and len(da.planar_branches(m, da.assemble(m))) == 2


def test_a_graph_may_stand_on_a_free_base():
    m = da.load(FIVEBAR, base="free")
    assert m.joint_names[0] == "base" and da.mobility(m) == 8


def without(**changes):
    return {**FIVEBAR, **changes}


BAD = {
    "lost": (without(joints=FIVEBAR["joints"][:1]), "no joint leads from the base to body 'rodA'"),
    "number": (without(active=[0]), "needed by its name"),
    "axis": (without(joints=[{"joint": "revolute", "body_i": -1, "body_j": 0}]), "needs axis"),
    "kind": (without(joints=[{"joint": "planar", "body_i": -1, "body_j": 0}]), "unknown joint"),
    "same": (without(joints=[pin("A", 0, [0, 0, 0], 0, [0, 0, 0])]), "on the same body"),
    "names": (without(joints=[FIVEBAR["joints"][0]] * 2), "duplicate joint name 'A'"),
    "carried": (without(bodies=[{"name": "a", "joint": {"type": "revolute"}}]), "no parent"),
    "phrase": ({"phrase": "RZ(), TXK(1);", "joints": []}, "is given together with a phrase"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_graph_that_cannot_be_cut_says_why(case):
    data, message = BAD[case]
    with pytest.raises(da.DescriptionError, match=message):
        da.load(data)
