"""Distances to singular poses beside finite motions of the machine."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.plan.assembly import Closure, assemble, close
from dalembert.plan.singular import cartesian_jacobian, check_cartesian, platform_name

FIVE = [2.2, -1.0, 0.9, 1.0]


def motions(m, q, rank):
    """Return an orthonormal basis of closed motions, by finite differences, lengths in sizes."""
    c, h = Closure(m), 1e-6
    slopes = [(c.residual(c.moved(q, h * e)) - c.residual(c.moved(q, -h * e))) / (2 * h)
              for e in np.eye(m.nv)]  # fmt: skip
    return np.linalg.svd(np.transpose(slopes))[2][rank:].T


def moved(m, q, way, what):
    """Return the rate of something along a closed motion."""
    c, h = Closure(m), 1e-4
    ends = [close(c, c.moved(q, sign * h * way))[0] for sign in (1, -1)]
    return (what(ends[0]) - what(ends[1])) / (2 * h)


def test_the_distance_to_type_two_is_the_least_share_of_the_motors_in_a_motion():
    m = da.robots.fourbar()
    q = assemble(m, [0.4, 0.2, 1.1])
    (way,) = motions(m, q, 2).T
    assert da.singularity(m, q).type2 == pytest.approx(abs(way[0]), abs=1e-6)
    five = da.robots.fivebar()
    q = assemble(five, FIVE)
    cranks = [k for k, b in enumerate(five.bodies) if "crank" in b.name]
    share = np.linalg.svd(motions(five, q, 2)[cranks], compute_uv=False)
    found = da.singularity(five, q)
    assert found.type2 == pytest.approx(share[-1], abs=1e-6) and share[-1] < 0.9 * share[0]


def test_the_distance_to_type_one_is_the_slowest_motion_of_the_output_by_its_quickest():
    m = da.robots.fivebar()
    q, c = assemble(m, FIVE), Closure(m)

    def tip(q):
        return (da.pose(m, q, frame="rodA") @ [0.6, 0, 0, 1])[:3]

    ways = motions(m, q, 2).T
    speeds = np.linalg.svd(np.transpose([moved(m, q, w, tip) for w in ways]), compute_uv=False)
    found = da.singularity(m, q, output="rodA", point=(0.6, 0, 0))
    assert found.type1 == pytest.approx(speeds[1] / speeds[0], rel=1e-4)
    assert found.output == "rodA"
    # the whole twist: turning counts too, lengths in parts of the size
    twists = np.transpose([da.jacobian(m, q, frame="rodA") @ w for w in ways])
    twists[:3] /= c.size
    sizes = np.linalg.svd(twists, compute_uv=False)
    whole = da.singularity(m, q, output="rodA")
    assert whole.type1 == pytest.approx(sizes[1] / sizes[0], rel=1e-5)
    # a point has three directions, also where the machine has six freedoms
    hexapod = da.robots.stewart()
    rest = assemble(hexapod)
    point = da.singularity(hexapod, rest, output=platform_name(hexapod), point=(0, 0, 0))
    assert 0.1 < point.type1 <= 1
    # one freedom has one motion: the slowest is the quickest
    four = da.robots.fourbar()
    assert da.singularity(four, assemble(four, [0.4, 0.2, 1.1])).type1 == pytest.approx(1)


def test_the_output_is_a_platform_the_cut_point_of_one_loop_or_nothing():
    m = da.robots.three_rrr()
    assert platform_name(m) == "platform" and platform_name(da.robots.fivebar()) is None
    q = assemble(m)
    assert da.singularity(m, q).output == "platform"
    assert da.singularity(m, q, output="rod1").output == "rod1"
    from machines import linkages

    data, q = linkages.peaucellier()
    found = da.singularity(da.load(data), q)
    assert found.output == "" and np.isnan(found.type1) and found.type2 > 0 < found.closure


def test_the_closure_of_a_machine_is_as_far_from_singular_in_any_unit():
    m = da.robots.fivebar()
    q = assemble(m, FIVE)
    s = np.linalg.svd(Closure(m).jacobian(q), compute_uv=False)
    assert da.singularity(m, q).closure == pytest.approx(s[1] / s[0]) and s[2] < 1e-9


def test_the_rate_of_the_cartesian_jacobian_is_its_slope_in_time():
    m = da.load("RZ(), TXK(1), RZ(), TXK(0.5), TZ(), tool: TXK(0.3);"
                + "".join(f"body {k}: M = 1, D = (0.2, 0.1, 0), I = (0, 0, 0.1);"
                          for k in (1, 2, 3)))  # fmt: skip
    rng = np.random.default_rng(0)
    q, qd, h = rng.uniform(-1, 1, (2, 4, 3)), rng.uniform(-1, 1, (2, 4, 3)), 1e-6
    for frame in ("tool", None):
        J = cartesian_jacobian(m, q, frame=frame)
        slope = (cartesian_jacobian(m, q + h * qd, frame=frame)
                 - cartesian_jacobian(m, q - h * qd, frame=frame)) / (2 * h)  # fmt: skip
        found = cartesian_jacobian(m, q, qd, frame)
        assert J.shape == found.shape == (2, 4, 3, 3)
        np.testing.assert_allclose(found, slope, atol=1e-8)
        # each state alone, and one rate for all states
        np.testing.assert_array_equal(cartesian_jacobian(m, q[1, 2], qd[1, 2], frame), found[1, 2])
        same = cartesian_jacobian(m, q, qd[0, 0], frame)
        np.testing.assert_array_equal(same[1, 3], cartesian_jacobian(m, q[1, 3], qd[0, 0], frame))


def test_the_condition_of_a_frame_measures_lengths_by_the_largest_lever():
    m = da.load("RZ(), TXK(L), RZ(), TXK(0.5), RZ(), tool: TXK(0.3);"
                + "".join(f"body {k}: M = 1, D = (0.2, 0, 0), I = (0, 0, 0.1);"
                          for k in (1, 2, 3))).with_values({"L": 2.0})  # fmt: skip
    q = np.array([[0.3, 1.0, 0.2], [0.3, 0.0, 0.2], [0.1, -2.0, 0.5]])
    report = da.cartesian_singularity(m, q, "tool")
    J = cartesian_jacobian(m, q, frame="tool")
    lever = np.abs(J[:, :2]).max()  # x and y; the third row is the turn
    np.testing.assert_allclose(J[:, 2], 1.0)
    assert report.length == pytest.approx(lever) and report.frame == "tool"
    J[:, :2] /= lever
    s = np.linalg.svd(J, compute_uv=False)
    np.testing.assert_allclose(report.smallest, s[:, -1], atol=1e-15)
    np.testing.assert_allclose(report.condition[[0, 2]], (s[:, 0] / s[:, -1])[[0, 2]])
    short = da.cartesian_singularity(m, q[0], "tool", {"L": 0.1})
    assert short.length < report.length and short.smallest != report.smallest[0]
    turning = da.load("RX(), RY(), RZ(); body 3: M = 1, I = (1, 2, 3);")
    assert da.cartesian_singularity(turning, [0.1, 0.2, 0.3]).length == 1.0
    check_cartesian(m, q[[0, 2]], "tool")
    check_cartesian(m, q * np.nan, "tool")  # other checks speak of these
    with pytest.raises(da.SingularPose, match=r"'tool'.*state 1"):
        check_cartesian(m, q, "tool")


def test_a_structure_that_cannot_move_is_not_singular_of_either_type():
    m = da.robots.fourbar()
    q = assemble(m, [1.0, -1.0, 1.0])
    # the coupler is held at its middle too
    spot = da.pose(m, q, frame="coupler") @ [0.4, 0, 0, 1]
    loop = replace(m.loops[0], body_j=-1, point_i=m.loops[0].point_i * 0.5,
                   point_j=type(m.gravity)(*map(float, spot[:3])))  # fmt: skip
    rigid = replace(m, loops=(*m.loops, loop), checked=False)
    assert da.plan(rigid, q).mobility == 0
    found = da.singularity(rigid, q, output="coupler")
    assert found.type1 == found.type2 == 1 and found.closure > 0.01


def test_the_motion_of_a_platform_is_measured_in_sizes_and_radians():
    """Of its twist only the linear half is divided by the size of the machine."""
    m = da.robots.stewart()
    q, c = assemble(m), Closure(m)
    twist = np.array(da.jacobian(m, q, frame="platform"), dtype=float) * c.column_size
    twist /= np.repeat([c.size, 1.0], 3)[:, None]
    J = c.jacobian(q)
    N = np.linalg.svd(J)[2][np.linalg.matrix_rank(J) :].T
    shares = np.linalg.svd(twist @ N, compute_uv=False)
    assert da.singularity(m, q).type1 == pytest.approx(shares[-1] / shares[0], rel=1e-9)
