"""The report's robot pruned where its last joint needs no force, and how strong the search is."""

import numpy as np
import pytest

import dalembert as da
from report_values import VALUES

BOX = {"all": {"q": [-1.5, 1.5], "qd": 2.0, "qdd": 4.0}}


def test_a_joint_that_needs_no_force_does_not_keep_all_terms():
    """With IX6 = IY6 joint 6 needs no force: it must not stop the others from being pruned."""
    eq = da.equations(da.robots.report6r())
    even = eq.prune({**VALUES, "IY6": VALUES["IX6"]}, BOX, "5%")
    assert even.gone > 350 and even.kept + even.gone == 578
    assert even.idle == (False,) * 5 + (True,) and even.bound[5] < 1e-12


@pytest.mark.slow
def test_random_states_do_not_find_more_than_what_is_attained():
    eq = da.equations(da.robots.report6r())
    made = eq.prune(VALUES, BOX, "5%")
    rng = np.random.default_rng(47)
    q, qd, qdd = (rng.uniform(-a, a, (3000, 6)) for a in (1.5, 2.0, 4.0))
    tau = np.abs(eq.evaluate(VALUES, q, qd, qdd)).max(axis=0)
    assert (tau <= np.array(made.reference) * (1 + 1e-9)).all()
    error = np.abs(made.equations.evaluate(VALUES, q, qd, qdd) - eq.evaluate(VALUES, q, qd, qdd))
    assert (error.max(axis=0) <= np.array(made.bound) + 1e-12).all()
