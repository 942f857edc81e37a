"""Motion tables: what is read, what is refused, what is said."""

import json

import numpy as np
import pytest

import dalembert as da

pytest.importorskip("scipy")
ARM = da.load(
    "shoulder: RZ(), TXK(0.5), elbow: RZ(), TXK(0.4); gravity = (0, -9.81, 0);"
    "body 1: M = 2, D = (0.25, 0, 0), I = (0.1, 0.1, 0.1);"
    "body 2: M = 1, D = (0.2, 0, 0), I = (0.1, 0.1, 0.1);"
)
T = np.linspace(0, 3, 301)
Q = np.stack([np.cos(T), 0.5 * np.sin(2 * T)], axis=1)
QDD = np.stack([-np.cos(T), -2 * np.sin(2 * T)], axis=1)


def csv_file(path, heads, columns, end="\n"):
    rows = [",".join(heads)] + [",".join("" if x != x else repr(float(x)) for x in r)
                                for r in np.stack(columns, axis=1)]  # fmt: skip
    path.write_text(end.join(rows) + end)
    return path


@pytest.mark.parametrize("kind", ["csv", "npz", "json", "mapping"])
def test_every_table_gives_the_same_motion(tmp_path, kind):
    columns = {"t": T, "q.shoulder": Q[:, 0], "q.elbow": Q[:, 1]}
    source = columns
    if kind == "csv":
        source = csv_file(tmp_path / "a.csv", list(columns), list(columns.values()))
    elif kind == "npz":
        source = tmp_path / "a.npz"
        np.savez(source, **columns)
    elif kind == "json":
        source = tmp_path / "a.json"
        source.write_text(json.dumps({k: v.tolist() for k, v in columns.items()}))
    d = da.read_motion(source, ARM)
    assert np.allclose(d.q, Q, atol=1e-9)
    assert np.abs(d.qdd - QDD).max() < 1e-4
    assert d.tau is None and d.gaps == ()


def test_heads_units_signs_offsets_and_torque_constants(tmp_path):
    heads = ["stamp", "act_pos_1", "act:pos", "cur"]
    file = csv_file(
        tmp_path / "log.csv",
        heads,
        [T * 1e3, np.rad2deg(-Q[:, 0]), np.rad2deg(Q[:, 1]) - 5, 2 * Q[:, 0]],
    )
    columns = {
        "t": "stamp:ms",
        "shoulder": "act_pos_1:deg:-",
        "elbow": "act:pos:+5:deg",
        "tau.shoulder": "cur:*0.1:*100",
    }
    d = da.read_motion(file, ARM, columns=columns)
    assert np.allclose(d.q, Q, atol=1e-9)
    assert np.allclose(d.tau[:, 0], 20 * Q[:, 0]) and np.isnan(d.tau[:, 1]).all()
    text = ",".join(f"{k}={v}" for k, v in columns.items())
    assert np.allclose(da.read_motion(file, ARM, columns=text).q, Q, atol=1e-9)


def test_short_gaps_are_bridged_and_long_ones_left_open():
    q = Q.copy()
    q[50:60, 0] = np.nan
    q[150:200, 1] = np.nan
    d = da.read_motion({"t": T, "q.shoulder": q[:, 0], "q.elbow": q[:, 1]}, ARM)
    assert [g.bridged for g in d.gaps] == [True, False]
    assert d.gaps[0].names == ("shoulder",)
    assert np.abs(d.qdd[:, 0] - QDD[:, 0]).max() < 1e-2
    assert np.isnan(d.q[160:190, 1]).all() and d.valid.sum() == len(T) - 50
    f = da.torques_along(ARM, d)
    assert np.isnan(f.tau[160]).all() and np.isfinite(f.tau[50:60]).all()
    assert np.isfinite(f.peak).all() and np.isfinite(f.rms).all()


LEVER = "RX(), TYK(0.5); body 1: M = 2, D = (0, 0.25, 0), I = (0.1, 0.01, 0.1);"


@pytest.mark.parametrize("machine", ["arm", "equations", "four-bar"])
def test_forces_along_samples_say_which_gaps_were_bridged(machine):
    m = da.robots.fourbar() if machine == "four-bar" else da.load(LEVER)
    t = np.arange(0, 1, 0.01)
    q = 0.3 * np.sin(t)[:, None] + 0.5
    whole = da.torques_along(m, (t, q))
    q[30:35] = np.nan
    told = {"model": da.equations(m)} if machine == "equations" else {}
    f = da.torques_along(m, (t, q), **told)
    first = m.joint_names[0]
    assert f"{first}: no samples from t = 0.29 to 0.35 s, bridged" in f.notes
    assert f.tau == pytest.approx(whole.tau, abs=1e-4 * np.abs(whole.tau).max())


def test_long_gaps_of_a_motion_of_loops_are_refused_where_they_are():
    m, t = da.robots.fourbar(), np.arange(0, 1, 0.01)
    q = 0.3 * np.sin(t)[:, None] + 0.5
    q[30:70] = np.nan
    with pytest.raises(da.UsageError, match=r"crank: no samples from t = 0\.29 to 0\.7 s"):
        da.torques_along(m, (t, q))
    with pytest.raises(da.UsageError, match="sample 30 is not whole"):
        da.torques_along(m, (t, q, 0 * q, 0 * q))


def test_tables_with_gaps_are_refused_by_what_follows_them():
    m, t = da.load(LEVER), np.arange(0, 1, 0.01)
    table = np.zeros((100, 1))
    table[30] = np.nan
    with pytest.raises(da.UsageError, match=r"not finite from t = 0\.29 s, column 1"):
        da.simulate(m, [0.0], torque=(t, table), t=0.9)
    with pytest.raises(da.UsageError, match="not finite"):
        da.trajectory.quintic([np.nan], [1.0], 1.0)


def test_order_and_repeats_are_mended_and_said():
    order = np.r_[0:100, 101, 100, 102:301]
    columns = {"t": T[order], "q.shoulder": Q[order, 0], "q.elbow": Q[order, 1]}
    d = da.read_motion(columns, ARM)
    assert any("out of order" in n for n in d.notes)
    assert np.allclose(d.q, Q, atol=1e-9)
    twice = np.r_[0:100, 99, 100:301]
    columns = {"t": T, "q.shoulder": Q[:, 0], "q.elbow": Q[:, 1]}
    d = da.read_motion({k: v[twice] for k, v in columns.items()}, ARM)
    assert any("repeat a time" in n for n in d.notes) and len(d) == 301


def test_a_free_base_has_continuous_quaternions_and_body_rates():
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    m = da.load("RZ(), TXK(1); body 1: M = 1, D = (1, 0, 0), I = (.1, .1, .1);", base="free")
    w = np.array([0.3, -0.5, 0.8])
    u = rotation.from_rotvec(T[:, None] * w).as_quat()
    u *= np.where(np.random.default_rng(0).random(len(T)) < 0.5, -1, 1)[:, None]
    p = np.stack([np.sin(T), T**2, np.cos(2 * T)], axis=1)
    columns = dict(zip(m.coordinate_names, [*p.T, *u.T, np.sin(T)], strict=True))
    d = da.read_motion({"t": T, **columns}, m)
    assert np.abs(d.qd[:, 3:6] - w).max() < 1e-9
    v = rotation.from_quat(u).inv().apply(np.stack([np.cos(T), 2 * T, -2 * np.sin(2 * T)], axis=1))
    assert np.abs(d.qd[:, :3] - v).max() < 1e-6


def test_a_written_motion_reads_back_and_gives_the_same_forces(tmp_path):
    r = da.simulate(ARM, Q[0], [0.1, 0.2], t=T)
    r.to_csv(tmp_path / "run.csv")
    d = da.read_motion(tmp_path / "run.csv", ARM)
    assert np.abs(d.qd - r.qd).max() < 1e-4  # of 5 rad/s, by interpolation at 100 Hz
    f = da.torques_along(ARM, d)
    f.to_csv(tmp_path / "forces.csv")
    again = da.read_motion(tmp_path / "forces.csv", ARM)
    assert np.array_equal(again.qdd, d.qdd) and np.array_equal(again.tau, f.tau)


WRONG = {
    "no such file": "missing.csv",
    "not known": "a.xlsx",
    "empty": ("a.csv", b""),
    "no heads": ("a.csv", b"0,1,2\n1,2,3\n"),
    "two columns": ("a.csv", b"t,q.elbow,q.elbow\n0,1,2\n"),
    "not UTF-8": ("a.csv", b"t,q.elbow\n0,\xff\n"),
    "is not a number": ("a.csv", b"t,q.shoulder,q.elbow\n0,1,x\n"),
    "values, 3 heads": ("a.csv", b"t,q.shoulder,q.elbow\n0,1\n"),
    "infinite": ("a.csv", b"t,q.shoulder,q.elbow\n0,1,inf\n1,1,1\n"),
    "no rows": ("a.csv", b"t,q.shoulder,q.elbow\n"),
    "no column of times": ("a.csv", b"a,q.shoulder,q.elbow\n0,1,2\n"),
    "no column for 'elbow'": ("a.csv", b"t,q.shoulder,elbo\n0,1,2\n1,2,3\n"),
    "time of sample": ("a.csv", b"t,q.shoulder,q.elbow\n,1,2\n1,2,3\n"),
    "too few": ("a.csv", b"t,q.shoulder,q.elbow\n0,1,2\n1,2,3\n"),
    "NPZ": ("a.npz", b"PK\x03\x04 torn"),
    "not JSON": ("a.json", b"{"),
    "object of lists": ("a.json", b"[1, 2]"),
    "endheader": ("a.sto", b"nothing\n"),
    "no TRC": ("a.trc", b"x\n"),
    "no C3D": ("a.c3d", b"x" * 2000),
}


@pytest.mark.parametrize("message", WRONG)
def test_bad_tables_are_typed_errors(tmp_path, message):
    given = WRONG[message]
    if isinstance(given, str):
        file = tmp_path / given
        if given != "missing.csv":
            file.write_bytes(b"x")
    else:
        file = tmp_path / given[0]
        file.write_bytes(given[1])
    with pytest.raises(da.DalembertError, match=message):
        da.read_motion(file, ARM)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"elbo": "q.elbow"}, "no coordinate"),
        ({"elbow": "q.elbw"}, "near: q.elbow"),
        ({"elbow": "q.elbow:furlong"}, "neither a unit nor a step"),
        ({"elbow": "q.elbow:/0"}, "neither a unit nor a step"),
        ({"elbow": 3}, "mapping from names to heads"),
        ("elbow", "NAME=HEAD"),
    ],
)
def test_bad_maps_of_columns_are_typed_errors(columns, message):
    with pytest.raises(da.DalembertError, match=message):
        da.read_motion({"t": T, "q.shoulder": Q[:, 0], "q.elbow": Q[:, 1]}, ARM, columns=columns)


@pytest.mark.parametrize("cutoff", [0, -1, float("nan"), 1e9, "six", True])
def test_bad_cutoffs_are_typed_errors(cutoff):
    with pytest.raises(da.UsageError, match="cut-off"):
        da.read_motion({"t": T, "q.shoulder": Q[:, 0], "q.elbow": Q[:, 1]}, ARM, cutoff=cutoff)


def test_heads_with_commas_and_quotes_are_mapped_in_quotes(tmp_path):
    m = da.load("RZ(), TXK(1), elbow: RZ(); body 1: M = 1, D = (1, 0, 0); body 2: M = 1;")
    t = np.linspace(0, 1, 41)
    path = tmp_path / "log.csv"
    rows = "\n".join(f"{1000 * x},{10 * x},{20 * x}" for x in t)
    path.write_text(f'ms,"pos, 1","a ""b"": c"\n{rows}\n')
    columns = 't=ms:ms, j1="pos, 1":deg,elbow="a ""b"": c":deg:-'
    d = da.read_motion(path, m, columns=columns)
    np.testing.assert_allclose(d.q, np.deg2rad(np.stack([10 * t, -20 * t], axis=1)), atol=1e-9)
    assert not [n for n in d.notes if "not used" in n]
    for bad in ('j1="pos', "j1=", '="pos, 1"', '"j1"'):
        with pytest.raises(da.UsageError, match="is not NAME=HEAD"):
            da.read_motion(path, m, columns=bad)


def test_angles_far_beyond_their_limits_may_be_degrees():
    m = da.load("a: RZ(-2, 2), TXK(1), b: RZ(), TXK(1); body 2: M = 1, D = (1, 0, 0);")
    t = np.linspace(0, 2, 201)
    table = {"t": t, "q.a": 90 * np.sin(t), "q.b": 90 * np.sin(t)}
    note = next(n for n in da.read_motion(table, m).notes if "degrees" in n)
    assert note.startswith("a: angles up to 90") and "limit of 2 rad" in note
    d = da.read_motion(table, m, columns={"a": "q.a:deg"})
    assert not any("degrees" in n for n in d.notes)


@pytest.mark.parametrize(
    ("target", "wanted", "refused"),
    [
        ("shoulder", "x:mm", "no unit of a column in rad"),
        ("qd.shoulder", "x:ms", "no unit of a column in rad/s"),
        ("shoulder", "x:rpm", "no unit of a column in rad"),
        ("t", "x:deg", "no unit of a column in s"),
        ("tau.shoulder", "x:A", "no unit of a column in N m"),
        ("tau.shoulder", "x:deg", "no unit of a column in N m"),
        ("tau.shoulder", "x:A:*12.5", None),
        ("shoulder", "x:mm:/20", None),
        ("qd.shoulder", "x:rpm", None),
    ],
)
def test_a_unit_of_another_kind_is_refused(target, wanted, refused):
    table = {"t": T, "q.shoulder": Q[:, 0], "q.elbow": Q[:, 1], "x": np.arange(len(T))}
    if refused is None:
        da.read_motion(table, ARM, columns={target: wanted})
    else:
        with pytest.raises(da.UsageError, match=refused):
            da.read_motion(table, ARM, columns={target: wanted})


def test_a_json_table_names_each_column_once(tmp_path):
    path, row = tmp_path / "log.json", [0.1 * k for k in range(20)]
    path.write_text(f'{{"t": [9, 8], "t": {row}, "q.j1": {row}}}', encoding="utf-8")
    m = da.load("RZ(), TXK(1); body 1: M = 1;")
    with pytest.raises(da.DescriptionError, match="two columns are called 't'"):
        da.read_motion(path, m)
