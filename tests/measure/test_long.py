"""A log in windows is the log as a whole: motion, gaps, forces, tables, identification."""

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.measure import long
from dalembert.measure.table import read_table
from logged import friction_of, honest, moving, rubbed

pytest.importorskip("scipy")
M = rubbed(da.load("a: RZ(-3,3), TXK(1), b: RZ(-3,3), tip: TXK(1); gravity = (0, -9.81, 0); "
                   "body 1: M = 4, D = (0.5, 0, 0), I = (0, 0, 0.3); "
                   "body 2: M = 2, D = (0.4, 0, 0), I = (0, 0, 0.2);"), 2.0, 1.0)  # fmt: skip


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Return a CSV of 8000 samples with a bridged and an open gap; windows are of 1000."""
    monkeypatch.setattr(long, "LONG", 1000)
    monkeypatch.setattr(long, "WINDOW", 1000)
    monkeypatch.setattr(long, "MARGIN", 300)
    t, q, qd, qdd = moving(M, 40, 200, size=0.8)
    tau = da.inverse_dynamics(M, q, qd, qdd, drives="all")
    table = honest(M, t, q, tau, seed=1, force=0.05)
    data = np.stack(list(table.values()), axis=1)
    data[1985:2000, 1] = data[5000:5100, 2] = np.nan
    file = tmp_path / "log.csv"
    np.savetxt(file, data, delimiter=",", header=",".join(table), comments="")
    return file


def test_a_motion_in_windows_is_that_of_the_whole_log(log):
    """To a tenth of the noise: gaps elsewhere change how many samples a second has."""
    whole = da.read_motion(log, M, cutoff=8.0)
    pieces = [d for _, d in long.windows(log, M, cutoff=8.0)]
    assert len(pieces) > 5 and (np.concatenate([d.t for d in pieces]) == whole.t).all()
    for name, close in (("q", 2e-6), ("qd", 2e-4), ("qdd", 2e-2)):
        made = np.concatenate([getattr(d, name) for d in pieces])
        np.testing.assert_allclose(made, getattr(whole, name), atol=close)
    for k, d in enumerate(pieces):
        rows = np.flatnonzero(d.valid)
        at = np.searchsorted(whole.t, d.t[rows])
        np.testing.assert_allclose(d.spread[rows], whole.spread[at], rtol=0.2, atol=1e-6, err_msg=k)
    found = long.gap_notes(g for d in pieces for g in d.gaps)
    assert [str(g) for g in found] == [str(g) for g in whole.gaps]


def test_angles_go_on_over_windows(log):
    table = read_table(log)
    turned = {"t": table.columns["t"], "q.a": 3 * table.columns["t"], "q.b": 0 * table.columns["t"]}
    turned["q.a"] = (turned["q.a"] + np.pi) % (2 * np.pi) - np.pi
    np.savetxt(log, np.stack(list(turned.values()), 1), delimiter=",", header="t,q.a,q.b",
               comments="")  # fmt: skip
    q = np.concatenate([d.q for _, d in long.windows(log, M, cutoff=8.0)])
    assert np.abs(q[:, 0] - 3 * turned["t"]).max() < 1e-6


def test_a_window_without_samples_is_a_gap(log):
    table = read_table(log).columns
    table["q.b"][2000:6000] = np.nan
    np.savetxt(log, np.stack(list(table.values()), 1), delimiter=",", header=",".join(table),
               comments="")  # fmt: skip
    pieces = [d for _, d in long.windows(log, M, cutoff=8.0)]
    valid = np.concatenate([d.valid for d in pieces])
    assert not valid[2000:6000].any() and valid[2100 - 200 : 1985].all() and valid[6000:].all()


def test_a_clock_that_goes_back_far_is_refused(log):
    lines = log.read_text().splitlines()
    log.write_text("\n".join([lines[0], *lines[4001:], *lines[1:4001]]) + "\n")
    with pytest.raises(da.DescriptionError, match="the clock goes back"):
        list(long.windows(log, M, cutoff=8.0))


def test_torques_of_a_long_log_on_the_command_line(log, tmp_path, capsys):
    model, short, out = tmp_path / "arm.toml", tmp_path / "short.csv", tmp_path / "out.csv"
    M.save(model)
    whole = da.torques_along(M, da.read_motion(log, M, cutoff=8.0))
    whole.to_csv(short)
    given = ["torques", str(model), "--motion", str(log), "--cutoff", "8", "--csv", str(out)]
    assert main(given) == 0
    told = capsys.readouterr()
    assert "read in windows" in told.err
    for k, line in enumerate(told.out.splitlines()[1:3]):
        peak, rms = (float(x) for x in line.split()[1:3])
        assert peak == pytest.approx(whole.peak[k], rel=1e-3)
        assert rms == pytest.approx(whole.rms[k], rel=1e-3)
    a, b = read_table(out).columns, read_table(short).columns
    assert list(a) == list(b)
    for name in ("t", "tau.a", "band.b", "friction.a"):
        np.testing.assert_allclose(a[name], b[name], rtol=0.05, atol=0.02, err_msg=name)
    assert not list(tmp_path.glob(".*.part"))
    assert main([*given[:-1], str(tmp_path / "out.npz")]) != 0
    assert "the table of a long log is a CSV" in capsys.readouterr().err


def test_identification_of_a_long_log(log):
    whole = da.identify(M, da.read_motion(log, M))
    f = da.identify(M, log, delay="auto")
    assert friction_of(f) == pytest.approx(friction_of(whole), rel=0.01)
    assert min(f.r_squared.values()) > 0.99 and f.physical
    for n, (low, high) in f.interval.items():
        assert low - 0.5 * (high - low) < f.nominal_base[n] < high + 0.5 * (high - low), n
    assert any("8000 samples, read in windows" in n for n in f.notes)
    assert f.validate(0.2).identified.shape == (2,)


def rewritten(log, change):
    """Write the log again after a change of its columns."""
    table = read_table(log).columns
    change(table)
    np.savetxt(log, np.stack(list(table.values()), 1), delimiter=",", header=",".join(table),
               comments="")  # fmt: skip


@pytest.mark.parametrize("silent", ["still", "without forces"])
def test_a_first_window_that_tells_nothing_gives_no_delay(log, silent):
    late = 4  # samples of 5 ms

    def change(table):
        for name in ("tau.a", "tau.b"):
            table[name][late:] = table[name][:-late].copy()
        if silent == "still":
            table["t"] += 20.0  # the recorder paused
            still = {n: np.full(2000, x[0]) for n, x in table.items()}
            still["t"] = np.arange(2000) * 0.005
            rng = np.random.default_rng(2)
            for n in still:
                still[n] += 0 if n == "t" else 1e-5 * rng.normal(size=2000)
                table[n] = np.concatenate([still[n], table[n]])
        else:
            table["tau.a"][:2500] = table["tau.b"][:2500] = np.nan

    rewritten(log, change)
    f = da.identify(M, log, delay="auto")
    told = next(n for n in f.notes if n.startswith("forces come"))
    assert float(told.split()[2]) == pytest.approx(20.0, abs=1.0)


def test_rates_of_a_table_are_those_of_all_its_windows(log, tmp_path):
    def change(table):
        for n in ("a", "b"):
            table[f"qd.{n}"], table[f"qdd.{n}"] = table["t"] * 0 + 0.5, table["t"] * 0 + 0.25
            table[f"q.{n}"] = np.sin(table["t"])
        table["qdd.a"][4500] = np.nan

    rewritten(log, change)
    pieces = [d for _, d in long.windows(log, M)]
    qd = np.concatenate([d.qd for d in pieces])
    assert (qd == 0.5).all() and (~np.concatenate([d.valid for d in pieces])).sum() == 1
    assert any("are left out" in note for d in pieces for note in d.notes)
    M.save(tmp_path / "arm.toml")
    out = tmp_path / "out.csv"
    assert (
        main(["torques", str(tmp_path / "arm.toml"), "--motion", str(log), "--csv", str(out)]) == 0
    )
    assert len({line.count(",") for line in out.read_text().splitlines()}) == 1


@pytest.mark.parametrize("window", [1000, 7000, 10**6])
def test_some_of_a_log_is_held_out_however_few_its_windows(log, monkeypatch, window):
    monkeypatch.setattr(long, "WINDOW", window)
    f = da.identify(M, log, holdout=0.2)
    held, all_ = f.equations.holdout.rows, sum(s.rows for s in f.equations.training)
    assert held.sum() / (held + all_).sum() == pytest.approx(0.2, abs=0.05)
    assert sum(s.rows.sum() > 0 for s in f.equations.training) > 12
    none = da.identify(M, log, holdout=0)
    assert none.equations.holdout.rows.sum() == 0 and min(none.r_squared.values()) > 0.99


def test_coordinates_that_are_never_there_together_make_a_gap(log):
    def change(table):
        table["q.a"][2050:5400] = np.nan
        table["q.b"][1500:2060] = np.nan
        table["t"][3000] = table["t"][2999]

    rewritten(log, change)
    pieces = [d for _, d in long.windows(log, M, cutoff=8.0)]
    t, valid = (np.concatenate([getattr(d, n) for d in pieces]) for n in ("t", "valid"))
    assert (np.diff(t) > 0).all() and not valid[2100:5300].any() and valid[5500:].all()


def test_every_sample_of_a_long_log_has_its_row(log, tmp_path):
    def change(table):
        table["q.b"][:3000] = table["q.a"][5000:7500] = np.nan

    rewritten(log, change)
    M.save(tmp_path / "arm.toml")
    out = tmp_path / "out.csv"
    given = ["torques", str(tmp_path / "arm.toml"), "--motion", str(log), "--cutoff", "8"]
    assert main([*given, "--csv", str(out)]) == 0
    t = read_table(out).columns["t"]
    assert (t == read_table(log).columns["t"]).all()


def test_notes_on_other_joints_are_kept():
    told = ["j1: no measured force", "j2: no measured force", "12 samples stand alone",
            "15 samples stand alone", "3: 4 spikes", "4: 4 spikes", "3: 5 spikes"]  # fmt: skip
    assert long.told_once(told) == (told[0], told[1], told[2], told[4], told[5])
