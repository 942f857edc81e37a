"""Routines that stay calls in a kernel: results are those of the same lines written out."""

import numpy as np
import pytest

from dalembert.expr import (
    Graph,
    cos,
    for_each_column,
    jacobian,
    ordered,
    program,
    sin,
    solve,
    trace,
    where,
)
from dalembert.runtime import Form, compile_program, schedule
from dalembert.runtime.evaluator import Given
from dalembert.runtime.interpret import Interpreted

N, COLUMNS = 4, 5


def solved(parameters=False):
    """Return x, y of A x = b of five right sides b; y is made of x and of what all of them read."""

    def run(q, b):
        mass = q[0].graph.param("m") if parameters else 1.25
        A = [[mass * cos(q[r] - q[c]) + (r == c) * 7 for c in range(N)] for r in range(N)]
        steep = where(sin(q[0]) > 0.2, 2, q[1])

        def column(right):
            x = solve(A, right, "general")
            return [*x, x[0] * steep - right[1] * q[2], 3, steep, right[2]]

        rights = [[*b[k : k + N - 1], k * mass] for k in range(COLUMNS)]
        flat = [y for found in for_each_column(column, rights) for y in found]
        return [*flat, flat[0] + sin(flat[1])]

    return trace(run, [("q", N), ("b", COLUMNS + N)], name="solved")


def expected(q, b, mass):
    A = mass * np.cos(q[:, None] - q) + 7 * np.eye(N)
    steep = 2 if np.sin(q[0]) > 0.2 else q[1]
    out = []
    for k in range(COLUMNS):
        right = np.array([*b[k : k + N - 1], k * mass])
        x = np.linalg.solve(A, right)
        out += [*x, x[0] * steep - right[1] * q[2], 3, steep, right[2]]
    return [*out, out[0] + np.sin(out[1])]


@pytest.fixture(params=[(1250, 250), (0, 7), (0, 1)], ids=["whole", "cut", "apart"])
def kept(request, monkeypatch):
    monkeypatch.setattr(ordered, "SAVED", 0)
    monkeypatch.setattr(schedule, "WHOLE", request.param[0])
    monkeypatch.setattr(schedule, "CHUNK", request.param[1])


def states(count):
    rng = np.random.default_rng(3)
    return rng.normal(size=(count, N)), rng.normal(size=(count, COLUMNS + N))


@pytest.mark.parametrize("parameters", [False, True])
def test_calls_give_what_numbers_give_in_every_place(kept, parameters):
    made = program(solved(parameters), calls=True)
    assert sum(line.op == "call" for line in made.step.lines) == COLUMNS
    kernel = compile_program(made)
    q, b = states(19)
    mass = np.linspace(0.5, 2, 19) if parameters else np.full(19, 1.25)

    def given(at):
        return {"parameters": {"m": mass[at]}} if parameters else {}

    found = kernel(q, b, **given(slice(None)))
    wanted = np.array([expected(*x) for x in zip(q, b, mass, strict=True)])
    assert abs(found - wanted).max() <= 1e-13 * abs(wanted).max()
    for at in (slice(0, 3), slice(2, 19), slice(7, 8), 5):
        assert kernel(q[at], b[at], **given(at)).tobytes() == found[at].tobytes()


@pytest.mark.parametrize(
    "form", [Form(packed=True), Form(layout="tiles"), Form(reduce="sum"), Form(dtype="float32")]
)
def test_calls_in_every_form(kept, form):
    made, flat = program(solved(), calls=True), program(solved())
    q, b = (x.astype(form.dtype) for x in states(24))
    one, other = (compile_program(p, form=form) for p in (made, flat))
    if form.layout == "tiles":
        q, b = one.to_tiles(q), one.to_tiles(b)
    a, c = (k.unpack(k(q, b)) if form.packed else k(q, b) for k in (one, other))
    near = 1e-13 if form.dtype == "float64" else 1e-5
    assert a.shape == c.shape
    assert abs(a - c).max() <= near * abs(c).max()


def test_kernels_of_one_state_and_numpy_follow_calls(kept):
    made = program(solved(), calls=True)
    q, b = states(6)
    wanted = np.array([expected(*x, 1.25) for x in zip(q, b, strict=True)])
    alone = compile_program(made, single=True)
    assert abs(alone(q, b) - wanted).max() <= 1e-13 * abs(wanted).max()
    assert alone(q[2], b[2]).tobytes() == compile_program(made)(q, b)[2].tobytes()
    outs = [np.empty((6, wanted.shape[1]))]
    Interpreted(made).batch(Given([q, b], [True, True], None, False), outs, 6, 1)
    assert abs(outs[0] - wanted).max() <= 1e-13 * abs(wanted).max()


def test_costs_count_a_routine_in_each_call(kept):
    made, flat = program(solved(), calls=True), program(solved())
    assert any(line.op == "call" for line in made.step.lines)
    assert made.cost["step"].mul == flat.cost["step"].mul == 116
    assert made.cost == flat.cost


def test_short_functions_are_written_out():
    assert not any(line.form for line in program(solved(), calls=True).step.lines)


def test_derivatives_pass_through_calls():
    f = solved()
    q, b = (x[0] for x in states(1))
    J = np.array(jacobian(f, "q")(q, b)).reshape(-1, N)
    h = 1e-6
    for k in range(N):
        up, down = (np.array(f(q + s * h * np.eye(N)[k], b)) for s in (1, -1))
        assert abs(J[:, k] - (up - down) / (2 * h)).max() < 1e-7


def test_columns_run_on_numbers_and_once_on_expressions():
    ran = []

    def double(x):
        ran.append(1)
        return [2 * x[0]]

    assert for_each_column(double, [[1.0], [2.0], [3.0]]) == [[2.0], [4.0], [6.0]]
    graph, before = Graph(), len(ran)
    x = [graph.input("x", k) for k in range(4)]
    for_each_column(double, [[one] for one in x])
    assert len(ran) == before + 1
