"""Turns of constant matrices, squares of cosines, and what is no sum of sines."""

from fractions import Fraction

import numpy as np
import pytest

from dalembert.algebra import Mat3
from dalembert.equations.angles import zyx
from dalembert.equations.trig import NotTrig, trig
from dalembert.equations.trig_pairs import _square
from dalembert.expr import Graph, cos, sin, sqrt
from dalembert.expr.exact import to_float


def turn(axis, angle):
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[a, a] = R[b, b] = np.cos(angle)
    R[a, b], R[b, a] = -np.sin(angle), np.sin(angle)
    return R


@pytest.mark.parametrize(
    "angles", [(0.3, 0.4, 0.5), (-2.0, 1.2, 3.0), (0.7, np.pi / 2, 0), (0.7, -np.pi / 2, 0)]
)
def test_turns_of_a_matrix_make_it_again(angles):
    z, y, x = angles
    R = turn(2, z) @ turn(1, y) @ turn(0, x)
    made = np.eye(3)
    for axis, angle in zyx(Mat3(*R.tolist())):
        made = made @ turn(axis, angle)
    np.testing.assert_allclose(made, R, atol=1e-15)


def test_turns_of_a_matrix_of_letters_make_it_again():
    graph = Graph()
    a = graph.param("a")
    c, s = cos(a), sin(a)
    R = Mat3((c, 0, s), (0, 1, 0), (-s, 0, c))
    turns = {axis: to_float(angle, {"a": 0.4}) for axis, angle in zyx(R) if hasattr(angle, "names")}
    assert turns[1] == pytest.approx(0.4)


def test_a_function_of_a_coordinate_is_no_sum_of_sines():
    graph = Graph()
    for x in (sqrt(graph.param("q1")), graph.input("u", 0)):
        with pytest.raises(NotTrig):
            trig(x)


def test_one_and_the_cosine_of_a_double_angle_are_a_square():
    double, single = (("q1", Fraction(2)),), (("q1", Fraction(1)),)
    for sign, own in ((1, "c"), (-1, "s")):
        items = {((), (), (), ""): 3, ((), (), double, "c"): 3 * sign}
        _square(items)
        assert items == {((), ((single, own),), single, own): 6}
    alone = {((), (), double, "c"): 3}
    _square(alone)
    assert alone == {((), (), double, "c"): 3}
