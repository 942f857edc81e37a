"""Errors say what to write instead: every raise at a door has a hint, and it fits the case."""

import ast
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
