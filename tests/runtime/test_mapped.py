"""Code is put into memory as LLVM puts it there, or left to LLVM."""

import os
import subprocess
import sys

import numpy as np
import pytest

from dalembert.runtime import cache, compile_program, llvm, mapped, processor, refused
from dalembert.runtime.card import card
from dalembert.runtime.kernel import Kernel
from dalembert.runtime.library import library
from dalembert.runtime.module import compile_object
from dalembert.runtime.native import Native
from runtime.programs import pendulum_chain

here = pytest.mark.skipif(
    sys.platform != "linux" or llvm.host().triple.split("-")[0] != "x86_64",
    reason="code for this system is loaded by LLVM",
)


@pytest.fixture(scope="module")
def made():
    program = pendulum_chain(4)
    return program, compile_object(program)


def kernel_of(made, monkeypatch, by_llvm):
    program, code = made
    if by_llvm:
        monkeypatch.setattr(llvm, "Mapped", refusing)
    own = card(program, code.scratch_one, code.scratch_batch, code.tile)
    kernel = Kernel(own, Native(own, llvm.Engine(code.code, library())))
    assert isinstance(kernel.code.engine._code, llvm._Linked if by_llvm else mapped.Mapped)
    return kernel


def refusing(code):
    raise mapped.Unmapped("not here")


@here
def test_code_in_memory_gives_what_llvm_loads_bit_for_bit(made, monkeypatch):
    ours, theirs = (kernel_of(made, monkeypatch, by_llvm) for by_llvm in (False, True))
    q, qd = np.random.default_rng(1).normal(size=(2, 19, 4))
    assert np.array_equal(ours(q, qd), theirs(q, qd))
    assert np.array_equal(ours(q[0], qd[0]), theirs(q[0], qd[0]))


@here
def test_no_page_is_both_written_and_run(made):
    code = mapped.Mapped(made[1].code)
    start, end = code._start, code._start + len(code._memory)
    access = {}
    with open("/proc/self/maps") as file:
        for line in file:
            span, kind = line.split()[:2]
            low, high = (int(x, 16) for x in span.split("-"))
            if low < end and start < high:
                access[low] = kind[:3]
    assert access[start] == "r-x" and not {"rwx", "-wx"} & set(access.values())
    assert start <= code.address("one") < end and code.address("none of ours") == 0


@here
def test_dropped_code_leaves_no_memory(made):
    def lines():
        with open("/proc/self/maps") as file:
            return sum(1 for _ in file)

    held = [mapped.Mapped(made[1].code) for _ in range(50)]
    many = lines()
    held.clear()
    assert lines() <= many - 50


@here
def test_a_file_that_is_cut_or_changed_is_not_run(made):
    """Nothing but Unmapped may come of it, and no place outside the image is written to."""
    code = made[1].code
    for end in range(0, len(code), max(1, len(code) // 200)):
        with pytest.raises(mapped.Unmapped):
            mapped.Mapped(code[:end])
    rng = np.random.default_rng(3)
    head = len(code) - 64 * 12  # the table of sections, where every byte means something
    for at in (*rng.integers(0, 64, 60), *rng.integers(head, len(code), 240)):
        changed = bytearray(code)
        changed[at] ^= 1 << int(rng.integers(8))
        try:
            image, ends, _ = mapped.linked(bytes(changed))
        except (mapped.Unmapped, ValueError, IndexError, OverflowError, mapped.struct.error):
            continue
        assert 0 <= ends[0] <= ends[1] <= len(image) < 65 * len(code) + 3 * 4096


@here
def test_code_that_names_something_outside_is_left_to_llvm():
    text = "declare double @sin(double)\ndefine double @f(double %x) nounwind {\n"
    code = llvm.generate(text + "  %y = call double @sin(double %x)\n  ret double %y\n}\n", 1)
    with pytest.raises(mapped.Unmapped, match="place"):
        mapped.Mapped(code)


def test_where_nothing_may_be_loaded_numpy_answers(monkeypatch, tmp_path):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    wanted = compile_program(lambda: pendulum_chain(2), key="k")
    monkeypatch.setattr(llvm, "Mapped", refusing)
    monkeypatch.setattr(refused, "_refused_by_system", lambda: "no memory that may be run")
    monkeypatch.setattr(refused, "_warned", set())
    with pytest.warns(RuntimeWarning, match="may be run") as seen:
        plain = compile_program(lambda: pendulum_chain(2), key="k")
    assert len(seen) == 1
    x = np.ones((3, 2))
    np.testing.assert_allclose(plain(x, x), wanted(x, x), rtol=1e-12)


def test_the_processor_is_told_without_llvm():
    code = (
        "import sys; from dalembert.runtime import cache; cache.surroundings(); "
        "print('llvmlite.binding' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    listed = processor._listed()
    assert run.stdout.strip() == str(listed is None)
    assert processor.processor() in cache.surroundings()
    if listed is not None:
        assert processor.processor() == listed and "MHz" not in listed


def test_the_first_core_is_what_linux_says_of_a_processor(monkeypatch, tmp_path):
    """Without what changes; an instruction set that only another core has is left out."""
    core = "processor\t: {}\nvendor_id\t: Us\nmodel name\t: U 1\ncpu MHz\t: 1.5\n"
    core += "flags\t: sse {}\n\n"
    (tmp_path / "facts").write_text(core.format(0, "avx") + core.format(1, "avx512f"))
    monkeypatch.setattr(processor, "_FACTS", str(tmp_path / "facts"))
    told = ["vendor_id: Us", "model name: U 1", "flags: sse avx"]
    assert processor.processor().splitlines() == [os.uname().machine, *told]


def test_where_the_system_says_nothing_llvm_does(monkeypatch, tmp_path):
    monkeypatch.setattr(processor, "_FACTS", str(tmp_path / "none"))
    assert llvm.host().features in processor.processor()
    (tmp_path / "few").write_text("processor : 0\nBogoMIPS : 50\n\nflags : sse\n")
    monkeypatch.setattr(processor, "_FACTS", str(tmp_path / "few"))
    assert llvm.host().features in processor.processor()
