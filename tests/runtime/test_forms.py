"""Reduced results, states in lanes, single precision: the same quantity in other arrays."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UsageError
from dalembert.expr import cos, program, sin, trace
from dalembert.runtime import Form, compile_program, fast, reduce
from runtime.programs import pendulum_chain
from runtime.test_packed import humanoid

REDUCED = {
    "max": lambda x: np.abs(x).max(axis=-2),
    "sum": lambda x: x.sum(axis=-2),
    "norm": lambda x: np.sqrt((x * x).sum(axis=-2)),
}
BOTH = pytest.mark.parametrize("dtype", ["float64", "float32"])


def states(n, *lead, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, (*lead, n)), rng.uniform(-2, 2, (*lead, n))


def made(n=5, **form):
    threads = form.pop("threads", 1)
    return compile_program(
        pendulum_chain(n), key=f"form chain {n}", threads=threads, form=Form(**form)
    )


# -- reductions ----------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("kind", [*REDUCED])
@pytest.mark.parametrize("count", [1, 2, 7, 16, 1023, 1024, 1025, 5000])
def test_a_reduction_is_that_of_all_results(kind, count, dtype):
    q, qd = states(5, count)
    wanted = REDUCED[kind](made()(q, qd))
    found = made(reduce=kind, dtype=dtype)(q, qd)
    assert found.shape == (5,) and found.dtype == dtype
    close = 1e-13 if dtype == "float64" else 1e-5
    assert np.abs(found - wanted).max() <= close * np.abs(made()(q, qd)).sum(axis=0).max()


@pytest.mark.parametrize("kind", [*REDUCED])
def test_the_last_leading_dimension_is_reduced(kind):
    kernel = made(reduce=kind)
    q, qd = states(5, 3, 4, 17)
    np.testing.assert_allclose(kernel(q, qd), REDUCED[kind](made()(q, qd)), rtol=1e-12)
    out = np.empty((3, 4, 5))
    assert kernel(q, qd, out=out) is out and np.array_equal(out, kernel(q, qd))
    # each row by itself: it does not matter what stands before and after it
    alone = np.array([[kernel(q[i, j], qd[i, j]) for j in range(4)] for i in range(3)])
    assert np.array_equal(out, alone)
    long = states(5, 2, 3 * reduce.BLOCK + 5)
    both = kernel(*long)
    assert np.array_equal(both, [kernel(long[0][k], long[1][k]) for k in range(2)])
    # an input that all states share
    one = kernel(q, qd[0, 0, 0])
    wanted = REDUCED[kind](made()(q, qd[0, 0, 0]))
    np.testing.assert_allclose(one, wanted, rtol=1e-12)


@BOTH
@pytest.mark.parametrize("kind", [*REDUCED])
def test_threads_change_no_bit(kind, dtype):
    q, qd = states(5, 3 * reduce.BLOCK * reduce.SPAN // 16 + 77)
    one = made(reduce=kind, dtype=dtype)(q, qd)
    for threads in (2, 3):
        assert np.array_equal(one, made(reduce=kind, dtype=dtype, threads=threads)(q, qd))


@pytest.mark.parametrize("kind", [*REDUCED])
def test_threads_change_no_bit_of_one_number(kind):
    q, qd = states(5, reduce.BLOCK * reduce.SPAN + 5)
    ask = program(trace(lambda q, qd: [q[0] * qd[0] - 3], [("q", 5), ("qd", 5)], name="one"))
    one, two = (compile_program(ask, form=Form(reduce=kind), threads=n) for n in (1, 2))
    assert np.array_equal(one(q, qd), two(q, qd))
    wanted = REDUCED[kind](q[:, :1] * qd[:, :1] - 3)
    np.testing.assert_allclose(one(q, qd), wanted, rtol=1e-12)


def test_no_states_give_zero_and_one_state_alone_is_refused():
    for kind in REDUCED:
        kernel = made(reduce=kind)
        assert kernel(*states(5, 0)).tolist() == [0] * 5
        assert kernel(*states(5, 3, 0)).tolist() == [[0] * 5] * 3
        assert kernel(*states(5, 0, 3)).shape == (0, 5)
        with pytest.raises(UsageError, match="many states"):
            kernel(*states(5))


@BOTH
def test_a_result_that_is_no_number_shows(dtype):
    for count, at in ((7, 6), (9, 0), (2000, 1500)):
        q, qd = states(5, count)
        q[at, 0] = np.nan
        for kind in REDUCED:
            assert np.isnan(made(reduce=kind, dtype=dtype)(q, qd)).any()


def test_the_largest_is_exact_and_sizes_count():
    q, qd = states(5, 777)
    everything = made()(q, qd)
    found = made(reduce="max")(q, qd)
    assert np.array_equal(found, np.abs(everything).max(axis=0))
    order = np.random.default_rng(1).permutation(777)
    assert np.array_equal(found, made(reduce="max")(q[order], qd[order]))


def test_matrices_and_several_outputs_are_reduced():
    m, rng = da.robots.ur5(), np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-1, 1, (3, 100, 6))
    whole = da.compile(m, "inverse_dynamics_derivatives")(q, qd, qdd)
    for packed in (False, True):
        k = da.compile(m, "inverse_dynamics_derivatives", reduce="max", packed=packed)
        found = k.unpack(k(q, qd, qdd)) if packed else k(q, qd, qdd)
        for a, b in zip(whole, found, strict=True):
            np.testing.assert_allclose(b, np.abs(a).max(axis=0), rtol=1e-13)


def test_parameters_may_differ_from_state_to_state():
    given = {"L": np.linspace(0.5, 1, 3000), "m": 1.5}
    parametric = pendulum_chain(5, parameters=True)
    q, qd = states(5, 3000)
    whole = compile_program(parametric)(q, qd, parameters=given)
    for kind, wanted in REDUCED.items():
        k = compile_program(parametric, form=Form(reduce=kind), threads=2)
        np.testing.assert_allclose(k(q, qd, parameters=given), wanted(whole), rtol=1e-11)
        fixed = {"L": 0.7, "m": 1.3}
        plain = made(reduce=kind)(q, qd)
        np.testing.assert_allclose(k(q, qd, parameters=fixed), plain, rtol=1e-11)


def test_memory_does_not_grow_with_the_states():
    import tracemalloc

    kernel = made(reduce="sum")
    q, qd = (np.broadcast_to(x, (400_000, 5)).copy() for x in states(5))
    kernel(q[:2000], qd[:2000])
    tracemalloc.start()
    kernel(q, qd)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000 < 400_000 * 5 * 8


# -- tiles ---------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("count", [1, 3, 8, 37, 512])
def test_tiles_give_what_rows_give(count, dtype):
    q, qd = states(5, count)
    kernel, rows = made(layout="tiles", dtype=dtype), made(dtype=dtype)
    assert kernel.tile in (2, 4, 8, 16) and kernel.inputs[0].shape == (5, kernel.tile)
    tiles = kernel.to_tiles(q), kernel.to_tiles(qd)
    assert tiles[0].shape == (-(-count // kernel.tile), 5, kernel.tile)
    assert np.array_equal(kernel.from_tiles(tiles[0], count), q.astype(dtype))
    found = kernel(*tiles)
    assert found.shape == tiles[0].shape and found.dtype == dtype
    assert np.array_equal(kernel.from_tiles(found, count), rows(q, qd))
    out = np.empty_like(found)
    assert kernel(*tiles, out=out) is out and np.array_equal(out, found)
    again = made(layout="tiles", dtype=dtype, threads=2)
    assert np.array_equal(again(*tiles), found)
    assert np.array_equal(kernel(tiles[0][0], tiles[1][0]), found[0])  # one tile
    shared = kernel(tiles[0], tiles[1][0])  # a tile that serves all
    assert np.array_equal(shared[0], found[0])


def test_arrays_of_tiles_may_begin_anywhere():
    q, qd = states(5, 64)
    kernel = made(layout="tiles")
    wanted, given = made()(q, qd), []
    for x in (q, qd):
        tiles = kernel.to_tiles(x)
        for shift in (1, 3):
            room = np.empty(tiles.size + shift)[shift:].reshape(tiles.shape)
            room[...] = tiles
        given.append(room)
    out = np.empty(given[0].size + 1)[1:].reshape(given[0].shape)
    kernel(*given, out=out)
    assert np.array_equal(kernel.from_tiles(out), wanted)


def test_matrices_in_tiles_packed_and_whole():
    m = da.robots.panda()
    q = np.random.default_rng(4).uniform(-1, 1, (50, 7))
    wanted = da.compile(m, "mass_matrix")(q)
    whole = da.compile(m, "mass_matrix", layout="tiles")
    packed = da.compile(m, "mass_matrix", layout="tiles", packed=True)
    assert np.array_equal(whole.from_tiles(whole(whole.to_tiles(q)), 50), wanted)
    rows = packed.from_tiles(packed(packed.to_tiles(q)), 50)
    assert np.array_equal(packed.unpack(rows), wanted)


@BOTH
def test_many_results_in_tiles(dtype):
    m = humanoid()
    rng = np.random.default_rng(8)
    q = da.integrate(m, np.tile(da.neutral(m), (30, 1)), rng.uniform(-1, 1, (30, m.nv)))
    k = da.compile(m, "mass_matrix", layout="tiles", dtype=dtype)
    wanted = da.compile(m, "mass_matrix", dtype=dtype)(q)
    assert np.array_equal(k.from_tiles(k(k.to_tiles(q)), 30), wanted)
    m = da.robots.ur5()
    given = rng.uniform(-1, 1, (3, 21, 6))
    k = da.compile(m, "inverse_dynamics_derivatives", layout="tiles", dtype=dtype)
    whole = da.compile(m, "inverse_dynamics_derivatives", dtype=dtype)(*given)
    found = k(*map(k.to_tiles, given))
    assert all(np.array_equal(k.from_tiles(a, 21), b) for a, b in zip(found, whole, strict=True))

    def run(x):
        return [[2.5 if i == j else x[0] * (i == j + 1) for i in range(9)] for j in range(9)]

    own = program(trace(run, [("x", 1)], outputs=[("a", (9, 9))]))
    k = compile_program(own, form=Form(layout="tiles", dtype=dtype))
    x = np.full((50, 1), 3.0)
    wanted = 2.5 * np.eye(9) + 3 * np.eye(9, k=1)
    assert (k.from_tiles(k(k.to_tiles(x)), 50) == wanted).all()


def test_constants_and_long_programs_in_tiles():
    def run(x):
        return [[0, 2.5], [x[0], sin(x[0]) * x[1]]]

    own = program(trace(run, [("x", 2)], outputs=[("a", (2, 2))]))
    for dtype in ("float64", "float32"):
        k = compile_program(own, form=Form(layout="tiles", dtype=dtype))
        x = np.random.default_rng(5).uniform(-1, 1, (9, 2)).astype(dtype)
        found = k.from_tiles(k(k.to_tiles(x)), 9)
        assert (found[:, 0] == [0, 2.5]).all() and np.array_equal(found[:, 1, 0], x[:, 0])
    q, qd = states(150, 11)
    k = made(150, layout="tiles")
    assert np.array_equal(k.from_tiles(k(k.to_tiles(q), k.to_tiles(qd)), 11), made(150)(q, qd))


def test_parameters_of_tiles():
    k = compile_program(pendulum_chain(5, parameters=True), form=Form(layout="tiles"))
    q, qd = states(5, 8 * k.tile)
    tiles = k.to_tiles(q), k.to_tiles(qd)
    found = k(*tiles, parameters={"L": 0.7, "m": 1.3})
    np.testing.assert_allclose(k.from_tiles(found), made()(q, qd), rtol=1e-12)
    each = k(*tiles, parameters={"L": np.linspace(0.7, 1, 8), "m": 1.3})  # one for each tile
    assert np.array_equal(each[0], found[0]) and not np.array_equal(each[1], found[1])


# -- single precision ----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3, 8, 13, 100])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 34, 150])
def test_single_precision_is_near_at_any_size(n, count):
    q, qd = states(n, count)
    q, qd = q.astype(np.float32), (0.1 * qd).astype(np.float32)
    wanted = made(n)(q.astype(float), qd.astype(float))
    found = made(n, dtype="float32")(q, qd)
    assert found.dtype == np.float32 and found.shape == wanted.shape
    assert np.abs(found - wanted).max() <= 1e-5 * np.abs(wanted).max()
    assert np.array_equal(
        found[count // 2], made(n, dtype="float32")(q[count // 2], qd[count // 2])
    )


@pytest.mark.parametrize("robot", ["ur5", "panda", "puma560"])
@pytest.mark.parametrize(
    "name", ["inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "jacobian"]
)
def test_quantities_in_single_precision(robot, name):
    m = getattr(da.robots, robot)()
    whole, single = (da.compile(m, name, dtype=d) for d in ("float64", "float32"))
    rng = np.random.default_rng(6)
    given = [rng.uniform(-3, 3, (500, p.size)).astype(np.float32) for p in whole.inputs]
    wanted, found = whole(*(x.astype(float) for x in given)), single(*given)
    for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (wanted, found)), strict=True):
        assert b.dtype == np.float32
        assert np.abs(b - a).max() <= 1e-5 * np.abs(a).max()


@pytest.fixture(scope="module")
def turns():
    made = program(trace(lambda x: [sin(x[0]), cos(x[0])], [("x", 1)]))
    return compile_program(made, form=Form(dtype="float32"))


def ulps(found, x):
    exact = np.stack([np.sin(x), np.cos(x)], axis=-1)
    return np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float32)).astype(float)


def test_sines_of_single_precision_are_within_two_ulp(turns):
    rng = np.random.default_rng(7)
    close = [np.nextafter(np.float32(k * np.pi / 2), np.float32(s)) for k in range(-99, 99)
             for s in (-1e9, 1e9)]  # fmt: skip
    for some in (
        rng.uniform(-np.pi, np.pi, 400_000),
        rng.uniform(-1e4, 1e4, 400_000),
        rng.uniform(-1, 1, 200_000) * 10.0 ** rng.uniform(-30, 30, 200_000),
        np.array(close),
    ):
        x = some.astype(np.float32)
        assert ulps(turns(x[:, None]), x.astype(float)).max() <= 2


def test_sines_of_what_is_no_angle(turns):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    found = turns(x[:, None])
    assert np.isnan(found[:3]).all() and found[3:].tolist() == [[0, 1], [0, 1]]


def test_single_precision_is_entered_directly():
    if fast.entry() is None:
        pytest.skip("kernels are plain objects here")
    for form in ({"dtype": "float32"}, {"dtype": "float32", "layout": "tiles"}):
        kernel = made(**form)
        assert type(kernel) is fast.entry().type
        q, qd = (x.astype(np.float32) for x in states(5, 5 * 16))
        if "layout" in form:
            q, qd = kernel.to_tiles(q), kernel.to_tiles(qd)
        wanted = kernel.general(q, qd)
        found, out = kernel(q, qd), np.empty_like(wanted)
        assert found.dtype == np.float32 and np.array_equal(found, wanted)
        assert kernel(q, qd, out=out) is out and np.array_equal(out, wanted)
        assert np.array_equal(kernel(q, qd[3]), kernel.general(q, qd[3]))
        assert np.array_equal(kernel(q[::2], qd[::2]), wanted[::2])  # not contiguous
        assert np.array_equal(kernel(q.astype(float), qd), wanted)  # converted
        with pytest.raises(UsageError, match="overlaps"):
            kernel(q, qd, out=q)
    double = made()
    mixed = double(q := states(5, 4)[0], q.astype(np.float32))
    assert mixed.dtype == np.float64  # of double precision all along


def test_single_precision_takes_and_gives_single_precision():
    kernel = made(dtype="float32")
    q, qd = states(5, 4)
    assert np.array_equal(kernel(q, qd), kernel(q.astype(np.float32), qd.astype(np.float32)))
    with pytest.raises(UsageError, match="float32 array"):
        kernel(q, qd, out=np.empty((4, 5)))
    out = np.empty((4, 5), np.float32)
    assert kernel(q, qd, out=out) is out
    with pytest.raises(UsageError, match="complex128"):
        kernel(q + 1j, qd)


# -- all of them ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:DALEMBERT_JIT")
@BOTH
def test_numpy_gives_the_same(monkeypatch, dtype):
    q, qd = states(5, 2500)
    forms = [{"reduce": r} for r in REDUCED] + [{"layout": "tiles"}, {}]
    compiled = [made(dtype=dtype, **f) for f in forms]
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    close = 1e-11 if dtype == "float64" else 1e-4
    for form, kernel in zip(forms, compiled, strict=True):
        plain = made(dtype=dtype, **form)
        given = (q, qd)
        if "layout" in form:
            a = kernel.from_tiles(kernel(*map(kernel.to_tiles, given)), 2500)
            b = plain.from_tiles(plain(*map(plain.to_tiles, given)), 2500)
            assert np.array_equal(plain(plain.to_tiles(q)[0], plain.to_tiles(qd)[0]),
                                  plain(plain.to_tiles(q), plain.to_tiles(qd))[0])  # fmt: skip
        else:
            a, b = kernel(*given), plain(*given)
        assert b.dtype == dtype
        assert np.abs(a - b).max() <= close * np.abs(a).max()


def test_forms_come_from_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    q, qd = states(5, 50)

    def never():
        raise AssertionError("the program was asked for")

    for form in ({"reduce": "sum"}, {"layout": "tiles"}, {"dtype": "float32"}, {"packed": True}):
        first = made(**form)
        again = compile_program(never, key="form chain 5", form=Form(**form))
        given = [first.to_tiles(x) for x in (q, qd)] if "layout" in form else (q, qd)
        assert np.array_equal(first(*given), again(*given)) and first.tile == again.tile


@pytest.mark.parametrize(
    "form",
    [{"dtype": "float16"}, {"dtype": None}, {"layout": "columns"}, {"reduce": "mean"},
     {"reduce": True}, {"packed": 1}, {"layout": "tiles", "reduce": "sum"}],
    ids=str,
)  # fmt: skip
def test_what_is_no_form_is_refused(form):
    with pytest.raises(UsageError, match=next(iter(form))):
        da.compile(da.robots.ur5(), "mass_matrix", **form)


def test_mistakes_with_tiles_are_named():
    kernel = made(layout="tiles")
    with pytest.raises(UsageError, match="lie in rows"):
        made().to_tiles(np.zeros((4, 5)))
    with pytest.raises(UsageError, match=r"expected \(tiles, \.\.\., "):
        kernel.from_tiles(np.zeros((4, 5, 3)))
    with pytest.raises(UsageError, match="9999 states"):
        kernel.from_tiles(np.zeros((4, 5, kernel.tile)), 9999)
    with pytest.raises(UsageError, match="shape"):
        kernel(*states(5, 16))


def test_forms_are_options_of_kernels_not_of_calls():
    m, q = da.robots.ur5(), np.zeros((9, 6))
    given = {"packed": True, "dtype": "float32", "layout": "tiles", "reduce": "max"}
    for name, value in given.items():
        with pytest.raises(UsageError, match=f"takes no {name}"):
            da.mass_matrix(m, q, **{name: value})


def test_loops_are_packed_but_not_reduced():
    m = da.robots.fourbar()
    whole = da.compile(m, "inverse_dynamics")
    packed = da.compile(m, "inverse_dynamics", packed=True)
    given = [np.full((5, p.size), 0.2) for p in whole.inputs]
    pairs = zip(whole(*given), packed.unpack(packed(*given)), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)
    with pytest.raises(UsageError, match="does not close"):
        da.compile(m, "inverse_dynamics", reduce="max")
