"""Inputs to their lanes: rows without gaps have code of their own, angles go where sines are."""

import numpy as np
import pytest

from dalembert.expr import cos, program, sin, trace
from dalembert.runtime import Form, compile_program, incoming, module
from dalembert.runtime.layout import Angle
from dalembert.runtime.schedule import schedule
from runtime.programs import pendulum_chain

COUNTS = (1, 3, 4, 5, 8, 16, 31, 32, 33, 64, 67)


def _ports(size):
    return [("q", size), ("qd", size)]


def straight(rule, size=3):
    made = module._ordered(program(trace(rule, [("y", 1), ("x", size)])))
    plan = schedule(made.step)
    return [*incoming.angles(made, plan).values()], plan


def test_an_input_that_is_an_angle_alone_goes_straight_to_its_sine():
    found, plan = straight(lambda y, x: [sin(x[1]) * y[0] + cos(x[0]) * sin(x[0])])
    assert {(a.port, a.entry) for a in found} == {(1, 0), (1, 1)}
    assert {a.place for a in found} == {0, 1}
    assert plan.turns == 4


@pytest.mark.parametrize(
    "rule",
    [
        lambda y, x: [sin(x[0]) * x[0] + y[0]],  # a number too
        lambda y, x: [sin(x[0]), x[0] + 0 * y[0]],  # a result too
        lambda y, x: [sin(x[0] + y[0])],  # an angle is made of it
        lambda y, x: [y[0] * x[0]],
    ],
)
def test_what_is_read_elsewhere_stays_in_its_block(rule):
    assert straight(rule)[0] == []


def test_long_inputs_are_moved_in_a_loop():
    many = incoming.UNROLLED + 1
    assert straight(lambda y, x: [sin(x[0]) + y[0]], many)[0] == []
    assert straight(lambda y, x: [sin(x[2]) + y[0]], many - 1)[0] == [Angle(1, 2, 0)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1, 3, 7, incoming.UNROLLED + 3])
def test_rows_without_gaps_give_the_bits_of_one_row_for_all(size, dtype):
    many = program(trace(lambda q, qd: [sin(q[-1]) * q[0] + qd[size // 2]], _ports(size)))
    made = many if size > incoming.UNROLLED else pendulum_chain(size)
    kernel = compile_program(made, form=Form(dtype=dtype))
    rng = np.random.default_rng(size)
    q, qd = rng.uniform(-3, 3, (2, max(COUNTS), size)).astype(dtype)
    # where every state reads the same row of q, these rows have no step
    wanted = np.array([kernel(row, qd)[k] for k, row in enumerate(q)])
    for count in COUNTS:
        np.testing.assert_array_equal(kernel(q[:count], qd[:count]), wanted[:count])
