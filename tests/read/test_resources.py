"""Files that a description names are found by walking up, and never outside their package."""

import pytest

from dalembert.read.resources import find_file, find_package


@pytest.fixture
def tree(tmp_path):
    robot = tmp_path / "ws" / "arm_description" / "urdf" / "arm.urdf"
    mesh = tmp_path / "ws" / "arm_description" / "meshes" / "link.stl"
    other = tmp_path / "ws" / "hand_description" / "palm.stl"
    secret = tmp_path / "ws" / "secret.txt"
    for file in (robot, mesh, other, secret):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    return robot, mesh, other, secret


def test_packages_above_and_beside(tree):
    robot, mesh, other, _ = tree
    assert find_file("package://arm_description/meshes/link.stl", robot) == mesh
    assert find_file("model://arm_description/meshes/link.stl", robot) == mesh
    assert find_file("package://hand_description/palm.stl", robot) == other
    assert find_file("../meshes/link.stl", robot).resolve() == mesh
    assert find_file("meshes/link.stl", robot) == mesh
    assert find_file(f"file://{mesh}", robot) == mesh
    assert find_package("hand_description", robot) == other.parent


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm_description/../secret.txt",
        "package://arm_description/%2e%2e/secret.txt",
        "package://../secret.txt",
        "package://arm_description",
        "package://nowhere/meshes/link.stl",
        "http://host/link.stl",
        "package://arm_description/meshes/link.stl\0",
        "",
        "x" * 5000,
    ],
)
def test_what_is_not_there_or_leaves_its_package_is_not_found(tree, uri):
    assert find_file(uri, tree[0]) is None


def test_a_link_out_of_the_package_is_not_followed(tree):
    robot, mesh, _, secret = tree
    (mesh.parent / "out.stl").symlink_to(secret)
    assert find_file("package://arm_description/meshes/out.stl", robot) is None


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b"])
def test_a_package_has_a_plain_name(tree, name):
    assert find_package(name, tree[0]) is None
