"""The doctor of models: ellipsoids, bounds, what matters, the nearest tensor; two known files."""

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.plausible.body import judged, second_moment, tensor_of, widths
from dalembert.plausible.diagnose import diagnose, mended
from dalembert.plausible.solid import Solid, solid_of
from dalembert.read.shapes import Shape, rotation, shapes_of
from peers import missing

FLAT = rotation([0.0, 0.0, 0.0])


def robot(peer, path):
    pytest.importorskip("trimesh")
    prefix = Path(peer("pin").__file__).resolve().parents[4]
    file = prefix / "share/example-robot-data/robots" / path
    if not file.exists():
        missing("example-robot-data")
    return file


def found_in(file):
    return {d.report.link: d for d in diagnose(da.load(file), shapes_of(file))[0]}


def test_the_wrist_of_the_old_ur5_is_harmful(peer):
    file = robot(peer, "ur_description/urdf/ur5_robot.urdf")
    found = found_in(file)
    assert found["wrist_1_link"].report.findings == (
        "wrist_1_link: inertia 0.219 kg m² needs a body 1.3 m wide;"
        " its mesh (0.1 m) allows about 0.002",
    )
    for link in ("wrist_1_link", "wrist_2_link", "wrist_3_link"):
        assert found[link].verdict == "harmful"
    assert "feels 59.2 times its inertia" in found["wrist_3_link"].effect
    for link in ("shoulder_link", "upper_arm_link", "forearm_link"):
        assert found[link].verdict == "fits"


def test_link_1_of_the_panda_is_impossible_and_harmless(peer):
    file = robot(peer, "panda_description/urdf/panda.urdf")
    d = found_in(file)["panda_link1"]
    assert d.verdict == "harmless" and "1.7 m wide" in d.report.findings[0]
    # it says so because no torque changes with the nearest tensor
    m = da.load(file)
    other = mended(m, [d])
    x = np.random.default_rng(1).uniform(-1, 1, (3, m.nv))
    a, b = (da.inverse_dynamics(mechanism, *x) for mechanism in (m, other))
    assert abs(a - b).max() < 1e-12 * abs(a).max()
    # on a base that moves it would be felt
    free = diagnose(da.load(file, base="free"), shapes_of(file))[0]
    assert next(d for d in free if d.report.link == "panda_link1").verdict == "harmful"


def test_the_command_line_shows_it_and_mends_on_request(peer, tmp_path, capsys):
    file = robot(peer, "ur_description/urdf/ur5_robot.urdf")
    assert main(["check", str(file), "--meshes"]) == 0
    said = capsys.readouterr().out
    assert "warning: wrist_1_link: inertia 0.219 kg m²" in said and "XX 0.111 -> 0.00" in said
    for ending in ("toml", "urdf"):
        new = tmp_path / f"mended.{ending}"
        assert main(["check", str(file), "--meshes", "--mend", str(new)]) == 0
        assert "wrist_1_link, wrist_2_link, wrist_3_link" in capsys.readouterr().out
        m = da.load(new)
        q = np.full(m.nv, 0.3)
        change = da.mass_matrix(m, q) - da.mass_matrix(da.load(file), q)
        assert change[5, 5] < -0.016 and float(m.total_mass) == pytest.approx(
            float(da.load(file).total_mass), abs=5
        )
    assert main(["check", str(file), "--meshes", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    wrist = next(b for b in data["bodies"] if b["link"] == "wrist_1_link")
    assert wrist["verdict"] == "harmful" and max(wrist["nearest"]) < 0.01


BOX = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="{m}"/>
<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="{axis}"/></joint>
</robot>"""


def boxed(tmp_path, m=12.0, x=0.25, y=0.2, z=0.13, axis="0 0 1"):
    file = tmp_path / "box.urdf"
    file.write_text(BOX.format(m=m, x=x, y=y, z=z, axis=axis))
    return file


def test_a_uniform_box_fits_its_shape(tmp_path):
    """m (b² + c²)/12 with sides 0.2, 0.3, 0.4 and m = 12: 0.25, 0.2, 0.13."""
    d = found_in(boxed(tmp_path))["b"]
    assert d.verdict == "fits"
    assert np.allclose(d.report.solid.tensor(12.0), np.diag([0.25, 0.2, 0.13]))


def test_what_no_joint_feels_is_harmless(tmp_path):
    """A joint about z feels the moment about z alone."""
    d = found_in(boxed(tmp_path, x=5.0, y=5.0))["b"]
    assert d.report.findings and d.verdict == "harmless"
    d = found_in(boxed(tmp_path, x=5.0, y=5.0, axis="1 0 0"))["b"]
    assert d.verdict == "harmful"


def test_a_tensor_of_no_body_gets_the_nearest_one(tmp_path):
    d = found_in(boxed(tmp_path, m=60, x=0.1, y=0.1, z=0.3))["b"]
    assert "no body has this inertia" in d.report.findings[0]
    values = np.linalg.eigvalsh(second_moment(d.report.nearest))
    assert values.min() >= -1e-12
    # nearest in the second moment: the negative part goes, the others stay
    assert np.allclose(values, [0, 0.15, 0.15])


def test_links_without_mass_are_filled_on_request(tmp_path, capsys):
    file = tmp_path / "empty.urdf"
    text = BOX.replace("<inertial>", "<!--").replace("</inertial>", "-->")
    file.write_text(text.format(m=1, x=1, y=1, z=1, axis="0 0 1"))
    new = tmp_path / "filled.toml"
    assert main(["check", str(file), "--meshes", "--density", "1000", "--mend", str(new)]) == 0
    capsys.readouterr()
    m = da.load(new)
    assert float(m.total_mass) == pytest.approx(24.0)
    assert da.mass_matrix(m, [0.0])[0, 0] == pytest.approx(24 * 0.13 / 12)


@pytest.mark.parametrize("seed", range(5))
def test_the_ellipsoid_has_the_inertia(seed):
    rng = np.random.default_rng(seed)
    mass, half = 3.0, np.sort(rng.uniform(0.1, 1, 3))[::-1]
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = tensor_of(mass / 5 * Q @ np.diag(half**2) @ Q.T)
    assert np.allclose(widths(mass, tensor), 2 * half)


@pytest.mark.parametrize("form", ["box", "cylinder", "sphere", "capsule", "mesh"])
def test_simple_solids_are_those_of_trimesh(form, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    sizes = {"box": (0.2, 0.3, 0.5), "cylinder": (0.1, 0.6), "sphere": (0.2,),
             "capsule": (0.1, 0.4), "mesh": (2.0, 1.0, 1.0)}[form]  # fmt: skip
    R, p = rotation([0.3, -0.2, 0.5]), (0.1, 0.2, -0.3)
    file = None
    if form == "mesh":
        file = tmp_path / "box.stl"
        trimesh.creation.box((0.1, 0.3, 0.5)).export(file)
        mesh = trimesh.creation.box((0.2, 0.3, 0.5))
    elif form == "box":
        mesh = trimesh.creation.box(sizes)
    elif form == "sphere":
        mesh = trimesh.creation.icosphere(5, sizes[0])
    elif form == "cylinder":
        mesh = trimesh.creation.cylinder(*sizes, sections=400)
    else:
        mesh = trimesh.creation.capsule(height=sizes[1], radius=sizes[0], count=[200, 200])
        mesh.apply_translation(-mesh.center_mass)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    mesh.apply_transform(T)
    ours = solid_of([Shape("a", "collision", form, R, p, sizes, "x", file)])
    near = {"box": 1e-9, "mesh": 1e-6}.get(form, 3e-3)
    assert ours.volume == pytest.approx(mesh.volume, rel=near)
    assert np.allclose(ours.centre, mesh.center_mass, atol=1e-6)
    assert np.allclose(ours.tensor(mesh.volume), mesh.moment_inertia, atol=near * 0.01)


def test_a_body_in_its_mesh_is_never_called_impossible():
    """Points of any mass in a box: their inertia passes, whatever their density."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        points, masses = rng.uniform(-1, 1, (n, 3)), rng.uniform(0.01, 1, n)
        mass, centre = masses.sum(), masses @ points / masses.sum()
        moment = (masses * (points - centre).T) @ (points - centre)
        box = Solid(8.0, np.zeros(3), np.eye(3) / 3, -np.ones(3), np.ones(3))
        assert judged("a", 0, mass, centre, tensor_of(moment), box).findings == ()


def test_wrong_use_is_said(tmp_path, capsys):
    assert main(["check", "robot:ur5", "--meshes"]) == 2
    assert "give a URDF file" in capsys.readouterr().err
    file = boxed(tmp_path)
    assert main(["check", str(file), "--density", "1000"]) == 2
    assert main(["check", str(file), "--meshes", "--density", "-1"]) == 2
    assert main(["check", str(file), "--meshes", "--mend", str(tmp_path / "x.step")]) == 2


def test_shapes_of_an_sdf_file(peer):
    pytest.importorskip("trimesh")
    prefix = Path(peer("pin").__file__).resolve().parents[4]
    file = prefix / "share/example-robot-data/robots/cassie_description/robots/cassie_v2.sdf"
    if not file.exists():
        missing("example-robot-data")
    shapes = shapes_of(file)
    meshes = [s for parts in shapes.values() for s in parts if s.form == "mesh"]
    assert len(meshes) == 23 and all(s.file is not None for s in meshes)


def test_a_robot_without_joints_is_harmless(tmp_path):
    file = tmp_path / "block.urdf"
    text = BOX.format(m=1, x=5, y=5, z=5, axis="0 0 1").replace('type="continuous"', 'type="fixed"')
    file.write_text(text)
    assert found_in(file)["b"].verdict == "harmless"
