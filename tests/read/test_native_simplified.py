"""A native file keeps what its equations leave out."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DescriptionError, UsageError
from dalembert.read import write

PHRASE = (
    "RZ(), TXK(0.5), RZ(), TXK(0.4), RX(), TZK(0.1); gravity = (0, -9.81, 0);"
    "body 1: M = 2, D = (0.25, 0, 0), I = (0, 0.1, 0.1);"
    "body 2: M = 1, D = (0.2, 0, 0), I = (0.02, 0.05, 0.05);"
    "body 3: M = 0.5, D = (0, 0, 0.05), I = (0.01, 0.01, 0.01);"
)
WHAT = {
    "freeze": {"3": 0.3},
    "neglect": ["coriolis"],
    "drop": ["A12:1"],
    "prune": {"tolerance": "2%", "limits": {"all": {"q": [-3, 3], "qd": 2, "qdd": 5}}},
}
STATE = [0.1, 0.2], [1.0, -1.0], [1.0, 2.0]


def loaded(**what):
    return da.load({"phrase": PHRASE, "simplified": what})


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_what_is_left_out_is_written_and_read_back(ending, tmp_path):
    m = loaded(**WHAT)
    m.save(tmp_path / f"arm.{ending}")
    again = da.load(tmp_path / f"arm.{ending}")
    assert again == m and again.simplified == m.simplified
    assert again.simplified["neglect"] == ["coriolis"]


def test_equations_and_quantities_leave_it_out():
    m = loaded(**WHAT)
    whole = da.equations(m.full)
    by_hand = whole.freeze({3: "0.3"}).neglect("coriolis").drop("A12:1")
    by_hand = by_hand.prune({}, WHAT["prune"]["limits"], "2%").equations
    eq = da.equations(m)
    assert (eq.n, m.nv, m.full.nv) == (2, 3, 3)
    assert eq.text() == by_hand.text().replace("frozen: 3 = 3/10", "frozen: j3 = 3/10")
    assert np.allclose(da.inverse_dynamics(m, *STATE), by_hand.evaluate({}, *STATE), atol=1e-13)
    assert np.allclose(da.compile(m, "mass_matrix")(STATE[0]), da.mass_matrix(eq, STATE[0]))


def test_quantities_of_the_full_mechanism_are_never_given_silently():
    m = loaded(neglect=["gravity"])
    with pytest.raises(UsageError, match="closed forms") as error:
        da.jacobian(m, [0.0, 0.0, 0.0])
    assert "m.full" in error.value.hint
    assert da.jacobian(m.full, [0.0, 0.0, 0.0]).shape == (6, 3)
    with pytest.raises(UsageError):
        da.linearize(m, [0.0] * 3, [0.0] * 3, [0.0] * 3)


def test_uses_apply_it():
    m = loaded(freeze={"j3": 0.3}, neglect=["gravity"])
    r = da.simulate(m, t=[0.0, 1.0])
    assert np.allclose(r.q, [0, 0, 0.3]) and "neglected: gravity" in " ".join(r.notes)
    f = da.torques_along(m, da.trajectory.quintic([0.0, 0.0, 0.3], [1.0, 1.0, 0.3], 1.0))
    assert f.names == ("j1", "j2") and not f.parts["static"].any()


def test_exports_apply_it(tmp_path):
    files = da.export(loaded(**WHAT), ["inverse_dynamics"], "python", tmp_path)
    assert "error at most" in files[0].read_text()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"freeze": {"j9": 0}}, "no joint 'j9'"),
        ({"freeze": {"7": 0}}, "no joint '7'"),
        ({"freeze": {"j3": [1]}}, "a number is needed"),
        ({"neglect": ["gravitation"]}, "cannot neglect"),
        ({"neglect": "gravity"}, "a list is needed"),
        ({"drop": [3]}, "a text is needed"),
        ({"prune": {}}, "the share of pruning is missing"),
        ({"prune": {"tolerance": None}}, "a number is needed"),
        ({"cut": 1}, "unknown key 'cut'"),
    ],
)
def test_what_cannot_be_left_out_is_said_with_its_place(what, message):
    with pytest.raises(DescriptionError, match=message):
        loaded(**what)


@pytest.mark.parametrize("language", ["phrase", "urdf", "mdh", "par"])
def test_a_language_that_cannot_hold_it_says_so(language):
    m = loaded(neglect=["coriolis"], drop=["A12:1"])
    _, notes = write(m, language)
    told = f"the whole mechanism is written: {language} cannot hold simplified (neglect, drop)"
    assert told in notes
    assert not any("simplified" in n for n in write(m.full, language)[1])


@pytest.mark.parametrize("language", ["toml", "json"])
def test_a_native_file_holds_it_without_a_note(language):
    assert not write(loaded(neglect=["coriolis"]), language)[1]
