"""The comparison of formalisms: it agrees where it should, and notices what it should."""

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.agree import COMPARED, LIMIT, agree, with_drawn_values
from dalembert.catalog import QUANTITIES
from dalembert.cli import main
from dalembert.second_opinion import random_states
from mechanisms import random_mechanisms
from peers import oracle_files

SENTENCE = "RZ(T1MIN,T1MAX),TXK(L1),RZ(-0.1,0.2),TXK(L2),TZ(0,1);"


@pytest.mark.parametrize("file", oracle_files()[::3], ids=lambda f: f.stem)
def test_reference_mechanisms_agree(file):
    m = da.load(file)
    if m.loops or m.couplings or m.wheels:
        pytest.skip("a tree is needed")
    found = agree(m, states=10)
    more = {"elastic_arm": ["elastic_inverse"]}
    more["floating_base_robot"] = ["moving_base_inverse", "moving_base_direct"]
    rows = [*COMPARED, *more.get(m.name, [])]
    assert [one.quantity for one in found] == [*rows, "power", "virtual work", "symmetry"]
    assert all(one.ok for one in found)
    for one in found[: len(rows)]:
        assert one.ok and one.formalisms[-1] == "kernel"
        assert len(one.formalisms) >= (4 if one.quantity in COMPARED else 3)


@pytest.mark.parametrize("m", random_mechanisms(6, seed=11, dof=(1, 6)), ids=lambda m: m.name)
def test_random_mechanisms_agree(m):
    wrong = [one for one in agree(m, states=5, seed=1) if not one.ok]
    assert not wrong, "\n".join(f"{one.quantity} {one.formalisms}\n{one.worst}" for one in wrong)


def test_a_sentence_is_compared_with_drawn_values():
    m = da.load(SENTENCE)
    assert with_drawn_values(m, 3).values == with_drawn_values(m, 3).values
    assert all(one.ok for one in agree(m, states=4))


def test_states_keep_to_limits_and_to_their_seed():
    m = da.load(SENTENCE)
    q, qd, qdd = random_states(m, 200, seed=5)
    assert q.shape == qd.shape == qdd.shape == (200, 3)
    assert q[:, 1].min() >= -0.1 and q[:, 1].max() <= 0.2 and q[:, 2].min() >= 0
    assert np.abs(q[:, 0]).max() > 2
    np.testing.assert_array_equal(q, random_states(m, 200, seed=5)[0])


def test_a_wrong_formalism_is_noticed(monkeypatch, capsys):
    row = QUANTITIES["gravity"]

    def off(m, q):
        return [x * (1 + 1e-9) for x in row.methods["newton_euler"](m, q)]

    wrong = replace(row, methods={**row.methods, "magic": off})
    monkeypatch.setitem(QUANTITIES, "gravity", wrong)
    assert main(["agree", "robot:puma560", "--states", "5", "--json"]) == 1
    found = {one["quantity"]: one for one in json.loads(capsys.readouterr().out)}
    gravity = found["gravity"]
    k = gravity["formalisms"].index("magic")
    assert not gravity["ok"] and min(x for j, x in enumerate(gravity["worst"][k]) if j != k) > LIMIT
    assert found["tau"]["ok"]


@pytest.mark.parametrize("name", ["moving_base_inverse", "moving_base_direct"])
def test_a_wrong_model_of_a_moving_base_is_noticed(monkeypatch, name):
    row, m = QUANTITIES[name], da.robots.walker()

    def off(m, *given, **options):
        base, joints = row.methods[row.default](m, *given, **options)
        return [x * (1 + 1e-9) for x in base], joints

    monkeypatch.setitem(QUANTITIES, name, replace(row, methods={**row.methods, "magic": off}))
    found = {one.quantity: one for one in agree(m, states=5)}
    assert not found[name].ok
    assert all(one.ok for key, one in found.items() if key != name)


def test_the_matrix_is_printed(capsys):
    assert main(["agree", "robot:planar2r", "--states", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split()[:2] == ["tau", "newton_euler"]
    assert out.count("\nagree\n") == 7 and "drawn" in err


def test_a_number_of_states_is_needed(capsys):
    assert main(["agree", "robot:planar2r", "--states", "0"]) == 2


def test_a_scale_that_overflowed_agrees_with_nothing():
    from dalembert.agree import scaled

    x, y = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    assert np.isnan(scaled(x, y, np.array([1.0, np.inf])))
    assert scaled(x, x, np.array([1.0, np.inf])) == 0.0
    assert scaled(x, y, np.array([1.0, 2.0])) == 0.5
