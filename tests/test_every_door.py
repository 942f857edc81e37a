"""Every public call, given things of the wrong kind: a result or a typed error, nothing else."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import dalembert as da

ARM = (
    "RZ(), TXK(0.4), RZ(), TXK(0.3); gravity = (0, -9.81, 0);"
    "body 1: M = 2, I = (.1, .1, .1); body 2: M = 1, I = (.1, .1, .1);"
)
WRONG = {
    "nothing": None,
    "empty text": "",
    "text": "nonsense",
    "ragged rows": [[1, 2], [3]],
    "rows": [[1.0, 2.0], [3.0, 4.0]],
    "an object": object(),
    "empty mapping": {},
    "a mapping": {"x": object()},
    "nan": float("nan"),
    "infinity": float("inf"),
    "minus one": -1,
    "a huge number": 10**400,
    "a complex number": 1j,
    "texts": ["a", "b"],
    "a wrong shape": np.zeros((2, 3)),
    "objects": np.array([object()]),
    "bytes": b"x",
    "a function": lambda *given: None,
    "a set": {1},
    "a number": 1.5,
}
TWO = [0.1, 0.2]
T = np.linspace(0, 1, 21)
BOX = {"all": {"q": (-1, 1), "qd": 1, "qdd": 1}}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """What good calls are made with."""
    folder = tmp_path_factory.mktemp("doors")
    log = folder / "log.csv"
    rows = [f"{t},{np.sin(t)},{np.cos(2 * t)},{t},{-t}" for t in np.linspace(0, 2, 60)]
    log.write_text("t,q.j1,q.j2,tau.j1,tau.j2\n" + "\n".join(rows) + "\n", encoding="utf-8")
    m, closed = da.load(ARM), da.robots.fourbar()
    motion = da.trajectory.quintic([0, 0], [1, 1], 1.0)
    return {
        "m": m, "closed": closed, "log": log, "folder": folder, "motion": motion,
        "eq": da.equations(m), "kernel": da.compile(m, "inverse_dynamics"),
        "run": da.simulate(m, TWO, t=0.05), "forces": da.torques_along(m, motion),
        "measured": da.read_motion(log, m), "base": da.base_parameters(m),
        "kane": da.kane_form(da.robots.unicycle()), "linear": da.linearize(m, TWO),
    }  # fmt: skip


# name of the call -> (function, good arguments) from what is given
CALLS = {
    "load": lambda g: (da.load, (ARM,)),
    "equations": lambda g: (da.equations, (g["m"],)),
    "kane_form": lambda g: (da.kane_form, (g["m"],)),
    "kane_speeds": lambda g: (da.kane_speeds, (g["m"],)),
    "cartesian_singularity": lambda g: (da.cartesian_singularity, (g["m"], TWO)),
    "catalog": lambda g: (da.catalog, ()),
    "base_parameters": lambda g: (da.base_parameters, (g["m"],)),
    "parameter_names": lambda g: (da.parameter_names, (g["m"],)),
    "parameter_vector": lambda g: (da.parameter_vector, (g["m"],)),
    "compile": lambda g: (da.compile, (g["m"], "inverse_dynamics")),
    "integrate": lambda g: (da.integrate, (g["m"], TWO, TWO)),
    "neutral": lambda g: (da.neutral, (g["m"],)),
    "assemble": lambda g: (da.assemble, (g["closed"],)),
    "planar_branches": lambda g: (da.planar_branches, (g["closed"],)),
    "assembly_along": lambda g: (da.assembly_along, (g["closed"], [[0.1], [0.2]])),
    "mobility": lambda g: (da.mobility, (g["closed"],)),
    "plan": lambda g: (da.plan, (g["closed"],)),
    "singularity": lambda g: (da.singularity, (g["closed"],)),
    "regular_pose": lambda g: (da.regular_pose, (g["closed"],)),
    "simulate": lambda g: (da.simulate, (g["m"], TWO, TWO, None, 0.02)),
    "inverse_kinematics": lambda g: (da.inverse_kinematics, (g["m"], [0.5, 0.2, 0], TWO)),
    "torques_along": lambda g: (da.torques_along, (g["m"], g["motion"])),
    "read_motion": lambda g: (da.read_motion, (g["log"], g["m"])),
    "linearize": lambda g: (da.linearize, (g["m"], TWO, TWO, TWO)),
    "equilibrium": lambda g: (da.equilibrium, (g["m"], TWO)),
    "export": lambda g: (da.export, (g["m"], ["mass_matrix"], "c", g["folder"] / "out")),
    "active_regressor": lambda g: (da.active_regressor, (g["closed"], [0.1] * 3, *[[0] * 3] * 2)),
    "identify": lambda g: (da.identify, (g["m"], g["measured"])),
    "excite": lambda g: (da.excite, (g["m"], 2.0, 1)),
    "pose": lambda g: (da.pose, (g["m"], TWO)),
    "jacobian": lambda g: (da.jacobian, (g["m"], TWO)),
    "inverse_dynamics": lambda g: (da.inverse_dynamics, (g["m"], TWO, TWO, TWO)),
    "hybrid_dynamics": lambda g: (da.hybrid_dynamics, (g["m"], TWO, TWO, TWO)),
    "regressor": lambda g: (da.regressor, (g["m"], TWO, TWO, TWO)),
    "cartesian_mass": lambda g: (da.cartesian_mass, (g["m"], TWO)),
    "assembly": lambda g: (da.assembly, (g["closed"], [0.1, 0.2, 0.3])),
    "active_torques": lambda g: (da.active_torques, (g["closed"], *[[0.1, 0.2, 0.3]] * 3)),
    "Mechanism": lambda g: (da.Mechanism, (g["m"].bodies,)),
    "m.save": lambda g: (g["m"].save, (g["folder"] / "m.toml",)),
    "m.save_html": lambda g: (g["m"].save_html, (g["folder"] / "m.html",)),
    "m.save_svg": lambda g: (g["m"].save_svg, (g["folder"] / "m.svg",)),
    "m.with_values": lambda g: (g["m"].with_values, ({},)),
    "m.with_gravity": lambda g: (g["m"].with_gravity, ((0, 0, -1),)),
    "m.with_payload": lambda g: (g["m"].with_payload, ("tip", 1.0)),
    "m.with_flexible_joints": lambda g: (g["m"].with_flexible_joints, (500, 0.1)),
    "m.attach": lambda g: (g["m"].attach, (g["m"], "tip")),
    "m.rooted": lambda g: (g["m"].rooted, (np.eye(4),)),
    "m.lock": lambda g: (g["m"].lock, (["j1"],)),
    "m.bound": lambda g: (g["m"].bound, ({},)),
    "m.frame": lambda g: (g["m"].frame, ("tip",)),
    "m.joint_index": lambda g: (g["m"].joint_index, (1,)),
    "eq.evaluate": lambda g: (g["eq"].evaluate, ({}, TWO, TWO, TWO)),
    "eq.freeze": lambda g: (g["eq"].freeze, ({1: 0.0},)),
    "eq.neglect": lambda g: (g["eq"].neglect, ("velocity",)),
    "eq.drop": lambda g: (g["eq"].drop, ("A12:1",)),
    "eq.terms": lambda g: (g["eq"].terms, ({}, BOX)),
    "eq.prune": lambda g: (g["eq"].prune, ({}, BOX, 0.01)),
    "eq.with_sign": lambda g: (g["eq"].with_sign, ("section2",)),
    "eq.text": lambda g: (g["eq"].text, ("condensed", ["Q"])),
    "eq.latex": lambda g: (g["eq"].latex, (["Q"],)),
    "eq.json": lambda g: (g["eq"].json, (["Q"],)),
    "eq.regressor": lambda g: (g["eq"].regressor, ()),
    "kernel": lambda g: (g["kernel"], (TWO, TWO, TWO)),
    "run.quantity": lambda g: (g["run"].quantity, ("kinetic_energy",)),
    "run.to_csv": lambda g: (g["run"].to_csv, (g["folder"] / "r.csv",)),
    "run.to_npz": lambda g: (g["run"].to_npz, (g["folder"] / "r.npz",)),
    "run.save_html": lambda g: (g["run"].save_html, (g["folder"] / "r.html",)),
    "forces.share": lambda g: (g["forces"].share, ("gravity",)),
    "forces.to_csv": lambda g: (g["forces"].to_csv, (g["folder"] / "f.csv",)),
    "measured.save": lambda g: (g["measured"].save, (g["folder"] / "d.csv",)),
    "base.values": lambda g: (g["base"].values, (g["m"].bound(),)),
    "kane.text": lambda g: (g["kane"].text, ([1],)),
    "kane.latex": lambda g: (g["kane"].latex, ([1],)),
    "quintic": lambda g: (da.trajectory.quintic, ([0, 0], [1, 1], 1.0)),
    "constant_acceleration": lambda g: (da.trajectory.constant_acceleration, ([0], [1], 1.0)),
    "trapezoidal": lambda g: (da.trajectory.trapezoidal, ([0, 0], [1, 1], 1.0, 2.0)),
    "sampled": lambda g: (da.trajectory.sampled, (lambda t: [t, t], T)),
    "spline": lambda g: (da.trajectory.spline, (T, np.stack([T, T], 1))),
    "through": lambda g: (da.trajectory.through, ([[0, 0], [1, 1]], [0.0, 1.0])),
    "a trajectory": lambda g: (g["motion"], (0.5,)),
    "trajectory.qd": lambda g: (g["motion"].qd, (0.5,)),
    "trajectory.times": lambda g: (g["motion"].times, (5,)),
    "PD": lambda g: (driven(g, da.control.PD), (TWO, 100.0, 20.0)),
    "ComputedTorque": lambda g: (driven(g, da.control.ComputedTorque), (g["motion"], 100.0, 20.0)),
    "FeedForward": lambda g: (driven(g, da.control.FeedForward), (g["motion"],)),
    "robots.eel": lambda g: (da.robots.eel, ()),
    "robots.snake": lambda g: (da.robots.snake, ()),
    "robots.truck": lambda g: (da.robots.truck, ()),
    "robots.stewart": lambda g: (da.robots.stewart, ()),
    "robots.puma560": lambda g: (da.robots.puma560, ()),
    "robots.rx90": lambda g: (da.robots.rx90, ()),
}
# options that would show windows, write many files or run long
LEFT_OUT = {"progress", "theme"}


def driven(g, law):
    """Return a call that makes a law and moves an arm by it."""
    return lambda *args, **options: da.simulate(g["m"], TWO, torque=law(*args, **options), t=0.01)


def batteries(function, args):
    """Yield (what, arguments, options) of every call with one wrong thing."""
    for k in range(len(args)):
        for name, wrong in WRONG.items():
            yield f"argument {k + 1} is {name}", (*args[:k], wrong, *args[k + 1 :]), {}
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        others = list(inspect.signature(function).parameters.values())[len(args) :]
    except (TypeError, ValueError):
        others = []
    for p in others:
        if p.kind in kinds and p.name not in LEFT_OUT:
            for name, wrong in WRONG.items():
                yield f"{p.name} is {name}", args, {p.name: wrong}
    if args:
        yield "the last argument is missing", args[:-1], {}


# those that integrate, search or write much
LONG = {
    "simulate", "identify", "excite", "export", "compile", "torques_along", "inverse_kinematics",
    "PD", "ComputedTorque", "FeedForward", "eq.prune", "eq.terms", "m.save_html", "assembly",
    "run.save_html", "kane_form", "regular_pose", "plan", "singularity", "active_torques",
    "assembly_along", "active_regressor", "planar_branches", "assemble", "mobility", "linearize",
    "equilibrium", "read_motion", "robots.stewart", "robots.truck", "hybrid_dynamics", "regressor",
    "inverse_dynamics", "cartesian_mass", "cartesian_singularity", "jacobian",
}  # fmt: skip
NAMES = [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in CALLS]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_call_answers_or_says_what_is_wrong(name, given, monkeypatch):
    monkeypatch.chdir(given["folder"])
    function, args = CALLS[name](given)
    raw = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, tried, options in batteries(function, args):
            try:
                function(*tried, **options)
            except da.DalembertError as error:
                if not str(error).strip():
                    raw.append(f"{what}: says nothing")
            except Exception as error:
                raw.append(f"{what}: {type(error).__name__}: {error}"[:160])
    assert not raw, "\n".join(raw[:12])


def test_every_public_function_has_a_battery():
    functions = {
        n for n in da.__all__
        if inspect.isfunction(getattr(da, n)) and n not in da.QUANTITIES
    }  # fmt: skip
    later = {"sweep", "optimise", "size", "studio", "assembly_modes", "leg_branches", "task_model"}
    later |= {"compare_slip"}
    assert functions - set(CALLS) <= later


def test_errors_of_a_users_own_function_pass():
    def law(t, q, qd):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        da.simulate(da.load(ARM), TWO, torque=law, t=0.1, method="lsoda")


def test_the_error_names_the_call_and_what_it_takes():
    m = da.load(ARM)
    with pytest.raises(da.UsageError, match="inverse_kinematics") as error:
        da.inverse_kinematics(m)
    assert "call: inverse_kinematics(m, " in error.value.hint
    with pytest.raises(da.UsageError, match="threads='x'"):
        da.compile(m, "inverse_dynamics", threads="x")
    with pytest.raises(da.UsageError, match="cannot neglect '5'"):
        da.equations(m).neglect(5)
    with pytest.raises(da.UsageError, match="names and values are needed, not str"):
        m.with_values("x")
    with pytest.raises(da.ModelError, match="no frame"):
        da.export(m, ["jacobian"], "c", "x", frame=["A", "B"])
