"""State models: what an FMU computes, run in floats, beside the quantities of the mechanism."""

import numpy as np
import pytest

import dalembert as da
from dalembert.export.plant import StateModel
from dalembert.plan import general_pose, planned
from emitted import HELD

CLOSED = ["fourbar", "fivebar", "delta"]


def parts(function, *inputs):
    """Return the outputs of a function, one array each."""
    flat, out = np.array(function(*(list(map(float, x)) for x in inputs))), []
    for port in function.outputs:
        out.append(flat[: port.size])
        flat = flat[port.size :]
    return out


def closed_state(name, seed=4):
    m = getattr(da.robots, name)()
    rng = np.random.default_rng(seed)
    q = general_pose(m)[1]
    qd = da.tree_motion(m, q, rng.normal(size=m.nv), np.zeros(m.nv))[0]
    return m, q, qd, rng.normal(size=len(planned(m).motors)), rng


@pytest.mark.parametrize("name", CLOSED)
def test_rates_and_energies_of_loops(name):
    m, q, qd, tau, _ = closed_state(name)
    model = StateModel.of(m, (), "inertia")
    rates, accelerations, measure = parts(model.rates(), q, qd, tau)
    assert np.allclose(rates, qd) and 1e-3 < measure[0] <= 1
    expected = da.forward_dynamics(m, q, qd, tau)
    assert np.allclose(accelerations, expected, atol=1e-10 * np.abs(expected).max())
    kinetic, potential = parts(model.energies(), q, qd)
    assert np.isclose(kinetic[0], da.kinetic_energy(m, q, qd))
    assert np.isclose(potential[0], da.potential_energy(m, q))


@pytest.mark.parametrize("name", CLOSED)
def test_derivatives_of_loops_are_differences(name):
    m, q, qd, tau, rng = closed_state(name)
    model = StateModel.of(m, (), "inertia")
    rates, along = model.rates(), model.rates_along()
    direction = [rng.normal(size=len(x)) for x in (q, qd, tau)]
    found = np.concatenate(parts(along, q, qd, tau, *direction))
    ends = [
        np.concatenate(
            parts(rates, *(x + h * d for x, d in zip((q, qd, tau), direction, strict=True)))[:2]
        )
        for h in (1e-6, -1e-6)
    ]
    expected = (ends[0] - ends[1]) / 2e-6
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["fivebar", "delta"])
def test_a_start_keeps_independent_coordinates_and_closes_the_loops(name):
    m, q, qd, _, rng = closed_state(name)
    model = StateModel.of(m, (), "inertia")
    free = list(planned(m).independent)
    found = set(model.found())
    assert {k for k in range(m.nq) if k not in found} == set(free)
    assemble, start = model.assemble(), q + 0.02 * rng.normal(size=m.nq)
    there = start
    for _ in range(6):
        there, speeds, gap = parts(assemble, there, qd)
    assert gap[0] < 1e-12 and np.array_equal(there[free], start[free])
    assert np.abs(da.closure(m, there)).max() < 1e-12
    assert np.abs(da.loop_jacobian(m, there) @ speeds).max() < 1e-11
    assert np.abs(da.closure(m, np.array(model.start())[: m.nq])).max() < 1e-9


def test_a_machine_on_wheels_takes_steering_and_traction():
    m = da.robots.truck()
    model = StateModel.of(m, (), "inertia")
    names = [slot.id for slot in model.slots()[2]]
    assert names[-2:] == ["steer.delta", "steer_rate.delta"]
    assert sum(name.startswith("traction.") for name in names) == len(m.wheels)
    rng = np.random.default_rng(2)
    q, alpha, tau = rng.normal(size=m.nq), [1.3], rng.normal(size=m.nv + len(m.wheels))
    rate, change = parts(model.rates(), q, alpha, tau, [0.2, 0.1])
    given = (q, alpha, [0.2], [0.1], tau[: m.nv], tau[m.nv :])
    assert np.allclose(rate, da.kane_motion(m, *given)[0])
    assert np.allclose(change, da.alpha_dot(m, *given))


def test_quaternions_keep_their_length():
    m = da.robots.flying_arm()
    q = np.concatenate([[0.0] * 3, [0.1, 0.2, 0.3, 1.2], np.zeros(m.nq - 7)])
    found, _, gap = parts(StateModel.of(m, (), "inertia").project(), q, np.zeros(m.nv))
    assert np.isclose(np.linalg.norm(found[3:7]), 1) and gap[0] == 0


def test_positions_that_are_held_are_kept():
    m = da.load(HELD)
    model = StateModel.of(m, (), "inertia")
    assert model.settled and model.timed and model.found() == (0, 1, 2)
    start = model.start()
    assert start[2] == pytest.approx(0.5)
    project, there = model.project(), [0.1, 0.2, 0.45]
    for _ in range(5):
        there, _, gap = parts(project, there, start[3:], [0.3, 1.0])
    assert gap[0] < 1e-12 and there[2] == pytest.approx(0.5 + 0.1 * np.sin(0.3))
