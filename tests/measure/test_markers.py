"""Markers to coordinates: least squares over many points, all samples together."""

import numpy as np
import pytest

import dalembert as da
from dalembert.measure.markers import follow


def body():
    """A free trunk with two legs of three joints and markers on every link."""
    leg = (
        "{s}hip: RY(-2,2), {s}k: TZK(-0.4), {s}knee: RY(-2.5,2.5), {s}a: TZK(-0.4), "
        "{s}ankle: RY(-1,1), {s}toe: TXK(0.2)"
    )
    text = f"[{leg.format(s='l')}][{leg.format(s='r')}];"
    return da.load(text, base="free")


def places(m, q, frames):
    return {f: da.pose(m, q, frame=f)[..., :3, 3] for f in frames}


def motion(m, n, seed=0):
    rng, t = np.random.default_rng(seed), np.linspace(0, 4, n)
    q = np.zeros((n, m.nq))
    q[:, :3] = np.stack([t, 0.1 * np.sin(t), 1 + 0.05 * np.cos(3 * t)], axis=1)
    turn = 0.3 * np.sin(t)
    q[:, 5], q[:, 6] = np.sin(turn / 2), np.cos(turn / 2)
    for k in range(7, m.nq):
        q[:, k] = 0.5 * rng.normal() * np.sin(2 * t + rng.normal()) + 0.2
    return q


def test_exact_markers_give_the_motion_back():
    m = body()
    q = motion(m, 300)
    frames = [f for f in m.frames if f not in ("base",)]
    found, left = follow(m, places(m, q, frames), q0=q[0])
    assert left.max() < 1e-6
    seen = places(m, found, frames)
    wanted = places(m, q, frames)
    assert max(np.abs(seen[f] - wanted[f]).max() for f in frames) < 1e-6


def test_missing_markers_and_noise_leave_small_errors(tmp_path):
    m = body()
    q = motion(m, 250, seed=1)
    frames = [f for f in m.frames if f != "base"]
    rng = np.random.default_rng(0)
    noisy = {f: p + 0.002 * rng.normal(size=p.shape) for f, p in places(m, q, frames).items()}
    noisy[frames[3]][60:80] = np.nan
    found = da.inverse_kinematics(m, noisy, q[0])
    assert np.sqrt(((found - q)[:, 7:] ** 2).mean()) < 0.02


def test_limits_are_kept():
    m = da.load("RZ(-0.5, 0.5), tip: TXK(1);")
    goal = np.array([[0.0, 1.0, 0.0]] * 3)
    q, left = follow(m, {"tip": goal})
    assert np.allclose(q, 0.5) and (left > 0.5).all()


def test_a_marker_file_becomes_forces(tmp_path):
    pytest.importorskip("scipy")
    m = da.load(
        "RZ(), elbow: TXK(1), RZ(), tip: TXK(1); gravity = (0, -9.81, 0);"
        "body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
        "body 2: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
    )
    t = np.linspace(0, 2, 201)
    q = np.stack([np.sin(t), 0.5 + 0.3 * np.cos(2 * t)], axis=1)
    p = places(m, q, ("elbow", "tip"))
    head = ["PathFileType\t4\t(X/Y/Z)\tx.trc", "DataRate\tUnits", "100\tmm"]
    head += ["Frame#\tTime\telbow\t\t\ttip\t\t\tother\t\t", "\t\tX1\tY1\tZ1\tX2\tY2\tZ2"]
    rows = []
    for k, time in enumerate(t):
        cells = [1000 * x for f in ("elbow", "tip") for x in p[f][k]] + [0, 0, 0]
        rows.append("\t".join([str(k + 1), repr(float(time)), *(repr(float(c)) for c in cells)]))
    file = tmp_path / "x.trc"
    file.write_text("\n".join(head + rows))
    found = da.inverse_kinematics(m, str(file), q[0])
    f = da.torques_along(m, (t, found))
    qdd = np.stack([-np.sin(t), -1.2 * np.cos(2 * t)], axis=1)
    qd = np.stack([np.cos(t), -0.6 * np.sin(2 * t)], axis=1)
    assert np.abs(f.tau - da.inverse_dynamics(m, q, qd, qdd)).max() < 1e-2


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ({}, "mapping from frames"),
        ({"tip": [[0, 0]]}, "shapes"),
        ({"hand": [[0, 0, 0]]}, "no frame 'hand'"),
        ("missing.trc", "no such file"),
    ],
)
def test_bad_points_are_typed_errors(points, message):
    m = da.load("RZ(), tip: TXK(1);")
    with pytest.raises(da.DalembertError, match=message):
        da.inverse_kinematics(m, points)
