"""Every reference file loads: sizes, masses, what stands beside the model, places of errors."""

import json
from fractions import Fraction

import pytest

import dalembert as da
from dalembert.algebra import Turn
from peers import oracle_files

FILES = oracle_files()


def data_of(name, oracles_dir):
    return json.loads((oracles_dir / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_sizes_and_masses_are_those_of_the_file(file):
    m, data = da.load(file), json.loads(file.read_text(encoding="utf-8"))
    assert m == da.load(str(file)) == da.load(data)
    if "model" in data:
        dof = {"floating": 6, "free": 6, "fixed": 0}
        bodies = data["model"]["bodies"]
        assert m.nv == sum(dof.get(b["joint"]["type"], 1) for b in bodies)
        assert m.total_mass == pytest.approx(sum(b["mass"] for b in bodies), rel=1e-15)
        assert [b.name for b in m.bodies] == [b["name"] for b in bodies]
    else:
        assert m.nv == 3 + data["n_trailers"]
        assert m.total_mass == pytest.approx(sum(data["parameters"]["m"]), rel=1e-15)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_placements_are_those_of_the_file(file):
    data = json.loads(file.read_text(encoding="utf-8"))
    numeric = da.load(file).bound()
    for body, given in zip(numeric.bodies, data.get("model", {}).get("bodies", ()), strict=False):
        rows = given["joint"]["placement"]
        entries = body.placement.R.matrix()
        for i in range(3):
            assert body.placement.p[i] == rows[i][3]
            assert [entries[i, k] for k in range(3)] == pytest.approx(rows[i][:3], abs=1e-15)


def test_quarter_turns_of_a_table_are_exact(oracles_dir):
    m = da.load(oracles_dir / "puma560.json")
    turns = [f for b in m.bodies for f in b.placement.R.factors]
    assert turns and all(isinstance(f, Turn) for f in turns)
    assert {abs(f.angle.over_pi) for f in turns} == {Fraction(1, 2)}
    assert {f.c for f in turns} == {0}
    assert any("pi/12" in note for note in m.notes)
    kept = da.load(oracles_dir / "puma560.json", snap=0)
    assert not any("pi/12" in note for note in kept.notes)
    assert not any(isinstance(f, Turn) for f in kept.bodies[1].placement.R.factors)


def test_drives_keep_rotor_inertia_and_friction(oracles_dir):
    data = data_of("puma560", oracles_dir)
    m = da.load(data)
    assert [float(d.inertia) for d in m.drives] == data["Ia"]
    assert [float(d.viscous) for d in m.drives] == data["Fv"]
    assert [tuple(map(float, d.coulomb)) for d in m.drives] == [(f, -f) for f in data["Fs"]]


def test_loops_and_active_joints_are_named(oracles_dir):
    m = da.load(oracles_dir / "fivebar.json")
    assert m.active == ("crankA", "crankB")
    (loop,) = m.loops
    assert (loop.body_i, loop.body_j, loop.joint) == (1, 3, "revolute")
    platform = da.load(oracles_dir / "stewart_platform.json")
    assert len(platform.loops) == 6 and platform.active[0] == "L1_upper"


def test_elastic_joints_have_stiffness_and_rest(oracles_dir):
    m = da.load(oracles_dir / "elastic_arm.json")
    assert [(s.joint, s.stiffness, s.rest) for s in m.elastic] == [
        (1, 350, Fraction(1, 5)),
        (3, 180, Fraction(-1, 10)),
    ]
    assert m.drives == ()


def test_a_moving_base_is_a_free_joint_called_base(oracles_dir):
    m = da.load(oracles_dir / "floating_base_robot.json")
    assert m.joint_names[0] == "base" and m.bodies[0].joint.kind == "free"
    assert (m.nq, m.nv) == (12, 11)


def test_a_vehicle_stands_on_its_rear_axle(oracles_dir):
    m = da.load(oracles_dir / "s003_truck_semitrailer.json")
    assert m.joint_names == ("base", "Phi1") and m.bodies[0].joint.kind == "planar"
    assert m.prescribed == ("delta",) and m.speeds == ("v",)
    assert [w.name for w in m.wheels] == ["rear", "front", "trailer1"]
    assert [float(w.point.x) for w in m.wheels] == [0, 3.6, -7.2]
    assert m.wheels[1].steer == "delta"
    trailer = m.bodies[1]
    assert float(trailer.placement.p.x) == -0.35
    assert float(trailer.inertia.lever.x) == pytest.approx(-7.2 + 3.9, abs=1e-15)


def test_the_hitch_of_a_second_trailer_is_behind_the_first_axle():
    parameters = {"l": [3, 5, 4], "b": [1, 2, 2], "c": [0.5, 0.25], "m": [1, 1, 1], "J": [1, 1, 1]}
    m = da.load({"format": "robot-dynamics-oracle/1", "n_trailers": 2, "parameters": parameters})
    assert [b.placement.p.x for b in m.bodies] == [0, Fraction(-1, 2), Fraction(-21, 4)]


def test_an_error_in_the_model_has_its_line(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(
        '{"format": "robot-dynamics-oracle/1",\n "model": {"bodies": [\n'
        '  {"name": "a", "parent": -1,\n   "joint": {"type": "hinge"}}]}}\n'
    )
    with pytest.raises(da.DescriptionError, match="unknown joint type 'hinge'") as caught:
        da.load(file)
    assert (caught.value.where.line, caught.value.where.column) == (4, 22)
    assert "bodies[0].joint.type" in str(caught.value)


def test_a_file_without_a_model_says_so():
    with pytest.raises(da.DescriptionError, match="there is no model"):
        da.load({"format": "robot-dynamics-oracle/1", "name": "x"})
