"""Functions of Python in the place of kernels: called once a state, and within their arrays."""

import ctypes

import numpy as np

from dalembert.expr import program, trace
from dalembert.runtime import compile_program
from dalembert.runtime.callback import Callback

CARD = compile_program(
    program(trace(lambda x, t: [x[0] + t[0], x[1] * t[0], x[0]], [("x", 2), ("t", 1)]))
).card


def pointers(*arrays):
    return (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))


def called(function, count=None):
    """Return what is written by `one`, or by `batch` with a time for all, and a guard behind it."""
    x, t, out = np.arange(8.0).reshape(4, 2), np.array([0.5]), np.full((5, 3), -1.0)
    made, ins, outs = Callback(CARD, function), pointers(x, t), pointers(out)
    if count is None:
        made._one(ctypes.addressof(ins), None, ctypes.addressof(outs), None)
    else:
        strides = (ctypes.c_int64 * 2)(16, 0)
        at = (ctypes.addressof(ins), ctypes.addressof(strides), None, 0, ctypes.addressof(outs))
        made._batch(*at, count, None)
    return made, x, out


def test_one_state_is_one_call_and_batches_go_row_by_row():
    seen = []

    def function(x, t):
        seen.append((*x, *t))
        return [x[0] + t[0], x[1] * t[0], x[0]]

    _, x, out = called(function)
    assert seen == [(0, 1, 0.5)]
    np.testing.assert_array_equal(out, [[0.5, 0.5, 0], *[[-1] * 3] * 4])
    _, x, out = called(function, 4)
    np.testing.assert_array_equal(out[:4], np.column_stack([x[:, 0] + 0.5, x[:, 1] / 2, x[:, 0]]))
    assert (out[4] == -1).all() and len(seen) == 5


def test_an_exception_is_kept_and_nothing_more_is_called():
    seen = []

    def function(x, t):
        seen.append(1)
        if len(seen) == 2:
            raise KeyError("the second state")
        return [1.0, 2.0, 3.0]

    made, _, out = called(function, 4)
    assert isinstance(made.error, KeyError) and len(seen) == 2
    np.testing.assert_array_equal(out[0], [1, 2, 3])
    assert np.isnan(out[1:4]).all() and (out[4] == -1).all()
