"""Quick code first, better code later: not a bit of a result changes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import background, cache, compile_program, fused, llvm, module, native
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
    first = k.code.engine
    one, many = k(q[0], qd[0]), k(q, qd)
    assert k.wait(60) and k.ready and k.code.engine is not first
    better = llvm.generate(module.written(made)[0], 1)
    assert cache.parts(*cache.read("long")) == (better, b"")
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


@pytest.mark.parametrize("fault", ["no process", "no code", "no LLVM", "noise", "no room"])
def test_quick_code_goes_on_where_no_better_comes(fault, monkeypatch):
    def refused(*_, **__):
        raise OSError("no more processes")

    if fault == "no process":
        monkeypatch.setattr(subprocess, "Popen", refused)
    elif fault == "no LLVM":
        monkeypatch.setattr(background, "find_spec", lambda _: None)
    elif fault == "no room":
        monkeypatch.setattr(native.Native, "run", once(native.Native.run, MemoryError()))
    else:
        made = {"no code": "raise SystemExit(3)", "noise": f"print(flush=True); {background._WORK}"}
        monkeypatch.setattr(background, "_WORK", made[fault])
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(pendulum_chain(6))
    first = k.code.engine
    assert k.wait(60) and k.ready and k.code.engine is first
    q, qd = Q.normal(size=(2, 6))
    assert np.isfinite(k(q, qd)).all()


def once(function, error):
    """Return a function that may be called once and raises an error after that."""
    left = iter([function])

    def called(*given):
        for f in left:
            return f(*given)
        raise error

    return called


@pytest.mark.parametrize("cut", [
    lambda d: d[1:], lambda d: d[:-1], lambda d: d + b"\n", lambda d: b"hello\n" + d,
    lambda d: d[:-1] + b"x", lambda d: b"", lambda d: background.framed(b"no object code"),
])  # fmt: skip
def test_only_whole_object_code_is_taken(cut):
    code = b"\x7fELF of\nsome lines"
    assert background.unframed(background.framed(code)) == code
    assert background.unframed(cut(background.framed(code))) is None


NOISY = """
import sys
sys.path.insert(0, {tests!r})
from runtime.programs import pendulum_chain
from dalembert.runtime import compile_program, module
module.LARGE = 0
k = compile_program(pendulum_chain(3))
first = k.code.engine
print(k.wait(60), k.code.engine is not first)
"""


def test_what_users_print_at_the_start_of_python_is_not_taken_for_code(tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("print('hello')\n")
    (tmp_path / "zlib.py").write_text("print('from here')\n")  # the directory the program runs in
    tests = Path(__file__).resolve().parents[1]
    kept = {k: v for k, v in os.environ.items() if k != "DALEMBERT_JIT"}
    path = os.pathsep.join([str(own), str(tests.parent / "src")])
    run = subprocess.run(
        [sys.executable, "-P", "-c", NOISY.format(tests=str(tests))], text=True, check=True,
        env=kept | {"PYTHONPATH": path, "DALEMBERT_CACHE": "off"}, stdout=subprocess.PIPE,
        cwd=tmp_path,
    )  # fmt: skip
    assert run.stdout == "hello\nTrue True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_has_the_code_that_there_was(monkeypatch):
    monkeypatch.setattr(background.Background, "_run", lambda self: None)
    monkeypatch.setattr(module, "LARGE", 0)
    k = compile_program(pendulum_chain(3))
    assert not k.ready and not k.wait(0.01)
    child = os.fork()
    if child == 0:
        os._exit(7 if k.ready and k.wait() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert not k.ready


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_that_holds_the_pipe_open_keeps_no_code_back(monkeypatch):
    """A worker that was forked while the text was being sent lives on; better code comes."""
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.setattr(module, "LARGE", 0)
    open_, children = subprocess.Popen, []

    def forked(*words, **options):
        process = open_(*words, **options)
        children.append(os.fork())
        if not children[-1]:
            signal.alarm(120)
            signal.pause()
        return process

    monkeypatch.setattr(background.subprocess, "Popen", forked)
    k = compile_program(pendulum_chain(3))
    first = k.code.engine
    came = k.wait(60)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert children and came and k.code.engine is not first


def test_only_the_process_that_started_another_ends_it():
    class Process:
        ended = 0

        def kill(self):
            self.ended += 1

    process = Process()
    background._end(process, os.getpid() + 1)
    assert process.ended == 0
    background._end(process, os.getpid())
    assert process.ended == 1


def test_quick_code_of_a_process_that_ended_early_is_made_better_by_the_next(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    made = pendulum_chain(6)
    q, qd = Q.normal(size=(2, 37, 6))
    with monkeypatch.context() as patch:
        patch.setattr(module, "LARGE", 0)
        patch.setattr(background.Background, "_run", lambda self: None)
        early = compile_program(made, key="long")
        assert not early.ready and cache.parts(*cache.read("long"))[1]
        wanted, better = early(q, qd), llvm.generate(module.written(made)[0], 1)
    k = compile_program(lambda: 1 / 0, key="long")  # found: no program is asked for
    first = k.code.engine
    assert k.wait(60) and k.code.engine is not first and np.array_equal(k(q, qd), wanted)
    assert cache.parts(*cache.read("long")) == (better, b"")
    last = compile_program(lambda: 1 / 0, key="long")
    assert last.later is None and np.array_equal(last(q, qd), wanted)


@pytest.mark.parametrize(("program", "frozen", "starts"), [
    ("/usr/bin/python3.11", False, True), ("/opt/Python", False, True), ("", False, False),
    ("/bin/blender", False, False), (None, False, False), ("/opt/python", True, False),
])  # fmt: skip
def test_only_python_alone_is_started(program, frozen, starts, monkeypatch):
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    assert background.startable() is starts
    if not starts:
        monkeypatch.setattr(module, "LARGE", 0)
        k = compile_program(pendulum_chain(3))
        assert k.ready and k.wait() and k.later is None
