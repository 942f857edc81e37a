"""Entries of Kane's steps show themselves and go to SymPy."""

import numpy as np
import pytest

import dalembert as da


def test_entries_show_themselves():
    form = da.kane_form(da.robots.truck())
    for matrix in (form.D, form.C, form.tau):
        assert "0x" not in repr(matrix) and "Ratio" not in repr(matrix)
    assert "cos(delta)" in repr(form.D[0][0])
    assert r"\cos \delta" in form.D[0][0].latex() and form.D[0][0]._repr_latex_().startswith("$")
    assert form.D.latex().startswith(r"\begin{bmatrix}")


def test_sympy_has_the_numbers_of_the_compiled_quantity():
    sympy = pytest.importorskip("sympy")
    m = da.robots.truck()
    form = da.kane_form(m)
    q = np.random.default_rng(1).uniform(-0.4, 0.4, m.nq)
    steer = 0.2
    given = {n: float(v) for n, v in m.values.items()}
    given |= {n: 0.7 + 0.1 * k for k, n in enumerate(m.open_parameters)}
    own = {n: x for n, x in given.items() if n in m.open_parameters}
    expected = da.kane_D(m, q, steer=[steer], parameters=own)
    at = dict(zip(m.joint_names, q, strict=True)) | given | {"delta": steer}
    found = form.D.to_sympy()
    values = {s: at[s.name] for s in found.free_symbols}
    np.testing.assert_allclose(
        np.array(found.subs(values).tolist(), dtype=float), expected, rtol=1e-12
    )
    assert sympy.simplify(found[0, 0] - form.D[0][0].to_sympy()) == 0


def test_ready_made_bars_have_short_numbers():
    text = da.equations(da.robots.fourbar().tree).text(only=["constants"])
    assert "JX2 = 0.0016\n" in text and "00000000" not in text


def test_every_step_goes_to_sympy_and_latex():
    """The matrices of SymPy hold the relations of the steps: J = J_h J_nh, J̇ = dJ/dt, D = J'MJ."""
    sympy = pytest.importorskip("sympy")
    form = da.kane_form(da.robots.truck(1))
    J_h, J_nh, J, Jd, D = (x.to_sympy() for x in (form.J_h, form.J_nh, form.J, form.J_dot, form.D))
    M = sympy.diag(*(x.to_sympy() for x in form.M))
    names = {s.name: s for s in set().union(*(A.free_symbols for A in (J_h, J_nh, Jd, M)))}
    rate = sum((J.diff(names[q]) * names[f"{q}d"] for q in ("phi1", "delta")), sympy.zeros(12, 1))
    at = {s: 0.3 + 0.1 * k for k, (_, s) in enumerate(sorted(names.items()))}
    for gap in (J_h * J_nh - J, rate - Jd, J.T * M * J - D):
        assert np.abs(np.array(gap.subs(at), dtype=float)).max() < 1e-12
    assert np.abs(np.array(Jd.subs(at), dtype=float)).max() > 0.01
    for x in (form.J_h, form.J_nh, form.drift, *form.W, form.omega, form.gw):
        assert x.latex().startswith(r"\begin{bmatrix}") and x.to_sympy().shape


VALUES = {"l1": 0.7, "l2": 0.5, "m1": 1.2, "j1": 0.3, "m2": 0.8, "j2": 0.2, "G": -9.81}


@pytest.mark.parametrize("name", ["planar2r", "unicycle"])
def test_the_printed_state_model_is_that_of_the_machine(name):
    """Forces of the motors where they are said, and rates of the coordinates, at random states."""
    pytest.importorskip("sympy")
    m, rng = getattr(da.robots, name)(), np.random.default_rng(5)
    q, qd, qdd = rng.normal(size=(3, m.nv))
    if name == "unicycle":
        told = {"v": 0.8, "th": q[2], "thd": 0.3}
        wanted = {"xd": 0.8 * np.cos(q[2]), "yd": 0.8 * np.sin(q[2])}
    else:
        states = {"q": q, "qd": qd, "qdd": qdd}
        told = VALUES | {f"{n}{k + 1}": x[k] for n, x in states.items() for k in range(2)}
        tau = da.inverse_dynamics(m.with_values(**VALUES), q, qd, qdd)
        wanted = {"tau1": tau[0], "tau2": tau[1]}
    said = da.kane_form(m).to_sympy(only=[10])
    found = {n: said[n].subs({x: told[x.name] for x in said[n].free_symbols}) for n in wanted}
    assert {n: float(x) for n, x in found.items()} == pytest.approx(wanted, rel=1e-9)
