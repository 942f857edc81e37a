"""The model in coordinates of a frame: its Jacobian, and forces beside those of the joints."""

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.cartesian import J_n, motions


@pytest.mark.parametrize("robot", ["ur5", "puma560"])
def test_the_square_jacobian_of_six_joints_is_the_whole_one_in_the_axes_of_the_frame(robot):
    m = getattr(da.robots, robot)().bound()
    q = np.random.default_rng(0).uniform(-1, 1, 6)
    frame = m.bodies[-1].name
    assert sorted(motions(m)) == list(range(6))
    R = da.pose(m, q, frame=frame)[:3, :3]
    whole = np.array(da.jacobian(m, q, frame=frame))
    own = np.array(J_n(m, q.tolist(), frame), dtype=float)
    np.testing.assert_allclose(own[:3], R.T @ whole[:3], atol=1e-12)
    np.testing.assert_allclose(own[3:], R.T @ whole[3:], atol=1e-12)
    # the energy is the same in either coordinates
    D = np.array(da.cartesian_mass(m, q, frame=frame))
    np.testing.assert_allclose(own.T @ D @ own, da.mass_matrix(m, q), atol=1e-9)


def test_a_plane_arm_keeps_two_speeds_and_the_turn():
    masses = "".join(f"body {k}: M = 1, I = (0, 0, 1);" for k in (1, 2, 3))
    m = da.load("RZ(), TXK(1), RZ(), TXK(1), RZ(), tool: TXK(1);" + masses).bound()
    q = [0.3, 0.5, -0.7]
    whole = np.array(da.jacobian(m, q, frame="tool"))
    R = da.pose(m, q, frame="tool")[:3, :3]
    own = np.array(J_n(m, q, "tool"), dtype=float)
    np.testing.assert_allclose(own[:2], (R.T @ whole[:3])[:2], atol=1e-12)
    np.testing.assert_allclose(own[2], whole[5], atol=1e-12)
    with pytest.raises(da.ModelError, match="machine has 2 speeds"):
        motions(da.load("RZ(), TXK(1), RZ();"))
