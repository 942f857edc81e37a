"""Exact derivatives of a quantity by its inputs and parameters (`wrt`)."""

import numpy as np
import pytest

import dalembert as da
from models import newton_euler

ARM = da.load({
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "L2": 0.4, "N": 60.0},
    "phrase": "RZ(-3, 3), TXK(L1), RZ(-3, 3), tip: TXK(L2); body 1: M = 3*L1, D = (L1/2, 0, 0), "
    "I = (0, 0, L1^3/4); body 2: M = 2*L2, D = (L2/2, 0, 0), I = (0, 0, L2^3/6);",
    "drives": [{"joint": "j1", "Ia": "1e-4*N^2"}],
})  # fmt: skip


@pytest.mark.parametrize("name", ["inverse_dynamics", "mass_matrix", "kinetic_energy"])
def test_slopes_by_parameters_are_those_of_central_differences(name):
    k = da.compile(ARM, name, wrt=["L1", "L2", "N"])
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(7, 2)) for _ in k.inputs]
    made = k(*inputs)
    for n, slope in zip(("L1", "L2", "N"), made[1:], strict=True):
        x = float(ARM.values[n])
        h = 1e-6 * x
        up, down = (da.compile(ARM, name, parameters=[n])(*inputs, parameters={n: x + s * h})
                    for s in (1, -1))  # fmt: skip
        assert np.allclose(slope, (up - down) / (2 * h), rtol=1e-6, atol=1e-7)


def test_slopes_by_states_are_those_of_the_recursion_on_the_group():
    m = da.robots.flying_arm()
    k = da.compile(m, "inverse_dynamics", wrt=["q", "qd", "qdd"])
    rng = np.random.default_rng(1)
    q = da.integrate(m, da.neutral(m), rng.normal(size=m.nv))
    qd, qdd = rng.normal(size=(2, m.nv))
    for mine, own in zip(k(q, qd, qdd)[1:], da.inverse_dynamics_derivatives(m, q, qd, qdd),
                         strict=True):  # fmt: skip
        assert np.abs(mine - own).max() < 1e-12 * np.abs(own).max()


def test_arrays_of_parameters_and_checks_of_loops_stay_where_they_were():
    k = da.compile(ARM, "inverse_dynamics", wrt="L1")
    x = np.linspace(0.3, 0.8, 5)
    tau, slope = k(np.zeros(2), np.zeros(2), np.zeros(2), parameters={"L1": x})
    assert tau.shape == slope.shape == (5, 2)
    five = da.compile(da.robots.fivebar(), "inverse_dynamics", wrt=["q"])
    assert [p.name for p in five.outputs] == ["tau", "dtau_dq", "residual", "pivot", "certificate"]


def test_a_name_that_is_nothing_is_an_error():
    with pytest.raises(da.UsageError, match="no input and no parameter"):
        da.compile(ARM, "inverse_dynamics", wrt=["L9"])


def test_the_adjoint_gives_gradients_of_weighted_sums():
    names = ["q", "qd", "L1", "L2", "N"]
    k = da.compile(ARM, "inverse_dynamics", wrt=names, adjoint=True)
    assert [p.name for p in k.inputs] == ["q", "qd", "qdd", "tau_bar"]
    assert [p.name for p in k.outputs] == ["tau", *(f"{n}_bar" for n in names)]
    rng = np.random.default_rng(2)
    q, qd, qdd, w = rng.normal(size=(4, 9, 2))
    made = k(q, qd, qdd, w)
    wanted = da.compile(ARM, "inverse_dynamics", wrt=names)(q, qd, qdd)
    assert np.allclose(made[0], wanted[0], rtol=1e-13)
    for n, bar, D in zip(names, made[1:], wanted[1:], strict=True):
        own = np.einsum("sr,src->sc", w, D) if n in ("q", "qd") else np.einsum("sr,sr->s", w, D)
        assert np.abs(bar - own).max() < 1e-12 * max(1.0, np.abs(own).max())


def test_the_adjoint_by_turning_bodies_is_along_their_velocities():
    m = da.robots.flying_arm()
    rng = np.random.default_rng(3)
    q = da.integrate(m, da.neutral(m), rng.normal(size=m.nv))
    qd, qdd, w = rng.normal(size=(3, m.nv))
    bar = da.compile(m, "inverse_dynamics", wrt="q", adjoint=True)(q, qd, qdd, w)[1]
    D = da.inverse_dynamics_derivatives(m, q, qd, qdd)[0]
    assert np.abs(bar - w @ D).max() < 1e-11 * np.abs(D).max()
    with pytest.raises(da.UsageError, match="adjoint needs names"):
        da.compile(m, "inverse_dynamics", adjoint=True)


def test_slopes_are_those_of_the_complex_step():

    state = [0.3, -0.4], [0.5, 0.6], [0.7, -0.8]
    values = {"L1": 0.5, "L2": 0.4, "N": 60.0}
    ours = da.compile(ARM, "inverse_dynamics", wrt=list(values))(*state)[1:]
    for name, slope in zip(values, ours, strict=True):
        moved = {**values, name: values[name] + 1e-30j}
        m = ARM.map(lambda x, v=moved: evaluated(x, v))
        tau = newton_euler(m, *state)
        assert np.abs(np.imag(tau) / 1e-30 - slope).max() < 1e-13 * max(1, np.abs(slope).max())


def evaluated(x, values):
    """Return a number of a mechanism for complex parameters."""
    from dalembert.expr import Expr
    from dalembert.expr.exact import to_float
    from dalembert.expr.function import evaluate

    return evaluate(x.graph, [x.id], {}, values)[0] if isinstance(x, Expr) else to_float(x)


def test_slopes_are_those_of_casadi(tmp_path):
    casadi = pytest.importorskip("casadi")
    import importlib.util

    da.export(ARM, "inverse_dynamics", "casadi", tmp_path, parameters=["L1", "L2", "N"])
    spec = importlib.util.spec_from_file_location("arm_casadi", tmp_path / "arm_casadi.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    f = module.inverse_dynamics() if callable(module.inverse_dynamics) else module.inverse_dynamics
    state = [0.3, -0.4], [0.5, 0.6], [0.7, -0.8]
    p = casadi.SX.sym("p", 3)
    J = casadi.Function("J", [p], [casadi.jacobian(f(*state, p), p)])
    ours = da.compile(ARM, "inverse_dynamics", wrt=["L1", "L2", "N"])(*state)[1:]
    assert np.abs(np.array(J([0.5, 0.4, 60.0])).T - np.array(ours)).max() < 1e-11


FOUR_BAR = """
format = "dalembert/1"
active = ["crank"]
gravity = [0, -9.81, 0]
parameters = { a = 0.3, m = 1.5 }

[[bodies]]
name = "crank"
parent = -1
joint = { type = "revolute" }
mass = 1
com = [0.15, 0, 0]

[[bodies]]
name = "coupler"
parent = "crank"
joint = { type = "revolute", placement = { translation = ["a", 0, 0] } }
mass = "m"
com = [0.4, 0, 0]
inertia = [0, 0.08, 0.08]

[[bodies]]
name = "rocker"
parent = -1
joint = { type = "revolute", placement = { translation = [0.7, 0, 0] } }
mass = 1.2
com = [0.3, 0, 0]

[[loops]]
body_i = "coupler"
point_i = [0.8, 0, 0]
body_j = "rocker"
point_j = [0.6, 0, 0]
joint = "revolute"
axis = [0, 0, 1]
"""


def test_by_a_length_of_a_loop_the_motors_stay_and_the_others_follow():
    m = da.load(FOUR_BAR)
    start = da.assemble(m)

    def state(a):
        own = m.with_values(a=a)
        q = da.assembly(own, start, steps=12)
        return own, q, (da.active_map(own, q) @ [0.7])

    def force(a):
        own, q, qd = state(a)
        return da.inverse_dynamics(own, q, qd, 0 * qd)[0]

    _, q, qd = state(0.3)
    h = 1e-5
    wanted = (force(0.3 + h) - force(0.3 - h)) / (2 * h)
    _, slope, residual, *_ = da.compile(m, "inverse_dynamics", wrt=["a"])(q, qd, 0 * qd)
    assert abs(slope[0] - wanted) < 1e-7 * abs(wanted) and abs(residual).max() < 1e-12
    back = da.compile(m, "inverse_dynamics", wrt=["a"], adjoint=True)
    assert abs(back(q, qd, 0 * qd, [1.0])[1] - slope[0]) < 1e-12 * abs(wanted)
    # with all joints held the loop opens: that slope is another number
    held = da.compile(m, "inverse_dynamics", parameters=["a"])
    ends = [held(q, qd, 0 * qd, parameters={"a": 0.3 + s * h})[0][0] for s in (1, -1)]
    assert abs((ends[0] - ends[1]) / (2 * h) - wanted) > 1

    # a mass moves no joint; what closes no loop refuses a length
    assert da.compile(m, "potential_energy", wrt=["m"]).outputs[-1].name == "dV_dm"
    with pytest.raises(da.UsageError, match="the loops would open"):
        da.compile(m, "potential_energy", wrt=["a"])


def test_runs_of_many_lengths_start_where_each_loop_closes():
    m, lengths = da.load(FOUR_BAR), np.array([0.25, 0.35])
    r = da.simulate(m, t=0.2, parameters={"a": lengths})
    linear = da.linearize(m, parameters={"a": lengths})
    for k, a in enumerate(lengths):
        own = m.with_values(a=a)
        assert abs(da.closure(own, r.q[k])).max() < 1e-9
        assert np.allclose(da.simulate(own, r.q[k, 0], t=0.2).q, r.q[k], atol=1e-9)
        assert np.allclose(da.linearize(own).A, linear.A[k], atol=1e-9)
