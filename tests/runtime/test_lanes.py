"""Processors that are not here: their lanes are run on this one, their code is read.

Eight lanes of AVX-512 run on any processor, in halves; that its registers and those of NEON are
used is seen in the assembly. Neither was timed on a processor of its kind.
"""

import llvmlite.binding as binding
import numpy as np
import pytest

import dalembert as da
from dalembert.bench.rows import chain, difference, states
from dalembert.compute import program_of
from dalembert.compute.rolled import rolled
from dalembert.runtime import Form, compile_program, library, llvm, module
from dalembert.runtime import rolled as loops
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
        monkeypatch.setattr(library, "_loaded", [])
        monkeypatch.setattr(library, "_code", lambda: _library(host))

    return there


def _library(host):
    return llvm.generate(library.text(host.lanes, host.fused), 1)


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


def test_matrices_and_loops_run_in_eight_lanes(on):
    m, here = chain(6), llvm.host()
    given = states(m, 11)
    wanted = [da.compile(m, n, drives="none")(*given[:k]) for n, k in (("mass_matrix", 1), (
        "inverse_dynamics_derivatives", 3))]  # fmt: skip
    on(Host(here.triple, here.cpu, here.features, 8, here.fused))
    name = "inverse_dynamics_derivatives"
    k = compile_program(rolled(lambda: None, m, name, packed=False, drives="none"))
    assert difference(k(*given), wanted[1]) < 1e-12
    k = compile_program(program_of(m, "mass_matrix", drives="none"))
    assert difference(k(given[0]), wanted[0]) < 1e-14


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
