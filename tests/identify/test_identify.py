"""Identification of synthetic logs: what was put in comes out, with honest intervals."""

import importlib
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.identify.consistent import is_physical, nearest, pseudo_inertia
from dalembert.mechanism import Drive

pytest.importorskip("scipy")
ARM = da.load(
    "RZ(-3, 3), TXK(0.5), RZ(-3, 3), tip: TXK(0.4); gravity = (0, -9.81, 0);"
    "body 1: M = 4, D = (0.25, 0, 0), I = (0.02, 0.1, 0.1);"
    "body 2: M = 2, D = (0.2, 0.01, 0), I = (0.01, 0.04, 0.04);"
)
FRICTION = (
    Drive(0, viscous=1.5, coulomb=(0.9, -0.9)),
    Drive(1, viscous=0.6, coulomb=(0.5, -0.5)),
)
TRUE = replace(ARM, drives=FRICTION)


def moving(m, time, rate, seed=7, size=0.5):
    """Return t, q, q̇, q̈ of a random Fourier series."""
    rng, t = np.random.default_rng(seed), np.arange(0, time, 1 / rate)
    q, qd, qdd = (np.zeros((len(t), m.nv)) for _ in range(3))
    for k in range(1, 6):
        w = 2 * np.pi * k / 10
        a, b = rng.normal(size=(2, m.nv)) * size / np.sqrt(k)
        s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
        q, qd, qdd = q + a * s + b * c, qd + w * (a * c - b * s), qdd - w * w * (a * s + b * c)
    return t, q, qd, qdd


def log(m, true, seed, time=20, rate=200, position=2e-4, force=0.3, **more):
    """Return a table with noise on positions and forces."""
    t, q, qd, qdd = moving(m, time, rate)
    tau = da.inverse_dynamics(true, q, qd, qdd, drives="all")
    rng = np.random.default_rng(seed)
    q = q + position * rng.normal(size=q.shape)
    tau = tau + force * rng.normal(size=tau.shape)
    table = {"t": t}
    for k, n in enumerate(m.rate_names):
        table |= {f"q.{n}": q[:, k], f"tau.{n}": tau[:, k]}
    return table | more


def truth(f, true):
    """Return the true value of each parameter that was seen."""
    u = f.equations.unknowns
    full = replace(u, m=replace(u.m, bodies=true.bodies, drives=true.drives))
    return dict(zip(f.base, f.fit.grouped @ (u.K @ full.nominal), strict=True))


def test_parameters_and_friction_come_out():
    wrong = replace(ARM, bodies=tuple(
        replace(b, inertia=b.inertia.map(lambda x: x * 1.3)) for b in ARM.bodies
    ))  # fmt: skip
    f = da.identify(wrong, da.read_motion(log(ARM, TRUE, 0), wrong))
    wanted = truth(f, TRUE)
    for name in ("FV1", "FS1", "FV2", "FS2"):
        assert f.base[name] == pytest.approx(wanted[name], rel=0.02), name
    assert min(f.r_squared.values()) > 0.99 and f.physical
    state = [x[::50] for x in moving(ARM, 20, 200)[1:]]
    tau = da.inverse_dynamics(TRUE, *state, drives="all")
    made = da.inverse_dynamics(f.mechanism, *state, drives="all")
    assert np.abs(made - tau).max() < 0.02 * np.abs(tau).max()


@pytest.mark.slow
def test_intervals_cover_the_truth():
    inside = []
    for seed in range(100):
        f = da.identify(ARM, da.read_motion(log(ARM, TRUE, seed, time=10), ARM, cutoff=4.0),
                        consistent=False)  # fmt: skip
        wanted = truth(f, TRUE)
        inside.append([low <= wanted[n] <= high for n, (low, high) in f.interval.items()])
    share = np.mean(inside, axis=0)
    assert 0.90 <= np.mean(share) <= 0.98


def test_a_payload_is_found_to_one_percent():
    loaded = TRUE.with_payload("tip", 1.2, (0.05, 0.02, 0))
    f = da.identify(TRUE, da.read_motion(log(ARM, loaded, 3), TRUE), payload="tip")
    mass = da.gravity(f.mechanism, [0.0, 0.0]) - da.gravity(TRUE, [0.0, 0.0])
    wanted = da.gravity(loaded, [0.0, 0.0]) - da.gravity(TRUE, [0.0, 0.0])
    assert mass == pytest.approx(wanted, rel=0.01)
    assert f.physical


def test_asymmetric_friction_has_two_levels():
    true = replace(ARM, drives=(Drive(0, viscous=1, coulomb=(1.0, -0.4)), FRICTION[1]))
    f = da.identify(ARM, da.read_motion(log(ARM, true, 1), ARM), friction="asymmetric")
    assert f.parameters["Fs+.j1"] == pytest.approx(1.0, rel=0.05)
    assert f.parameters["Fs-.j1"] == pytest.approx(-0.4, rel=0.1)


def test_the_motors_of_a_five_bar_show_its_parameters():
    m = da.robots.fivebar()
    t = np.arange(0, 10, 0.01)
    start = np.array(da.assemble(m), dtype=float)
    motors = [m.joint_index(n) for n in m.active]
    swing = np.stack([0.25 * np.sin(1.1 * t) + 0.1 * np.sin(2.9 * t),
                      0.2 * np.sin(1.7 * t) + 0.15 * np.cos(2.3 * t) - 0.15], axis=1)  # fmt: skip
    f = da.torques_along(m, (t, start[motors] + swing), start=start, t=t)
    table = {"t": t} | {f"q.{n}": f.q[:, k] for k, n in enumerate(m.coordinate_names)}
    table |= {f"tau.{n}": f.tau[:, k] for k, n in enumerate(f.names)}
    made = da.identify(m, da.read_motion(table, m), friction=False)
    assert min(made.r_squared.values()) > 0.9999
    assert len(made.base) < len(da.base_parameters(m.tree))  # the loop hides some


def test_physical_parameters_stay_physical_whatever_the_data():
    rng = np.random.default_rng(5)
    table = log(ARM, TRUE, 0)
    for n in ARM.rate_names:
        table[f"tau.{n}"] = 50 * rng.normal(size=len(table["t"]))
    f = da.identify(ARM, da.read_motion(table, ARM, cutoff=5))
    assert f.physical
    assert all(x >= 0 for n, x in f.parameters.items() if n[:2] in ("Fv", "Fs"))
    plain = nearest(f.equations.unknowns, f.fit, physical=False)
    assert not all(is_physical(plain[k : k + 10]) for k in (0, 13))


def test_what_the_data_do_not_show_stays_at_the_nominal_model():
    """Flat bodies cannot exist: XX grows by what the triangle asks, masses stay where they are."""
    flat = da.load(
        "a: RZ(), TXK(0.5), b: RZ(), TXK(0.4); gravity = (0, -9.81, 0);"
        "body 1: M = 4, D = (0.25, 0, 0), I = (0, 0, 0.1);"
        "body 2: M = 2, D = (0.2, 0, 0), I = (0, 0, 0.04);"
    )
    true = replace(flat, drives=FRICTION)
    f = da.identify(flat, da.read_motion(log(flat, true, 0), flat))
    assert f.physical and f.parameters["Ia.a"] == pytest.approx(0, abs=1e-6)
    assert f.parameters["m.a"] == pytest.approx(4, rel=0.01)
    assert f.parameters["m.b"] == pytest.approx(2, rel=0.1)  # noise moves it with mx.a
    assert f.parameters["XX.b"] + f.parameters["YY.b"] == pytest.approx(0.12, rel=0.02)


def test_the_pseudo_inertia_of_points_is_their_sum():
    points = np.random.default_rng(0).normal(size=(5, 3))
    I = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    h = points.sum(axis=0)
    phi = [5, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
    ones = np.concatenate([points, np.ones((5, 1))], axis=1)
    assert np.allclose(pseudo_inertia(phi), ones.T @ ones)


def test_what_cannot_be_seen_is_said():
    table = log(ARM, TRUE, 0)
    table["q.j1"] = 0.3 + 0 * table["t"]  # joint 1 stands still
    f = da.identify(ARM, da.read_motion(table, ARM, cutoff=5))
    assert f.unseen and "FV1" not in f.essential


def test_the_report_is_one_file_without_network(tmp_path):
    pytest.importorskip("matplotlib")
    f = da.identify(ARM, da.read_motion(log(ARM, TRUE, 0, time=5), ARM, cutoff=5))
    f.report(tmp_path / "id.html")
    text = (tmp_path / "id.html").read_text()
    assert "<svg" in text and "FV1" in text and "<script" not in text
    for name in ARM.joint_names:
        assert f"<!-- {name}  [N m] -->" in text
    assert "<!-- t  [s]; shaded: held out -->" in text
    assert "src=" not in text and "<link" not in text and "@import" not in text
    assert text.count("<polygon") == 2 * len(ARM.joint_names)  # before and after


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"friction": "some"}, "friction='some'"),
        ({"holdout": 1.5}, "not a share"),
        ({"payload": "hand"}, "no frame 'hand'"),
    ],
)
def test_bad_options_are_typed_errors(given, message):
    d = da.read_motion(log(ARM, TRUE, 0, time=3), ARM, cutoff=5)
    with pytest.raises(da.DalembertError, match=message):
        da.identify(ARM, d, **given)


def test_a_motion_without_forces_is_refused():
    table = {k: v for k, v in log(ARM, TRUE, 0, time=3).items() if not k.startswith("tau")}
    with pytest.raises(da.UsageError, match="no measured forces"):
        da.identify(ARM, da.read_motion(table, ARM, cutoff=5))


def test_a_log_of_joints_at_rest_says_that_they_stand_still():
    t = np.arange(0, 5, 0.01)
    rng = np.random.default_rng(0)
    m = da.load("RZ(), TXK(1); body 1: M = 2, D = (0.5, 0, 0);")
    table = {"t": t, "q.j1": 1e-4 * rng.normal(size=len(t)), "tau.j1": rng.normal(size=len(t))}
    with pytest.raises(da.UsageError, match="stand still"):
        da.identify(m, table)


def test_columns_that_forces_need_are_kept_though_noise_moves_them(monkeypatch):
    """In three seconds the noise of q is most of what ZZR1 shows: without it nothing fits."""
    d = da.read_motion(log(ARM, ARM, 3, time=3, rate=100, position=1e-3, force=0), ARM)
    f = da.identify(ARM, d, friction=False)
    assert "ZZR1" in f.base and not f.fit.hidden
    assert min(f.r_squared.values()) > 0.99
    low, high = f.interval["ZZR1"]
    assert low <= truth(f, ARM)["ZZR1"] <= high
    # what is kept was loud: left out, the forces of the first joint are not explained
    monkeypatch.setattr(importlib.import_module("dalembert.identify.fit"), "MISSED", np.inf)
    without = da.identify(ARM, d, friction=False)
    assert without.fit.hidden and without.r_squared["j1"] < 0


def test_a_short_log_is_cut_in_fewer_stretches():
    table = log(ARM, ARM, 3, time=4, rate=100, force=0)
    d = da.read_motion(table, ARM)
    f = da.identify(ARM, d, friction=False)
    assert 1 < len(f.equations.training) < 24
    wanted = truth(f, ARM)
    assert all(low <= wanted[n] <= high for n, (low, high) in f.interval.items())
    with pytest.raises(da.UsageError, match="the log is too short"):
        da.identify(ARM, da.read_motion({h: x[:25] for h, x in table.items()}, ARM, cutoff=1.0),
                    friction=False)  # fmt: skip


def test_nothing_is_called_held_out_when_nothing_was(tmp_path):
    d = da.read_motion(log(ARM, TRUE, 3, time=6), ARM)
    f = da.identify(ARM, d, holdout=0)
    f.report(tmp_path / "id.html")
    page = (tmp_path / "id.html").read_text(encoding="utf-8")
    assert "all samples, none held out>" in repr(f)
    assert "R² on all samples: " in f.text()
    assert "shaded: held out" not in page and "R², all samples" in page
    assert "on samples held out>" in repr(da.identify(ARM, d))


@pytest.mark.parametrize("load", [0.0, 0.01])
def test_a_small_payload_is_no_doubt_about_the_log(load):
    true = TRUE.with_payload("tip", load, (0.02, 0, 0), (0, 0, 0)) if load else TRUE
    d = da.read_motion(log(ARM, true, 5, time=8), ARM)
    f = da.identify(TRUE, d, payload="tip", friction=False)
    assert min(f.r_squared.values()) > 0.95
    assert not any("explains little" in n for n in f.notes)
    assert abs(f.parameters["m.tip"] - load) < 0.01
