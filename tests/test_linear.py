"""Small motions: textbook frequencies, and the nonlinear model nearby."""

import numpy as np
import pytest

import dalembert as da
from peers import ORACLES, absent

DOUBLE = """RX(), TZK(-1), RX(), TZK(-1);
body 1: M = 1, D = (0, 0, -1); body 2: M = 1, D = (0, 0, -1);"""


def test_a_double_pendulum_has_its_textbook_frequencies():
    found = da.linearize(da.load(DOUBLE), [0, 0]).frequencies * 2 * np.pi
    expected = np.sqrt(9.81 * np.array([2 - np.sqrt(2), 2 + np.sqrt(2)]))
    assert np.allclose(found, expected, rtol=1e-10)
    assert da.linearize(da.load(DOUBLE), [0, 0]).stable
    assert not da.linearize(da.load(DOUBLE), [np.pi, 0]).stable


def test_a_damped_spring_has_its_ratio():
    m = da.load(
        {
            "format": "dalembert/1",
            "phrase": "TX(), TXK(0); body 1: M = 2, D = (0, 0, 0);",
            "elastic": [{"joint": "j1", "stiffness": 8.0, "damping": 1.6}],
        }
    )
    (mode,) = da.linearize(m).modes
    assert mode.frequency == pytest.approx(2 / (2 * np.pi))
    assert mode.damping == pytest.approx(0.2)


def test_equilibria_are_found():
    m = da.load(DOUBLE)
    q = da.equilibrium(m, [0.4, -0.3], [2.0, 0.5])
    assert np.abs(da.gravity(m, q) - [2.0, 0.5]).max() < 1e-8
    with pytest.raises(da.ComputationError, match="no equilibrium"):
        da.equilibrium(m, [0.4, -0.3], [200.0, 0.0])


@pytest.mark.parametrize("name", ["fourbar", "s003_car", "floating_base_robot", "elastic_arm"])
def test_small_motions_follow_the_nonlinear_model(name):
    path = ORACLES / f"{name}.json"
    if not path.exists():
        absent("the directory of reference files")
    m = da.load(path)
    rng = np.random.default_rng(1)
    if m.loops:
        q = da.assemble(m)
        v = np.zeros(m.nv)
    else:
        q = da.neutral(m)
        count = 1 if m.wheels else m.nv
        v = rng.normal(size=count) * 0.3
    here = da.linearize(m, q, v)
    z = rng.normal(size=len(here.A)) * 1e-6
    n = len(here.coordinates)
    if m.loops:
        return  # the tangent of the loops is tested by its frequency below
    tangent = np.zeros(m.nv)
    tangent[list(here.coordinates)] = z[:n]
    t = np.array([0, 1e-3])
    options = {"rtol": 1e-13, "atol": 1e-15, "events": "none"}
    base = da.simulate(m, q, v, t=t, **options)
    moved = da.simulate(m, da.integrate(m, q, tangent), v + z[n:], t=t, **options)
    change = (moved.speeds - base.speeds)[-1]
    predicted = z[n:] + 1e-3 * (here.A @ z)[n:]
    assert np.abs(change - predicted).max() < 1e-3 * 1e-6 * (1 + np.abs(here.A).max())


def test_a_four_bar_swings_with_its_linear_frequency():
    path = ORACLES / "fourbar.json"
    if not path.exists():
        absent("the directory of reference files")
    m = da.load(path)
    q = da.equilibrium(m, da.assemble(m))
    linear = da.linearize(m, q)
    assert np.abs(linear.rate).max() < 1e-8 and linear.stable
    (f,) = linear.frequencies
    start = q.copy()
    start[0] += 1e-4
    start = da.assembly(m, start)
    turn = {"turn": lambda t, q, qd: qd[0]}
    r = da.simulate(m, start, t=2.0 / f, rtol=1e-11, events=turn)
    times = [e.time for e in r.events]
    assert np.diff(times)[0] == pytest.approx(0.5 / f, rel=1e-4)
