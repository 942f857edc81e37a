"""Quick code first, better code later: not a bit of a result changes."""

import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import background, cache, compile_program, fused, llvm, module
from runtime.programs import pendulum_chain

Q = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Code is made well unless a test says otherwise."""
    monkeypatch.delenv("DALEMBERT_JIT", raising=False)


def given(k, *lead):
    """Return inputs of a kernel, angles for quaternions too: its formulas hold for all numbers."""
    return [Q.normal(size=(*lead, *port.shape)) for port in k.inputs]


def both(monkeypatch, *asked, **form):
    """Return a kernel of the usual level, and one of the quick level."""
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    usual = da.compile(*asked, **form)
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(background.Background, "_run", lambda self: None)
    quick = da.compile(*asked, **form)
    assert usual.ready and not quick.ready
    return usual, quick


@pytest.mark.parametrize(("robot", "name"), [
    ("panda", "inverse_dynamics_derivatives"), ("walker", "forward_dynamics"),
    ("walker", "inverse_dynamics"), ("fivebar", "forward_dynamics"), ("ur5", "mass_matrix"),
])  # fmt: skip
def test_both_levels_give_the_same_bits(robot, name, monkeypatch):
    usual, quick = both(monkeypatch, getattr(da.robots, robot)(), name)
    for lead in ((), (9,)):
        states = given(usual, *lead)
        for found, wanted in zip(*(tuple(k(*states)) for k in (quick, usual)), strict=True):
            assert np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("form", [{"dtype": "float32"}, {"layout": "tiles"}, {"reduce": "sum"},
                                  {"parameters": ["M4"]}], ids=str)  # fmt: skip
def test_both_levels_give_the_same_bits_in_every_form(form, monkeypatch):
    usual, quick = both(monkeypatch, da.robots.scara(), "inverse_dynamics", **form)
    states = [x.astype(form.get("dtype", "float64")) for x in given(usual, 9)]
    parameters = {name: 1.1 for name in usual.parameters}
    found, wanted = (k(*states, parameters=parameters) for k in (quick, usual))
    assert np.array_equal(found, wanted)


def test_sums_take_in_the_first_product_that_nothing_else_uses():
    body = """define internal void @f(ptr %a) #0 {
  %x = load double, ptr %a, align 8
  %p = fmul contract double %x, %x
  %q = fmul contract double %x, 0x4008000000000000
  %r = fmul contract double %q, %q
  %s = fadd contract double %p, %q
  %d = fsub contract double %s, %r
  store double %d, ptr %a, align 8
  ret void
}
"""
    made = fused.written_out(body).split("\n")
    assert "  %q = fmul double %x, 0x4008000000000000" in made  # three others use it
    assert "%s = call double @llvm.fma.f64(double %x, double %x, double %q)" in made
    turned = made.index("%d.n = fneg double %q")
    assert made[turned + 1] == "%d = call double @llvm.fma.f64(double %d.n, double %q, double %s)"
    assert not any("contract" in line or "%p" in line or "%r" in line for line in made)


def test_code_that_is_asked_to_be_quick_stays_so(monkeypatch):
    made = pendulum_chain(6)
    q, qd = Q.normal(size=(2, 37, 6))
    wanted = compile_program(made)(q, qd)
    monkeypatch.setenv("DALEMBERT_JIT", "quick")
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(made)
    assert k.ready and np.array_equal(k(q, qd), wanted)


def test_better_code_comes_and_is_kept(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    made = pendulum_chain(6)
    q, qd = Q.normal(size=(2, 37, 6))
    wanted = compile_program(made)(q, qd)
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(made, key="long")
    first, kept = k.code.engine, cache.read("long")[1]
    one, many = k(q[0], qd[0]), k(q, qd)
    assert k.wait(60) and k.ready and k.code.engine is not first
    assert (
        cache.read("long")[1]
        != kept
        == llvm.generate(
            fused.written_out(module.written(made)[0])
            if llvm.host().fused
            else module.written(made)[0],
            0,
        )
    )
    again = compile_program(made, key="long")
    for each in (k, again):
        assert np.array_equal(each(q, qd), wanted) and np.array_equal(each(q[0], qd[0]), wanted[0])
    assert np.array_equal(many, wanted) and np.array_equal(one, wanted[0]) and again.ready


def test_the_entry_that_python_calls_runs_the_better_code(monkeypatch):
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(pendulum_chain(6))
    assert k.wait(60)
    if k._plan:  # words of the plan: ports, then where the code of one state and of many begins
        assert [*k._plan[0][2:4]] == [k.code.one_address, k.code.whole_address]


@pytest.mark.parametrize("fault", ["no process", "no code"])
def test_quick_code_goes_on_where_no_better_comes(fault, monkeypatch):
    def refused(*_, **__):
        raise OSError("no more processes")

    if fault == "no process":
        monkeypatch.setattr(subprocess, "Popen", refused)
    else:
        monkeypatch.setattr(background, "_WORK", "raise SystemExit(3)")
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(pendulum_chain(6))
    first = k.code.engine
    assert k.wait(60) and k.ready and k.code.engine is first
    q, qd = Q.normal(size=(2, 6))
    assert np.isfinite(k(q, qd)).all()
