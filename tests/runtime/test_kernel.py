"""What a kernel accepts, refuses and returns."""

import copy
import gc
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ParameterError, UsageError
from dalembert.expr import cos, program, sin, trace
from dalembert.runtime import Kernel, build, compile_program, fast, stub
from runtime.programs import pendulum_chain


@pytest.fixture(scope="module", params=["direct", "general"])
def kernel(request):
    made = compile_program(pendulum_chain(5), key="chain 5")
    return made if request.param == "direct" else Kernel(made.card, made.code)


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(11)
    return rng.uniform(-3, 3, (203, 5)), rng.normal(size=(203, 5))


def test_a_result_does_not_depend_on_its_place(kernel, states):
    q, qd = states
    whole = kernel(q, qd)
    for n in [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 202]:
        assert kernel(q[:n], qd[:n]).tobytes() == whole[:n].tobytes()
        assert kernel(q[n:], qd[n:]).tobytes() == whole[n:].tobytes()


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_a_result_does_not_depend_on_the_number_of_threads(states, threads):
    q, qd = states
    one = compile_program(pendulum_chain(5), key="chain 5")
    many = compile_program(pendulum_chain(5), key="chain 5", threads=threads)
    assert many(q, qd).tobytes() == one(q, qd).tobytes()


def test_one_state_agrees_with_a_batch(kernel, states):
    q, qd = states
    batch = kernel(q, qd)
    single = np.array([kernel(a, b) for a, b in zip(q, qd, strict=True)])
    assert abs(single - batch).max() <= 1e-13 * abs(batch).max()


def test_leading_dimensions_broadcast(kernel, states):
    q, qd = states
    grid = kernel(q[:6].reshape(2, 3, 1, 5), qd[:4])
    assert grid.shape == (2, 3, 4, 5)
    flat = kernel(np.repeat(q[:6], 4, axis=0), np.tile(qd[:4], (6, 1)))
    assert grid.tobytes() == flat.tobytes()
    fixed = kernel(q[0], qd)
    assert fixed.tobytes() == kernel(np.tile(q[0], (203, 1)), qd).tobytes()
    assert kernel(q[:0], qd[:0]).shape == (0, 5)
    with pytest.raises(UsageError, match="do not broadcast"):
        kernel(q[:3], qd[:4])


@pytest.mark.parametrize("threads", [1, 2])
def test_inputs_that_broadcast_in_pieces_give_the_same_bits(monkeypatch, states, threads):
    q, qd = states
    k = compile_program(pendulum_chain(5), key="chain 5", threads=threads)
    lead = [((203, 1), (7,)), ((1, 203), (7, 1)), ((7, 1, 29), (1, 7, 1)), ((67,), (3, 67))]
    inputs = [(q[: np.prod(a)].reshape(*a, 5), qd[: np.prod(b)].reshape(*b, 5)) for a, b in lead]
    whole = [k(*x) for x in inputs]
    monkeypatch.setattr("dalembert.runtime.kernel.PIECE", 10)
    monkeypatch.setattr("dalembert.runtime.kernel.SHARED", 1)
    for x, want in zip(inputs, whole, strict=True):
        assert k.general(*x).tobytes() == want.tobytes()
        room = np.empty_like(want)
        assert k.general(*x, out=room) is room and room.tobytes() == want.tobytes()


def test_parameters_that_broadcast_in_pieces_give_the_same_bits(monkeypatch):
    m = da.load("RZ(), TXK(L1), RZ(), TXK(L2);")
    k = da.compile(m, "mass_matrix")
    rng = np.random.default_rng(3)
    q = rng.normal(size=(1, 17, 2))
    given = {n: rng.uniform(1, 2, (40, 1)) for n in k.parameters}
    whole = k(q, parameters=given)
    monkeypatch.setattr("dalembert.runtime.kernel.PIECE", 50)
    assert k(q, parameters=given).tobytes() == whole.tobytes()
    wide = {n: np.broadcast_to(x, (40, 17)).copy() for n, x in given.items()}
    assert k(np.repeat(q, 40, axis=0), parameters=wide).tobytes() == whole.tobytes()


def test_numbers_of_other_kinds_are_converted(kernel):
    whole = kernel(np.arange(5.0), np.ones(5))
    for q in ([0, 1, 2, 3, 4], np.arange(5), np.arange(5, dtype=">f8"), np.arange(5, dtype="f4")):
        np.testing.assert_array_equal(kernel(q, [1] * 5), whole)
    strided = np.zeros((5, 3))
    strided[:, 1] = np.arange(5)
    np.testing.assert_array_equal(kernel(strided[:, 1], np.ones(5)), whole)
    unaligned = np.frombuffer(b"x" + np.arange(5.0).tobytes(), dtype=np.uint8)[1:].view("f8")
    np.testing.assert_array_equal(kernel(unaligned, np.ones(5)), whole)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        (np.zeros(4), r"input 'q' has shape \(4,\), expected \(\.\.\., 5\)"),
        (np.zeros((3, 4)), "expected"),
        (1.0, "expected"),
        (np.zeros(5, complex), "complex128"),
        (np.array([None] * 5), "object"),
        (["a"] * 5, "holds"),
        ([[0.0], [1.0, 2.0]], "unequal|inhomogeneous|object"),
    ],
)
def test_a_wrong_input_is_named(kernel, q, message):
    with pytest.raises(UsageError, match=message):
        kernel(q, np.zeros(5))


def test_whole_numbers_that_a_float_cannot_hold_are_refused():
    from dalembert.errors import UsageError
    from dalembert.runtime.arguments import numbers

    assert numbers([2**53, -(2**53)], "q").tolist() == [2.0**53, -(2.0**53)]
    for wrong in (2**53 + 1, -(2**53) - 1, -(2**63), 2**63 - 1):
        with pytest.raises(UsageError, match="beyond"):
            numbers(np.array([0, wrong], dtype=np.int64), "q")


def test_a_wrong_number_of_inputs_or_keyword_is_refused(kernel):
    with pytest.raises(UsageError, match="takes 2 inputs"):
        kernel(np.zeros(5))
    with pytest.raises(UsageError, match="has no input 'into'"):
        kernel(np.zeros(5), np.zeros(5), into=np.zeros(5))


def test_out_is_filled_and_returned(kernel, states):
    q, qd = states
    for lead in ((), (7,), (203,)):
        a, b = (q[0], qd[0]) if lead == () else (q[: lead[0]], qd[: lead[0]])
        out = np.full((*lead, 5), np.nan)
        assert kernel(a, b, out=out) is out
        assert out.tobytes() == kernel(a, b, out=None).tobytes()


def test_an_unfit_out_is_refused(kernel, states):
    q, qd = states[0][:8].copy(), states[1][:8]
    frozen = np.zeros((8, 5))
    frozen.flags.writeable = False
    wrong = [
        np.zeros(5),
        np.zeros((8, 5), "f4"),
        np.zeros((8, 10))[:, ::2],
        np.zeros((5, 8)).T,
        frozen,
        [[0.0] * 5] * 8,
    ]
    for out in wrong:
        with pytest.raises(UsageError, match="out must be"):
            kernel(q, qd, out=out)
    with pytest.raises(UsageError, match="overlaps"):
        kernel(q, qd, out=q)
    memory = np.zeros(100)
    with pytest.raises(UsageError, match="overlaps"):
        kernel(memory[:40].reshape(8, 5), qd, out=memory[39:79].reshape(8, 5))
    kernel(memory[:40].reshape(8, 5), qd, out=memory[40:80].reshape(8, 5))
    with pytest.raises(UsageError, match="overlaps"):
        kernel(memory[:5], qd[0], out=memory[4:9])


@pytest.mark.parametrize("inputs", [1, 2, 3, 4])
def test_arrays_that_change_where_they_lie_are_seen(inputs):
    ports = [(f"x{k}", 3) for k in range(inputs)]
    k = compile_program(program(trace(lambda *x: [sum(y[n] for y in x) for n in range(3)], ports)))
    rng = np.random.default_rng(5)
    x, out = [rng.normal(size=3) for _ in range(inputs)], np.empty(3)

    def agrees():
        out[:] = 0
        assert k(*x, out=out) is out and out.tobytes() == k.general(*x).tobytes()

    for _ in range(3):  # the second call finds all arrays where they were
        x[0] += 1
        agrees()
    for name, wrong, right in (
        ("shape", (3, 1), (3,)),
        ("dtype", np.dtype("<i8"), np.dtype("<f8")),
        ("dtype", np.dtype(">f8"), np.dtype("<f8")),
    ):
        for array in (x[-1], out):
            setattr(array, name, wrong)
            if array is not out and wrong == np.dtype(">f8"):  # numbers still, read as such
                agrees()
            else:
                with pytest.raises(UsageError):
                    k(*x, out=out)
            setattr(array, name, right)
            agrees()
    out.flags.writeable = False
    with pytest.raises(UsageError, match="read-only"):
        k(*x, out=out)
    for wrong in ([x[0].tolist()], [x[0], *x], [None]):
        with pytest.raises(UsageError):
            k(*wrong, *x[1:], out=out)
    with pytest.raises(UsageError, match="overlaps"):
        k(*x, out=x[-1])


@pytest.fixture(scope="module", params=["direct", "general"])
def pair(request):
    made = trace(
        lambda x: ([x[0] + x[1]], [[x[0], 0], [sin(x[1]), x[0]]]),
        [("x", 2)],
        outputs=[("s", (1,)), ("m", (2, 2))],
    )
    kernel = compile_program(program(made))
    return kernel if request.param == "direct" else Kernel(kernel.card, kernel.code)


def test_several_outputs_are_a_tuple(pair):
    s, m = pair(np.array([1.0, 0.0]))
    assert s.shape == (1,) and m.tolist() == [[1, 0], [0, 1]]
    s, m = pair(np.zeros((6, 2)))
    assert s.shape == (6, 1) and m.shape == (6, 2, 2)
    for lead in ((6,), (), (100,), (2, 3)):
        given = np.empty((*lead, 1)), np.empty((*lead, 2, 2))
        assert pair(np.ones((*lead, 2)), out=given) is given
        np.testing.assert_array_equal(given[0], 2.0)
        np.testing.assert_array_equal(given[1][..., 1, 0], np.sin(1.0))
    given = [np.empty(1), np.empty((2, 2))]
    assert pair(np.ones(2), out=given) is given and given[0] == 2


def test_an_unfit_tuple_of_outputs_is_refused(pair):
    x, s, m = np.array([1.0, 0.0]), np.empty(1), np.empty((2, 2))
    frozen = s.copy()
    frozen.flags.writeable = False
    for out, message in (
        (s, "tuple"),
        ((s,), "tuple"),
        ((s, m, m), "tuple"),
        ((m, s), "shape"),
        ((np.empty((6, 1)), np.empty((6, 2, 2))), "shape"),
        ((s, np.empty((6, 2, 2))), "shape"),
        ((s, m.T), "contiguous"),
        ((frozen, m), "read-only"),
        ((s, None), "NoneType"),
        ((s, m.astype(np.float32)), "float32"),
        ((x[:1], m), "overlaps"),
        ((m.ravel()[1:2], m), "overlaps"),
    ):
        with pytest.raises(UsageError, match=message):
            pair(x, out=out)


def test_a_tuple_of_outputs_is_not_kept():
    import sys

    made = trace(lambda x: (x, x), [("x", 2)], outputs=[("a", (2,)), ("b", (2,))])
    kernel = compile_program(program(made))
    x, out = np.ones(2), (np.empty(2), np.empty(2))
    before = [sys.getrefcount(y) for y in (x, out, *out)]
    for _ in range(1000):
        kernel(x, out=out)
        kernel(x)
    assert [sys.getrefcount(y) for y in (x, out, *out)] == before


def test_a_kernel_says_what_it_is(kernel):
    assert [p.name for p in kernel.inputs] == ["q", "qd"]
    assert [p.shape for p in kernel.outputs] == [(5,)]
    assert kernel.parameters == () and kernel.cost["step"].sincos == 5
    assert "chain(q, qd)" in repr(kernel) and isinstance(kernel, Kernel)
    assert copy.copy(kernel) is kernel


# -- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["results", "sines", "parameters"])
def test_angles_alone_leave_other_results(shape, monkeypatch):
    monkeypatch.setattr("dalembert.runtime.module.DIRECT", 1)  # gathered, as of matrices

    def run(q, qd):
        if shape == "parameters":
            turn = q[0].graph.param("turn")
            return [sin(q[0]) * sin(turn), qd[1] + cos(turn)]
        if shape == "results":
            return [sin(q[0]) * qd[0], qd[1]]
        return [sin(q[0]), sin(sin(q[1]))]

    k = compile_program(program(trace(run, [("q", 2), ("qd", 2)])))
    rng = np.random.default_rng(8)
    q, qd = rng.normal(size=(2, 37, 2))
    given = {"parameters": {"turn": 0.4}} if shape == "parameters" else {}
    wanted = {
        "results": (np.sin(q[:, 0]) * qd[:, 0], qd[:, 1]),
        "sines": (np.sin(q[:, 0]), np.sin(np.sin(q[:, 1]))),
        "parameters": (np.sin(q[:, 0]) * np.sin(0.4), qd[:, 1] + np.cos(0.4)),
    }[shape]
    wide = np.zeros((37, 5))
    wide[:, 1:3] = q
    for angles in (q, wide[:, 1:3]):
        out = np.full((37, 2), np.nan)
        k(angles, qd, out=out, **given)
        np.testing.assert_allclose(out, np.transpose(wanted), rtol=0, atol=1e-15)


@pytest.fixture(scope="module")
def parametric():
    return compile_program(pendulum_chain(5, parameters=True, name="parametric"))


def test_parameters_give_what_constants_give(parametric, kernel, states):
    q, qd = states
    given = {"L": 0.7, "m": 1.3}
    for a, b in ((q, qd), (q[0], qd[0])):
        wanted = kernel(a, b)
        got = parametric(a, b, parameters=given)
        assert abs(got - wanted).max() <= 1e-14 * abs(wanted).max()


def test_each_state_may_have_its_own_parameters(parametric, states):
    q, qd = states
    lengths = np.linspace(0.1, 2, 203)
    together = parametric(q, qd, parameters={"L": lengths, "m": 2})
    for k in (0, 1, 50, 202):
        alone = parametric(q[k : k + 1], qd[k : k + 1], parameters={"L": lengths[k], "m": 2.0})
        assert alone[0].tobytes() == together[k].tobytes()
    sweep = parametric(q[0], qd[0], parameters={"L": lengths[:, None], "m": [1.0, 2.0]})
    assert sweep.shape == (203, 2, 5)
    assert (
        sweep[7, 1].tobytes()
        == parametric(q[:1], qd[:1], parameters={"L": lengths[7], "m": 2.0})[0].tobytes()
    )


def test_missing_and_unknown_parameters_are_named(parametric, kernel):
    q = np.zeros(5)
    with pytest.raises(ParameterError, match="parameter m"):
        parametric(q, q, parameters={"L": 1.0})
    with pytest.raises(ParameterError, match="no value for parameter"):
        parametric(q, q)
    with pytest.raises(ParameterError, match="no parameter 'x'"):
        parametric(q, q, parameters={"L": 1.0, "m": 1.0, "x": 1.0})
    with pytest.raises(ParameterError, match="no parameter 'L'"):
        kernel(q, q, parameters={"L": 1.0})


# -- threads, memory ------------------------------------------------------------------------------


def test_parameters_may_have_defaults(parametric, states, monkeypatch):
    q, qd = states
    wanted = parametric(q, qd, parameters={"L": 0.7, "m": 1.3})
    made = pendulum_chain(5, parameters=True)
    keep = dict(key="with defaults", defaults={"L": 0.7})
    for kernel in (compile_program(made, **keep), compile_program(made, **keep)):
        assert kernel.defaults == {"L": 0.7}
        assert kernel(q, qd, parameters={"m": 1.3}).tobytes() == wanted.tobytes()
        assert not np.array_equal(kernel(q, qd, parameters={"m": 1.3, "L": 0.9}), wanted)
        with pytest.raises(ParameterError, match="parameter m"):
            kernel(q, qd)
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    monkeypatch.setattr(build, "warn_once", lambda text: None)
    plain = compile_program(made, defaults={"L": 0.7, "m": 1.3})
    np.testing.assert_allclose(plain(q, qd), wanted, rtol=1e-12)


def test_threads_may_share_a_kernel(states):
    kernel = compile_program(pendulum_chain(5), key="chain 5")
    q, qd = states
    wanted, one = kernel(q, qd).tobytes(), kernel(q[0], qd[0]).tobytes()
    wrong = []

    def work():
        for _ in range(300):
            if kernel(q, qd).tobytes() != wanted or kernel(q[0], qd[0]).tobytes() != one:
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong


@pytest.mark.skipif(not fast.supported(), reason="this interpreter has no direct entry")
def test_the_direct_entry_is_in_use_and_can_be_switched_off(monkeypatch):
    assert fast.layout_holds()
    assert fast.entry() is not None
    assert type(compile_program(pendulum_chain(2))) is fast.entry().type
    monkeypatch.setenv("DALEMBERT_STUB", "off")
    assert not fast.supported()


@pytest.mark.skipif(not fast.supported(), reason="this interpreter has no direct entry")
@pytest.mark.parametrize(
    "shapes", [[()], [(3,)], [(3,)] * 2, [(2,)] * 3, [(2,)] * 4, [(4,), (2, 3)]]
)
@pytest.mark.parametrize("square", [False, True])
def test_arrays_of_all_shapes_enter_directly(monkeypatch, shapes, square):
    """Also where they lie as in the last call, and where Python's own way would be an error."""

    def run(*ports):
        x = [n for port in ports for n in np.ravel(np.array(port, dtype=object))]
        terms = [sum((k + j + 1) * y for k, y in enumerate(x)) for j in range(4)]
        return [terms[:2], terms[2:]] if square else terms

    names = [(f"x{k}", shape) for k, shape in enumerate(shapes)]
    made = compile_program(program(trace(run, names)))
    rng = np.random.default_rng(12)
    one, many = (
        [np.array(rng.normal(size=(*lead, *shape))) for shape in shapes] for lead in ((), (9,))
    )  # fmt: skip
    flat = np.hstack([a.reshape(9, -1) for a in many])
    weights = np.arange(flat.shape[1])[:, None] + np.arange(4) + 1.0
    wanted = (flat @ weights).reshape(9, *([2, 2] if square else [4]))

    def general(*_, **__):
        raise AssertionError("the long way was taken")

    monkeypatch.setattr(Kernel, "general", general)
    out = np.empty(wanted.shape[1:])
    for k in (0, 0, 3, 3):
        for x, y in zip(one, many, strict=True):
            x[...] = y[k]
        np.testing.assert_allclose(made(*one), wanted[k], rtol=1e-13)
        out[...] = 0
        assert made(*one, out=out) is out
        np.testing.assert_allclose(out, wanted[k], rtol=1e-13)
    np.testing.assert_allclose(made(*many), wanted, rtol=1e-13)
    with pytest.raises(AssertionError, match="long way"):
        made(*(x.astype(np.float32) for x in many))


@pytest.mark.parametrize(
    ("given", "says", "hint"),
    [(["a"] * 5, "holds text", "np.radians"), ([1j] * 5, "complex128 values", "give real numbers"),
     ({"q1": 1.0}, "holds names", "coordinate_names"), ([[0.0], [1.0, 2.0]], "unequal", "rectang"),
     ([2**60] * 5, "beyond", "rounded")],
)  # fmt: skip
def test_what_is_no_array_of_numbers_says_what_to_write(given, says, hint):
    made = compile_program(pendulum_chain(5), key="chain 5")
    with pytest.raises(UsageError, match=says) as error:
        made(given, np.zeros(5))
    assert hint in error.value.hint


def sums(*ports):
    return [sum(x) for x in ports] + [ports[0][0]]


@pytest.mark.skipif(not fast.supported(), reason="this interpreter has no direct entry")
@pytest.mark.parametrize("count", stub.VECTORS)
def test_vectors_that_lie_as_in_the_last_call_have_a_way_of_their_own(monkeypatch, count):
    """It reads neither how many inputs a plan has, nor anything of the processes' threads."""
    made = compile_program(program(trace(sums, [(f"x{k}", 3) for k in range(count)])))
    x, out = np.arange(3.0 * count).reshape(count, 3), np.empty(count + 1)
    monkeypatch.setattr(Kernel, "general", None)
    rows = [*x]
    made(*rows, out=out)
    made._plan[0][stub.HEAD.index("inputs")] = 99
    x += 1
    assert made(*rows, out=out) is out
    np.testing.assert_array_equal(out, [*x.sum(axis=1), x[0, 0]])
    for others in ([*x.copy()], [x[0][:2], *rows[1:]], [x[:1], *rows[1:]]):
        with pytest.raises(TypeError):  # None is called
            made(*others, out=out)
    with pytest.raises(TypeError):
        made(*rows)


def test_a_vector_is_not_taken_for_a_matrix_that_lay_in_its_place():
    """Nor one array for a pair of results."""
    given = [("x", 2), ("A", (2, 3))]
    made = compile_program(program(trace(lambda x, A: [x[0], x[1] + A[5]], given)))
    x, A, out = np.ones(2), np.arange(6.0).reshape(2, 3), np.empty(2)
    for _ in range(2):
        assert made(x, A, out=out).tolist() == [1, 6]
    with pytest.raises(UsageError, match="A"):
        made(x, A[0][:2], out=out)
    pair = compile_program(
        program(trace(lambda x: ([x[0]], [x[1]]), [("x", 2)], outputs=[("a", (1,)), ("b", (1,))]))
    )
    a, b = np.empty(1), np.empty(1)
    for _ in range(2):
        pair(x, out=(a, b))
    with pytest.raises(UsageError, match="out"):
        pair(x, out=a)


def test_the_direct_entry_keeps_no_reference(states):
    import sys

    kernel = compile_program(pendulum_chain(5), key="chain 5")
    q, qd = states
    out, pair = np.empty((203, 5)), (np.empty(5), np.empty(5))
    gc.collect()  # what other tests left holds None too
    before = [sys.getrefcount(x) for x in (q, qd, out, pair[0], kernel, None)]
    for _ in range(1000):
        kernel(q, qd, out=out)
        kernel(*pair)
        kernel(q, qd)
        with pytest.raises(UsageError):
            kernel(q)
    gc.collect()
    after = [sys.getrefcount(x) for x in (q, qd, out, pair[0], kernel, None)]
    assert all(abs(a - b) < 50 for a, b in zip(after, before, strict=True))
    made, other = sys.getrefcount(kernel(*pair)), sys.getrefcount(np.empty(5))
    assert made == other


def test_threads_may_compile_at_once():
    answers = []

    def work(n):
        kernel = compile_program(pendulum_chain(n))
        answers.append((n, kernel(np.arange(float(n)), np.ones(n)).tobytes()))

    workers = [threading.Thread(target=work, args=(3 + k % 2,)) for k in range(6)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(answers) == 6 and len(set(answers)) == 2


# -- unusual shapes --------------------------------------------------------------------------------


def test_a_kernel_may_have_no_inputs_or_empty_ports():
    assert compile_program(program(trace(lambda: [1, 2.5], [])))().tolist() == [1, 2.5]
    kernel = compile_program(program(trace(lambda x, y: [y[0] + 1], [("x", 0), ("y", 1)])))
    assert kernel(np.zeros((3, 0)), np.ones((3, 1))).tolist() == [[2], [2], [2]]
    empty = compile_program(program(trace(lambda x: [], [("x", 2)], outputs=[("none", (0,))])))
    assert empty(np.zeros((5, 2))).shape == (5, 0)


def test_a_scalar_output_has_no_dimension_of_its_own():
    made = trace(lambda x: x[0] * 2, [("x", 1)], outputs=[("energy", ())])
    kernel = compile_program(program(made))
    assert kernel(np.ones(1)).shape == () == kernel([1.0]).shape
    assert kernel(np.ones((3, 1))).tolist() == [2, 2, 2]
    out = np.empty(())
    assert kernel(np.ones(1), out=out) is out and out == 2


def test_parameters_may_be_results_or_unused():
    made = program(
        trace(lambda x: [x[0].graph.param("a"), x[0]], [("x", 1)]), parameters=("b", "a")
    )
    kernel = compile_program(made)
    assert kernel([7.0], parameters={"a": 1, "b": 2}).tolist() == [1, 7]
    many = kernel(np.full((6, 1), 7.0), parameters={"a": np.arange(6), "b": 2})
    assert many.tolist() == [[k, 7] for k in range(6)]


def test_parameters_are_given_by_name():
    k = da.compile(da.robots.scara(), "gravity", parameters=["M4"])
    with pytest.raises(UsageError, match="parameters is list, not a dict"):
        k(np.zeros(4), parameters=[1.0])
