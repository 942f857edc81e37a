"""Walking: forces against an inverse dynamics written apart, markers to torques, hostile files."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DescriptionError
from dalembert.measure.table import read_table

pytest.importorskip("scipy")
G = 9.81
# trunk, then thigh and shank of each leg: mass, length, mass centre down the link, inertia
TRUNK, THIGH, SHANK = (40.0, 1.5), (7.0, 0.42, 0.18, 0.11), (4.0, 0.43, 0.19, 0.06)
WALKER = (
    "[hip1: RY(), TZK(-0.42), knee1: RY(), foot1: TZK(-0.43)] "
    "[hip2: RY(), TZK(-0.42), knee2: RY(), foot2: TZK(-0.43)]; "
    "body 1: M = 7, D = (0, 0, -0.18), I = (0, 0.11, 0); "
    "body 2: M = 4, D = (0, 0, -0.19), I = (0, 0.06, 0); "
    "body 3: M = 7, D = (0, 0, -0.18), I = (0, 0.11, 0); "
    "body 4: M = 4, D = (0, 0, -0.19), I = (0, 0.06, 0);"
)


def walker():
    m = da.load(WALKER, base="free")
    return m.with_payload("base", 40, (0, 0, 0.3), [0, 1.5, 0, 0, 0, 0])


def gait(time=2.0, rate=100.0):
    """Return t, the trunk's (x, z, pitch) and the joint angles with two derivatives each."""
    t = np.arange(0, time, 1 / rate)
    w = 2 * np.pi / 1.1

    def wave(a, phase, k=1):
        s = k * w * t + phase
        return np.stack([a * np.sin(s), a * k * w * np.cos(s), -a * (k * w) ** 2 * np.sin(s)])

    x = np.stack([1.2 * t, 1.2 + 0 * t, 0 * t]) + wave(0.02, 0.3, 2)
    z = np.stack([0.85 + 0 * t, 0 * t, 0 * t]) + wave(0.025, 1.0, 2)
    pitch = wave(0.05, 0.2)
    hips = [wave(0.4, 0.0), wave(0.4, np.pi)]
    knees = [np.stack([-0.5 + 0 * t, 0 * t, 0 * t]) + wave(0.4, p) for p in (1.5, 1.5 + np.pi)]
    return t, x, z, pitch, hips, knees


def by_hand(x, z, pitch, hips, knees, plates):
    """Return joint torques of both legs by plain Newton-Euler in the plane, from the feet up.

    Angles turn about +y: a link that hangs down points along (-sin a, -cos a) in x and z. `plates`
    are the forces (fx, fz) on each foot and where they act (px, pz).
    """
    out = []
    for hip, knee, (f, p) in zip(hips, knees, plates, strict=True):
        a = pitch + hip  # thigh, in space
        b = a + knee  # shank

        def along(angle, r):
            s, c, w, dw = np.sin(angle[0]), np.cos(angle[0]), angle[1], angle[2]
            place = np.array([-r * s, -r * c])
            rate = np.array([-r * c * dw + r * s * w**2, r * s * dw + r * c * w**2])
            return place, rate

        root, fall = np.array([x[0], z[0]]), np.array([x[2], z[2] + G])
        r1, a1 = along(a, THIGH[2])
        rk, ak = along(a, THIGH[1])
        r2, a2 = along(b, SHANK[2])
        knee_at = root + rk
        f_knee = SHANK[0] * (fall + ak + a2) - f  # the thigh's force on the shank

        def turn(r, force):  # moment about y of a force at r: r_z f_x - r_x f_z
            return r[1] * force[0] - r[0] * force[1]

        m_knee = SHANK[3] * b[2] + turn(r2, SHANK[0] * (fall + ak + a2)) - turn(p - knee_at, f)
        m_hip = THIGH[3] * a[2] + turn(r1, THIGH[0] * (fall + a1)) + m_knee + turn(rk, f_knee)
        out += [m_hip, m_knee]
    return np.array(out).T


def coordinates(m, x, z, pitch, hips, knees):
    """Return q, q̇, q̈ of the model: rates of the trunk are in its own axes."""
    n = x.shape[1]
    q, qd, qdd = np.zeros((n, m.nq)), np.zeros((n, m.nv)), np.zeros((n, m.nv))
    q[:, 0], q[:, 2] = x[0], z[0]
    q[:, 4], q[:, 6] = np.sin(pitch[0] / 2), np.cos(pitch[0] / 2)
    c, s = np.cos(pitch[0]), np.sin(pitch[0])
    v = np.stack([c * x[1] - s * z[1], s * x[1] + c * z[1]])
    acc = np.stack([c * x[2] - s * z[2], s * x[2] + c * z[2]])
    qd[:, 0], qd[:, 2], qd[:, 4] = v[0], v[1], pitch[1]
    qdd[:, 0] = acc[0] - pitch[1] * v[1]
    qdd[:, 2] = acc[1] + pitch[1] * v[0]
    qdd[:, 4] = pitch[2]
    for k, angle in enumerate([hips[0], knees[0], hips[1], knees[1]]):
        q[:, 7 + k], qd[:, 6 + k], qdd[:, 6 + k] = angle
    return q, qd, qdd


def plates_of(t):
    """Return forces on each foot and the world points where they act."""
    made = []
    for k in range(2):
        up = 400 + 350 * np.sin(2 * np.pi * t / 1.1 + k * np.pi)
        f = np.stack([60 * np.cos(2 * np.pi * t / 1.1 + k), up])
        made.append((f, np.stack([1.2 * t + 0.1 * k, 0 * t])))
    return made


def tables(t, plates):
    """Return wrench tables: force at a measured point of the ground, world axes."""
    out = {}
    for k, (f, p) in enumerate(plates, start=1):
        zero, foot = 0 * t, f"foot{k}"
        out[foot] = {"t": t, f"{foot}.fx": f[0], f"{foot}.fy": zero, f"{foot}.fz": f[1],
                     f"{foot}.mx": zero, f"{foot}.my": zero, f"{foot}.mz": zero,
                     f"{foot}.px": p[0], f"{foot}.py": zero, f"{foot}.pz": p[1]}  # fmt: skip
    return out


def test_walking_on_plates_is_that_of_equations_written_apart():
    m = walker()
    t, *motion = gait()
    plates = plates_of(t)
    wanted = by_hand(*motion, plates)
    f = da.torques_along(m, (t, *coordinates(m, *motion)), wrench_on_body=tables(t, plates))
    assert np.abs(f.tau[:, 6:] - wanted).max() < 1e-9 * np.abs(wanted).max()
    assert f.residual is not None  # what the plates do not carry


def test_markers_become_torques(tmp_path):
    m = walker()
    t, *motion = gait()
    q = coordinates(m, *motion)[0]
    frames = [n for n in m.frames if n != "base"]
    names = [*frames, "base"]
    rng = np.random.default_rng(0)
    seen = {n: da.pose(m, q, frame=n)[:, :3, 3] + 2e-5 * rng.normal(size=(len(t), 3))
            for n in names}  # fmt: skip
    head = ["PathFileType\t4\t(X/Y/Z)\tw.trc", "DataRate\tNumFrames\tNumMarkers\tUnits",
            f"100\t{len(t)}\t{len(names)}\tmm",
            "Frame#\tTime\t" + "\t\t\t".join(names), "\t\tX1\tY1\tZ1", ""]  # fmt: skip
    rows = ["\t".join([str(k + 1), f"{t[k]:.4f}", *(f"{1e3 * v:.6f}" for n in names
                                                   for v in seen[n][k])])
            for k in range(len(t))]  # fmt: skip
    (tmp_path / "w.trc").write_text("\n".join([*head, *rows]))
    found = da.inverse_kinematics(m, str(tmp_path / "w.trc"), q[0])
    table = {"t": t} | {f"q.{n}": found[:, k] for k, n in enumerate(m.coordinate_names)}
    d = da.read_motion(table, m, cutoff=6.0)
    f = da.torques_along(m, d, wrench_on_body=tables(t, plates_of(t)))
    wanted = by_hand(*motion, plates_of(t))
    inner = slice(20, -20)
    off = np.sqrt(np.nanmean((f.tau[inner, 6:] - wanted[inner]) ** 2, axis=0))
    assert (off < 0.05 * np.abs(wanted).max(axis=0)).all()
    assert f.band is not None


HOSTILE = {
    "not a number": b"t,q.j1\n0,1\n1,=cmd|' /C calc'!A0\n",
    "no rows": b"t,q.j1\n",
    "ragged": b"t,q.j1\n0,1,2,3\n1\n",
    "binary": bytes(range(256)) * 40,
    "not utf-8": b"t,q.j1\n0,\xff\xfe\n",
    "nul": b"t,q.j1\n0,\x001\n",
    "huge cell": b"t,q.j1\n0," + b"9" * 2_000_000 + b"\n",
    "many columns": b"t," + b",".join(b"c%d" % k for k in range(50_000)) + b"\n",
    "twice": b"t,q.j1,q.j1\n0,1,2\n1,2,3\n",
    "backwards": b"t,q.j1\n1,1\n0,2\n0,3\n",
    "empty": b"",
    "quotes": b't,"q.j1\n0,1\n',
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table_ends_in_a_typed_error_or_a_motion(tmp_path, name):
    m = da.load("RZ(), TXK(1); body 1: M = 1;")
    (tmp_path / "x.csv").write_bytes(HOSTILE[name])
    try:
        d = da.read_motion(tmp_path / "x.csv", m)
    except da.DalembertError as error:
        assert str(error)
    else:
        assert np.isfinite(d.q[d.valid]).all()


def test_a_text_of_many_gigabytes_is_refused_before_it_is_read(tmp_path):
    file = tmp_path / "huge.csv"
    with open(file, "wb") as f:
        f.write(b"t,q.j1\n0,1\n")
        f.truncate(9 * 2**30)  # sparse: it takes no room
    with pytest.raises(DescriptionError, match=r"9\.0 GiB"):
        read_table(file)


@pytest.mark.slow
def test_a_gigabyte_of_samples_is_read_or_refused(tmp_path):
    file = tmp_path / "long.csv"
    row = b"".join(b"%d.%03d,0.12345678,0.23456789,0.34567891\n" % (k // 1000, k % 1000)
                   for k in range(100_000))  # fmt: skip
    with open(file, "wb") as f:
        f.write(b"t,q.j1,qd.j1,tau.j1\n")
        while f.tell() < 2**30:
            f.write(row)
    try:
        table = read_table(file)
    except da.DalembertError as error:
        assert "GiB" in str(error) and "npz" in str(error)
    else:
        assert len(next(iter(table.columns.values()))) > 10**7
