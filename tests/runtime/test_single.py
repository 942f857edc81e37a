"""Kernels compiled for one state at a time: the same results in batches, half the code."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute.trace import program_of
from dalembert.runtime import compile_program
from dalembert.runtime.module import alone, module


@pytest.mark.parametrize("name", ["ur5", "puma560", "fourbar"])
def test_batches_are_rows_of_single_calls(name):
    m = getattr(da.robots, name)()
    program = program_of(m, "inverse_dynamics", None)
    both, one = compile_program(program), compile_program(program, single=True)
    q = da.assemble(m) if m.loops else np.full(m.nq, 0.3)
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, 37, m.nv))
    want, found = both(q, qd, qdd), one(q, qd, qdd)
    want, found = (x if isinstance(x, tuple) else (x,) for x in (want, found))
    for a, b in zip(want, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-11, atol=1e-11 * (1 + np.abs(a).max()))
    alone_ = one(q, qd[5], qdd[5])
    first = alone_[0] if isinstance(alone_, tuple) else alone_
    np.testing.assert_array_equal(found[0][5], first)
    assert len(alone(program)[0]) < 0.75 * len(module(program)[0])


def test_an_empty_batch_and_parameters_by_state():
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2); gravity = (0, G, 0);")
    names = {p.name: 0.5 for p in m.parameters}
    program = program_of(m, "inverse_dynamics", None, parameters=tuple(sorted(names)))
    kernel = compile_program(program, single=True)
    assert kernel(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)), parameters=names).shape == (
        0,
        2,
    )
    lengths = np.linspace(0.1, 1.0, 9)
    got = kernel(np.zeros(2), np.zeros(2), np.ones(2), parameters=names | {"L1": lengths})
    for x, row in zip(lengths, got, strict=True):
        own = kernel(np.zeros(2), np.zeros(2), np.ones(2), parameters=names | {"L1": float(x)})
        np.testing.assert_array_equal(row, own)
