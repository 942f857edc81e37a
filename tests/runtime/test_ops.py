"""Every primitive, compiled, against its float evaluation."""

import itertools
import math

import numpy as np
import pytest

from dalembert.expr import OPS, program, trace
from dalembert.expr import graph as graphs
from dalembert.runtime import compile_program
from dalembert.runtime.lower import COMPOSITE, MASKS, SIMPLE

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-310, 1e300, -1e300, math.inf, -math.inf, math.nan]
EXACT = set(OPS) - {"sin", "cos", "tan", "asin", "acos", "exp", "log", "atan2"}


def kernel_of(op):
    def run(x):
        g = x[0].graph
        made = g.node(op, tuple(x[k].id for k in range(OPS[op].arity)))
        return [graphs.Expr(g, made)]

    return compile_program(program(trace(run, [("x", 3)], name=op)))


def samples(op):
    rng = np.random.default_rng(7)
    rows = [rng.normal(size=(400, 3)), rng.normal(size=(100, 3)) * 1e3, rng.uniform(size=(100, 3))]
    arity = OPS[op].arity
    if arity == 3:  # a mask is what a comparison gives
        rows = [np.column_stack([rng.integers(0, 2, 300), rng.normal(size=(300, 2))])]
    special = SPECIAL if arity < 3 else [0.0, 1.0]
    grid = [(*p, *[0.0] * (3 - arity)) for p in itertools.product(special, repeat=arity)]
    return np.concatenate([*rows, np.array(grid)])


def test_every_primitive_has_a_lowering():
    assert set(SIMPLE) | set(MASKS) | set(COMPOSITE) == set(OPS)


@pytest.mark.parametrize("op", OPS)
def test_a_compiled_primitive_agrees_with_its_float_evaluation(op):
    kernel, x = kernel_of(op), samples(op)
    with np.errstate(all="ignore"):
        wanted = OPS[op].evaluate(*x.T[: OPS[op].arity]).astype(float)
    batch = kernel(x)[:, 0]
    single = np.array([kernel(row)[0] for row in x])
    for got in (batch, single):
        if op in EXACT:
            np.testing.assert_array_equal(got, wanted)
        else:
            np.testing.assert_allclose(got, wanted, rtol=1e-15, atol=5e-324)


def test_a_mask_counts_as_a_number_where_it_is_used_as_one():
    def run(x):
        less = x[0] < x[1]
        return [less, less * x[1], 1 - less]

    kernel = compile_program(program(trace(run, [("x", 2)])))
    np.testing.assert_array_equal(kernel([1.0, 3.0]), [1.0, 3.0, 0.0])
    np.testing.assert_array_equal(kernel([[5.0, 3.0]]), [[0.0, 0.0, 1.0]])


def test_constants_are_folded_once_and_written():
    def run(x):
        g = x[0].graph
        return [3, g.constant(0.25), x[1], g.pi() * g.constant(2), g.constant(0)]

    kernel = compile_program(program(trace(run, [("x", 2)])))
    wanted = [3, 0.25, 7.0, 2 * math.pi, 0]
    np.testing.assert_array_equal(kernel([1.0, 7.0]), wanted)
    np.testing.assert_array_equal(kernel(np.tile([1.0, 7.0], (9, 1))), [wanted] * 9)


def test_nan_in_is_nan_out():
    kernel = kernel_of("mul")
    assert np.isnan(kernel([math.nan, 1.0, 0.0])).all()
