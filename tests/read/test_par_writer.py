"""A mechanism written as a .par file comes back as the same machine."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UsageError
from dalembert.read import write
from mechanisms import random_mechanisms

ARMS = ["puma560", "ur5", "panda", "stanford", "tx40"]


def again(m):
    text, notes = write(m, "par")
    return da.load(text), notes


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_comes_back_with_its_torques(name):
    m = getattr(da.robots, name)()
    back, _ = again(m)
    assert back.nv == m.nv
    x = np.random.default_rng(2).uniform(-1, 1, (3, m.nv))
    want = da.compile(m.bound(), "inverse_dynamics", drives="none")(*x)
    found = da.compile(back.bound(), "inverse_dynamics", drives="none")(*x)
    assert np.allclose(found, want, rtol=0, atol=1e-11 * max(1, abs(want).max()))


def test_symbols_stay_symbols():
    m = da.robots.rx90(drives=True)
    text, _ = write(m, "par")
    assert "d = {0,0,D3,0,0,0}" in text and "theta = {th1,th2,th3,th4,th5,th6}" in text
    assert (
        "XX = {XX1,XX2,XX3,XX4,XX5,XX6}" in text and "alpha = {0,pi/2,0,-pi/2,pi/2,-pi/2}" in text
    )
    back = da.load(text)
    assert {p.name for p in back.parameters} == {p.name for p in m.parameters}


@pytest.mark.parametrize("m", random_mechanisms(count=12, seed=5), ids=lambda m: m.name)
def test_random_trees_come_back(m):
    try:
        text, _ = write(m, "par")
    except UsageError as error:
        assert "no SYMORO file" in error.message
        return
    back = da.load(text)
    x = np.random.default_rng(3).uniform(-1, 1, (3, m.nv))
    want = da.compile(m.bound(), "inverse_dynamics", drives="none")(*x)
    found = da.compile(back.bound(), "inverse_dynamics", drives="none")(*x)
    assert np.allclose(found, want, rtol=0, atol=1e-9 * max(1, abs(want).max()))


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "parallelogram_arm"])
def test_loops_come_back(name):
    m = getattr(da.robots, name)()
    back, _ = again(m)
    assert len(back.loops) == len(m.loops) and da.mobility(back) == da.mobility(m)
    assert len(back.active) == len(m.active)
    q = da.assemble(m, np.full(m.nq, 0.3))
    assert abs(np.asarray(da.closure(back, q))).max() < 1e-9


def test_drives_are_those_of_the_joint():
    m = da.robots.puma560()
    back, notes = again(m)
    assert any("differs with the direction" in note for note in notes)
    x = np.random.default_rng(2).uniform(-1, 1, (3, m.nv))
    want = da.compile(m, "inverse_dynamics", drives="inertia")(*x)
    found = da.compile(back, "inverse_dynamics", drives="inertia")(*x)
    assert np.allclose(found, want, atol=1e-9)


def test_what_has_no_place_is_refused():
    with pytest.raises(UsageError, match="no SYMORO file"):
        write(da.robots.stewart(), "par")
