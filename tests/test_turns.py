"""Axis times angle and rotation matrices lead to each other, near none and near half a turn too."""

import numpy as np
import pytest

from dalembert.compute.turns import cross_matrix, rotation_by, turn_of


@pytest.mark.parametrize("angle", [0.0, 1e-13, 1e-7, 0.3, 2.0, np.pi - 1e-4, np.pi])
def test_a_turn_is_found_again_from_its_rotation(angle):
    axes = np.random.default_rng(1).normal(size=(20, 3))
    turns = angle * axes / np.linalg.norm(axes, axis=1, keepdims=True)
    R = np.array([rotation_by(v) for v in turns])
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-14)
    found = turn_of(R)
    assert np.allclose([rotation_by(v) for v in found], R, atol=1e-9)
    # half a turn has two axes
    assert np.allclose(found, turns, atol=1e-9) or angle == np.pi
    assert np.allclose(found[3], turn_of(R[3]))


def test_the_cross_matrix_is_the_cross_product():
    v, a = np.random.default_rng(2).normal(size=(2, 3))
    assert np.allclose(cross_matrix(v) @ a, np.cross(v, a))
