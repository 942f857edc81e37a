"""Exact derivatives of a quantity by its inputs and parameters (`wrt`)."""

import numpy as np
import pytest

import dalembert as da

ARM = da.load({
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.4, "N": 60.0},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); body 1: M = 3*L1, D = (L1/2, 0, 0), "
    "I = (0, 0, L1^3/4); body 2: M = 2*L2, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);",
    "drives": [{"joint": "j1", "Ia": "1e-4*N^2"}],
})  # fmt: skip


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "kinetic_energy"])
def test_slopes_by_parameters_are_those_of_central_differences(name):
    k = da.compile(ARM, name, wrt=["L1", "L2", "N"])
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(7, 2)) for _ in k.inputs]
    made = k(*inputs)
    for n, slope in zip(("L1", "L2", "N"), made[1:], strict=True):
        x = float(ARM.values[n])
        h = 1e-6 * x
        up, down = (da.compile(ARM, name, parameters=[n])(*inputs, parameters={n: x + s * h})
                    for s in (1, -1))  # fmt: skip
        assert np.allclose(slope, (up - down) / (2 * h), rtol=1e-6, atol=1e-7)


def test_slopes_by_states_are_those_of_the_recursion_on_the_group():
    m = da.robots.flying_arm()
    k = da.compile(m, "inverse_dynamics", wrt=["q", "qd", "qdd"])
    rng = np.random.default_rng(1)
    q = da.integrate(m, da.neutral(m), rng.normal(size=m.nv))
    qd, qdd = rng.normal(size=(2, m.nv))
    for mine, own in zip(k(q, qd, qdd)[1:], da.inverse_dynamics_derivatives(m, q, qd, qdd),
                         strict=True):  # fmt: skip
        assert np.abs(mine - own).max() < 1e-12 * np.abs(own).max()


def test_arrays_of_parameters_and_checks_of_loops_stay_where_they_were():
    k = da.compile(ARM, "inverse_dynamics", wrt="L1")
    x = np.linspace(0.3, 0.8, 5)
    tau, slope = k(np.zeros(2), np.zeros(2), np.zeros(2), parameters={"L1": x})
    assert tau.shape == slope.shape == (5, 2)
    five = da.compile(da.robots.fivebar(), "inverse_dynamics", wrt=["q"])
    assert [p.name for p in five.outputs] == ["tau", "dtau_dq", "residual", "pivot", "certificate"]


def test_a_name_that_is_nothing_is_an_error():
    with pytest.raises(da.UsageError, match="no input and no parameter"):
        da.compile(ARM, "inverse_dynamics", wrt=["L9"])
