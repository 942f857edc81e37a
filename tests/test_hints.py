"""Errors say what to write instead: every raise at a door has a hint, and it fits the case."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Body, Coupling, Drive, Frame, Loop, Mechanism

SOURCE = Path(da.__file__).parent
DOORS = [
    *(SOURCE / "mechanism" / f"{name}.py" for name in ("validate", "edit")),
    *(SOURCE / "simulate" / f"{name}.py" for name in ("simulate", "events", "plot")),
    SOURCE / "runtime" / "arguments.py",
    SOURCE / "trajectory" / "moves.py",
    *sorted((SOURCE / "cli").glob("*.py")),
]
TYPED = {"ModelError", "ParameterError", "UsageError", "DescriptionError"}


@pytest.mark.parametrize("path", DOORS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_error_at_a_door_has_a_hint(path):
    bare = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in TYPED:
            given = len(node.args) > 2 or any(k.arg == "hint" for k in node.keywords)
            bare += [] if given else [node.lineno]
    assert not bare, f"raised without a hint at lines {bare}"


ARM = da.load("RZ(-1,1),TXK(1),RZ(); body 1: M = 1; body 2: M = 1, I = (1, 1, 1);")
ONE = Body("a", -1)


@pytest.mark.parametrize(
    ("deed", "hint"),
    [
        (lambda: Mechanism((ONE,), "m", named=(Frame("f", 3),)), "bodies are 0 to 0"),
        (lambda: Mechanism(ARM.bodies, "m", drives=(Drive(5),)), "from 0: 0, 1"),
        (lambda: Mechanism(ARM.bodies, "m", couplings=(Coupling(1, 1),)), "another one"),
        (lambda: Mechanism((Body("a", 0),), "m"), "parents before children"),
        (lambda: ARM.with_payload("base", 1), "moving frames: j1, j2, tip"),
        (lambda: ARM.with_payload("tip", 1, (0, 0, 0), [1, 2]), "XX, YY, ZZ, XY, XZ, YZ"),
        (lambda: ARM.with_gravity((0, 0)), "(0, 0, -9.81)"),
        (lambda: da.mass_matrix(ARM, [[0, 0], [0]]), "rectangular"),
        (lambda: da.inverse_dynamics(ARM, np.zeros((3, 2)), np.zeros((2, 2)), [0, 0]), "one state"),
        (lambda: da.mass_matrix(ARM, [0, 0], out=np.zeros(3)), "numpy.empty((2, 2))"),
        (lambda: da.simulate(ARM, [0.0]), "joints: j1, j2"),
        (lambda: da.simulate(ARM, t=[1, 0]), "t=5.0"),
        (lambda: da.trajectory.quintic([0.0], [1.0], -1), "seconds"),
    ],
)
def test_a_hint_fits_its_case(deed, hint):
    with pytest.raises(da.DalembertError) as error:
        deed()
    assert hint in error.value.hint


def test_a_loop_says_what_its_joint_lacks():
    point = ARM.gravity * 0
    for joint, needs in (("revolute", "axis = [0, 0, 1]"), ("rod", "length = 0.5")):
        with pytest.raises(da.ModelError) as error:
            Mechanism(ARM.bodies, "m", loops=(Loop(0, point, -1, point, joint),))
        assert needs in error.value.hint


# rooms that commands use, and the files in them with functions that only Python calls
ROOMS = ("catalog", "cli", "export", "identify", "measure", "mechanism", "read", "sweep", "view")
UNTOLD = {
    "identify/closed_base.py", "identify/identify.py", "identify/validate.py",
    "measure/columns.py", "measure/markers.py", "mechanism/edit.py", "mechanism/held.py",
    "mechanism/mechanism.py", "mechanism/rehome.py", "mechanism/required.py",
    "mechanism/validate.py", "sweep/optimise.py", "sweep/sweep.py", "view/document.py",
}  # fmt: skip
PYTHON = re.compile(r"\b(m|da|eq|dalembert|dataclasses)\.[a-z]|\b[a-z]+=[\"'\[({A-Z]|\(m[,)]")


def words(node):
    """Return the texts of an expression."""
    parts = ast.walk(node)
    return " ".join(x.value for x in parts if isinstance(x, ast.Constant) and type(x.value) is str)


def test_a_hint_in_python_has_one_for_the_command_line_too():
    untold = {}
    for path in (path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py"))):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            given = {k.arg: k.value for k in getattr(node, "keywords", ())}
            if "hint" in given and "command" not in given and PYTHON.search(words(given["hint"])):
                untold.setdefault(name, []).append(node.lineno)
    assert {name: lines for name, lines in untold.items() if name not in UNTOLD} == {}
