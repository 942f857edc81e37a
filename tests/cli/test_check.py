"""dalembert check shows every record of a mechanism, as text and as JSON."""

import json
from dataclasses import replace

import dalembert as da
from dalembert.cli import main

TEXT = """
format = "dalembert/1"
name = "all"
gravity = [0, -9.81, 0]
symbols = ["K"]
active = ["a", "b"]
prescribed = ["delta"]
couplings = [{ joint = "c", of = "b", ratio = -2, offset = 0.5 }]
drives = [{ joint = "a", Ia = 0.1, coulomb = [0.4, -0.43], viscous = 0.02 }]
elastic = [{ joint = "b", stiffness = "K", rest = 0.2, damping = 0 }]
wheels = [{ name = "front", body = "d", point = [3, 0, 0], normal = [0, 1, 0], steer = "delta" }]
velocity_constraints = [{ name = "c1", equation = "ad - 2*bd = 0" }]
[[loops]]
name = "ring"
body_i = "b"
point_i = [0.6, 0, 0]
body_j = -1
point_j = [1, 0, 0]
joint = "spherical"
[[loops]]
body_i = "d"
point_i = [0, 0, 0]
body_j = "a"
point_j = [0, 0, 0]
joint = "rod"
length = 2
[[springs]]
body_i = "a"
point_i = [0, 0, 0]
body_j = -1
point_j = [0.25, 0.5, 0]
stiffness = 4530
length = 0.5
[[bodies]]
name = "a"
parent = -1
mass = 1
joint = { type = "revolute", axis = [0, 0, 1] }
[[bodies]]
name = "b"
parent = "a"
mass = 1
joint = { type = "revolute", axis = [0, 0, 1] }
[[bodies]]
name = "c"
parent = "b"
mass = 1
joint = { type = "revolute", axis = [0, 0, 1] }
[[bodies]]
name = "d"
parent = "c"
mass = 1
joint = { type = "planar" }
"""

LINES = """\
loop ring: spherical, b at 0.6 0 0 to base at 1 0 0
loop 2: rod of length 2, d at 0 to a at 0
coupling: c = -2*b + 0.5
drive a: rotor inertia 0.1 kg m², viscous 0.02 N m s/rad, Coulomb 0.4 and -0.43 N m
elastic b: stiffness K N m/rad, rest 0.2 rad
spring: a at 0 to base at 0.25 0.5 0, stiffness 4530 N/m, length 0.5 m
wheel front: on d at 3 0 0, no slip along 0 1 0, steered by delta
constraint c1: ad - 2*bd = 0
prescribed: delta
active: a, b"""


def test_every_kind_of_record_has_its_line():
    m = da.load(TEXT)
    assert LINES in str(m)
    assert "coupling: c = -2*b + 0.5<br>drive a" in m._repr_html_()


def test_json_holds_every_record_so_that_it_can_be_read_back(tmp_path, capsys):
    path = tmp_path / "all.toml"
    path.write_text(TEXT)
    assert main(["check", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    m = da.load(path)
    data = {key: found[key] for key in (
        "name", "gravity", "parameters", "active", "prescribed", "loops", "couplings", "drives",
        "elastic", "springs", "wheels", "velocity_constraints",
    )}  # fmt: skip
    joints = [{"type": "revolute", "axis": [0, 0, 1]}] * 3 + [{"type": "planar"}]
    data["bodies"] = [
        {"name": name, "parent": k - 1, "mass": 1, "joint": joint}
        for k, (name, joint) in enumerate(zip("abcd", joints, strict=True))
    ]
    assert da.load({"format": "dalembert/1", **data}) == m
    assert any("do not close" in odd for odd in found["odd"])
    assert found["total_mass"] == 4 and found["parameters"] == {"K": None}


def test_the_rest_of_many_records_is_counted():
    joints = ",".join(["RZ(),TXK(1)"] * 45)
    m = da.load(f"{joints};")
    drives = [{"joint": name, "Ia": 1} for name in m.joint_names]
    m = da.load({"format": "dalembert/1", "phrase": f"{joints};", "drives": drives})
    assert "drive j40: rotor inertia 1 kg m²\n... 5 more drives" in str(m)


def test_check_shows_limits_and_total_mass(capsys):
    assert main(["check", "robot:ur5"]) == 0
    out = capsys.readouterr().out
    assert "total mass: 16.9939" in out
    assert "limits elbow_joint: q -pi to pi rad, speed 3.15 rad/s, torque 150 N m" in out
    assert main(["check", "robot:ur5", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["limits"]["elbow_joint"] == {"q": ["-pi", "pi"], "qd": 3.15, "tau": 150}


def test_check_says_how_free_a_closed_machine_is(capsys, tmp_path):
    assert main(["check", "robot:fivebar"]) == 0
    out = capsys.readouterr().out
    assert "mobility: 2\nredundant equations: 3 of 5: loop 1 (rodA - rodB)" in out
    assert "idle degrees of freedom: none\nmotors against mobility: 2 for 2\n" in out
    assert "plan: planned on the generic" in out
    assert main(["check", "robot:fivebar", "--json"]) == 0
    motion = json.loads(capsys.readouterr().out)["motion"]
    assert motion["mobility"] == motion["motors"] == 2 and len(motion["redundant"]) == 3
    assert main(["check", "robot:unicycle"]) == 0
    assert "motors against mobility: none named, mobility 2" in capsys.readouterr().out
    m = da.robots.fivebar()
    path = tmp_path / "one.toml"
    replace(m, active=("crankA",)).save(path)
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "idle degrees of freedom: 1, moved by no motor: " in out
    assert "1 degree of freedom without a motor" in out
    assert main(["check", "robot:ur5"]) == 0
    assert "mobility" not in capsys.readouterr().out


def test_reach_is_bounded_by_the_lengths(capsys):
    assert main(["check", "robot:scara"]) == 0
    # 0.325 + 0.275 and 0.21 of the quill
    assert "reach: at most 0.81 m from the first joint" in capsys.readouterr().out
    assert main(["check", "RZ(), TXK(425), RZ(), TXK(0.3); body 1: M = 1; body 2: M = 1;"]) == 0
    assert "are lengths in millimetres?" in capsys.readouterr().out
    assert main(["check", "RZ(), TXK(L1), RZ(), TXK(L2);"]) == 0
    assert "reach" not in capsys.readouterr().out


def test_numbers_in_the_table_are_those_that_lock_takes(tmp_path, capsys):
    bodies = [
        {"name": "foot", "parent": -1, "joint": {"type": "fixed"}, "mass": 1},
        {"name": "a", "parent": "foot", "joint": {"type": "revolute", "name": "turn"}, "mass": 1},
        {"name": "b", "parent": "a", "joint": {"type": "prismatic", "name": "slide"}, "mass": 1},
    ]
    file = tmp_path / "arm.json"
    file.write_text(json.dumps({"format": "dalembert/1", "bodies": bodies}))
    assert main(["check", str(file)]) == 0
    cells = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[2:5]]
    assert cells == [["-", "foot"], ["1", "turn"], ["2", "slide"]]
    assert main(["check", str(file), "--lock", "2"]) == 0
    assert "slide" not in capsys.readouterr().out
