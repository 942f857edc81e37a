"""URDF reads as Pinocchio reads it, says where it is wrong, and comes back from its own writer."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import peers
from dalembert.algebra import Transform, Vec3
from dalembert.inertia import Inertia
from dalembert.read import write

LINK = (
    '<link name="{}"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
)


def robot(*parts):
    return "<robot name='r'>\n" + "\n".join(parts) + "\n</robot>"


def link(name):
    return LINK.format(name)


def joint(name, parent, child, inside="", kind="revolute"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


TWO = (link("a"), link("b"))


def robots_dir() -> Path:
    import pinocchio

    prefix = Path(pinocchio.__file__).resolve()
    while prefix.name != "cmeel.prefix" and prefix != prefix.parent:
        prefix = prefix.parent
    return prefix / "share" / "example-robot-data" / "robots"


def urdf_files() -> list[Path]:
    try:
        return sorted(robots_dir().rglob("*.urdf"))
    except ImportError:
        return []


FILES = urdf_files()
FEW = ("panda", "ur5_robot", "talos_reduced", "anymal-kinova", "kinova", "iris", "baxter", "solo12")


def composite(m):
    """Mass, first moment and tensor of the whole robot at the neutral pose, in the base frame."""
    numeric = m.bound()
    poses, total = {-1: Transform()}, Inertia()
    for j, b in numeric.outward():
        neutral = [0.0] * b.joint.nq
        if b.joint.nq in (4, 7):
            neutral[-1] = 1.0
        R, p = b.pose(neutral)
        placed = poses[b.parent] @ Transform(R, p)
        poses[j] = Transform(type(R).of(placed.R.matrix()), placed.p)
        total = total + b.inertia.moved(poses[j])
    return total


def compare(file):
    pin = peers.peer("pin")
    m = da.load(file, base="free", mimic="free")
    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    assert m.nv == model.nv
    assert m.total_mass == pytest.approx(sum(i.mass for i in model.inertias), rel=1e-12)
    assert set(m.joint_names) - {"base"} == set(model.names) - {"universe", "root_joint"}
    M = pin.crba(model, model.createData(), pin.neutral(model))
    whole, scale = composite(m), np.abs(M[:6, :6]).max()
    assert np.allclose(M[0, 0], whole.m, rtol=1e-12)
    h = np.array(list(whole.h), float)
    skew = np.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
    assert np.allclose(M[3:6, :3], skew, atol=1e-12 * scale)
    upper = np.triu(M[3:6, 3:6])
    ours = np.array([list(r) for r in whole.Io.rows], float)
    assert np.allclose(np.triu(ours), upper, atol=1e-11 * scale)


@pytest.mark.parametrize("name", FEW)
def test_a_robot_is_the_one_that_pinocchio_reads(name):
    found = [f for f in FILES if f.stem == name]
    if not found:
        peers.missing("example-robot-data")
    compare(found[0])


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_every_robot_is_the_one_that_pinocchio_reads(file):
    if file.stem == "ur3":
        with pytest.raises(da.DescriptionError, match="no link"):
            da.load(file)
        return
    compare(file)


@pytest.mark.parametrize("name", FEW)
def test_a_real_robot_comes_back_from_its_own_urdf(name):
    found = [f for f in FILES if f.stem == name]
    if not found:
        peers.missing("example-robot-data")
    m = da.load(found[0], base="free")
    text, _ = write(m, "urdf")
    again = da.load(text, base="free")
    assert again.joint_names == m.joint_names and again.frames == m.frames
    assert again.couplings == m.couplings and again.drives == m.drives
    assert [b.limits for b in again.bodies] == [b.limits for b in m.bodies]
    a, b = composite(m.unfolded), composite(again.unfolded)
    assert a.m == pytest.approx(b.m, rel=1e-15)
    assert list(a.h) == pytest.approx(list(b.h), rel=1e-12, abs=1e-12 * a.m)
    assert sum(a.Io.rows, ()) == pytest.approx(sum(b.Io.rows, ()), rel=1e-12, abs=1e-12 * a.m)


def test_numbers_are_exact_and_angles_multiples_of_pi():
    m = da.load(
        robot(
            link("a"),
            '<link name="b"><inertial><origin xyz="0 0 .1" rpy="1.5707963267948966 0 0"/>'
            '<mass value="2.5"/><inertia ixx="1" iyy="2" izz="3" ixy="0.5"/></inertial></link>',
            joint(
                "j",
                "a",
                "b",
                '<origin xyz="0.1 0 1e-3" rpy="0 -1.570796326795 0.3"/><axis xyz="0 0 2"/>'
                '<limit lower="-1" upper="1.5" effort="10" velocity="2"/>'
                '<dynamics damping="0.1" friction="0.2"/>',
            ),
        )
    )
    (b,) = m.bodies
    assert b.placement.p == Vec3(Fraction(1, 10), 0, Fraction(1, 1000))
    assert [f.axis for f in b.placement.R.factors] == [2, 1]
    assert b.placement.R.factors[1].angle.over_pi == Fraction(-1, 2)
    assert b.inertia.tensor.six() == (1, 3, 2, 0, Fraction(1, 2), 0)
    assert b.joint.axis == Vec3(0, 0, 1)
    assert b.limits == ((-1, Fraction(3, 2)),)
    assert (b.effort_limit, b.velocity_limit) == (10, 2)
    (drive,) = m.drives
    assert drive.viscous == Fraction(1, 10) and drive.coulomb == (Fraction(1, 5), Fraction(-1, 5))
    assert any("2 angles became exact" in n for n in m.notes)
    assert any("'a' is part of the base" in n for n in m.notes)
    assert m.frames == ("b", "a") and m.frame("a")[0] == -1
    kept = da.load(
        robot(*TWO, joint("j", "a", "b", '<origin rpy="1.5707963267948966 0 0"/>')), snap=0
    )
    assert kept.bodies[0].placement.R.factors[0].angle == Fraction(15707963267948966, 10**16)


def test_what_is_not_read_is_counted():
    m = da.load(
        robot(
            '<link name="a" colour="red"><visual/><visual/><collision/></link>',
            "<gazebo/>",
            "<transmission/>",
        )
    )
    (note,) = (n for n in m.notes if n.startswith("not read"))
    assert "visual 2" in note and "gazebo 1" in note and "link@colour 1" in note
    assert m.nv == 0 and m.frames == ("a",)


def test_links_without_inertia_are_massless_and_listed():
    m = da.load(robot(link("a"), '<link name="b"/>', joint("j", "a", "b")))
    assert m.bodies[0].inertia.is_massless()
    assert "links without <inertial> are massless: b" in m.notes


def test_every_joint_type():
    kinds = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
    parts = [link("l0")]
    for k, kind in enumerate(kinds, 1):
        axis = '<axis xyz="0 0 1"/>' if kind == "planar" else ""
        parts += [link(f"l{k}"), joint(f"j{k}", f"l{k - 1}", f"l{k}", axis, kind)]
    m = da.load(robot(*parts))
    assert [b.joint.kind for b in m.bodies] == ["revolute"] * 2 + [
        "prismatic",
        "fixed",
        "free",
        "planar",
    ]
    assert (m.nq, m.nv) == (13, 12)
    assert m.bodies[0].joint.axis == Vec3(1, 0, 0)


def test_a_moving_base_carries_the_root_link():
    text = robot(*TWO, joint("j", "a", "b"))
    free = da.load(text, base="free")
    assert free.joint_names == ("base", "j") and free.bodies[0].name == "a"
    assert free.total_mass == 2 and da.load(text).total_mass == 1
    assert da.load(text, base="planar").nv == 4
    clash = da.load(robot(*TWO, joint("base", "a", "b")), base="free")
    assert clash.joint_names == ("base_joint", "base")


def test_a_mimic_joint_is_substituted_coupled_or_free():
    text = robot(
        *TWO,
        link("c"),
        joint("j2", "a", "c", '<mimic joint="j1" multiplier="-2" offset="0.1"/>'),
        joint("j1", "a", "b"),
    )
    m = da.load(text)
    assert (m.joint_names, m.followers, m.couplings) == (("j1",), ("j2",), ())
    (coupling,) = da.load(text, mimic="couple").couplings
    assert (coupling.joint, coupling.of) == (0, 1)
    assert (coupling.ratio, coupling.offset) == (-2, Fraction(1, 10))
    free = da.load(text, mimic="free")
    assert free.couplings == () and any("mimic" in n for n in free.notes)
    with pytest.raises(da.DescriptionError, match="no joint 'j1'"):
        da.load(text.replace('name="j1"', 'name="j3"'))


def test_children_may_stand_before_their_parents():
    m = da.load(robot(link("c"), *TWO, joint("j2", "b", "c"), joint("j1", "a", "b")))
    assert m.joint_names == ("j1", "j2")


WRONG = {
    "<urdf> is not a robot": "<urdf/>",
    "the robot has no link": "<robot name='r'/>",
    "this is a xacro file": "<robot xmlns:xacro='x'><xacro:macro/></robot>",
    "has no <parent>": robot(*TWO, '<joint name="j" type="fixed"><child link="b"/></joint>'),
    "has no <child>": robot(*TWO, '<joint name="j" type="fixed"><parent link="b"/></joint>'),
    "there is no link 'z'": robot(*TWO, joint("j", "a", "z")),
    "has two parents": robot(*TWO, link("c"), joint("j", "a", "b"), joint("k", "c", "b")),
    "form a cycle": robot(*TWO, joint("j", "a", "b"), joint("k", "b", "a")),
    "part of a cycle": robot(*TWO, link("c"), joint("j", "c", "b"), joint("k", "b", "c")),
    "2 root links": robot(*TWO),
    "unknown type 'hinge'": robot(*TWO, joint("j", "a", "b", kind="hinge")),
    "duplicate link": robot(*TWO, link("a")),
    "duplicate joint": robot(*TWO, link("c"), joint("j", "a", "b"), joint("j", "a", "c")),
    "not a finite decimal": robot(*TWO, joint("j", "a", "b", '<origin xyz="0 0 nan"/>')),
    "2 numbers, 3 needed": robot(*TWO, joint("j", "a", "b", '<origin xyz="0 0"/>')),
    "axis is zero": robot(*TWO, joint("j", "a", "b", '<axis xyz="0 0 0"/>')),
    "a second <axis>": robot(*TWO, joint("j", "a", "b", "<axis/><axis/>")),
    "<link> has no name": robot("<link/>"),
    "negative mass": robot(link("a").replace('"1"', '"-1"', 1)),
    "document type": "<!DOCTYPE robot SYSTEM 'x'><robot/>",
    "document type|entity": "<!DOCTYPE r [<!ENTITY a 'b'>]><robot>&a;</robot>",
    "instruction": "<robot><?php x?></robot>",
    "nested too deeply": "<robot>" + "<a>" * 5000,
    "mismatched tag": "<robot><link></robot>",
    "no element": "<!-- nothing -->",
    "longer than 1 MiB": f"<robot a='{'x' * 2**21}'/>",
}


@pytest.mark.parametrize("message", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_said_with_its_line(message):
    with pytest.raises(da.DescriptionError, match=message) as caught:
        da.load(WRONG[message])
    assert caught.value.where is not None and caught.value.where.line >= 1


def test_the_line_is_that_of_the_fault():
    with pytest.raises(da.DescriptionError) as caught:
        da.load(robot(*TWO, joint("j", "a", "b", "\n  <axis xyz='0 0'/>")))
    assert (caught.value.where.line, caught.value.where.column) == (5, 3)


BOMB = '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">' + "".join(
    f'<!ENTITY lol{k} "{"&lol" + (str(k - 1) if k > 1 else "") + ";" * 10}">' for k in range(1, 10)
)


def test_hostile_xml_opens_no_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s")
    for text in (
        BOMB + "]><robot>&lol9;</robot>",
        f'<!DOCTYPE r [<!ENTITY x SYSTEM "file://{secret}">]><robot name="r">&x;</robot>',
        f'<!DOCTYPE r SYSTEM "file://{secret}"><robot name="r"/>',
        '<?xml version="1.0" encoding="no-such"?><robot/>',
        '<?xml version="1.0" encoding="utf-7"?><robot/>',
    ):
        file = tmp_path / "x.urdf"
        file.write_text(text)
        with pytest.raises(da.DescriptionError):
            da.load(file)


# -- writing ---------------------------------------------------------------------------------------


def test_writing_says_what_is_lost_and_refuses_what_would_move_otherwise(oracles_dir):
    with pytest.raises(da.UsageError, match="no loops"):
        write(da.load(oracles_dir / "fivebar.json"), "urdf")
    text, notes = write(da.load(oracles_dir / "puma560.json"), "urdf")
    assert notes == ["not written: rotor inertias"]
    assert da.load(text).joint_names == da.load(oracles_dir / "puma560.json").joint_names
    screw = {"bodies": [{"name": "a", "parent": -1, "joint": {"type": "screw", "pitch": 0.1}}]}
    with pytest.raises(da.UsageError, match="no screw"):
        write(da.load(screw), "urdf")
    symbolic = {"symbols": ["M"], "bodies": [{"name": "a", "parent": -1, "mass": "M"}]}
    with pytest.raises(da.ParameterError, match="no value for M"):
        write(da.load(symbolic), "urdf")


@pytest.mark.parametrize(
    "name", ["stanford_arm", "tree_robot", "floating_base_robot", "s000_robot6r"]
)
def test_a_model_comes_back_from_urdf(oracles_dir, name):
    m = da.load(oracles_dir / f"{name}.json")
    text, _ = write(m, "urdf")
    again = da.load(text, base="free" if m.bodies[0].joint.kind == "free" else "fixed")
    assert again.joint_names == m.joint_names
    for a, b in zip(m.bound().bodies, again.bound().bodies, strict=True):
        assert (a.parent, a.joint.kind, a.name) == (b.parent, b.joint.kind, b.name)
        assert list(a.placement.p) == pytest.approx(list(b.placement.p), abs=1e-15)
        left, right = a.placement.R.matrix().rows, b.placement.R.matrix().rows
        assert sum(left, ()) == pytest.approx(sum(right, ()), abs=1e-14)  # through angles
        assert a.m == b.m and list(a.h) == pytest.approx(list(b.h), abs=1e-15)
        assert a.Io.six() == pytest.approx(b.Io.six(), rel=1e-12, abs=1e-15)


def test_names_are_escaped():
    name = "a<&>\"' \n\tb"
    m = da.load(
        {"bodies": [{"name": name, "parent": -1, "joint": {"type": "revolute"}, "mass": 1}]}
    )
    again = da.load(write(m, "urdf")[0])
    assert again.joint_names == (name,)
    bad = da.load({"bodies": [{"name": "a\0", "parent": -1, "joint": {"type": "revolute"}}]})
    with pytest.raises(da.UsageError, match="XML has not"):
        write(bad, "urdf")


def test_an_error_shows_its_line_with_a_caret():
    text = '<robot name="x">\n\t<link name="a">\n</robot>'
    with pytest.raises(da.DescriptionError) as caught:
        da.load(text)
    assert str(caught.value).splitlines() == [
        "<xml>:3:3: XML: mismatched tag",
        "  </robot>",
        "    ^",
        "  hint: each <tag> needs its own </tag>, the inner one first",
    ]
    axis = text.replace(">\n</", "/></").replace(
        "</robot>",
        '<link name="b"/><joint name="j" '
        'type="revolute"><parent link="a"/><child link="b"/>\n<axis xyz="0 0 0"/></joint></robot>',
    )
    with pytest.raises(da.DescriptionError) as caught:
        da.load(axis)
    assert caught.value.where.text == '<axis xyz="0 0 0"/></joint></robot>'


@pytest.mark.parametrize("normal", ["1 0 0", "0 1 0", "0 0 -1", "0 -2 0", "0.3 -0.5 0.7"])
def test_a_planar_joint_of_any_normal(normal):
    """Two slides in the plane and a turn about its normal move the link in the same way."""
    n = np.array([float(x) for x in normal.split()])
    n /= np.linalg.norm(n)
    place = '<origin xyz="0.1 0.2 0.3" rpy="0.4 -0.3 0.2"/>'
    text = robot(link("a"), link("b"), link("c"), joint(
        "p", "a", "b", f'{place}<axis xyz="{normal}"/>', "planar"), joint(
        "k", "b", "c", '<origin xyz="0.2 0 0.1"/><axis xyz="0 1 0"/>', "revolute"))  # fmt: skip
    m = da.load(text)
    assert m.joint_names == ("p", "k") and {"b", "c"} <= set(m.frames) and m.nq == 4
    said = [[float(x) for x in part.split(")")[0].split(",")]
            for note in m.notes if "planar" in note for part in note.split("(")[1:]]  # fmt: skip
    x, y = np.array(said)
    assert np.cross(x, y) == pytest.approx(n, abs=1e-5)
    first = da.pose(m, [0, 0, 0, 0], frame="b")
    q = np.array([0.3, -0.2, 0.5, 0.4])
    there = da.pose(m, q, frame="b")
    moved = first[:3, 3] + first[:3, :3] @ (0.3 * x - 0.2 * y)
    assert there[:3, 3] == pytest.approx(moved, abs=1e-5)
    K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    turn = np.eye(3) + np.sin(0.5) * K + (1 - np.cos(0.5)) * K @ K
    assert there[:3, :3] == pytest.approx(first[:3, :3] @ turn, abs=1e-12)
    # energy: the power of the forces is its rate
    qd, qdd = np.array([0.4, 0.1, -0.6, 0.8]), np.array([0.2, -0.5, 0.3, 0.1])
    step = 1e-6

    def energy(t):
        return da.kinetic_energy(m, q + t * qd, qd + t * qdd) + da.potential_energy(m, q + t * qd)

    rate = (energy(step) - energy(-step)) / (2 * step)
    assert da.inverse_dynamics(m, q, qd, qdd) @ qd == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize(
    ("limit", "limits", "note"),
    [
        ('upper="2"', ((0, 2),), "joint 'j': no lower limit is given: it is 0, as URDF has it"),
        ('lower="-1"', ((-1, 0),), "joint 'j': no upper limit is given: it is 0, as URDF has it"),
        ("", (), "joints without limits of position: j"),
        ('lower="-1" upper="1e9"', ((-1, None),), None),
    ],
)
def test_a_limit_that_is_not_given_is_zero_as_urdf_says(limit, limits, note):
    held = f'<axis xyz="0 0 1"/><limit {limit} effort="1" velocity="1"/>'
    text = robot(*TWO, joint("j", "a", "b", held))
    m = da.load(text)
    assert m.bodies[0].limits == limits
    assert [n for n in m.notes if "limit" in n] == ([note] if note else [])


def test_limits_of_speed_and_effort_that_exporters_leave_at_zero_are_none():
    held = '<limit lower="-1" upper="1" effort="0" velocity="-1"/>'
    m = da.load(robot(*TWO, joint("j", "a", "b", held)))
    assert (m.bodies[0].effort_limit, m.bodies[0].velocity_limit) == (None, None)
    assert "limits of 0 or less are taken as none: velocity of j, effort of j" in m.notes


@pytest.mark.parametrize(
    ("inertial", "said"),
    [
        ("<mass>2</mass>", 'write: <mass value="2"/>'),
        ('<mass Value="2"/>', 'write: value="1.5"'),
        ('<mass value="2"/><origin>0 0 1</origin>', 'write: <origin xyz="0 0 1"/>'),
    ],
)
def test_data_that_stand_where_urdf_does_not_read_them_are_refused(inertial, said):
    with pytest.raises(da.DescriptionError) as error:
        da.load(robot(link("a"), f'<link name="b"><inertial>{inertial}</inertial></link>',
                      joint("j", "a", "b")))  # fmt: skip
    assert said in error.value.hint


def test_moments_of_inertia_that_are_not_given_are_noted():
    held = '<inertial>!<mass value="2"/><inertia ixx="1" Iyy="1" izz="1"/></inertial>'
    m = da.load(robot(link("a"), f'<link name="b">{held}</link>', joint("j", "a", "b")))
    assert "link 'b': no iyy, taken as zero" in m.notes
    assert "not read: inertia@Iyy 1, text of inertial 1" in m.notes


def test_a_thing_without_joints_says_how_it_moves_and_has_empty_results():
    mug = """<robot name="mug"><link name="mug"><inertial><mass value="1"/><inertia ixx=".1"
      iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    m = da.load(mug)
    assert any("--base free" in n for n in m.notes)
    assert da.mass_matrix(m, []).shape == (0, 0)
    assert da.inverse_dynamics(m, *np.zeros((3, 5, 0))).shape == (5, 0)
    assert da.load(mug, base="free").nv == 6
