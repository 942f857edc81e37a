"""Relations of inertial parameters: what a parent feels of a child, by the law of Huygens."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from dalembert.algebra import Mat3, Transform, Vec3
from dalembert.algorithms.parameter_relations import _from_parent

TENSOR = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # places of xx, xy, yy, xz, yz, zz


@pytest.mark.parametrize("seed", range(10))
def test_a_row_of_the_parent_acts_on_a_body_as_on_its_parameters_there(seed):
    """Mass, first moment and tensor of a body about another origin, in other axes."""
    rng = np.random.default_rng(seed)
    m, h, row, p = rng.normal(), rng.normal(size=3), rng.normal(size=10), rng.normal(size=3)
    R = Turn.random(random_state=seed).as_matrix()
    tensor = rng.normal(size=(3, 3))
    tensor = tensor + tensor.T
    own = [m, *h, *(tensor[ab] for ab in TENSOR)]
    # seen from the parent, whose origin is at -p
    g, E = R @ h, np.eye(3)
    moved = R @ tensor @ R.T + 2 * (p @ g) * E - np.outer(p, g) - np.outer(g, p)
    moved += m * ((p @ p) * E - np.outer(p, p))
    there = [m, *(g + m * p), *(moved[ab] for ab in TENSOR)]
    T = Transform(Mat3(*R.tolist()), Vec3(*p.tolist()))
    found = _from_parent(row.tolist(), T)
    assert np.dot(found, own) == pytest.approx(row @ there, rel=1e-12, abs=1e-12)
