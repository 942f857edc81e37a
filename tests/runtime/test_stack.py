"""Kernels are called at any phase of the caller's stack, with one result."""

import ctypes
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import program_of
from dalembert.runtime import llvm, module
from dalembert.runtime.llvm import Host
from dalembert.runtime.native import address, scratch
from peers import ROOT

FORMS = [{}, {"dtype": "float32"}, {"layout": "tiles"}, {"packed": True}]
_word, _int = ctypes.c_void_p, ctypes.c_int64


@pytest.fixture
def forms(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import forms

    return forms


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_results_do_not_depend_on_the_phase_of_the_stack(forms, form):
    kernel = da.compile(da.robots.panda(), "forward_dynamics", **form)
    rng = np.random.default_rng(0)
    ins = [rng.normal(size=(40, *p.shape)).astype(form.get("dtype", float)) for p in kernel.inputs]
    wanted = kernel(*ins)
    word = wanted.itemsize
    strides = (_int * len(ins))(*(word * p.size for p in kernel.inputs))
    engine, functions = forms.trampolines()
    memory, start = scratch(kernel.card.scratch_batch)
    assert len(functions) == len(forms.PHASES) == 4  # 16 bytes apart: all there are to 64
    for function in functions:
        found = np.zeros_like(wanted)
        tables = [(_word * len(a))(*map(address, a)) for a in (ins, [found])]
        function(kernel.code.batch_address, tables[0], strides, None, 0, tables[1], 40, start)
        np.testing.assert_array_equal(found, wanted)
    del engine, memory


@pytest.mark.parametrize(("lanes", "aligned"), [(2, 32), (4, 32), (8, 64)])
def test_entries_align_their_stack_to_whole_vectors(lanes, aligned, monkeypatch):
    """Then a kernel takes one time at all phases; `python -m benchmarks forms` measures it."""
    here = llvm.host()
    monkeypatch.setattr(
        llvm, "host", lambda: Host(here.triple, here.cpu, here.features, lanes, here.fused)
    )
    monkeypatch.setattr(module, "host", llvm.host)
    text = module.module(program_of(da.robots.panda(), "forward_dynamics"))[0]
    entries = dict(re.findall(r"^define void @(\w+)\(.*\) #(\d)", text, re.MULTILINE))
    assert entries["batch"] == entries["one"] == "1"
    assert 'attributes #1 = { nounwind "stackrealign"' in text
    assert f'"override-stack-alignment", i32 {aligned}}}' in text
