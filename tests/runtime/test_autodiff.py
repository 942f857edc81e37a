"""Kernels under JAX and PyTorch: their derivatives against numerical ones, batches, parameters."""

import numpy as np
import pytest

import dalembert as da

ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "M2": 2.0},
    "phrase": "RZ(), TXK(L1), RZ(), TXK(0.4); body 1: M = 3*L1, D = (L1/2, 0, 0); "
    "body 2: M = M2, D = (0.2, 0, 0), I = (0, 0, 0.02);",
}  # fmt: skip

ARM3 = da.load(
    "RZ(), TXK(0.3), RX(), TYK(0.4), RX(), TYK(0.2); body 1: M = 2, D = (0.1, 0, 0), "
    "I = (0.1, 0.1, 0.2); body 2: M = 1, D = (0, 0.2, 0), I = (0.1, 0.1, 0.1); "
    "body 3: M = 0.5, D = (0, 0.1, 0), I = (0.01, 0.02, 0.03);"
)


def kernel():
    return da.compile(da.load(ARM), "inverse_dynamics", parameters=["L1", "M2"])


def states(m, count=None, seed=0):
    rng = np.random.default_rng(seed)
    lead = () if count is None else (count,)
    q = da.integrate(m, da.neutral(m), rng.normal(size=(*lead, m.nv)))
    return q, *rng.normal(size=(2, *lead, m.nv))


@pytest.fixture(scope="module")
def jax():
    found = pytest.importorskip("jax")
    found.config.update("jax_enable_x64", True)
    return found


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_jax_checks_derivatives_of_both_ways_twice(jax, name):
    from jax.test_util import check_grads

    m = ARM3
    f = da.compile(m, name).jax()
    check_grads(f, states(m), order=2, modes=("fwd", "rev"), rtol=2e-5, atol=2e-5)


def test_jax_differentiates_by_the_four_numbers_of_a_quaternion(jax):
    from jax.test_util import check_grads

    m = da.robots.flying_arm()
    f = da.compile(m, "kinetic_energy").jax()
    q, qd, _ = states(m)
    check_grads(f, (q, qd), order=1, modes=("fwd", "rev"), rtol=1e-6)
    assert jax.grad(lambda x: f(x, qd))(q).shape == (m.nq,)


def test_jax_knows_parameters_batches_and_jit(jax):
    import jax.numpy as jnp

    k, m = kernel(), da.load(ARM)
    f = k.jax()
    q, qd, qdd = states(m, 7)
    L1 = np.linspace(0.3, 0.6, 7)
    assert np.array_equal(
        f(q, qd, qdd, parameters={"L1": L1}), k(q, qd, qdd, parameters={"L1": L1})
    )

    def effort(x, a, b, c):
        return jnp.sum(f(a, b, c, parameters=x) ** 2)

    slope = jax.jit(jax.grad(effort))({"L1": 0.5, "M2": 2.0}, q, qd, qdd)
    wanted = da.compile(m, "inverse_dynamics", wrt=["L1", "M2"])(q, qd, qdd)
    for n, D in zip(("L1", "M2"), wanted[1:], strict=True):
        assert slope[n] == pytest.approx(float((2 * wanted[0] * D).sum()), rel=1e-12)
    each = jax.vmap(lambda x, a, b: f(a, b, qdd[0], parameters={"L1": x}))(L1, q, qd)
    assert np.abs(each - k(q, qd, qdd[0], parameters={"L1": L1})).max() < 1e-13
    # a batch inside a batch, one of them shared
    deep = jax.vmap(lambda a: f(a, qd, qdd))(np.stack([q, q + 0.1]))
    assert np.abs(deep[1] - k(q + 0.1, qd, qdd)).max() < 1e-13


def test_jax_gives_the_checks_of_loops_without_derivatives(jax):
    m = da.robots.fivebar()
    q = np.array(da.assemble(m), dtype=float)
    v, a = (np.asarray(x) for x in da.tree_motion(m, q, [1.0, 0, 0.5, 0], [0.3, 0, 0.1, 0])[:2])
    f = da.compile(m, "inverse_dynamics").jax()
    made = f(q, v, a)
    assert len(made) == 4
    _, moved = jax.jvp(f, (q, v, a), (np.ones_like(q), np.zeros_like(v), np.zeros_like(a)))
    slope = da.compile(m, "inverse_dynamics", wrt=["q"])(q, v, a)[1]
    assert np.abs(moved[0] - slope.sum(axis=1)).max() < 1e-9
    assert not np.any(moved[2])


def test_jax_works_in_the_precision_it_is_set_to(jax):
    jax.config.update("jax_enable_x64", False)
    try:
        made = kernel().jax()(*states(da.load(ARM)))
        assert made.dtype == np.float32
    finally:
        jax.config.update("jax_enable_x64", True)


def test_forms_without_derivatives_are_refused():
    m = da.load(ARM)
    for option in ({"packed": True}, {"layout": "tiles"}, {"reduce": "max"}, {"wrt": ["q"]}):
        with pytest.raises(da.UsageError, match="no derivatives by autodiff"):
            da.compile(m, "inverse_dynamics", **option).jax()


def test_wrong_shapes_and_names_are_refused(jax):
    f = kernel().jax()
    with pytest.raises(da.UsageError, match=r"'q' has shape \(3,\)"):
        f(np.zeros(3), np.zeros(2), np.zeros(2))
    with pytest.raises(da.ParameterError, match="no parameter 'L9'"):
        f(np.zeros(2), np.zeros(2), np.zeros(2), parameters={"L9": 1.0})


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def test_torch_checks_derivatives_of_both_ways(torch):
    m = ARM3
    f = da.compile(m, "inverse_dynamics").torch()
    given = [torch.tensor(x, requires_grad=True) for x in states(m, 2)]
    assert torch.autograd.gradcheck(f, given, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lambda q: f(q, *(x.detach() for x in given[1:])), given[:1])


def test_torch_sums_what_was_broadcast_and_knows_parameters(torch):
    f, k, m = kernel().torch(), kernel(), da.load(ARM)
    q, qd, qdd = (torch.tensor(x) for x in states(m, 3))
    L1 = torch.tensor(0.45, dtype=torch.float64, requires_grad=True)
    one = qd[0].clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda x, v: f(q, v, qdd, parameters={"L1": x}), (L1, one))
    made = f(q, qd, qdd, parameters={"L1": L1}).detach().numpy()
    wanted = k(q.numpy(), qd.numpy(), qdd.numpy(), parameters={"L1": 0.45})
    assert np.array_equal(made, wanted)
    assert torch.func.vmap(f)(q, qd, qdd).shape == (3, 2)
    assert torch.func.jacfwd(f)(q[0], qd[0], qdd[0]).shape == (2, 2)
