"""Kernels compiled for one state at a time: the same results in batches, half the code."""

from importlib import import_module

import numpy as np
import pytest

import dalembert as da
from dalembert.compute.trace import program_of
from dalembert.runtime import Form, compile_program, library
from dalembert.runtime.module import alone, module

PENDULUM = "RZ(), TXK(0.5); gravity = (0, -9.81, 0); body 1: M = 2, D = (0.5, 0, 0);"


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


def test_results_that_are_always_zero_are_cleared_and_written_over():
    """Entries between branches are zero; one state finds them so in memory that was used before."""
    legs = ", ".join(["[RZ(), TXK(0.3), RX(), TYK(0.2)]"] * 7).replace("], [", "][")
    m = da.load(f"{legs};").with_values(**dict.fromkeys(
        [p.name for p in da.load(f"{legs};").parameters if p.name != "G"], 0.5))  # fmt: skip
    program = program_of(m, "mass_matrix", None)
    q = np.linspace(-1, 1, m.nq)
    want = compile_program(program)(np.array([q, q, q]))[1]
    assert (want == 0).sum() > 100  # thirteen entries of a column are none of its branch
    for text in (module(program)[0], alone(program)[0]):
        assert "@blank" in text
    for kernel in (compile_program(program), compile_program(program, single=True)):
        out = np.full((m.nv, m.nv), np.nan)
        kernel(q, out=out)
        np.testing.assert_allclose(out, want, rtol=1e-13, atol=1e-13)


def test_code_for_batches_is_made_when_a_batch_is_asked_for(monkeypatch):
    evaluate = import_module("dalembert.compute.evaluate")
    asked = []
    own = evaluate.kernel_of

    def seen(*args, **settings):
        asked.append(settings.get("single", False))
        return own(*args, **settings)

    monkeypatch.setattr(evaluate, "kernel_of", seen)
    m, q = da.robots.ur5(), np.full(6, 0.3)
    one, two = da.gravity(m, q), da.gravity(m, np.array([q, q]))
    assert asked == [True, False]
    np.testing.assert_allclose(two, [one, one], rtol=1e-12, atol=1e-12)


def test_single_goes_with_plain_arrays_only():
    m = da.robots.ur5()
    assert da.compile(m, "gravity", single=True)(np.zeros((3, 6))).shape == (3, 6)
    with pytest.raises(da.UsageError, match="plain arrays"):
        da.compile(m, "gravity", single=True, packed=True)


def test_a_kernel_asks_only_for_the_sines_of_its_lanes(monkeypatch):
    monkeypatch.setattr(library, "_loaded", {})
    pendulum = program_of(da.load(PENDULUM), "gravity", None)
    one = compile_program(pendulum, single=True)
    assert [*library._loaded] == ["one"]
    single = compile_program(pendulum, form=Form(dtype="float32"))
    assert [*library._loaded] == ["one", "float32"]
    both = compile_program(pendulum)
    assert [*library._loaded] == ["one", "float32", "many"]
    q = np.linspace(-2, 2, 37)[:, None]
    np.testing.assert_allclose(one(q), both(q), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(single(q.astype("float32")), both(q), rtol=1e-5, atol=1e-5)


def test_a_kernel_that_a_driver_calls_answers_python_too():
    pendulum = program_of(da.load(PENDULUM), "gravity", None)
    driven, usual = (compile_program(pendulum, single=True, driven=d) for d in (True, False))
    q = np.linspace(-2, 2, 5)[:, None]
    np.testing.assert_array_equal(driven(q), usual(q))
    np.testing.assert_array_equal(driven(q[1]), usual(q[1]))
