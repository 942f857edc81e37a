"""Threads that stay on cores give the same numbers."""

import os

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UsageError
from dalembert.runtime.crew import crew
from dalembert.runtime.team import size

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system does not keep threads on cores"
)


def test_threads_on_cores_give_the_same_numbers():
    cores = sorted(os.sched_getaffinity(0))[:2]
    m = da.robots.scara().with_values(**dict.fromkeys(da.robots.scara().open_parameters, 1.0))
    q = np.random.default_rng(0).normal(size=(1000, m.nq))
    alone = da.compile(m, "mass_matrix")(q)
    for team in (cores, cores[:1]):
        k = da.compile(m, "mass_matrix", threads=team)
        assert k.threads == tuple(team) and size(k.threads) == len(team)
        assert np.array_equal(k(q), alone)
    (thread,) = crew((cores[0],)).threads
    assert os.sched_getaffinity(thread.native_id) == {cores[0]}


@pytest.mark.parametrize("threads", [[], [0, 0], [10_000], ["0"], 0, True, None])
def test_other_cores_are_refused(threads):
    with pytest.raises(UsageError, match="threads="):
        da.compile(da.robots.planar2r(), "gravity", threads=threads)
