"""Float reference, scalar entry and batch of one kernel agree at ten thousand random states."""

import numpy as np
import pytest

import dalembert as da
from dalembert.reference import in_floats

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

COUNT = 10_000


def states(m, seed=1):
    """Return random q (unit quaternions), qd and qdd."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (COUNT, m.nq))
    if m.bodies[0].joint.kind == "free":
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q, rng.normal(size=(COUNT, m.nv)), rng.normal(size=(COUNT, m.nv))


@pytest.mark.parametrize("name", ["puma560", "stanford", "walker"])
def test_reference_scalar_and_batch_agree(name):
    m = getattr(da.robots, name)()
    q, qd, qdd = states(m)
    k = da.compile(m, "inverse_dynamics")
    batch = k(q, qd, qdd)
    single = np.array([k(*row) for row in zip(q, qd, qdd, strict=True)])
    reference = in_floats(m, "inverse_dynamics", "newton_euler", [q, qd, qdd])[0]
    # the largest term summed: the parts of tau at each state
    parts = (da.gravity(m, q), da.coriolis(m, q, qd), batch)
    scale = np.max([np.abs(x).max(axis=1) for x in parts], axis=0)[:, None]
    assert (np.abs(batch - reference) / scale).max() < 1e-13
    assert (np.abs(single - reference) / scale).max() < 1e-13
