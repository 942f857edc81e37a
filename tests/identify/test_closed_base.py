"""Base parameters of closed machines: counts against ranks, and forces from them alone."""

import numpy as np
import pytest

import dalembert as da
from dalembert.identify.closed_base import closed_rows
from machines.graphs import closed_graph
from machines.linkages import PLANAR
from machines.spatial import SPATIAL
from wheeled import machine

NAMES = ("crank-rocker", "five-bar", "parallelogram", "slider-crank", "Stephenson III",
         "palletiser", "3-RRR", "Bennett", "Sarrus", "3-UPU")  # fmt: skip


def judged(m, drives="inertia"):
    """The count is the rank at motions of another seed; forces follow from the base alone."""
    base = da.base_parameters(m, drives)
    Y = closed_rows(m, drives, list(range(len(base.standard))), 77)
    size = np.linalg.norm(Y, axis=0)
    felt = size > 1e-9 * size.max()  # the others hold nothing but rounding
    s = np.linalg.svd(Y[:, felt] / size[felt], compute_uv=False)
    assert int((s > 1e-9 * s[0]).sum()) == len(base)
    phi = np.array([float(x) for x in da.parameter_vector(m.bound(), drives)])
    own = np.array([float(x) for x in base.values(m.bound())])
    want = Y @ phi
    np.testing.assert_allclose(Y[:, list(base.kept)] @ own, want, atol=1e-6 * np.abs(want).max())
    return base


@pytest.mark.parametrize(
    "name", [*NAMES[:5], *(pytest.param(n, marks=pytest.mark.slow) for n in NAMES[5:])]
)
def test_counts_are_ranks_of_linkages(name):
    m = da.load((PLANAR | SPATIAL)[name]()[0])
    base = judged(m)
    assert len(base) <= len(da.base_parameters(m.tree))


def test_loops_wheels_and_trees_of_the_shelf():
    four = da.robots.fourbar()
    base, q = da.base_parameters(four), da.assemble(four)
    qd, qdd = da.tree_motion(four, q, [1.0, 0, 0], [0.5, 0, 0])
    Y = da.active_regressor(four, q, qd, qdd)[:, list(base.kept)]
    own = [float(x) for x in base.values(four.bound())]
    assert Y @ own == pytest.approx(da.inverse_dynamics(four, q, qd, qdd), rel=1e-9)
    assert len(judged(four)) <= len(da.base_parameters(four.tree))
    judged(da.robots.differential_drive())
    arm = da.robots.puma560()
    assert len(da.base_parameters(arm)) == len(da.base_parameters(arm.tree))


def test_what_cannot_be_grouped_is_refused():
    with pytest.raises(da.UsageError, match="prescribed"):
        da.base_parameters(da.robots.truck())
    with pytest.raises(da.UsageError, match="values"):
        data = PLANAR["five-bar"]()[0]
        da.base_parameters(da.load(data | {"symbols": ["L"], "gravity": [0, "L", 0]}))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_counts_are_ranks_of_a_hundred_closed_graphs(seed):
    judged(da.load(closed_graph(seed)[0]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_counts_are_ranks_of_fifty_machines_on_wheels(seed):
    judged(da.load(machine(seed)))
