"""Reference files: every expected number is compared, what is not known is a miss."""

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.verify import leaves, verify
from dalembert.verify.classes import quaternion
from peers import oracle_files

# other descriptions in a file have rows of their own
OTHERS = {
    "s000_robot6r": "phrase",
    "s000_constant_rotations": "phrase",
    "s002_mdh_tree": "mdh_table",
    "puma560": "standard_dh",
    "stanford_arm": "standard_dh",
    "s001_twodof_chain": "seed001_data",
}
LATER = {"s003_pd_control_planar2r"}  # what needs an integrator
FILES = [f for f in oracle_files() if f.stem not in LATER]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_files_agree_to_round_off_by_every_method_and_description(file):
    rows = verify([file], strict=True)
    wrong = [str(row) + row.note for row in rows if not row.ok]
    assert rows and not wrong, "\n".join(wrong)
    # every expected key has a row
    data = json.loads(file.read_text(encoding="utf-8"))
    wanted = set()
    for state in data["states"]:
        for section in state:
            if section.startswith("expected"):
                start = "" if section == "expected" else f"{section}."
                wanted |= {path for path, _ in leaves(state[section], start)}
    assert wanted <= {row.quantity for row in rows}
    if prefix := OTHERS.get(file.stem):
        methods = {row.method for row in rows if row.quantity == "tau"}
        assert {"newton_euler", "world_spatial", f"{prefix}:newton_euler"} <= methods


@pytest.fixture
def arm(oracles_dir):
    """A small reference file as data."""
    file = oracles_dir / "s003_planar2r_with_inertia.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["states"] = data["states"][:2]
    for state in data["states"]:
        state["expected"] = {"tau": state["expected"]["tau"]}
    return data


@pytest.fixture
def written(tmp_path):
    def write(data):
        file = tmp_path / "arm.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        return file

    return write


def test_a_wrong_number_is_a_miss(arm, written):
    arm["states"][1]["expected"]["tau"][0] += 1e-6
    rows = verify([written(arm)])
    assert [row.ok for row in rows] == [False] * len(rows) and rows[0].worst > 9e-7


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_bad_input(number, arm, written):
    """NaN was passed over, and infinity made every difference small."""
    arm["states"][1]["expected"]["tau"] = [number, 0.0]
    with pytest.raises(da.DescriptionError, match="null"):
        verify([written(arm)])


@pytest.mark.parametrize("tolerance", [{"abs": "1e999"}, {"abs": -1.0}, {"rel": "x"}, {}])
def test_a_tolerance_that_decides_nothing_is_bad_input(tolerance, arm, written):
    arm["tolerance"] = tolerance
    with pytest.raises(da.DescriptionError, match="tolerance"):
        verify([written(arm)])


def test_oracles_that_differ_without_bound_are_bad_input(arm, written):
    arm["cross_check"]["max_abs_difference"] = "1e999"
    with pytest.raises(da.DescriptionError, match="max_abs_difference"):
        verify([written(arm)], strict=True)


def test_a_text_in_place_of_numbers_is_a_miss(arm, written):
    arm["states"][1]["expected"]["tau"] = "see page 4"
    rows = verify([written(arm)])
    assert [row.method for row in rows if not row.ok] == ["no_numbers"]


def test_an_unknown_key_is_a_miss(arm, written):
    arm["states"][0]["expected"]["flavour"] = {"of": [1, 2]}
    row = next(r for r in verify([written(arm)]) if r.quantity == "flavour.of")
    assert (row.method, row.ok, row.worst) == ("unknown_key", False, None)


def test_a_file_that_expects_nothing_is_a_miss(arm, written):
    for state in arm["states"]:
        del state["expected"]
    (row,) = verify([written(arm)])
    assert not row.ok


def test_a_state_of_the_wrong_size_is_bad_input(arm, written, capsys):
    arm["states"][1]["qd"] = [1.0]
    file = written(arm)
    with pytest.raises(da.DescriptionError, match="state 1, qd: 2 numbers"):
        verify([file])
    assert main(["verify", str(file)]) == 2
    assert str(file) in capsys.readouterr().err.splitlines()[-1]


def test_a_description_that_contradicts_is_a_miss(arm, written):
    arm["phrase"] = "RZ(A1,B1),TXK(0.81),RZ(A2,B2),TXK(0.6);"
    by = {row.method: row.ok for row in verify([written(arm)])}
    assert by["newton_euler"] and not by["phrase:newton_euler"]
    arm["phrase"] = "RZ(A1,B1),TXK(0.8),RZ(A2,B2),TXK(0.6);"
    assert all(row.ok for row in verify([written(arm)]))


@pytest.mark.parametrize("phrase", ["RZ(A1,B1),TXK(0.8);", "RZ(A1,B1),,;", 3])
def test_a_description_that_cannot_be_read_is_a_miss(phrase, arm, written):
    arm["phrase"] = phrase
    row = verify([written(arm)])[-1]
    assert (row.quantity, row.method, row.ok) == ("phrase", "not_read", False) and row.note


def test_the_lines_and_the_json(arm, written, capsys):
    file = str(written(arm))
    assert main(["verify", "--strict", file]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith(f"{file} tau newton_euler worst=") and line.endswith(" ok")
    assert main(["verify", "--json", file]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert list(rows[0]) == ["file", "quantity", "method", "worst", "tolerance", "ok"]
    arm["states"][0]["expected"]["flavour"] = 1
    written(arm)
    assert main(["verify", "--json", file]) == 1
    assert json.loads(capsys.readouterr().out)[-1]["worst"] is None


def test_a_model_without_references_is_bad_input(tmp_path, capsys):
    file = tmp_path / "model.txt"
    file.write_text("RZ(A,B),TXK(1);", encoding="utf-8")
    assert main(["verify", str(file)]) == 2
    assert "reference file" in capsys.readouterr().err


def test_quaternions_of_random_rotations():
    rng = np.random.default_rng(1)
    for x in rng.normal(size=(20, 4)):
        x = x / np.linalg.norm(x)
        R = np.array([[float(v) for v in row] for row in da_matrix(x)])
        found = quaternion(R)
        assert min(np.abs(found - x).max(), np.abs(found + x).max()) < 1e-15 * 8


def da_matrix(x):
    from dalembert.joint import quaternion_matrix

    return quaternion_matrix(*x).rows


def test_elastic_files_count_the_rotor_inertias(tmp_path):
    file = next(f for f in oracle_files() if f.stem == "elastic_arm")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["Ia"] = Ia = [0.3, 0.05, 0.2, 0.02, 0.1]
    data["states"] = data["states"][:2]
    stiff = replace(da.load(data), elastic=())
    soft, hard = [1, 3], [0, 2, 4]
    k, rest = (np.array(data[key]) for key in ("stiffness", "q_rest"))
    for state in data["states"]:
        # the partitioned equations of Khalil (68)-(71) with M + diag(Ia), written out
        q, qd = np.array(state["q"]), np.array(state["qd"])
        M = da.mass_matrix(stiff, q, drives="none") + np.diag(Ia)
        force = -k * (q - rest) - da.bias(stiff, q, qd, drives="none")
        given = np.array([state["qdd_rigid_given"][i] for i in hard])
        e = np.linalg.solve(M[np.ix_(soft, soft)], force[soft] - M[np.ix_(soft, hard)] @ given)
        qdd = np.zeros(5)
        qdd[hard], qdd[soft] = given, e
        tau = (M @ qdd - force)[hard]
        state["expected_inverse"]["qdd_elastic"] = [None, e[0], None, e[1], None]
        state["expected_inverse"]["Gamma_rigid"] = [tau[0], None, tau[1], None, tau[2]]
        push = np.array([x or 0.0 for x in state["direct_input_Gamma_rigid"]])
        state["expected_direct"]["qdd"] = list(np.linalg.solve(M, force + push))
    path = tmp_path / "elastic.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    rows = verify([path])
    assert len(rows) >= 6
    assert all(row.ok for row in rows), "\n".join(map(str, rows))
