"""Known motions and known forces: the rows of the unknown ones are solved, or refused."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.articulated_body import Known
from dalembert.algorithms.partition import hybrid_by_partition

ARM = "RZ(), TXK(1), RZ(), TXK(1), RZ(), TXK(1);"


def arm(last):
    """Return three links of which the last may have no mass."""
    data = [f"body {k}: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);" for k in (1, 2)]
    return da.load(ARM + "".join(data) + f"body 3: {last};").bound()


def test_motions_that_are_given_are_kept_and_their_forces_found():
    m = arm("M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1)")
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    tau = da.inverse_dynamics(m, q, qd, qdd)
    for given in ([], [0], [1, 2], [0, 1, 2]):
        x = np.where(np.isin(range(3), given), qdd, tau).tolist()
        found = hybrid_by_partition(m, q.tolist(), qd.tolist(), x, Known(given={*given}))
        np.testing.assert_allclose(np.array(found, dtype=float), [qdd, tau], atol=1e-12)


def test_a_force_on_a_joint_that_moves_no_inertia_is_refused_and_its_motion_is_not():
    m = arm("M = 0, D = (0, 0, 0), I = (0, 0, 0)")
    rest = [0.1] * 3
    for given in (set(), {0}, {0, 1}):
        with pytest.raises(da.SingularModel, match="'j3' moves no inertia"):
            hybrid_by_partition(m, rest, rest, rest, Known(given=given))
    qdd, tau = hybrid_by_partition(m, rest, rest, rest, Known(given={2}))
    assert qdd[2] == 0.1 and float(tau[2]) == 0
