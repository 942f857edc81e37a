"""Docstrings: every example of the package runs, every public function has one."""

import doctest
import importlib
import inspect
import pydoc
import re
from functools import cached_property

import numpy as np
import pytest

import dalembert as da
from dalembert.compute import describe
from dalembert.equations import Equations
from dalembert.equations.kane_form import KaneForm
from dalembert.linearize import Linear
from dalembert.plan.loops import LoopPlan
from dalembert.runtime.kernel import Kernel
from dalembert.simulate.result import Simulation
from dalembert.trajectory.torques import Torques
from peers import SOURCE

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(examples: doctest.DocTest) -> dict:
    """Return the names of a session that ran as shown."""
    told = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples, out=told.append, clear_globs=False)
    assert runner.failures == 0, "".join(told)
    return examples.globs


def modules() -> list[str]:
    """Return the modules whose docstrings hold sessions."""
    files = sorted(f for f in SOURCE.rglob("*.py") if ">>> " in f.read_text(encoding="utf-8"))
    parts = [f.relative_to(SOURCE.parent).with_suffix("").parts for f in files]
    return [".".join(p[:-1] if p[-1] == "__init__" else p) for p in parts]


@pytest.mark.parametrize("name", modules())
def test_the_examples_of_a_module_run(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name), name)
    rows = {f"dalembert.compute.evaluate.{row}" for row in da.QUANTITIES}
    shown = [x for x in found if x.examples and x.name not in rows]
    assert shown or name == describe.__name__
    for examples in shown:
        run(examples)


def session(text: str, name: str) -> doctest.DocTest:
    return doctest.DocTestParser().get_doctest(text, {}, name, None, 0)


@pytest.mark.parametrize("row", da.catalog(), ids=lambda row: row.name)
def test_the_example_of_a_quantity_runs(row):
    function = getattr(da, row.name)
    names = run(session(inspect.getdoc(function), row.name))
    outputs = re.search(rf"^>>> (.*) = da\.{row.name}\(", function.__doc__, re.M)[1].split(", ")
    m, kernel_row = names["m"], da.compile(names["m"], row.name)
    assert [n.rstrip("_") for n in outputs] == [out.name for out in row.outputs]
    for name, port in zip(outputs, kernel_row.outputs, strict=False):
        assert names[name].shape == port.shape and np.isfinite(names[name]).all(), (m.name, name)


@pytest.mark.parametrize("row", da.catalog(), ids=lambda row: row.name)
def test_a_quantity_shows_its_inputs_and_options(row):
    shown = inspect.signature(getattr(da, row.name))
    assert shown == describe.signature(row)
    assert list(shown.parameters)[: 1 + len(row.inputs)] == ["m", *row.inputs]
    assert {k: shown.parameters[k].default for k in row.options} == dict(row.options)
    said = getattr(da, row.name).__doc__
    assert all(f"\n{k}: {describe.OPTIONS[k]}" in said for k in row.options)


def test_help_of_a_kernel_speaks_of_the_call():
    k = da.compile(da.robots.puma560(), "gravity")
    shown = pydoc.render_doc(k, renderer=pydoc.plaintext)
    assert "A compiled quantity: `k(*inputs, out=None, parameters=None)`" in shown
    for name in ("inputs", "outputs", "parameters", "cost", "defaults", "name"):
        assert inspect.getdoc(getattr(type(k), name))


def public_functions() -> dict[str, object]:
    """Return every function that users reach, by name."""
    found = {name: getattr(da, name) for name in da.EXPORTS}
    for part in (da.robots, da.trajectory, da.control):
        found |= {f"{part.__name__}.{name}": getattr(part, name) for name in part.__all__}
    return {name: f for name, f in found.items() if inspect.isroutine(f)}


# what a user calls on values; the other methods serve algorithms
METHODS = {
    da.Mechanism: "attach frame joint_index lock report rooted save with_flexible_joints "
    "with_gravity with_payload with_values",
    Equations: "counts drop energy_regressor evaluate freeze json latex markdown neglect places "
    "prune regressor structure structure_of terms text to_sympy with_sign",
    da.control.PD: "lyapunov lyapunov_rate",
    da.trajectory.Trajectory: "then times",
}


def test_every_public_function_has_an_example():
    shown = public_functions() | {
        f"{kind.__name__}.{name}": getattr(kind, name)
        for kind, names in METHODS.items()
        for name in names.split()
    }
    shown |= {k.__name__: k for k in (da.control.ComputedTorque, da.control.FeedForward, Kernel)}
    assert len(shown) > 150
    assert not [name for name, f in shown.items() if ">>> " not in (inspect.getdoc(f) or "")]


CLASSES = (*METHODS, Kernel, da.control.Feedback, Simulation, Torques, Linear, LoopPlan, KaneForm)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_public_member_says_what_it_is(kind):
    members = {
        name: member
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and (inspect.isroutine(member) or isinstance(member, property | cached_property))
    }
    assert not [name for name, member in members.items() if not inspect.getdoc(member)]
