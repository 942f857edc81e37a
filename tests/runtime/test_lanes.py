"""Processors that are not here: their lanes are run on this one, their code is read.

Eight lanes of AVX-512 run on any processor, elsewhere in halves; that its registers and those of
NEON are used is seen in the assembly.
"""

import llvmlite.binding as binding
import numpy as np
import pytest

import dalembert as da
from dalembert.bench.rows import chain, difference, states
from dalembert.catalog import quantity
from dalembert.compute import program_of
from dalembert.compute.rolled import rolled
from dalembert.compute.ways import Asked
from dalembert.expr import program, trace
from dalembert.expr.block import gathered
from dalembert.runtime import (
    Form,
    compile_program,
    library,
    llvm,
    lower,
    module,
    schedule,
    transpose,
)
from dalembert.runtime import rolled as loops
from dalembert.runtime.lanes import Single
from dalembert.runtime.llvm import Host

AVX512 = "+avx512f,+avx512vl,+avx512dq,+avx512bw,+avx512cd,+avx2,+fma"
SKYLAKE = Host("x86_64-unknown-linux-gnu", "skylake-avx512", AVX512, 8, True)
NEON = Host("aarch64-unknown-linux-gnu", "cortex-a76", "+neon", 2, True)
FORMS = [{}, {"dtype": "float32"}, {"layout": "tiles"}, {"reduce": "norm"}]


@pytest.fixture
def on(monkeypatch):
    """Code is written for another processor."""

    def there(host):
        for part in (llvm, library, module, loops):
            monkeypatch.setattr(part, "host", lambda: host)
        monkeypatch.setattr(library, "_loaded", {})
        monkeypatch.setattr(library, "_code", lambda part: (_library(host, part), host.lanes))

    return there


def _library(host, part):
    return llvm.generate(library.text(host.lanes, host.fused, [part]), 1)


def arm(n=4):
    return program_of(chain(n), "inverse_dynamics", drives="none")


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_eight_lanes_give_the_numbers_of_four(on, form):
    m, here = chain(5), llvm.host()
    made = program_of(m, "inverse_dynamics", drives="none")
    given = [np.asarray(x, form.get("dtype", "float64")) for x in states(m, 37)]
    usual = compile_program(made, form=Form(**form))
    tiled = "layout" in form

    def run(k):
        if not tiled:
            return k(*given)
        return k.from_tiles(k(*map(k.to_tiles, given)), 37)

    wanted = run(usual)
    on(Host(here.triple, here.cpu, here.features, 8, here.fused))
    assert difference(run(compile_program(made, form=Form(**form))), wanted) < (
        1e-5 if "dtype" in form else 1e-14
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("most", [0, 10**6], ids=["gathered first", "straight to rows"])
def test_rows_of_any_length_come_back_from_lanes(on, lanes, dtype, most, monkeypatch):
    here = llvm.host()
    on(Host(here.triple, here.cpu, here.features, lanes, here.fused))
    monkeypatch.setattr(module, "DIRECT", most)
    sizes = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 23, 31, 32, 37)
    ins, outs = [(f"x{n}", n) for n in sizes], [(f"y{n}", (n,)) for n in sizes]
    made = program(trace(lambda *xs: xs, ins, outputs=outs))
    k = compile_program(made, form=Form(dtype=dtype))
    rng = np.random.default_rng(0)
    for count in (1, 7, 8, 16, 37):
        given = [rng.normal(size=(count, n)).astype(dtype) for n in sizes]
        for x, y in zip(given, k(*given), strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("lanes", [2, 4, 8, Single(4), Single(8), Single(16)])
def test_neighbours_fill_their_row(lanes):
    for size in range(1, 40):
        groups = schedule._neighbours(size, lanes)
        assert sorted({n + k for n, many in groups for k in range(many)}) == [*range(size)]
        wide = isinstance(lanes, Single) and min(lanes, size) >= 8
        assert max(many for _, many in groups) <= (8 if wide else min(lanes, 4))
        assert not wide or len(groups) == -(-size // 8)


@pytest.mark.parametrize("lanes", [4, 8])
def test_a_state_that_is_not_finite_leaves_its_neighbours_alone(on, lanes):
    here = llvm.host()
    on(Host(here.triple, here.cpu, here.features, lanes, here.fused))
    k = compile_program(arm())
    given = states(chain(4), 21)
    wanted = k(*given)
    for place in (0, 7, 8, 20):
        for wrong in (np.nan, np.inf):
            q = given[0].copy()
            q[place] = wrong
            found = k(q, *given[1:])
            others = np.arange(21) != place
            np.testing.assert_array_equal(found[others], wanted[others])
            assert np.isnan(found[place]).any()


def test_results_do_not_depend_on_where_arrays_begin():
    m, (q, qd, qdd) = chain(5), states(chain(5), 19)
    for options in ({}, {"dtype": "float32"}):
        k = da.compile(m, "inverse_dynamics", **options)
        given = [x.astype(k.card.form.dtype) for x in (q, qd, qdd)]
        wanted, memory = k(*given), np.zeros(19 * 5 + 16, k.card.form.dtype)
        for first in range(16):
            out = memory[first : first + 19 * 5].reshape(19, 5)
            memory[:] = 7
            assert np.array_equal(k(*given, out=out), wanted)
            assert (memory[:first] == 7).all() and (memory[first + 19 * 5 :] == 7).all()


@pytest.mark.parametrize(
    ("host", "whole"), [(SKYLAKE, True), (NEON, False)], ids=["AVX-512", "NEON"]
)
def test_code_is_cut_later_where_there_are_more_registers(on, host, whole):
    on(host)
    made = gathered(arm(24).step)
    assert schedule.WHOLE < len(made.lines) < schedule.WHOLE * schedule.ROOMY
    longest = max(map(len, schedule.schedule(made).chunks))
    assert longest > schedule.WHOLE if whole else longest < 2 * schedule.CHUNK
    assert lower.kept_in_order(made, host.lanes) >= whole


def test_a_tile_of_wide_registers_stays_in_the_nearest_cache(on):
    on(SKYLAKE)
    for n in (2, 6, 18):
        scratch, tile = module.module(arm(n))[2:]
        assert scratch <= module.NEAR or tile == 8
        assert tile % 8 == 0


def test_matrices_and_loops_run_in_eight_lanes(on):
    m, here = chain(6), llvm.host()
    given = states(m, 11)
    wanted = [da.compile(m, n, drives="none")(*given[:k]) for n, k in (("mass_matrix", 1), (
        "inverse_dynamics_derivatives", 3))]  # fmt: skip
    on(Host(here.triple, here.cpu, here.features, 8, here.fused))
    name = "inverse_dynamics_derivatives"
    asked = Asked(m, quantity(name), None, {"drives": "none"})
    k = compile_program(rolled(asked, lambda: None))
    assert difference(k(*given), wanted[1]) < 1e-12
    k = compile_program(program_of(m, "mass_matrix", drives="none"))
    assert difference(k(given[0]), wanted[0]) < 1e-14


def products(size):
    """Return a program with one long row of results."""

    def run(q):
        return [q[k % 64] * q[k // 64] + k for k in range(size)]

    return program(trace(run, [("q", 64)]))


def test_lines_of_long_rows_are_asked_for_early(on):
    for host, size, form, asked in (
        (SKYLAKE, 1024, {}, 8), (SKYLAKE, 1023, {}, 0), (SKYLAKE, 1030, {"dtype": "float32"}, 0),
        (SKYLAKE, 2048, {"dtype": "float32"}, 16), (SKYLAKE, 1024, {"layout": "tiles"}, 0),
        (NEON, 1024, {}, 0),
    ):  # fmt: skip
        on(host)
        text = module.module(products(size), form=Form(**form))[0]
        assert text.count("call void @llvm.prefetch.p0(") == asked  # one in each row of a group


def test_rows_that_are_asked_for_early_have_the_same_bits(on, monkeypatch):
    here, made = llvm.host(), products(1030)
    on(Host(here.triple, here.cpu, here.features, 8, here.fused))
    q = np.random.default_rng(0).normal(size=(19, 64))
    found = compile_program(made)(q)
    monkeypatch.setattr(transpose, "LONG_ROW", 1 << 40)
    assert "call void @llvm.prefetch" not in module.module(made)[0]
    assert np.array_equal(found, compile_program(made)(q))
    wanted = [[x[k % 64] * x[k // 64] + k for k in range(1030)] for x in q]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def assembly(host, form):
    """Return the assembly of inverse dynamics on another processor."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    try:
        target = binding.Target.from_triple(host.triple)
    except RuntimeError:
        pytest.skip(f"llvmlite has no {host.triple}")
    maker = target.create_target_machine(
        cpu=host.cpu, features=host.features, opt=1, reloc="pic", codemodel="small"
    )
    with binding.create_context() as context:
        text = module.module(arm(), form=Form(**form))[0]
        return maker.emit_assembly(binding.parse_assembly(text, context=context))


@pytest.mark.parametrize(("host", "words"), [
    (SKYLAKE, {"float64": ["vfmadd", "zmm"], "float32": ["vfmadd", "zmm"]}),
    (NEON, {"float64": ["fmla", ".2d"], "float32": ["fmla", ".4s"]}),
], ids=["AVX-512", "NEON"])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_wide_registers_are_used(on, host, words, dtype):
    on(host)
    text = assembly(host, {"dtype": dtype})
    fused, register = words[dtype]
    lines = [line for line in text.splitlines() if fused in line and register in line]
    assert len(lines) > 50


@pytest.mark.parametrize(
    ("names", "lanes"),
    [
        ("", 2),  # SSE2 and NEON: 128 bits
        ("avx", 2),  # its integers have 128 bits only
        ("avx avx2", 4),
        ("avx2 avx512f", 4),
        ("avx2 avx512f avx512vl", 4),
        ("avx2 avx512f avx512vl avx512dq", 8),
    ],
)
def test_as_many_lanes_as_registers_hold(names, lanes):
    assert llvm._lanes(dict.fromkeys(names.split(), True)) == lanes
    assert llvm._lanes({**dict.fromkeys(names.split(), True), "avx2": False}) != 4
