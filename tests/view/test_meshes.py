"""The shapes of a URDF on a page: in the right place, small, and told where a file is missing."""

import base64

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.errors import UsageError
from dalembert.view.meshes import clustered, meshes

URDF = """<robot name="pair"><link name="base"/>
<link name="a"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
<visual><geometry><mesh filename="lost.stl"/></geometry></visual></link>
<link name="tool"><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
<joint name="held" type="fixed"><parent link="a"/><child link="tool"/>
<origin xyz="0.4 0 0"/></joint>
</robot>"""


def points(part):
    grid = np.frombuffer(base64.b64decode(part["points"]), "<u2").reshape(-1, 3)
    return np.array(part["low"]) + part["size"] * grid / 65535


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pair.urdf"
    path.write_text(URDF)
    return path


def test_shapes_are_drawn_where_the_file_puts_them(file):
    made = meshes(da.load(file), file)
    rod, box = made["parts"]
    assert (rod["body"], box["body"]) == (0, 1)
    assert np.allclose(points(rod).min(axis=0), [0, -0.05, -0.05], atol=1e-3)
    assert np.allclose(points(rod).max(axis=0), [0.4, 0.05, 0.05], atol=1e-3)
    assert np.allclose(points(box).min(axis=0), [-0.05, -0.1, -0.15], atol=1e-4)
    assert made["missing"] == ["lost.stl"]


def test_a_page_tells_what_is_missing(file, tmp_path):
    text = da.load(file).save_html(tmp_path / "m.html", meshes=file).read_text()
    assert "meshes not found: lost.stl" in text and '"parts":' in text
    with pytest.raises(UsageError, match="no such file"):
        da.load(file).save_html(tmp_path / "m.html", meshes="nowhere.urdf")


def test_the_command_tells_what_is_missing(file, tmp_path, capsys):
    assert main(["view", str(file), "--meshes", "--out", str(tmp_path / "m.html")]) == 0
    assert "note: meshes not found: lost.stl" in capsys.readouterr().err


def test_a_fine_mesh_becomes_coarse_and_keeps_its_size():
    u = np.linspace(0, 1, 200)
    grid = np.stack(np.meshgrid(u, u), axis=-1).reshape(-1, 2)
    p = np.column_stack([grid, np.sin(6 * grid[:, 0])])
    i = np.arange(199)[:, None] * 200 + np.arange(199)
    quads = np.stack([i, i + 1, i + 201, i + 200], axis=-1).reshape(-1, 4)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    less, kept = clustered(p, faces, 2000)
    assert 200 < len(kept) <= 2000 and kept.max() < len(less)
    assert np.allclose(np.ptp(less, axis=0), np.ptp(p, axis=0), atol=0.1)
