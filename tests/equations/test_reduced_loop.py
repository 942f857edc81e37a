"""The pruned PUMA of docs/reduced.md in its loop: the C of that page, and a law in a simulation."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.equations.tolerance import at_most

PAGE = Path(__file__).parents[2] / "docs" / "reduced.md"
LIMITS = {"all": {"qd": 1.5, "qdd": 4}}
MANY = """
void many(long n, const double *q, const double *qd, const double *goal, double *tau)
{
    for (long i = 0; i < n; ++i)
        every_millisecond(q + 3 * i, qd + 3 * i, goal + 9 * i, tau + 3 * i);
}
"""


@pytest.fixture(scope="module")
def small():
    return da.equations(da.robots.puma560()).freeze([4, 5, 6]).prune({}, LIMITS, "2%")


def _loop(small, place):
    """Return the loop of the page as a function of arrays, compiled with the exported model."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    da.export(small, ["inverse_dynamics"], language="c", path=place)
    code = next(c for c in re.findall(r"```c\n(.*?)```", PAGE.read_text(), re.S) if "every_" in c)
    (place / "loop.c").write_text(code + MANY)
    sources = [str(place / name) for name in ("loop.c", "puma560.c")]
    library = place / "loop.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", *sources, "-o", library, "-lm"], check=True)
    many = ctypes.CDLL(str(library)).many

    def run(q, qd, goal):
        tau = np.empty_like(q)
        given = [np.ascontiguousarray(x) for x in (q, qd, goal)]
        many(ctypes.c_long(len(q)), *(x.ctypes.data_as(ctypes.c_void_p) for x in (*given, tau)))
        return tau

    return run


def test_the_page_says_what_is_proven(small):
    text = PAGE.read_text()
    share = f"({small.share[0] * 100:.3f} percent of the force {small.reference[0]:.6g}"
    assert f"joint 1: error at most {at_most(small.bound[0])} N m {share}" in text
    said = re.search(r"where (\S+), (\S+) and (\S+) N m are proven", " ".join(text.split()))
    assert all(b <= float(x) <= b + 0.01 for b, x in zip(small.bound, said.groups(), strict=True))


def test_the_loop_in_c_stays_inside_the_bound_for_a_million_states(small, tmp_path):
    run = _loop(small, tmp_path)
    whole = da.compile(da.robots.puma560().lock([4, 5, 6]), "inverse_dynamics")
    rng = np.random.default_rng(7)
    worst = np.zeros(3)
    for _ in range(10):
        q, qd, qdd = (rng.uniform(-x, x, (100_000, 3)) for x in (np.pi, 1.5, 4))
        # half of the rates and accelerations in corners of the box
        qd[::2], qdd[::2] = 1.5 * np.sign(qd[::2]), 4 * np.sign(qdd[::2])
        tau = run(q, qd, np.hstack([q, qd, qdd]))
        worst = np.maximum(worst, np.abs(tau - whole(q, qd, qdd)).max(axis=0))
    assert (worst <= small.bound).all()
    assert (worst >= 0.7 * np.array(small.bound)).all()
    # and it pulls towards the goal
    goal = np.hstack([q, qd, qdd])
    pulled = run(q - 0.01, qd - 0.1, goal) - run(q, qd, goal)
    np.testing.assert_allclose(pulled, 400 * 0.01 + 40 * 0.1, rtol=1e-9)


def test_a_pruned_feed_forward_follows_nearly_as_well_as_the_whole_one(small):
    m = da.robots.puma560()
    move = da.trajectory.quintic([0, -0.5, 0, 0, 0, 0], [1, 0.5, -0.5, 0, 0, 0], 1.2)
    times = np.linspace(0, 1.2, 61)

    def run(model):
        make = da.control.FeedForward if model is not None else da.control.PD
        more = {"model": model} if model is not None else {"gravity": False}
        law = make(goal=move, kp=400, kd=40, **more)
        r = da.simulate(m, move(0.0), torque=law, t=times, drives="inertia")
        return np.abs(r.q - move(r.t)).max(), r.q

    (alone, _), (whole, full), (pruned, short) = run(None), run(m), run(small)
    assert whole < 1e-4 < pruned < 0.02 * alone
    # the force that is missing, over the spring of the law, is how far both are apart
    assert (np.abs(short - full)[:, :3].max(axis=0) <= 2 * np.array(small.bound) / 400).all()
