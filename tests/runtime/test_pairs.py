"""Two vectors of states side by side where a program waits for itself: the same results."""

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import program_of
from dalembert.errors import UsageError
from dalembert.expr import exp, program, sin, sqrt, trace
from dalembert.runtime import Form, compile_program, latency, llvm, module
from runtime.programs import pendulum_chain

COUNTS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 130)


def block(rule, size=3):
    return program(trace(lambda x: rule(x), [("x", size)])).step


def test_the_longest_chain_counts_a_product_with_its_sum():
    assert latency.longest(block(lambda x: [x[0] + x[1]])) == 3
    assert latency.longest(block(lambda x: [x[0] * x[1] + x[2]])) == 4
    assert latency.longest(block(lambda x: [x[0] * x[1] * x[2]])) == 6
    both = block(lambda x: [(y := x[0] * x[1]) + x[2], y * x[2]])  # the product is needed itself
    assert latency.longest(both) == 6
    assert latency.longest(block(lambda x: [sqrt(x[0] / x[1])])) == 33
    assert latency.longest(block(lambda x: [x[0]])) == 0


def test_what_computes_side_by_side_anyway_or_asks_libm_is_not_paired():
    assert latency.waits(block(lambda x: [sin(x[0]) * x[1] + x[2]]))
    assert not latency.waits(block(lambda x: [a * b for a in x for b in x], 8))
    assert not latency.waits(block(lambda x: [exp(x[0])]))


def paired_or_not(made, form, monkeypatch):
    monkeypatch.setattr(module, "PAIRED", llvm.host().lanes)  # on any processor
    assert module._vectors(made, form) == 2
    both = compile_program(made, form=form)
    monkeypatch.setattr(module, "PAIRED", 0)
    assert module._vectors(made, form) == 1
    return both, compile_program(made, form=form)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_pairs_give_the_same_bits(name, dtype, monkeypatch):
    m = da.robots.ur5()
    method = {"method": "composite"} if name == "forward_dynamics" else {}
    form = Form(dtype=dtype, packed=name == "mass_matrix")
    both, usual = paired_or_not(program_of(m, name, **method), form, monkeypatch)
    rng = np.random.default_rng(5)
    for count in COUNTS:
        given = [rng.uniform(-3, 3, (count, 6)).astype(dtype) for _ in both.inputs]
        np.testing.assert_array_equal(both(*given), usual(*given))


def test_pairs_take_parameters_for_each_state(monkeypatch):
    made = pendulum_chain(2, parameters=True)
    both, usual = paired_or_not(made, Form(), monkeypatch)
    rng = np.random.default_rng(6)
    for count in COUNTS:
        q, qd = rng.normal(size=(2, count, 2))
        for length in (1.3, rng.uniform(1, 2, count)):
            given = {"L": length, "m": 1.1}
            wanted = usual(q, qd, parameters=given)
            np.testing.assert_array_equal(both(q, qd, parameters=given), wanted)


def test_arrays_known_to_be_apart_do_not_hide_an_overlap():
    k = compile_program(pendulum_chain(5))
    memory = np.linspace(0.1, 1, 40)
    q, qd, out = memory[:5], memory[10:15], memory[20:25]
    for _ in range(3):
        k(q, qd, out=out)
    for near in (memory[4:9], memory[12:17], memory[14:19]):
        with pytest.raises(UsageError, match="overlaps"):
            k(q, qd, out=near)
        assert k(q, qd, out=out) is out
    with pytest.raises(UsageError, match="overlaps"):
        k(memory[17:22], qd, out=out)
    assert np.array_equal(k(q, qd, out=out), k(q.copy(), qd.copy()))
