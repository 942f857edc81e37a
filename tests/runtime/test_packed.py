"""Packed results: every distinct value once, no zeros, and the whole array bit for bit."""

import numpy as np
import pytest

import dalembert as da
from dalembert import bench
from dalembert.errors import UsageError
from dalembert.expr import program, trace
from dalembert.runtime import Form, compile_program

LEG = "RZ(), RX(), RY(), TZK(-0.4), RY(), TZK(-0.4), RY(), RX(), TZK(-0.1)"
QUANTITIES = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
    "forward_dynamics_derivatives": ("q", "qd", "tau"),
    "jacobian": ("q",),
    "inverse_dynamics": ("q", "qd", "qdd"),
}


def humanoid():
    """Return a free body with two legs, and a trunk of two joints with two arms."""
    arm = LEG.replace("-", "")
    left, right = (f"[TYK({y}), {LEG}]" for y in (0.1, -0.1))
    up = f"RZ(), RY(), TZK(0.5) [TYK(0.2), {arm}] [TYK(-0.2), {arm}], RZ(), RY(), TZK(0.2)"
    m = da.load(f"TZK(0.1) {left} {right}, {up};", base="free")
    rng = np.random.default_rng(0)
    return m.with_values(**{n: float(rng.uniform(1, 2)) for n in m.open_parameters})


def many(result):
    return result if isinstance(result, tuple) else (result,)


def states(m, names, count=67):
    rng = np.random.default_rng(3)
    q = da.integrate(m, np.tile(da.neutral(m), (count, 1)), rng.uniform(-1, 1, (count, m.nv)))
    return [q if n == "q" else rng.uniform(-1, 1, (count, m.nv)) for n in names]


def same(whole, packed, given):
    wanted, found = many(whole(*given)), many(packed.unpack(packed(*given)))
    assert len(wanted) == len(found)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(wanted, found, strict=True))
    one = [x[11] for x in given]
    pairs = zip(many(whole(*one)), many(packed.unpack(packed(*one))), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


@pytest.fixture(scope="module")
def machines():
    return {"arm": da.robots.ur5(), "seven": da.robots.panda(), "tree": humanoid()}


LONG = ("tree", "forward_dynamics_derivatives")  # to compile


@pytest.mark.parametrize(
    ("machine", "name"),
    [
        pytest.param(machine, name, marks=[pytest.mark.slow] * ((machine, name) == LONG))
        for name in QUANTITIES
        for machine in ("arm", "seven", "tree")
    ],
)
def test_whole_and_packed_results_are_the_same(machines, machine, name):
    m = machines[machine]
    packed = da.compile(m, name, packed=True)
    same(da.compile(m, name), packed, states(m, QUANTITIES[name]))


@pytest.mark.slow
def test_results_of_a_large_humanoid():
    m = bench.robots().get("Talos")
    if m is None:
        pytest.skip("no file of Talos here")
    for name in ("mass_matrix", "inverse_dynamics_derivatives"):
        packed = da.compile(m, name, packed=True)
        same(da.compile(m, name), packed, states(m, QUANTITIES[name]))


def test_symmetric_pairs_are_written_once_and_branches_not_at_all(machines):
    m = machines["tree"]
    k = da.compile(m, "mass_matrix", packed=True)
    apart = (k.packed == -1).sum()
    assert k.packed.shape == (m.nv, m.nv) and np.array_equal(k.packed, k.packed.T)
    assert apart >= 2 * (6 * 6 + 4 * 12)  # leg and leg, legs and arms
    assert k.outputs[0].size <= (m.nv * (m.nv + 1) - apart) // 2
    assert sorted({*k.packed.ravel().tolist()}) == list(range(-1, k.outputs[0].size))
    first = [int(np.argmax(k.packed.ravel() == n)) for n in range(k.outputs[0].size)]
    assert first == sorted(first)  # in the order of first appearance, row by row


def test_values_known_only_at_run_time_are_packed_too():
    m = da.robots.scara()
    given = {n: 0.5 + 0.1 * k for k, n in enumerate(m.open_parameters)}
    q = np.random.default_rng(1).uniform(-1, 1, (9, 4))
    k = da.compile(m, "mass_matrix", packed=True)
    wanted = da.compile(m, "mass_matrix")(q, parameters=given)
    assert np.array_equal(k.unpack(k(q, parameters=given)), wanted)


def test_leading_dimensions_and_out(machines):
    k = da.compile(machines["arm"], "mass_matrix", packed=True)
    q = np.random.default_rng(2).uniform(-1, 1, (3, 5, 6))
    out = np.empty((3, 5, k.outputs[0].size))
    assert k(q, out=out) is out and k.unpack(out).shape == (3, 5, 6, 6)
    assert k(np.empty((0, 6))).shape == (0, k.outputs[0].size)


def test_constants_and_outputs_of_zeros():
    def run(x):
        return [[0, 2, x[0], 2], [0, 0, 0, 0]]

    made = program(trace(run, [("x", 1)], outputs=[("a", (2, 2)), ("b", (4,))]))
    k = compile_program(made, form=Form(packed=True))
    assert [p.shape for p in k.outputs] == [(2,), (0,)]
    a, b = k.unpack(k([[7.0]] * 5))
    assert a.tolist() == [[[0, 2], [7, 2]]] * 5 and not b.any() and b.shape == (5, 4)
    a, b = k.unpack(k([7.0]))
    assert a.tolist() == [[0, 2], [7, 2]] and b.tolist() == [0] * 4


def test_packed_kernels_come_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    m = da.robots.ur5()
    first, whole = (da.compile(m, "mass_matrix", packed=p) for p in (True, False))
    again = da.compile(m, "mass_matrix", packed=True)
    assert np.array_equal(first.packed, again.packed) and whole.packed is None
    assert len([*tmp_path.iterdir()]) >= 2


@pytest.mark.filterwarnings("ignore:DALEMBERT_JIT")
def test_numpy_gives_the_same(monkeypatch, machines):
    m = machines["arm"]
    q = states(m, ("q",))[0]
    wanted = da.compile(m, "mass_matrix")(q)
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    k = da.compile(m, "mass_matrix", packed=True)
    np.testing.assert_allclose(k.unpack(k(q)), wanted, atol=1e-13)


def test_mistakes_are_named(machines):
    m = machines["arm"]
    with pytest.raises(UsageError, match="packed='yes'"):
        da.compile(m, "mass_matrix", packed="yes")
    with pytest.raises(UsageError, match="whole"):
        da.compile(m, "mass_matrix").unpack(np.zeros(18))
    k = da.compile(m, "mass_matrix", packed=True)
    with pytest.raises(UsageError, match=r"expected \(\.\.\., "):
        k.unpack(np.zeros((4, 5)))
    with pytest.raises(UsageError, match="takes 3 arrays"):
        da.compile(m, "inverse_dynamics_derivatives", packed=True).unpack(np.zeros(3))
