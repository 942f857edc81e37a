"""Joints held by friction: their forces stop them, and joints that slide take none."""

import numpy as np
import pytest

from dalembert.algorithms.held_joints import held_system
from dalembert.linalg import Matrix


@pytest.mark.parametrize("definite", [True, False])
@pytest.mark.parametrize("sliding", [{}, {0: 1.0}, {0: 0.0}, {1: 0.0, 3: 1.0}, {0: 0.0, 2: 0.0}])
def test_held_joints_do_not_accelerate_and_sliding_ones_take_no_force(definite, sliding):
    rng = np.random.default_rng(0)
    L, G = rng.normal(size=(3, 3)), rng.normal(size=(4, 3))
    A, right, rest = L @ L.T + np.eye(3), rng.normal(size=3), rng.normal(size=4)
    z, held = held_system(Matrix(A.tolist()), right.tolist(), Matrix(G.tolist()), rest.tolist(),
                          sliding, definite)  # fmt: skip
    z, f = np.array(list(z), dtype=float), np.zeros(4)
    assert {*held} == {*sliding}
    f[list(held)] = [float(x) for x in held.values()]
    np.testing.assert_allclose(A @ z, right + G.T @ f, atol=1e-9)
    qdd = G @ z + rest
    for k, s in sliding.items():
        assert (f[k] if s else qdd[k]) == pytest.approx(0, abs=1e-8)


def test_where_nothing_is_left_to_move_no_force_is_needed():
    z, held = held_system(Matrix([]), [], Matrix([[], []]), [0.3, 0.1], {0: 0.0, 1: 1.0})
    assert list(z) == [] and held == {0: 0, 1: 0}
