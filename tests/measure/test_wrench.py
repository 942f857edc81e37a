"""Forces of a measured motion: ends, bands, and wrenches in world axes."""

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

pytest.importorskip("scipy")
PENDULUM = da.load(
    "RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"
)
T = np.linspace(0, 6, 601)


def exact(q, qdd):
    """The pendulum's own equation."""
    return (0.1 + 0.25) * qdd + 9.81 * 0.5 * np.cos(q)


def test_the_ends_of_a_sampled_motion_are_right():
    q = np.cos(T)
    f = da.torques_along(PENDULUM, (T, q[:, None]))
    assert len(f.t) == len(T)  # a row per sample
    assert np.abs(f.tau[:, 0] - exact(q, -np.cos(T))).max() < 1e-5


def test_bands_cover_the_error_of_noisy_samples():
    q, noise = np.cos(T), np.deg2rad(0.2)
    inside = []
    for seed in range(6):
        y = q + noise * np.random.default_rng(seed).normal(size=len(T))
        f = da.torques_along(PENDULUM, da.read_motion({"t": T, "q.j1": y}, PENDULUM))
        error = np.abs(f.tau[:, 0] - exact(q, -np.cos(T)))
        inside.append((error < 2 * f.band[:, 0]).mean())
        assert np.sqrt((error**2).mean()) < 0.05 < np.abs(f.tau).max()
    assert np.mean(inside) > 0.93


def walker():
    """A free trunk with a leg of two joints."""
    return da.load(
        "hip: RY(), TZK(-0.4), knee: RY(), foot: TZK(-0.4);"
        "body 1: M = 8, D = (0, 0, -0.2), I = (0.1, 0.1, 0.01);"
        "body 2: M = 3, D = (0, 0, -0.2), I = (0.1, 0.1, 0.01);",
        base="free",
    )


def test_a_force_plate_in_world_axes_is_virtual_work(tmp_path):
    m = walker()
    rng = np.random.default_rng(1)
    u = rng.normal(size=4)
    q = np.r_[rng.normal(size=3), u / np.linalg.norm(u), 0.4, -0.7]
    n = 40
    t = np.linspace(0, 1, n)
    still = (t, np.tile(q, (n, 1)), np.zeros((n, m.nv)), np.zeros((n, m.nv)))
    f, c, point = rng.normal(size=3) * 100, rng.normal(size=3) * 10, rng.normal(size=3)
    heads = [f"foot.{x}" for x in ("fx", "fy", "fz", "mx", "my", "mz", "px", "py", "pz")]
    file = tmp_path / "plate.csv"
    row = [repr(float(x)) for x in [*f, *c, *point]]
    plate = np.linspace(-0.1, 1.1, 300)  # faster than the motion, and longer
    lines = [",".join(["t", *heads]), *(",".join([repr(float(x)), *row]) for x in plate)]
    file.write_text("\n".join(lines))
    tau = da.torques_along(m, still, wrench_on_body=file).tau[7]
    free = da.torques_along(m, still).tau[7]
    pose = da.pose(m, q, frame="foot")
    # the power of the plate at each velocity variable, by differences of poses
    couple = c + np.cross(point - pose[:3, 3], f)
    power = np.zeros(m.nv)
    h = 1e-6
    for k in range(m.nv):
        step = np.zeros(m.nv)
        step[k] = h
        a, b = (da.pose(m, da.integrate(m, q, s * step), frame="foot") for s in (1, -1))
        v = (a[:3, 3] - b[:3, 3]) / (2 * h)
        W = (a[:3, :3] - b[:3, :3]) @ pose[:3, :3].T / (2 * h)
        power[k] = f @ v + couple @ [W[2, 1], W[0, 2], W[1, 0]]
    assert np.allclose(free - tau, power, atol=1e-6)


def test_the_residual_of_a_free_base_vanishes_for_a_standing_body():
    m = walker()
    n, weight = 30, 9.81 * 11
    t = np.linspace(0, 1, n)
    q = np.tile(da.neutral(m), (n, 1))
    still = (t, q, np.zeros((n, m.nv)), np.zeros((n, m.nv)))
    f = da.torques_along(m, still, wrench_on_body={"foot": [0, 0, weight, 0, 0, 0]})
    force, moment = f.residual
    assert np.abs(force).max() < 1e-9 and np.abs(moment).max() < 1e-9
    assert "residual of the base" in f.summary()


@pytest.mark.parametrize(
    ("wrench", "message"),
    [
        ({"hand": [0] * 6}, "no frame 'hand'"),
        ({"foot": [0] * 5}, "shape"),
        ({"foot": {"t": [0, 1], "a": [1, 2]}}, "no force"),
        ({"foot": {"t": [0, 0.1], "fx": [1, 2]}}, "the motion from"),
        ({"foot": {"t": [0, 1], "fx": [1, 2], "px": [0, 0]}}, "lacks a coordinate"),
        ({"t": [0, 1]}, "shape"),
        ([1, 2], "shape"),
        ("missing.csv", "no such file"),
    ],
)
def test_bad_wrenches_are_typed_errors(wrench, message):
    m = walker()
    t = np.linspace(0, 1, 20)
    still = (t, np.tile(da.neutral(m), (20, 1)), np.zeros((20, m.nv)), np.zeros((20, m.nv)))
    with pytest.raises(da.DalembertError, match=message):
        da.torques_along(m, still, wrench_on_body=wrench)


def test_heads_of_a_force_plate_are_named_by_groups(tmp_path):
    m = da.load("x: TX(), foot: TYK(0.5); gravity = (0, 0, 0); body 1: M = 1;")
    t = np.linspace(0, 1, 101)
    plate = {"time": t, **{f"plate_v{n}": k + t for k, n in enumerate("xyz")},
             **{f"plate_p{n}": 0 * t + k for k, n in enumerate("xyz")}}  # fmt: skip
    heads = {"f": "plate_v:kN", "p": "plate_p"}
    motion = (t, np.zeros((101, 1)))
    f = da.torques_along(m, motion, wrench_on_body={"foot": (plate, heads)})
    assert np.allclose(f.tau[:, 0], -1e3 * t)
    one = da.torques_along(m, motion, wrench_on_body={"foot": (plate, {"fx": "plate_vy:-"})})
    assert np.allclose(one.tau[:, 0], 1 + t)
    for wrong, what in (({"f": "plate_w"}, "no column"), ({"g": "plate_v"}, "no part of a wrench")):
        with pytest.raises(da.DalembertError, match=what):
            da.torques_along(m, motion, wrench_on_body={"foot": (plate, wrong)})
    np.savetxt(tmp_path / "p.csv", np.stack(list(plate.values()), axis=1), delimiter=",",
               header=",".join(plate), comments="")  # fmt: skip
    np.savetxt(tmp_path / "m.csv", np.stack([t, 0 * t], axis=1), delimiter=",", header="t,pos",
               comments="")  # fmt: skip
    m.save(tmp_path / "m.toml")
    names = "x=pos,foot.f=plate_v:kN,foot.p=plate_p"
    files = ("m.toml", "--motion", "m.csv", "--wrench", "p.csv", "--csv", "out.csv")
    given = [x if x.startswith("--") else str(tmp_path / x) for x in files]
    assert not main(["torques", *given, "--columns", names])
    out = da.read_motion(tmp_path / "out.csv", m)
    assert np.allclose(out.tau[:, 0], -1e3 * t)


def test_a_unit_of_another_kind_is_refused_in_wrench_tables():
    from dalembert.measure.table import Table
    from dalembert.measure.wrench import renamed

    table = Table(
        "plate", {"t": np.arange(3.0), "vx": np.ones(3), "vy": np.ones(3), "vz": np.ones(3)}
    )
    assert renamed(table, {"p": "v:mm"}).columns["px"][0] == 1e-3
    with pytest.raises(da.UsageError, match="is no unit of a column in N"):
        renamed(table, {"f": "v:mm"})


def _pushed(**change):
    m = da.load("a: RZ(), TXK(1), hand: TXK(0); body 1: M = 1, D = (0.5, 0, 0);")
    t = np.linspace(0.0, 1.0, 101)
    d = da.read_motion({"t": t, "q.a": np.sin(t)}, m)
    table = {"t": t} | {f"hand.{n}": np.ones(101) for n in ("fx", "fy", "fz")} | change
    return da.torques_along(m, d, wrench_on_body={"hand": table})


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"hand.fy": np.where(np.arange(101) == 30, np.nan, 1.0)}, "in 1 of 101 .* at t = 0.3 s"),
        (
            {f"hand.p{u}": np.where(np.arange(101) == 30, np.nan, 1.0) for u in "xyz"},
            "point of the force on 'hand' is missing at t = 0.3 s",
        ),
        ({"t": np.r_[np.linspace(0, 0.5, 100), 1.0]}, "no wrench from t = 0.5 to 1 s"),
    ],
)
def test_a_hole_in_a_table_of_wrenches_is_refused(change, refused):
    assert np.isfinite(_pushed().tau).all()
    with pytest.raises(da.DescriptionError, match=refused):
        _pushed(**change)


def test_a_head_of_a_frame_that_is_no_part_of_a_wrench_is_refused():
    with pytest.raises(da.DescriptionError, match=r"'hand\.Fy' is no part of a wrench"):
        _pushed(**{"hand.Fy": np.ones(101)})


def test_a_table_of_wrenches_covers_the_motion():
    """Its last value may hold for one step of its own, not for two."""
    motion = (T, np.cos(T)[:, None])
    for rows, covers in ((601, True), (600, True), (599, False)):
        table = {"t": T[:rows], "tip.fx": np.ones(rows)}
        if covers:
            f = da.torques_along(PENDULUM, motion, wrench_on_body={"tip": table})
            held = [n for n in f.notes if "wrench" in n]
            assert len(f.t) == 601
            assert held == ["wrench on tip is given from 0 to 5.99 s, and held after"][rows - 600 :]
            continue
        with pytest.raises(da.DescriptionError, match=r"the wrenches go from t = 0 to 5\.98 s"):
            da.torques_along(PENDULUM, motion, wrench_on_body={"tip": table})


def test_a_table_of_wrenches_that_begins_late_is_noted(tmp_path, capsys):
    """The command line and `identify` say so too; times that differ by rounding do not count."""
    t, x = T[1:], np.ones(600)
    motion = da.read_motion({"t": T, "q.j1": np.sin(T), "tau.j1": np.cos(T)}, PENDULUM)
    note = "wrench on tip is given from 0.01 to 6 s, and held before"
    for table in ({"t": t, "tip.fx": x}, ({"t": t, "push": x}, {"fx": "push"})):
        assert note in da.identify(PENDULUM, motion, wrench_on_body={"tip": table}).notes
        assert note in da.torques_along(PENDULUM, motion, wrench_on_body={"tip": table}).notes
    close = {"t": T + np.linspace(1e-12, -1e-12, 601), "tip.fx": np.ones(601)}
    assert not da.torques_along(PENDULUM, motion, wrench_on_body={"tip": close}).notes
    PENDULUM.save(tmp_path / "m.toml")
    for name, heads, rows in (("q", "t,q.j1", (T, np.sin(T))), ("w", "t,tip.fx", (t, x))):
        np.savetxt(tmp_path / f"{name}.csv", np.stack(rows, 1), "%.9f", ",", header=heads)
    files = [str(tmp_path / x) for x in ("m.toml", "q.csv", "w.csv")]
    assert main(["torques", files[0], "--motion", files[1], "--wrench", files[2]]) == 0
    assert note in "".join(capsys.readouterr())
