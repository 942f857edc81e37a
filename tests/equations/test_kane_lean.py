"""Kane's ten steps of bodies that lean, as they are printed: roots and J_nh by name."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from closed_text import _plain, read_back
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.equations.loop_blocks import value
from dalembert.errors import NotPolynomialError
from machines.vehicles import ROLLING

BICYCLE = Path(__file__).parents[2] / "examples" / "bicycle.toml"
FREE = {"type": "free", "name": "base"}
RIM = {"name": "rim", "kind": "disc", "body": "disc", "axis": [0, 1, 0], "radius": 0.3}
EDGE = {
    "name": "edge",
    "kind": "knife_edge",
    "body": "frame",
    "axis": [0, 1, 0],
    "point": [-1, 0, 0],
}
PLATE = {"type": "revolute", "name": "turn", "axis": [1, 0, 0]}
CHAIN = [("px", "prismatic", [1, 0, 0]), ("py", "prismatic", [0, 1, 0]),
         ("pz", "prismatic", [0, 0, 1]), ("yaw", "revolute", [0, 0, 1]),
         ("lean", "revolute", [1, 0, 0])]  # fmt: skip


def body(name, parent=-1, joint=FREE, **more):
    return {"name": name, "parent": parent, "joint": joint, "mass": 2, "com": [0.01, 0.02, 0.03],
            "inertia": [0.1, 0.2, 0.15, 0.01, 0.02, 0.03], **more}  # fmt: skip


def turning(at, axis=(0, 1, 0)):
    return {"type": "revolute", "axis": list(axis), "placement": {"translation": at}}


def machine(bodies, *rolling, **more):
    return da.load({"format": "dalembert/1", "bodies": bodies, "rolling": list(rolling), **more})


def links():
    plain = [{"name": n, "parent": k - 1, "joint": {"type": t, "name": n, "axis": a}}
             for k, (n, t, a) in enumerate(CHAIN)]  # fmt: skip
    return [*plain, body("disc", 4, {"type": "revolute", "name": "spin", "axis": [0, 1, 0]})]


def planar(name, joint):
    return body(name, joint={"type": "planar", "name": joint})


MACHINES = {
    "bicycle": lambda: da.load(BICYCLE),
    "motorcycle": lambda: da.load(ROLLING["motorcycle"]),
    "ballbot": lambda: da.load(ROLLING["ballbot"]),
    "disc": lambda: machine([body("disc")], RIM),
    "wheel with a crown": lambda: machine([body("disc")], RIM | {"kind": "wheel", "crown": 0.1}),
    "disc on an incline": lambda: machine([body("disc")], RIM | {"normal": [0, 0.6, 0.8]}),
    "disc on a plate": lambda: machine([body("plate", joint=PLATE), body("disc")],
                                       RIM | {"on": "plate"}),
    "disc in plain joints": lambda: machine(links(), RIM),
    "disc by speeds of its body": lambda: machine(links(), RIM,
                                                  speeds=["w(disc).x", "spin", "yaw"]),
    "two discs": lambda: machine([body("disc"), body("d2", joint=FREE | {"name": "b2"})],
                                 RIM, RIM | {"name": "r2", "body": "d2"}),
    "gravity aside": lambda: machine([body("disc")], RIM, gravity=[1, 0, -9]),
    "unicycle with a flywheel": lambda: machine(
        [body("frame"), body("disc", "frame", turning([0.1, 0, -0.4])),
         body("flywheel", "frame", turning([0, 0, 0], (0, 0, 1)))],
        RIM, drives=[{"joint": "flywheel", "Ia": 0.2}]),
    "rider on a ball joint": lambda: machine(
        [body("frame"), body("disc", "frame", turning([0.1, 0, -0.4])),
         body("rider", "frame", {"type": "spherical", "name": "hip"})], RIM),
    "disc and edge": lambda: machine(
        [body("frame"), body("disc", "frame", turning([0.1, 0, 0.3]))], RIM, EDGE),
    "unicycle whose steering is prescribed": lambda: da.load(ROLLING["unicycle, steered"]),
    "bicycle whose steering is prescribed": lambda: replace(
        da.load(BICYCLE), prescribed=("steer",), speeds=()),
    "disc in plain joints, spun by time": lambda: machine(
        links(), RIM, velocity_constraints=[{"name": "spun", "equation": "spind = sin(2*t)"}]),
    "distance in an equation": lambda: machine(
        [planar("a", "pa"), planar("b", "pb")], velocity_constraints=[
            {"name": "keep", "equation": "v(a).x = 0.2*distance(a, b)*w(b).z"}]),
}  # fmt: skip
QUICK = (
    "bicycle",
    "disc in plain joints, spun by time",
    "disc",
    "disc in plain joints",
    "disc and edge",
    "distance in an equation",
)


def printed_at(form, text, q, alpha, given):
    """Return the values of all printed lines at a state, motors without force."""
    m, s = form.mechanism, form.setting.symbols
    letters = {k: value(v, {}) for k, v in m.values.items()}
    at = dict(zip(s.coordinates, q, strict=False)) | letters
    at |= {s.names[s.index["other", t]]: value(x, letters) for t, x in s.others.items()}
    at |= {s.names[i]: 0.0 for i, g in enumerate(s.generators) if g.key[0] == "force"}
    rates = da.kane_motion(m, q, alpha, *given, np.zeros(m.nv), [])[0]
    at |= {s.rate_name(k): x for k, x in enumerate(rates, 1)}
    at |= {
        s.names[s.index["second", "rate", k]]: x for k, x in zip(s.given, given[1], strict=False)
    }
    at |= {"t": given[0][-1]} if given[0] else {}
    at |= {s.names[s.index[s.alpha_key(a)]]: x for a, x in enumerate(alpha)}
    return read_back(text, at)[1]


def prescribed(form, rng):
    """Return rates and accelerations of prescribed joints, then time and its rate."""
    rates = rng.normal(size=(2, len(form.setting.symbols.given))).tolist()
    timed = [[0.7], [1.0]] if Constraints.of(form.mechanism).is_timed else [[], []]
    return [own + more for own, more in zip(rates, timed, strict=True)]


def compared(m, seed=0, states=3):
    """Assert that the printed J_nh, D, C and tau are those of the kernels, to round-off."""
    rng = np.random.default_rng(seed)
    form = da.kane_form(m)
    text = form.text()
    m, n = form.mechanism, len(form.setting.alpha)
    for _ in range(states):
        tangent = rng.uniform(-0.4, 0.4, m.nv)
        q = np.array(da.integrate(m.tree, da.neutral(m.tree), tangent))
        given = prescribed(form, rng)
        q = np.array(da.assembly(m, q, *(given if given[0] else ()))) if m.rolling else q
        alpha = rng.normal(size=n)
        known = printed_at(form, text, q, alpha, given)

        def matrix(name, rows, known=known):
            return np.array([[known[f"{name}_{r + 1}_{c + 1}"] for c in range(n)]
                             for r in range(rows)], float)  # fmt: skip

        D, C = matrix("D", n), matrix("C", n)
        tau = np.array([known[f"tau_{a + 1}"] for a in range(n)], float)
        rest = (*given, np.zeros(m.nv), [])
        c0 = np.array([known.get(f"c0_{a + 1}", 0.0) for a in range(n)], float)
        found = np.linalg.solve(D, tau - C @ alpha - c0)
        pairs = [(matrix("J_nh", m.nv), da.kane_J_nh(m, q, given[0])),
                 (D, da.kane_D(m, q, given[0])),
                 (C, da.kane_C(m, q, alpha, *given)),
                 (tau, da.kane_tau(m, q, alpha, *rest)),
                 (found, da.alpha_dot(m, q, alpha, *rest))]  # fmt: skip
        if given[0]:
            pairs.append((found, da.alpha_dot(m, q, alpha, *rest, method="multipliers")))
        for got, ref in pairs:
            np.testing.assert_allclose(got, ref, rtol=0, atol=1e-12 * (1 + np.abs(ref).max()))
    return form


@pytest.mark.parametrize("name", QUICK)
def test_the_printed_steps_are_the_kernels(name):
    compared(MACHINES[name]())


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in MACHINES if n not in QUICK])
def test_the_printed_steps_of_more_machines_are_the_kernels(name):
    compared(MACHINES[name](), seed=1, states=10)


def test_every_line_of_what_leans_is_in_sympy():
    """Over the names before it, and over the state alone, lines have their printed values."""
    sympy = pytest.importorskip("sympy")
    form = da.kane_form(MACHINES["disc in plain joints, spun by time"]())
    m, rng, given = form.mechanism, np.random.default_rng(3), [[0.7], [1.0]]
    q = np.array(da.assembly(m, rng.uniform(-0.4, 0.4, m.nq), *given))
    known = printed_at(form, form.text(), q, rng.normal(size=len(form.setting.alpha)), given)

    def numbers(lines, cse=True):
        letters = list(sympy.ordered({x for line in lines for x in line.free_symbols}))
        values = [known[_plain(x.name)] for x in letters]
        return sympy.lambdify(letters, lines, cse=cse)(*values)

    steps, whole = form.to_sympy(), form.to_sympy(whole=True)
    assert steps.keys() == whole.keys() and {"root1", "H(1,4)", "J_nh(4,1)", "c0(1)"} <= set(steps)
    few = ["root1", "J_nh(4,1)", "D(1,1)", "C(1,1)", "c0(1)", "tau(1)"]
    wanted = {n: known[_plain(n)] for n in steps}
    np.testing.assert_allclose(
        numbers(list(steps.values()), False), list(wanted.values()), atol=1e-12
    )
    found, wanted = numbers([whole[n] for n in few]), [wanted[n] for n in few]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)
    assert not any("(" in x.name for n in few for x in whole[n].free_symbols)
    found = numbers(list(form.J_nh.to_sympy()))
    np.testing.assert_allclose(found, da.kane_J_nh(m, q, [0.7]).ravel(), atol=1e-12)


def test_the_determinant_of_the_speeds_is_the_product_of_what_is_divided_by():
    form = da.kane_form(MACHINES["disc in plain joints"]())
    m, rng = form.mechanism, np.random.default_rng(4)
    q = np.array(da.assembly(m, rng.uniform(-0.4, 0.4, m.nq)))
    text = form.text(only=[5])
    known = printed_at(form, text, q, rng.normal(size=len(form.setting.alpha)), [[], []])
    told = next(line for line in text.splitlines() if "decide the motion" in line)
    names = told.partition("is 0: ")[2].split(", ")
    assert names[-1] == "root1" and len(names) > 1
    pivots = [eval(_plain(x), {"__builtins__": {}}, known) for x in names[:-1]]
    H = [[known.get(f"H_{r}_{c}", 0.0) for c in range(1, m.nv + 1)] for r in range(1, 4)]
    S = [np.eye(m.nv)[m.rate_names.index(n)] for n in da.kane_speeds(m)]
    assert abs(np.prod(pivots)) == pytest.approx(abs(np.linalg.det(np.array([*H, *S]))), rel=1e-12)


def test_the_bicycle_names_its_roots_and_stays_short(capsys):
    from dalembert.cli import main

    assert main(["derive", str(BICYCLE), "--form", "kane"]) == 0
    text = capsys.readouterr().out
    step = text.split("# step ")
    assert "root1 = sqrt(1-n1y**2)\n" in step[5] and "root2 = sqrt(1-s2**2)\n" in step[5]
    assert "n1xd = n1y*base_wz-n1z*base_wy\n" in step[6]  # Poisson's equation
    assert "# cyclic, and in no step below: rear, front;" in step[2]
    assert "K1**2+K2**2" not in text and "-K1**2-K2**2" not in text  # sine and cosine of tilt
    assert len(text.encode()) < 45_000 and len(step[5].encode()) < 3_500
    assert main(["derive", str(BICYCLE), "--form", "kane", "--latex", "--only", "5"]) == 0
    tex = capsys.readouterr().out
    assert r"\rho_{1} = \sqrt{1-n_{1y}^{2}}" in tex and r"J_{nh}(2,1)" in tex
    assert main(["derive", str(BICYCLE), "--form", "kane", "--json", "--only", "6"]) == 0
    assert r"\\dot H(4,5)" in capsys.readouterr().out


def test_a_disc_is_short_and_in_letters():
    letters = body("disc", mass="m", com=[0, 0, 0], inertia=["A", "B", "A"])
    m = machine([letters], RIM | {"radius": "r"}, symbols=["m", "A", "B", "r"])
    text = da.kane_form(m).text()
    assert "H(1,5) = r*d1z\n" in text and "d1x = -n1x/root1\n" in text
    assert len(text.encode()) < 6_000


def test_what_leans_and_has_no_steps_is_said():
    nested = [{"name": "k", "equation": "pa.x = sin(pb.x*pb.y)"}]
    with pytest.raises(NotPolynomialError):
        da.kane_form(machine([planar("a", "pa"), planar("b", "pb")], velocity_constraints=nested))


def unicycle(speeds):
    return da.load(
        {
            "format": "dalembert/1",
            "symbols": ["m", "J"],
            "active": ["th"],
            "speeds": speeds,
            "velocity_constraints": [{"name": "c", "equation": "xd*sin(th) - yd*cos(th) = 0"}],
            "phrase": "x: TX(), y: TY(), th: RZ(); body th: M = m, I = (0, 0, J);",
        }
    )


def test_an_angle_of_an_equation_is_not_called_cyclic():
    speed = {"name": "v", "equation": "xd*cos(th) + yd*sin(th)"}
    text = da.kane_form(unicycle([speed, "th"])).text()
    assert "in no step below" not in text
    assert "angle1 = th" in text and "J(1,1) = 1\n" in text  # in body axes J is constant


def test_a_speed_v_without_a_wheel_is_refused_with_the_equation_to_write():
    with pytest.raises(da.ModelError) as error:
        da.kane_form(unicycle(["v", "th"]))
    assert "<wheel>" not in error.value.hint and 'name = "v", equation' in error.value.hint


FELT = {
    "steer": {"wheels": [{"name": "front", "body": "cart", "point": [1, 0, 0],
                          "normal": [0, 1, 0], "steer": "delta"}]},
    "elastic": {"elastic": [{"joint": "delta", "stiffness": 350, "rest": 0.2}]},
    "spring": {"springs": [{"body_i": "fork", "point_i": [0.1, 0, 0], "body_j": "cart",
                            "point_j": [0.5, 0.3, 0], "stiffness": 40}]},
}  # fmt: skip


@pytest.mark.parametrize("kind", [None, *FELT])
def test_an_angle_that_is_in_no_step_is_in_no_step(kind):
    """A body that is symmetric may still steer, or load a spring by its angle."""
    rear = {"name": "rear", "body": "cart", "point": [0, 0, 0], "normal": [0, 1, 0]}
    more = FELT.get(kind, {})
    fork = {"type": "revolute", "name": "delta", "placement": {"translation": [1, 0, 0]}}
    m = da.load({"format": "dalembert/1", **more, "bodies": [
        {"name": "cart", "parent": -1, "joint": {"type": "planar", "name": "base"},
         "mass": 9, "inertia": [1, 1, 2]},
        {"name": "fork", "parent": "cart", "joint": fork, "mass": 1, "inertia": [1, 1, 2]},
    ], "wheels": [rear, *more.get("wheels", ())]})  # fmt: skip
    text = da.kane_form(m).text()
    steps = text.partition("# step 3")[2]
    assert "axes that do not spin" in text
    assert ("in no step below: delta" in text) == (kind is None)
    assert bool(re.search(r"\bdelta\b", steps)) == (kind is not None)
