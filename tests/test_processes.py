"""Models, equations, kernels and results go to other processes and threads, and come back equal."""

import copy
import multiprocessing
import os
import pickle
import pickletools
import subprocess
import sys
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, Place
from dalembert.runtime import compile_program
from peers import ROOT
from runtime.programs import pendulum_chain

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

MACHINES = ("planar2r", "report6r", "ur5", "fourbar", "stewart", "truck", "scara")
Q = np.linspace(-1.0, 1.0, 6)
WAYS = (lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy)


def sent(x):
    return pickle.loads(pickle.dumps(x))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_a_mechanism_comes_back_equal(name, way):
    m = getattr(da.robots, name)()
    again = way(m)
    assert again == m and again.digest == m.digest and repr(again) == repr(m)


def test_a_long_chain_is_sent_without_recursion():
    m = da.load(",".join(["RZ(),TXK(0.1)"] * 2000) + "; body 2000: M = 1;")
    assert sent(m).digest == m.digest


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_equations_come_back_with_what_was_left_out(way):
    eq = da.equations(da.robots.report6r()).freeze({4: 0.3, 5: 0, 6: 0})
    eq = eq.neglect("coriolis")
    assert str(eq.A[1, 1])  # a coefficient that is derived already goes along
    again = way(eq)
    assert again.text() == eq.text()
    assert again.frozen == eq.frozen and again.neglected == eq.neglected


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_dropped_terms_stay_dropped(way):
    eq = da.equations(da.robots.planar2r())
    less = eq.drop("A11:1")
    again = way(less)
    assert again.text() == less.text() != eq.text()
    q = [0.3, 0.4]
    values = {"l1": 0.5, "l2": 0.4, "m1": 2, "j1": 0.1, "m2": 1, "j2": 0.2}
    one, two = (da.compile(x, "mass_matrix")(q, parameters=values) for x in (less, again))
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_forms_of_other_kinds_come_back(way):
    kane = da.kane_form(da.robots.truck(1))
    assert str(kane.D[0][0])
    assert way(kane).text() == kane.text()
    Y = da.equations(da.robots.planar2r()).regressor()
    assert repr(way(Y)[1, 1]) == repr(Y[1, 1])
    entry = da.equations(da.robots.planar2r()).A[1, 2]
    assert str(way(entry)) == str(entry)
    assert [row.name for row in way(da.catalog())] == [row.name for row in da.catalog()]


FORMS = [
    {},
    {"packed": True},
    {"dtype": "float32"},
    {"layout": "tiles"},
    {"reduce": "max"},
    {"wrt": ["q"]},
    {"threads": 2},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_kernel_is_sent_as_its_description(form):
    k = da.compile(da.robots.ur5(), "gravity", **form)
    data = pickle.dumps(k)
    named = {arg for op, arg, _ in pickletools.genops(data) if op.name == "SHORT_BINUNICODE"}
    assert "gravity" in named and b"\x7fELF" not in data  # words, no object code
    again = pickle.loads(data)
    q = np.tile(Q, (9, 1))
    q = k.to_tiles(q) if form.get("layout") else q
    for one, two in zip(_arrays(k(q)), _arrays(again(q)), strict=True):
        assert one.tobytes() == two.tobytes()
    assert again.card == k.card and again.threads == k.threads
    assert copy.copy(k) is k and copy.deepcopy(k) is k


def test_a_kernel_keeps_plan_options_and_parameters():
    m = da.robots.planar2r()
    k = sent(da.compile(m, "inverse_dynamics", drives="none", parameters=["G"]))
    assert "G" in k.parameters and k.defaults["G"] == -9.81
    fourbar = da.robots.fourbar()
    q = da.assemble(fourbar)
    k = da.compile(fourbar, "active_mass_matrix", plan=da.plan(fourbar))
    assert k(q)[0].tobytes() == sent(k)(q)[0].tobytes()


def test_a_kernel_of_equations_is_sent():
    eq = da.equations(da.robots.ur5()).freeze({4: 0.3, 5: 0, 6: 0})
    k = da.compile(eq, "gravity")
    assert sent(k)([0.1, 0.2, 0.3]).tobytes() == k([0.1, 0.2, 0.3]).tobytes()


def test_a_kernel_without_description_says_so():
    with pytest.raises(da.UsageError, match="bare program"):
        pickle.dumps(compile_program(pendulum_chain(2)))


def test_results_come_back():
    m = da.robots.ur5()
    r = da.simulate(m, Q, np.zeros(6), t=0.05)
    again = sent(r)
    assert again.q.tobytes() == r.q.tobytes() and again.notes == r.notes
    path = da.trajectory.quintic(np.zeros(6), Q, 1.0)
    f = da.torques_along(m, path)
    assert sent(f).tau.tobytes() == f.tau.tobytes()
    assert sent(da.plan(da.robots.fourbar())) == da.plan(da.robots.fourbar())
    assert sent(da.base_parameters(m)) == da.base_parameters(m)


def kinds(kind=DalembertError):
    return [kind, *(k for below in kind.__subclasses__() for k in kinds(below))]


@pytest.mark.parametrize("kind", [k for k in kinds() if k.__module__ == "dalembert.errors"])
def test_an_error_comes_back_whole(kind):
    e = kind("what", Place("file", 3, 4, "text"), "hint", "command")
    again = sent(e)
    assert type(again) is kind and str(again) == str(e)
    assert (again.where, again.hint, again.command) == (e.where, e.hint, e.command)


def test_an_error_of_its_own_making_comes_back():
    m = da.robots.ur5()
    with pytest.raises(da.ComputationError) as stopped:
        da.simulate(m, np.zeros(6), np.full(6, 1e200), t=1.0)
    e = stopped.value
    again = sent(e)
    assert type(again) is type(e) and str(again) == str(e)
    assert vars(again).keys() == vars(e).keys() and len(vars(e)) > 4


def test_comparing_results_is_not_an_error():
    m = da.robots.ur5()
    path = da.trajectory.quintic(np.zeros(6), Q, 1.0)
    for made in (
        lambda: da.trajectory.quintic(np.zeros(6), Q, 1.0),
        lambda: da.torques_along(m, path),
        lambda: da.simulate(m, Q, np.zeros(6), t=0.01),
        lambda: da.linearize(m, Q),
    ):
        x = made()
        assert x == x and x != made()


def _arrays(result):
    return result if isinstance(result, tuple) else (result,)


# -- processes -------------------------------------------------------------------------------------


def answer(task):
    """Run in another process: a kernel called, a model computed, equations printed."""
    kernel, m, eq, q = task
    return (
        kernel(q).tobytes(),
        da.mass_matrix(m, q).tobytes(),
        da.compile(m, "bias", threads=2)(np.tile(q, (300, 1)), np.ones(6)).tobytes(),
        eq.text(),
    )


START = ("fork", "spawn", "forkserver") if sys.platform.startswith("linux") else ("spawn",)


@pytest.mark.parametrize("start", START)
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_other_processes_give_the_same_bytes(start):
    m, eq = da.robots.ur5(), da.equations(da.robots.planar2r())
    k = da.compile(m, "gravity")
    task = (k, m, eq, Q)
    here = answer(task)  # threads of this process are running when it forks
    with multiprocessing.get_context(start).Pool(2) as pool:
        there = pool.map_async(answer, [task] * 4).get(timeout=120)
    assert there == [here] * 4


# -- threads ---------------------------------------------------------------------------------------


def run_threads(count, work):
    """Run work(number) in threads that begin together; raise the first error of any."""
    errors, gate = [], threading.Barrier(count)

    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    if errors:
        raise errors[0]


def hammer(calls):
    m = da.robots.ur5()
    rng = np.random.default_rng(5)
    k = da.compile(m, "inverse_dynamics", threads=2)
    one = rng.uniform(-3, 3, (8, 3, 6))
    many = rng.uniform(-3, 3, (8, 3, 65, 6))
    serial = [k(*x).tobytes() for x in one], [k(*x).tobytes() for x in many]

    def work(number):
        for call in range(calls):
            at = (number + call) % 8
            assert k(*one[at]).tobytes() == serial[0][at]
            if call % 50 == 0:
                assert k(*many[at]).tobytes() == serial[1][at]

    run_threads(8, work)


def test_eight_threads_on_one_kernel():
    hammer(2000)


@pytest.mark.slow
def test_eight_threads_on_one_kernel_for_long():
    hammer(100_000)


def test_eight_threads_that_compile_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "kernels"))
    names = ("gravity", "mass_matrix", "bias", "inverse_dynamics", "pose", "jacobian")
    found = [{} for _ in range(8)]

    def work(number):
        m = da.robots.ur5()
        for step in range(len(names)):
            name = names[(number + step) % len(names)]
            k = da.compile(m, name)
            given = [Q] * len(k.inputs)
            found[number][name] = b"".join(a.tobytes() for a in _arrays(k(*given)))
            found[number]["text"] = da.equations(da.robots.planar2r()).text()

    run_threads(8, work)
    assert all(f == found[0] for f in found) and len(found[0]) == len(names) + 1


def test_plain_calls_of_threads_share_kernels():
    m = da.robots.stewart()
    q = da.assemble(m)
    want = da.active_mass_matrix(m, q).tobytes()

    def work(number):
        for _ in range(20):
            assert da.active_mass_matrix(m, q).tobytes() == want

    run_threads(8, work)


FORKS = """
import os, signal, sys, threading, warnings
import numpy as np
from dalembert.runtime import compile_program, module
from runtime.programs import pendulum_chain

warnings.simplefilter("ignore")
module.LARGE = 0  # better code comes later, made by another process
made, (q, qd) = pendulum_chain(4), np.random.default_rng(1).normal(size=(2, 4))
wanted, stop = compile_program(made)(q, qd), threading.Event()

def compiles():
    while not stop.is_set():
        assert np.array_equal(compile_program(made)(q, qd), wanted)

threads = [threading.Thread(target=compiles) for _ in range(2)]
for thread in threads:
    thread.start()
for k in range(6):
    stop.wait(0.03 * k)
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(0 if np.array_equal(compile_program(made)(q, qd), wanted) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_while_threads_compile_can_compile_too():
    """A fork waits until no thread holds a lock that its child would wait for."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    env = {**os.environ, "PYTHONPATH": path, "DALEMBERT_CACHE": "off", "DALEMBERT_JIT": ""}
    run = subprocess.run(
        [sys.executable, "-c", FORKS], env=env, capture_output=True, text=True, timeout=400
    )
    assert run.stdout.split() == ["0"] * 6, run.stderr
