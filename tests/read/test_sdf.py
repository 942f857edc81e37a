"""SDF: frames and axes against a reading of its own; loops, gearboxes, versions, errors."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DescriptionError
from peers import missing
from slow_cases import with_slow

CASSIE = ["cassie", "cassie_reduced", "cassie_simple", "cassie_v2", "cassie_wo_gearbox_spring"]
# mobility of the legs, pelvis on the base or on the file's own joint; gearboxes halve motors
FREEDOMS = {"cassie": 10, "cassie_reduced": 11, "cassie_simple": 11, "cassie_v2": 12,
            "cassie_wo_gearbox_spring": 13}  # fmt: skip


def cassie(peer, name):
    prefix = Path(peer("pin").__file__).resolve().parents[4]
    file = prefix / "share/example-robot-data/robots/cassie_description/robots" / f"{name}.sdf"
    if not file.exists():
        missing("example-robot-data")
    return file


def pose_of(element):
    """Return rotation and point of a <pose>, by NumPy alone."""
    found = element.find("pose")
    x = [float(v) for v in found.text.split()] if found is not None else [0.0] * 6
    (cr, cp, cy), (sr, sp, sy) = np.cos(x[3:]), np.sin(x[3:])
    R = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ np.array(
        [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]
    ) @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])  # fmt: skip
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, x[:3]
    return T


@pytest.mark.parametrize("name", with_slow(reversed(CASSIE), fast=1))
def test_every_link_of_cassie_stands_where_its_file_says(peer, name):
    file = cassie(peer, name)
    m = da.load(file)
    q = da.neutral(m)
    model = ET.parse(file).getroot().find("model")
    for link in model.findall("link"):
        T = np.asarray(da.pose(m.tree, q, frame=link.get("name")))
        assert abs(T - pose_of(link)).max() < 1e-9, link.get("name")
    mass = sum(float(x.text) for x in model.iter("mass"))
    assert float(m.total_mass) == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("name", with_slow(reversed(CASSIE), fast=1))
def test_cassie_closes_and_moves_with_its_loops(peer, name):
    m = da.load(cassie(peer, name))
    assert m.loops and da.mobility(m) == FREEDOMS[name]
    q = da.assemble(m, da.neutral(m))
    assert abs(da.closure(m, q)).max() < 1e-10
    # a step along the closed motion stays closed to second order: J G = 0
    J = da.loop_jacobian(m, q)
    assert np.linalg.matrix_rank(J, 1e-9) >= m.nv - len(m.couplings) - FREEDOMS[name]


def test_joint_axes_of_cassie_are_those_of_the_file(peer):
    file = cassie(peer, "cassie_v2")
    m = da.load(file)
    q = da.neutral(m)
    model = ET.parse(file).getroot().find("model")
    links = {e.get("name"): pose_of(e) for e in model.findall("link")}
    cut = {loop.name for loop in m.loops}
    seen = 0
    for joint in model.findall("joint"):
        if joint.get("type") != "revolute" or joint.get("name") in cut:
            continue
        child = joint.find("child").text.strip()
        T = links[child] @ pose_of(joint)
        axis = T[:3, :3] @ np.array([float(v) for v in joint.find("axis/xyz").text.split()])
        column = list(m.joint_names).index(joint.get("name"))
        J = da.jacobian(m.tree, q, frame=child, axes="base")[:, column]
        arm = links[child][:3, 3] - T[:3, 3]
        assert np.allclose(J[3:], axis, atol=1e-9)
        assert np.allclose(J[:3], np.cross(axis, arm), atol=1e-9)
        seen += 1
    assert seen == 22


def test_gearboxes_turn_the_other_way(peer):
    m = da.load(cassie(peer, "cassie"), mimic="couple")
    names = list(m.joint_names)
    j = {(names[c.joint], names[c.of]): float(c.ratio) for c in m.couplings if m.couplings}
    assert len(m.couplings) == 10
    assert sorted({abs(r) for r in j.values()}) == pytest.approx([0.02, 0.04, 0.0625])


ARM = """<sdf version="{version}"><model name="arm">{pose}
<link name="l0"/>
<link name="l1"><pose>0 0 1 0 0 0</pose><inertial><pose>0.2 0 0 0 0 0.3</pose><mass>2</mass>
  <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial></link>
<link name="l2"><pose{relative}>0.5 0 {height} 0.1 0.2 0.3</pose><inertial><mass>1</mass>
  <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
<joint name="fix" type="fixed"><parent>world</parent><child>l0</child></joint>
<joint name="j1" type="revolute"><parent>l0</parent><child>l1</child><axis><xyz>0 1 0</xyz>
  <limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>-1</velocity></limit>
  <dynamics><damping>0.3</damping><friction>0.2</friction></dynamics></axis></joint>
<joint name="j2" type="prismatic"><pose>0.1 0 0 0 0 0</pose><parent>l1</parent><child>l2</child>
  <axis>{axis}<dynamics><spring_stiffness>50</spring_stiffness>
  <spring_reference>0.1</spring_reference></dynamics></axis></joint>
</model></sdf>"""
AXIS = "<xyz>0 0 1</xyz>"


def arm(version="1.6", pose="", relative="", height="1", axis=AXIS):
    return da.load(
        ARM.format(version=version, pose=pose, relative=relative, height=height, axis=axis)
    )


def test_limits_friction_and_springs_are_read():
    m = arm()
    assert m.joint_names == ("j1", "j2")
    body = m.bodies[m.joint_index("j1")]
    assert body.limits == ((-1, 2),) and body.effort_limit == 30 and body.velocity_limit is None
    assert float(m.drives[0].viscous) == 0.3 and float(m.drives[0].coulomb[0]) == 0.2
    assert float(m.elastic[0].stiffness) == 50 and float(m.elastic[0].rest) == 0.1


def test_an_equal_urdf_gives_equal_torques():
    """The same arm written in URDF, which is compared with Pinocchio elsewhere."""
    urdf = """<robot name="arm"><link name="l0"/><link name="l1"><inertial>
      <origin xyz="0.2 0 0" rpy="0 0 0.3"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.25"
      ixy="0.01" ixz="0" iyz="0"/></inertial></link><link name="l2"><inertial>
      <mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
      </link><joint name="j1" type="revolute"><origin xyz="0 0 1"/><parent link="l0"/>
      <child link="l1"/><axis xyz="0 1 0"/></joint><joint name="j2" type="prismatic">
      <origin xyz="0.5 0 0" rpy="0.1 0.2 0.3"/><parent link="l1"/><child link="l2"/>
      <axis xyz="0 0 1"/></joint></robot>"""
    ours, theirs = replace(arm(), elastic=()), da.load(urdf)
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, 2))
    options = {"drives": "none"}
    a = da.compile(ours, "inverse_dynamics", **options)(q, qd, qdd)
    b = da.compile(theirs, "inverse_dynamics", **options)(q, qd, qdd)
    assert np.allclose(a, b, atol=1e-12)


@pytest.mark.parametrize("version", ["1.6", "1.7", "1.8", "1.9", "1.10", "1.11"])
def test_versions_agree_where_they_say_the_same(version):
    q = [0.3, 0.2]
    want = da.pose(arm(), q, frame="l2")
    assert np.allclose(da.pose(arm(version), q, frame="l2"), want, atol=1e-12)


def test_relative_poses_and_expressed_axes():
    q = [0.3, 0.2]
    want = da.pose(arm(), q, frame="l2")
    m = arm("1.9", relative=' relative_to="l1"', height="0")
    assert np.allclose(da.pose(m, q, frame="l2"), want, atol=1e-12)
    turned = arm("1.9", axis='<xyz expressed_in="__model__">0 0 1</xyz>')
    old = arm("1.6", axis=AXIS + "<use_parent_model_frame>1</use_parent_model_frame>")
    a, b = (da.pose(x, q, frame="l2") for x in (turned, old))
    assert np.allclose(a, b, atol=1e-12) and not np.allclose(a, want, atol=1e-3)
    degrees = arm("1.9", pose='<pose degrees="true">0 0 0 0 0 90</pose>')
    place = np.asarray(da.pose(degrees, q, frame="l2"))
    assert np.allclose(place[:3, 3], [-want[1][3], want[0][3], want[2][3]], atol=1e-12)
    quaternion = (
        "<pose rotation_format='quat_xyzw'>0 0 0 0 0 0.70710678118654752 0.70710678118654752</pose>"
    )
    again = arm("1.9", pose=quaternion)
    assert np.allclose(da.pose(again, q, frame="l2"), place, atol=1e-12)


def test_a_four_bar_in_sdf_is_the_four_bar():
    bar = lambda n, x, z, m: (  # noqa: E731
        f"<link name='{n}'><pose>{x} 0 {z} 0 0 0</pose><inertial><mass>{m}</mass><inertia>"
        "<ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>"
    )
    pin = lambda n, a, b, p: (  # noqa: E731
        f"<joint name='{n}' type='revolute'><pose>{p}</pose><parent>{a}</parent><child>{b}</child>"
        "<axis><xyz>0 1 0</xyz></axis></joint>"
    )
    text = "<sdf version='1.8'><model name='bars'>" + "".join([
        bar("a", 0, 0, 1), bar("b", 0, 1, 2), bar("c", 2, 0, 1),
        pin("A", "world", "a", "0 0 0 0 0 0"), pin("B", "a", "b", "0 0 0 0 0 0"),
        pin("C", "b", "c", "0 0 1 0 0 0"), pin("D", "world", "c", "0 0 0 0 0 0"),
    ]) + "</model></sdf>"  # fmt: skip
    m = da.load(text)
    assert len(m.loops) == 1 and da.mobility(m) == 1


def test_nested_models_frames_and_mimic_axes():
    inner = """<model name="hand"><pose relative_to="wrist">0 0 0.1 0 0 0</pose>
      <link name="palm"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>
      </inertia></inertial></link>
      <link name="f1"/><link name="f2"/><frame name="tip" attached_to="f1">
      <pose>0 0 0.05 0 0 0</pose></frame>
      <joint name="g1" type="prismatic"><parent>palm</parent><child>f1</child>
        <axis><xyz>1 0 0</xyz></axis></joint>
      <joint name="g2" type="prismatic"><parent>palm</parent><child>f2</child><axis>
        <xyz>-1 0 0</xyz><mimic joint="g1"><multiplier>1</multiplier><offset>0.01</offset>
        <reference>0</reference></mimic></axis></joint></model>"""
    text = f"""<sdf version="1.11"><model name="arm"><link name="a"><inertial>
      <mass>1</mass><inertia>
      <ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
      <frame name="wrist" attached_to="a"><pose>0.3 0 0 0 0 0</pose></frame>{inner}
      <joint name="j" type="continuous"><parent>world</parent><child>a</child>
        <axis><xyz>0 0 1</xyz></axis></joint>
      <joint name="w" type="fixed"><parent>wrist</parent><child>hand::palm</child></joint>
      </model></sdf>"""
    m = da.load(text)
    assert m.joint_names == ("j", "hand::g1") and {"wrist", "hand::tip"} <= set(m.frames)
    place = np.asarray(da.pose(m, [0.0, 0.02], frame="hand::tip"))
    assert np.allclose(place[:3, 3], [0.32, 0, 0.15])
    place = np.asarray(da.pose(m, [0.0, 0.02], frame="hand::f2"))
    assert np.allclose(place[:3, 3], [0.27, 0, 0.1])


def test_a_model_that_nothing_holds_floats_when_asked():
    text = """<sdf version="1.6"><model name="box"><pose>0 0 2 0 0 0</pose><link name="b"><inertial>
      <mass>3</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
      </model></sdf>"""
    assert da.load(text, base="free").joint_names == ("base",)
    assert any("fixed there" in note for note in da.load(text).notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf version='2.0'><model name='a'><link name='b'/></model></sdf>", "SDF 2.0"),
        ("<sdf><model name='a'><link name='b'/></model></sdf>", "SDF version"),
        ("<sdf version='1.6'><model name='a'/></sdf>", "no link"),
        ("<sdf version='1.6'><model name='a'><static>1</static><link name='b'/></model></sdf>",
         "empty or static"),
        ("<sdf version='1.6'><model name='a'><include/><link name='b'/></model></sdf>", "include"),
        ("<sdf version='1.6'><model name='a'><link name='b'/><link name='b'/></model></sdf>",
         "duplicate name"),
        ("<sdf version='1.6'><model name='a'><link name='b'><pose>1 2</pose></link></model></sdf>",
         "2 numbers"),
        ("<sdf version='1.9'><model name='a'><link name='b'><pose relative_to='c'/></link></model>"
         "</sdf>", "there is no frame 'c'"),
        ("<sdf version='1.9'><model name='a'><link name='b'><pose relative_to='c'/></link>"
         "<frame name='c'><pose relative_to='b'/></frame></model></sdf>", "depends on itself"),
        ("<sdf version='1.9'><model name='a'><link name='b'/><joint name='j' type='revolut'>"
         "<parent>world</parent><child>b</child></joint></model></sdf>", "unknown type"),
        ("<sdf version='1.9'><model name='a'><link name='b'/><joint name='j' type='revolute'>"
         "<parent>world</parent><child>c</child></joint></model></sdf>", "there is no frame 'c'"),
    ],
)  # fmt: skip
def test_errors_say_where(text, message):
    with pytest.raises(DescriptionError, match=message) as caught:
        da.load(text)
    assert caught.value.where is not None


UNIVERSAL = """<sdf version="1.9"><model name="cart"><link name="a"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="hitch" type="{kind}"><parent>world</parent><child>a</child>
<axis><xyz>0 0 1</xyz>
<limit><lower>-1</lower><upper>0.5</upper><velocity>3</velocity></limit></axis>
<axis2><xyz>0 1 0</xyz>
<limit><lower>-0.2</lower><upper>1e16</upper><effort>7</effort></limit></axis2>
</joint></model></sdf>"""


@pytest.mark.parametrize("kind", ["universal", "revolute2"])
def test_each_axis_of_a_universal_joint_keeps_its_limits(kind):
    first, second = da.load(UNIVERSAL.format(kind=kind)).bodies
    assert (first.joint_name or first.name, second.joint_name) == ("hitch_1", "hitch_2")
    assert first.limits == ((-1, Fraction(1, 2)),) and second.limits == ((Fraction(-1, 5), None),)
    assert (first.velocity_limit, first.effort_limit) == (3, None)
    assert (second.velocity_limit, second.effort_limit) == (None, 7)


def test_limits_without_a_place_are_noted():
    m = da.load(UNIVERSAL.format(kind="ball"))
    assert "joint 'hitch' is spherical: its <limit> is ignored" in m.notes
    assert not any(b.limits for b in m.bodies)
