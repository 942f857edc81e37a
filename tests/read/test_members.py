"""The data form of 1979 as a key of files: members, axes, vectors, joints of two freedoms."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.cli import main

DOCS = Path(__file__).parents[2] / "docs" / "formats.md"


def text():
    return re.search(r"# arm1979.toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)[1]


def test_the_file_of_the_manual_loads_and_its_formalisms_agree():
    m = da.load(text())
    assert m.name == "arm of 1979" and m.nv == 3
    q, qd, x = np.random.default_rng(0).normal(size=(3, 3))
    by_chain = da.inverse_dynamics(m, q, qd, x, method="active_chain")
    assert_allclose(da.inverse_dynamics(m, q, qd, x), by_chain, atol=1e-12)
    direct = da.forward_dynamics(m, q, qd, by_chain, method="active_chain")
    assert_allclose(direct, x, atol=1e-10)


def test_long_keys_and_the_command_line(tmp_path, capsys):
    row = {"joint": "rotation", "e_in_previous_body": [0, 0, 1], "e_in_own_body": [0, 0, 1],
           "r_ii_own_body": [0.3, 0, 0], "r_prev_from_A_i_to_T_im1_in_previous_body": [-0.1, 0, 0],
           "mass": 2, "principal_inertia": [0, 0.06, 0.06]}  # fmt: skip
    file = tmp_path / "arm.json"
    file.write_text(json.dumps({"members": [row], "gravity": [0, -9.81, 0]}))
    assert main(["eval", str(file), "gravity", "--q", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["value"]
    assert found == [pytest.approx(2 * 9.81 * 0.3)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"members": []}, "no members"),
        ({"members": 3}, "list of tables"),
        ({"members": [{"mass": 1}]}, "principal_inertia"),
        ({"members": [{"mas": 1}]}, "unknown key 'mas'"),
        ({"members": [{}], "bodies": []}, "unknown key 'bodies'"),
    ],
)
def test_what_is_wrong_is_named(data, message):
    with pytest.raises(da.DalembertError, match=message):
        da.load(data)
