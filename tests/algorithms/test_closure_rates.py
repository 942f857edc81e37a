"""Names of closure equations, rates of unfolded sines, and wrenches in Kane's equations."""

import math

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.kane import kane
from dalembert.algorithms.loop_closure import _unfolded, equation_names
from dalembert.algorithms.moving_vectors import Jet
from dalembert.algorithms.newton_euler import newton_euler
from dalembert.spatial import Wrench

ARM = (
    "RZ(), TXK(0.5), RY(), TXK(0.4); gravity = (0, 0, -9.81); "
    "body 1: M = 2, D = (0.3, 0.1, 0.2), I = (0.1, 0.2, 0.3); "
    "body 2: M = 1, D = (0.2, -0.1, 0.3), I = (0.1, 0.2, 0.3);"
)


def test_wrenches_act_alike_in_kanes_equations_and_in_the_recursion():
    arm = da.load(ARM)
    q, qd, qdd = [0.3, -0.7], [0.5, 1.1], [-0.2, 0.9]
    acting = {1: Wrench(Vec3(1.0, -2.0, 3.0), Vec3(0.4, 0.5, -0.6))}
    one, two = (floats(f(arm, q, qd, qdd, acting)) for f in (kane, newton_euler))
    np.testing.assert_allclose(one, two, rtol=1e-12)
    assert not np.allclose(one, floats(kane(arm, q, qd, qdd)))


def test_a_coupling_is_one_equation_without_a_number():
    followed = da.load(
        {
            "bodies": [
                {"name": "a", "parent": -1, "joint": {"type": "revolute"}},
                {"name": "b", "parent": "a", "joint": {"type": "revolute"}},
            ],
            "couplings": [{"joint": "b", "of": "a", "ratio": 2}],
        },
        mimic="couple",
    )
    assert equation_names(followed) == ["coupling of b"]


def test_rates_of_unfolded_sines_are_those_of_twice_the_sine_of_half_the_angle():
    a, ad = 1.9, 0.7
    half = Jet(math.cos(a / 2) ** 2, -math.sin(a) / 2 * ad, 0)
    (made,) = _unfolded([Jet(math.sin(a), math.cos(a) * ad, 0)], half)
    assert float(made.x) == pytest.approx(2 * math.sin(a / 2), rel=1e-14)
    assert float(made.xd) == pytest.approx(math.cos(a / 2) * ad, rel=1e-13)
