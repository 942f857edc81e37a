"""A public walking trial: OpenSim's own inverse dynamics of it, and ours.

OpenSim's repository of models, Pipelines/Gait10dof18musc (subject01 walks over three plates). The
files lie in DALEMBERT_LOGS/gait10dof; nothing of them is kept here, tests are skipped without them.
"""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.measure.table import read_table

interpolate = pytest.importorskip("scipy.interpolate")
PLACE = Path(os.environ.get("DALEMBERT_LOGS", "logs")) / "gait10dof"
pytestmark = pytest.mark.skipif(not PLACE.is_dir(), reason="no public logs here")


def numbers(text):
    return [float(x) for x in text.split()]


def knee(osim, axis):
    """Return the slide of the knee along an axis, a spline of its angle."""
    joint = next(j for j in osim.iter("CustomJoint") if j.get("name") == "knee_r")
    own = next(a for a in joint.iter("TransformAxis") if a.get("name") == axis)
    x, y = (numbers(own.find(f".//SimmSpline/{n}").text) for n in "xy")
    return interpolate.CubicSpline(x, float(own.find(".//scale").text) * np.array(y))


def walker(osim):
    """Return the planar walker: a knee turns, and slides along two axes as its spline says."""
    at = {}
    for joint in osim.find(".//JointSet/objects"):
        parent = joint.findtext("socket_parent_frame")
        frame = next(f for f in joint.iter("PhysicalOffsetFrame") if f.get("name") == parent)
        at[joint.get("name")] = numbers(frame.findtext("translation"))
    own = {b.get("name"): (float(b.findtext("mass")), numbers(b.findtext("mass_center")),
                           numbers(b.findtext("inertia"))) for b in osim.iter("Body")}  # fmt: skip

    def to(name):
        return ", ".join(f"T{n}K({x!r})" for n, x in zip("XYZ", at[name], strict=True))

    legs = [f"[{to(f'hip_{s}')}, hip_flexion_{s}: RZ(), kx_{s}: TX(), ky_{s}: TY(), "
            f"knee_angle_{s}: RZ(), {to(f'ankle_{s}')}, ankle_angle_{s}: RZ(), "
            f"{to(f'subtalar_{s}')}, calcn_{s}: TXK(0), {to(f'mtp_{s}')}, toes_{s}: TXK(0)]"
            for s in "rl"]  # fmt: skip
    carried = {"pelvis_tilt": "pelvis", "lumbar_extension": "torso"}
    for s in "rl":
        carried |= {f"{a}_{s}": f"{b}_{s}" for a, b in (("hip_flexion", "femur"),
                    ("knee_angle", "tibia"), ("ankle_angle", "talus"))}  # fmt: skip
    text = []
    for joint, body in carried.items():
        mass, centre, inertia = own[body]
        D, I = ("(" + ", ".join(map(repr, x)) + ")" for x in (centre, inertia))
        text.append(f"body {joint}: M = {mass!r}, D = {D}, I = {I};")
    gravity = ", ".join(map(repr, numbers(osim.findtext(".//gravity"))))
    m = da.load(
        "pelvis_tx: TX(), pelvis_ty: TY(), TZK(0.02), pelvis_tilt: RZ() "
        f"{legs[0]} {legs[1]} [{to('back')}, lumbar_extension: RZ()]; gravity = ({gravity}); "
        + " ".join(text)
    )
    for body in ("calcn_r", "toes_r", "calcn_l", "toes_l"):
        mass, centre, inertia = own[body]
        m = m.with_payload(body, mass, centre, inertia)
    return m


@pytest.fixture(scope="module")
def trial():
    """Return the machine, the angles of the trial, the plates, and how the knees slide."""
    osim = ET.parse(PLACE / "subject01.osim").getroot()
    plates = {
        f"calcn_{s}": (PLACE / "subject01_walk_grf.mot", {
            "f": f"{mark}ground_force_v", "p": f"{mark}ground_force_p", "m": f"{mark}ground_torque_"
        }) for s, mark in (("r", ""), ("l", "1_"))
    }  # fmt: skip
    slides = {"kx": knee(osim, "translation1"), "ky": knee(osim, "translation2")}
    return walker(osim), read_table(PLACE / "subject01_walk_IK.mot"), plates, slides


def slid(m, table, slides):
    """Return t, q, q̇, q̈ of all coordinates: the slides of a knee follow its angle."""
    angles = [n for n in m.coordinate_names if n[:2] not in ("kx", "ky")]
    kinds = {"pelvis_tx": "TX", "pelvis_ty": "TY"}
    plain = da.load(", ".join(f"{n}: {kinds.get(n, 'RZ')}()" for n in angles) + ";")
    d = da.read_motion(table, plain)
    made = {n: [x[:, k] for x in (d.q, d.qd, d.qdd)] for k, n in enumerate(angles)}
    for s in "rl":
        q, qd, qdd = made[f"knee_angle_{s}"]
        for n, f in slides.items():
            made[f"{n}_{s}"] = [f(q), f(q, 1) * qd, f(q, 2) * qd**2 + f(q, 1) * qdd]
    return d.t, *(np.stack([made[n][k] for n in m.coordinate_names], axis=1) for k in range(3))


def test_joint_moments_are_those_of_opensim(trial):
    """Angles filtered as OpenSim filters them; a knee's moment takes in the forces of its slides.

    Measured: within 0.12 % of the largest value of each, the residual forces of the pelvis too.
    """
    m, angles, plates, slides = trial
    signal = pytest.importorskip("scipy.signal")
    b, a = signal.butter(3, 6 / 30)
    table = {n: x if n == "time" else signal.filtfilt(b, a, x, padlen=30)
             for n, x in angles.columns.items()}  # fmt: skip
    table = {n: x if n in ("time", "pelvis_tx", "pelvis_ty") else np.deg2rad(x)
             for n, x in table.items()}  # fmt: skip
    t, q, qd, qdd = slid(m, table, slides)
    f = da.torques_along(m, (t, q, qd, qdd), wrench_on_body=plates)
    tau = dict(zip(m.rate_names, f.tau.T, strict=True))
    for s in "rl":
        at = q[:, m.coordinate_names.index(f"knee_angle_{s}")]
        for n, curve in slides.items():
            tau[f"knee_angle_{s}"] = tau[f"knee_angle_{s}"] + tau[f"{n}_{s}"] * curve(at, 1)
    theirs = read_table(PLACE / "subject01_walk_ID.sto")
    for name, x in tau.items():
        for head in (f"{name}_moment", f"{name}_force"):
            if head in theirs.columns:
                y = np.interp(t, theirs.times(), theirs.columns[head])
                inner = slice(10, -10)  # ends of a filter are a choice
                assert np.abs(x - y)[inner].max() < 2e-3 * np.abs(y).max(), name


def test_markers_and_plates_are_read():
    markers = read_table(PLACE / "subject01_walk.trc")
    assert len(markers) == 151 and np.ptp(markers.columns["R.ASIS.y"]) < 0.1  # metres, upright
    forces = read_table(PLACE / "subject01_walk_grf.mot")
    up = forces.columns["ground_force_vy"] + forces.columns["1_ground_force_vy"]
    assert np.mean(up) == pytest.approx(72.6 * 9.81, rel=0.1)  # one person's weight
