"""A notebook with every public object: each shows itself, plots as pictures, no raw inside."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

SETUP = """
import numpy as np
import dalembert as da
arm, four, car = da.robots.puma560(), da.robots.fourbar(), da.robots.unicycle()
two = da.load("RZ(A1,B1),TXK(L1),RZ(A2,B2),TXK(L2); gravity = (0, G, 0);")
numbers = dict(L1=0.4, L2=0.3, M1=2, D1=0.2, IZ1=0.03, M2=1, D2=0.15, IZ2=0.01, IY1=0, IY2=0)
eq = da.equations(two)
q4 = da.assemble(four)
path = da.trajectory.quintic([0.0] * 6, [0.5] * 6, 1.0)
t = np.linspace(0, 2, 201)
r = da.simulate(four, q4, t=0.5)
f = da.torques_along(arm, path)
small = da.linearize(four, da.equilibrium(four, q4))
box = {"q": [[-3, 3]] * 2, "qd": 2, "qdd": 5}
"""
TEXTS = [
    "arm", "four", "car", "arm.notes", "da.robots", "da.catalog()", "da.catalog()[0]", "eq",
    "eq.A", "eq.B", "eq.A[1, 2]", "eq.constants", "eq.structure()", "da.kane_form(car)",
    "da.plan(four)", "da.singularity(four, q4)", "da.base_parameters(arm)", "small", "small.modes",
    "da.compile(arm, 'inverse_dynamics')", "path", "r", "r.events", "f", "f.exceeded",
    "da.control.PD([0.1, 0.2], 10.0, 2.0)", "da.mass_matrix(arm, [0.0] * 6)",
    "da.read_motion({'t': t, 'q.crank': 0 * t, 'q.coupler': np.sin(t), 'q.rocker': t}, four)",
]  # fmt: skip
PLOTS = ["r.plot()", "r.plot(kind='phase')", "r.plot(theme='dark')", "f.plot()",
         "f.plot(kind='speed')", "small.plot()"]  # fmt: skip
VIEWS = ["arm.show()", "r.show()", "f.show()"]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    cells = [SETUP, *TEXTS, *PLOTS, *VIEWS]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    folder = str(tmp_path_factory.mktemp("notebook"))
    client = nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    try:
        client.execute()
    except nbclient.client.NoSuchKernel:
        pytest.skip("no Jupyter kernel is installed")
    return {c.source: c.outputs for c in book.cells}


def shown(outputs, source):
    """Return the one result of a cell, by type."""
    found = [o for o in outputs[source] if o.output_type == "execute_result"]
    assert len(found) == 1, outputs[source]
    return found[0].data


@pytest.mark.parametrize("source", TEXTS)
def test_an_object_shows_itself(outputs, source):
    for kind, text in shown(outputs, source).items():
        assert "0x" not in text, kind
        assert not re.search(r"\\(section|paragraph|noindent|documentclass)", text), kind
        assert not re.search(r"\b[A-Z]\w+\([a-z_]+=", text), f"{kind}: {text[:200]}"


@pytest.mark.parametrize("source", PLOTS)
def test_a_plot_is_a_picture_without_a_magic_word(outputs, source):
    data = shown(outputs, source)
    assert data["image/png"].startswith("iVBOR") and "0x" not in data["text/plain"]


@pytest.mark.parametrize("source", VIEWS)
def test_a_view_stands_in_the_notebook(outputs, source):
    html = shown(outputs, source)["text/html"]
    assert html.startswith("<iframe srcdoc=") and "<script" not in html
