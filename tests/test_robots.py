"""Ready-made robots: each loads, is what its source says, and is found by the command line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import robots
from dalembert.algorithms.kinematics import pose
from dalembert.expr.exact import to_float
from dalembert.robots.named import ready_made
from models import composite, newton_euler
from peers import ORACLES, PEERDATA, absent, missing

ARMS = {"puma560": 6, "stanford": 6, "rx90": 6, "tx40": 6, "planar2r": 2, "report6r": 6,
        "scara": 4, "ur5": 6, "panda": 7}  # fmt: skip


def peer_data(name):
    file = PEERDATA / name
    if not file.exists():
        absent(f"peer data {name}")
    return json.loads(file.read_text())


def urdf(peer, path):
    """Return a robot of example-robot-data, which stands beside Pinocchio."""
    prefix = Path(peer("pin").__file__).resolve().parents[4]
    file = prefix / "share" / "example-robot-data" / "robots" / path
    if not file.exists():
        missing("example-robot-data")
    return da.load(file)


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_has_its_joints_and_a_source(name):
    m = ready_made(name)
    assert m.nv == ARMS[name]
    assert not m.loops and name in robots.__all__
    source = getattr(robots, name).__doc__
    assert any(word in source for word in ("(19", "(20", "RR 32", "Toolbox", "ROS-Industrial"))


@pytest.mark.parametrize("name", ["puma560", "stanford", "tx40", "ur5", "panda"])
def test_the_mass_matrix_of_a_numeric_arm_is_positive(name):
    m = ready_made(name).bound()
    q = np.random.default_rng(1).uniform(-1, 1, m.nv)
    M = np.array(composite(m, list(q)), dtype=float)
    assert np.linalg.eigvalsh(M).min() > 0


def test_rx90_is_the_robot_of_symoro():
    file = PEERDATA / "symoro" / "RX90.par"
    if not file.exists():
        absent("peer data RX90.par")
    theirs, ours = da.load(file), robots.rx90(drives=True)
    assert ours.bodies == theirs.bodies and ours.drives == theirs.drives
    assert ours.gravity == theirs.gravity
    assert set(ours.parameters) == set(theirs.parameters)
    assert not robots.rx90().drives


def test_stanford_is_the_toolbox_with_centres_in_metres():
    links, m = peer_data("rtb_stanford_params.json")["links"], robots.stanford()
    from dalembert.read.mdh import read_dh

    rows = []
    for k, link in enumerate(links):
        row = {n: link[n] for n in ("d", "a", "alpha", "theta", "m", "I") if n in link}
        r = link["r"] if k == 0 else [x / 10 for x in link["r"]]
        kind = "prismatic" if link["type"] == "PrismaticDH" else "revolute"
        rows.append(row | {"com": r, "type": kind, "Ia": link["Jm"]})
    theirs = read_dh(rows, "standard", inertia_order="rtb")
    for a, b in zip(m.bodies, theirs.bodies, strict=True):
        assert a.placement == b.placement
        np.testing.assert_allclose([to_float(x) for x in (a.m, *a.h, *a.Io.six())],
                                   [to_float(x) for x in (b.m, *b.h, *b.Io.six())])  # fmt: skip
    assert [d.inertia for d in m.drives] == [d.inertia for d in theirs.drives]


def test_stanford_differs_from_the_reference_file_in_one_link_only():
    file = ORACLES / "stanford_arm.json"
    if not file.exists():
        absent("the directory of reference files")
    reference = da.load(file)
    for k, (a, b) in enumerate(zip(robots.stanford().bodies, reference.bodies, strict=True)):
        # there, one inertia of link 5 is completed and one of its centres is not rescaled
        close = np.allclose([to_float(x) for x in a.Io.six()], [to_float(x) for x in b.Io.six()])
        assert close == (k != 4)


def test_tx40_is_the_benchmark():
    data, m = peer_data("tx40_params.json"), robots.tx40()
    assert [to_float(b.m) for b in m.bodies] == data["mass"]
    assert [[to_float(x) for x in b.h] for b in m.bodies] == data["first_moments_m_c"]
    for body, six in zip(m.bodies, data["inertia_about_DH_frame_xx_xy_xz_yy_yz_zz"], strict=True):
        xx, yy, zz, xy, xz, yz = (to_float(x) for x in body.Io.six())
        assert [xx, xy, xz, yy, yz, zz] == six
    for key, of in (("Ia", "inertia"), ("Fv", "viscous")):
        assert [to_float(getattr(d, of)) for d in m.drives] == data[key]
    assert [to_float(d.coulomb[0]) for d in m.drives] == data["Fc"]
    # Rx(alpha) Tx(a) Rz(theta) Tz(d) of its third row
    third = m.bodies[2].placement
    assert [to_float(x) for x in third.p] == [0.225, 0, 0.035]
    assert third.R.factors[0].axis == 2 and third.R.factors[0].s == 1


@pytest.mark.parametrize(
    ("name", "path", "extra"),
    [
        ("ur5", "ur_description/urdf/ur5_robot.urdf", 0),
        ("panda", "panda_description/urdf/panda.urdf", 2),
    ],
)
def test_an_arm_is_that_of_its_ros_description(peer, name, path, extra):
    theirs, ours = urdf(peer, path), ready_made(name)
    if extra:
        # without fingers and hand
        bodies = tuple(
            b for b in theirs.bodies if b.name in {f"panda_link{k}" for k in range(1, 8)}
        )
        assert len(bodies) == 7
        theirs = da.Mechanism(bodies, "panda")
    if name == "ur5":
        # but for the wrist, whose cylinders have a radius of 0.6 m in that file
        wrist = {b.name: b.inertia.tensor for b in ours.bodies if b.name.startswith("wrist")}
        bodies = tuple(
            replace(b, inertia=replace(b.inertia, tensor=wrist.get(b.name, b.inertia.tensor)))
            for b in theirs.bodies
        )
        theirs = replace(theirs, bodies=bodies)
    rng = np.random.default_rng(2)
    q, qd, qdd = (list(rng.uniform(-1, 1, ours.nv)) for _ in range(3))
    a = newton_euler(ours.bound(), q, qd, qdd, drives="none")
    b = newton_euler(theirs.bound(), q, qd, qdd, drives="none")
    np.testing.assert_allclose(a, b, atol=1e-12)
    ends = {"ur5": ("tool0", "tool0"), "panda": ("j7", "panda_link7")}[name]
    np.testing.assert_allclose(
        pose(ours.bound(), ends[0], q), pose(theirs.bound(), ends[1], q), atol=1e-12
    )


def test_the_wrist_of_the_ur5_is_as_small_as_it_looks():
    for body in robots.ur5().bodies[3:]:
        mass, xx = to_float(body.inertia.mass), to_float(body.inertia.tensor[0, 0])
        zz = to_float(body.inertia.tensor[2, 2])
        # a cylinder of this radius and length has these moments
        radius = (2 * zz / mass) ** 0.5
        length = (12 * xx / mass - 3 * radius**2) ** 0.5
        sizes = (0.0375, 0.0345) if body.name == "wrist_3_link" else (0.06, 0.12)
        assert (radius, length) == pytest.approx(sizes, rel=1e-9)
    assert da.mass_matrix(robots.ur5(), [0.0] * 6)[4, 4] < 0.01


def test_ur5_has_the_lengths_of_its_makers_table():
    from dalembert.read.mdh import read_dh

    table = (("0.089159", 0, "pi/2"), (0, "-0.425", 0), (0, "-0.39225", 0),
             ("0.10915", 0, "pi/2"), ("0.09465", 0, "-pi/2"), ("0.0823", 0, 0))  # fmt: skip
    maker = read_dh([dict(zip(("d", "a", "alpha"), r, strict=True)) for r in table], "standard")
    q = [0.3, -0.8, 0.5, 0.2, -0.4, 0.7]
    ours = np.array(pose(robots.ur5().bound(), "tool0", q), dtype=float)
    theirs = np.array(pose(maker.bound(), "tip", q), dtype=float)
    # the base of the description is turned by pi about z
    turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    np.testing.assert_allclose(ours[:3, 3], (turn @ theirs)[:3, 3], atol=1e-12)


def test_scara_keeps_its_tool_vertical():
    m = robots.scara()
    values = {p.name: 1.0 for p in m.parameters}
    T = np.array(pose(m.bound(values), "j4", [0.3, 0.5, 0.1, -0.2]), dtype=float)
    assert T[2, 2] == pytest.approx(-1) and T[2, 3] == pytest.approx(0.387 - 0.1)
    reach = np.hypot(0.325 + 0.275 * np.cos(0.5), 0.275 * np.sin(0.5))
    assert np.hypot(*T[:2, 3]) == pytest.approx(reach)


def test_scara_runs_without_a_value_and_says_that_its_masses_are_nominal():
    m = robots.scara()
    assert any("nominal" in note for note in m.notes) and not m.open_parameters
    M = da.mass_matrix(m, [0.1, 0.5, 0.1, 0.2])
    assert np.linalg.eigvalsh(M).min() > 0
    # every link is a body that can exist: mass positive, tensor within the triangle inequality
    assert not m.bound().report()
    r = da.simulate(m, [0, 0.5, 0.0, 0], t=0.1)
    assert np.ptp(r.energy) < 1e-9 * abs(r.energy[0])
    assert da.gravity(m.with_values(M4=2.3), [0, 0, 0, 0])[2] == pytest.approx(-9.81 * 3.5)
