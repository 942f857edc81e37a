"""Kernels of quantities: what is compiled in and what is given at each call."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ParameterError

STATE = ([0.3], [0.2], [1.0])


def test_a_run_time_parameter_with_a_value_need_not_be_given():
    m = da.load("RX(), TYK(L); body 1: M = 2, D = (0, L, 0);")
    kernel = da.compile(m, "inverse_dynamics", parameters=["G"])
    assert kernel.parameters == ("L", "G") and dict(kernel.defaults) == {"G": -9.81}
    wanted = da.inverse_dynamics(m.with_values(L=0.5), *STATE)
    np.testing.assert_allclose(kernel(*STATE, parameters={"L": 0.5}), wanted, rtol=1e-13)
    floating = kernel(*STATE, parameters={"L": 0.5, "G": 0.0})
    np.testing.assert_allclose(floating, [0.5], rtol=1e-13)
    with pytest.raises(ParameterError, match="'L'"):
        kernel(*STATE)


def test_a_quantity_asks_only_for_the_parameters_it_depends_on():
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2); gravity = (0, G, 0);").with_values(L1=1, L2=1)
    assert da.pose(m, [0.0, 0.0], frame="tip")[0, 3] == 2.0
    assert da.pose(m, [0.0, 0.0], frame="tip", parameters={"M1": 3.0})[0, 3] == 2.0
    with pytest.raises(ParameterError, match="no value for parameter M1, D1, M2, D2"):
        da.gravity(m, [0.0, 0.0])


def test_one_given_joint_needs_no_brackets():
    m, z = da.robots.puma560(), np.full(6, 0.3)
    for name in ("j2", 2):
        for mine, wanted in zip(
            da.hybrid_dynamics(m, z, z, z, given=name),
            da.hybrid_dynamics(m, z, z, z, given=("j2",)),
            strict=True,
        ):
            assert np.array_equal(mine, wanted)
