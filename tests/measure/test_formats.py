"""Other people's formats, each written here by its own rules or by another package."""

import contextlib
import struct

import numpy as np
import pytest

import dalembert as da
from dalembert.measure.table import read_table

ARM = da.load("shoulder: RZ(), TXK(0.5), elbow: RZ(), TXK(0.4); body 1: M = 1, D = (1, 0, 0);")
T = np.linspace(0, 1, 101)


def test_opensim_storage_holds_degrees(tmp_path):
    pytest.importorskip("scipy")
    rows = "\n".join(f"{t:.6f}\t{10 * t:.6f}\t{20 * t:.6f}" for t in T)
    head = "Coordinates\nversion=1\nnRows=101\nnColumns=3\ninDegrees=yes\nendheader\n"
    file = tmp_path / "a.mot"
    file.write_text(head + "time\tshoulder\t/jointset/elbow\n" + rows)
    d = da.read_motion(file, ARM, columns={"elbow": "/jointset/elbow:deg"})
    assert np.allclose(d.q, np.deg2rad(np.stack([10 * T, 20 * T], axis=1)), atol=1e-6)


def test_markers_of_trc_are_metres_and_missing_ones_nan(tmp_path):
    lines = [
        "PathFileType\t4\t(X/Y/Z)\ta.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        "100\t100\t2\t2\tmm",
        "Frame#\tTime\tknee\t\t\tankle\t\t",
        "\t\tX1\tY1\tZ1\tX2\tY2\tZ2",
        "1\t0.00\t1000\t2000\t3000\t1\t2\t3",
        "2\t0.01\t1001\t2001\t3001\t\t\t",
    ]
    file = tmp_path / "a.trc"
    file.write_text("\n".join(lines))
    table = read_table(file)
    assert table.columns["knee.y"].tolist() == [2.0, 2.001]
    assert np.isnan(table.columns["ankle.x"][1])


def test_c3d_agrees_with_another_writer(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    c = ezc3d.c3d()
    frames, rng = 20, np.random.default_rng(0)
    points = rng.normal(size=(4, 3, frames)) * 500
    points[3] = 1
    c["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    c["parameters"]["POINT"]["LABELS"]["value"] = ["a", "b", "c"]
    c["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    c["data"]["points"] = points
    c["parameters"]["ANALOG"]["RATE"]["value"] = [1000.0]
    c["parameters"]["ANALOG"]["LABELS"]["value"] = ["Fz"]
    analog = rng.normal(size=(1, 1, frames * 10))
    c["data"]["analogs"] = analog
    file = tmp_path / "a.c3d"
    c.write(str(file))
    table = read_table(file)
    assert len(table) == frames
    assert np.allclose(table.columns["b.y"], points[1, 1] * 1e-3, atol=1e-6)
    assert np.allclose(table.columns["Fz"], analog[0, 0].reshape(frames, 10).mean(1), atol=1e-5)
    for cut in (600, 1000, 1500, file.stat().st_size // 2):
        torn = tmp_path / "torn.c3d"
        torn.write_bytes(file.read_bytes()[:cut])
        with contextlib.suppress(da.DalembertError):
            read_table(torn)


def joint_state(seconds, names, position, velocity, effort):
    """Return a CDR message, written by its rules."""
    out = bytearray(b"\x00\x01\x00\x00")

    def align(n):
        out.extend(b"\0" * (-(len(out) - 4) % n))

    def text(s):
        align(4)
        out.extend(struct.pack("<I", len(s) + 1) + s.encode() + b"\0")

    out += struct.pack("<iI", int(seconds), round(1e9 * (seconds % 1)))
    text("base")
    align(4)
    out += struct.pack("<I", len(names))
    for n in names:
        text(n)
    for values in (position, velocity, effort):
        align(4)
        out += struct.pack("<I", len(values))
        if len(values):
            align(8)
            out += struct.pack(f"<{len(values)}d", *values)
    return bytes(out)


def test_joint_states_of_a_ros_bag(tmp_path):
    pytest.importorskip("scipy")
    writer = pytest.importorskip("mcap.writer")
    file = tmp_path / "a.mcap"
    with open(file, "wb") as stream:
        w = writer.Writer(stream)
        w.start()
        schema = w.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
        channel = w.register_channel("/joint_states", "cdr", schema)
        for t in T:
            data = joint_state(100 + t, ["elbow", "shoulder"], [2 * t, t], [], [5.0, t])
            w.add_message(channel, int(t * 1e9), data, int(t * 1e9))
        w.finish()
    d = da.read_motion(file, ARM)
    assert np.allclose(d.q, np.stack([T, 2 * T], axis=1), atol=1e-7)
    assert np.allclose(d.tau[:, 1], 5.0)
    torn = tmp_path / "torn.mcap"
    torn.write_bytes(file.read_bytes()[:700])
    with pytest.raises(da.DalembertError):
        read_table(torn)
