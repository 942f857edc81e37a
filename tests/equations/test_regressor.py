"""Regressors in closed form: equal to the kernels, to Pinocchio, and Y phi to the equations."""

import doctest
import json
import re

import numpy as np
import pytest
from flint import fmpq, fmpq_mpoly_ctx
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.algorithms.energy import potential_energy
from dalembert.algorithms.regressor import energy_regressor, parameter_vector, regressor
from dalembert.cli import main
from dalembert.equations.angles import rotated
from dalembert.equations.regressor_print import head
from dalembert.equations.ring import rational
from dalembert.expr import Expr
from dalembert.mechanism import Drive
from mechanisms import random_mechanisms, random_state
from models import kinetic_energy, newton_euler
from peers import ROOT, absent
from pinocchio_model import to_pinocchio
from symoro import rx90

ONE = {"revolute": 5, "prismatic": 3, "screw": 2, "any": 3, "fixed": 1}


def floats(x):
    return np.array(x, float)


def assert_equal(found, truth, message=""):
    assert_allclose(found, truth, atol=1e-11 * (1 + np.abs(truth).max()), err_msg=message)


@pytest.mark.parametrize("drives", ["none", "inertia", "all"])
def test_entries_equal_the_kernels_on_random_trees(drives):
    for m in random_mechanisms(12, 505, dof=(1, 4), joints=ONE, root=0.0):
        q, qd, qdd = random_state(m, 5, mild=True)
        eq = da.equations(m)
        b = eq.mechanism.bound()
        assert_equal(
            eq.regressor(drives=drives).evaluate({}, q, qd, qdd),
            floats(regressor(b, q, qd, qdd, drives)),
            m.name,
        )
        E = eq.energy_regressor(drives=drives).evaluate({}, q, qd)
        assert_equal(E, floats(energy_regressor(b, q, qd, drives)), m.name)


def test_base_columns_give_the_forces_and_the_energy():
    for m in random_mechanisms(10, 508, dof=(1, 4), joints=ONE, root=0.0):
        eq, b = da.equations(m), m.bound()
        q, qd, qdd = (np.array(x) for x in random_state(m, 8, mild=True))
        Y = eq.regressor(base=True)
        tau = newton_euler(b, list(q), list(qd), list(qdd))
        assert_equal(Y.evaluate({}, q, qd, qdd) @ floats(Y.phi), floats(tau), m.name)
        E = eq.energy_regressor(base=True)
        # potentials have no zero of their own: what no joint feels may be missing
        states = [(q, qd), (2 * q, -qd), (0 * q, qd)]
        found = [E.evaluate({}, *s) @ floats(E.phi) for s in states]
        truth = [kinetic_energy(b, *s)[0] + potential_energy(b, s[0])[0] for s in states]
        assert_equal(np.diff(found), np.diff(floats(truth)), m.name)


def test_a_free_base_taken_apart_has_a_regressor():
    m = next(
        m for m in random_mechanisms(40, 506, dof=(6, 7), joints=ONE, root=1.0)
        if m.bodies[0].joint.kind == "free"
    )  # fmt: skip
    eq = da.equations(m, expand=True)
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, eq.n))
    Y = eq.regressor(base=True)
    # slides and turns are six joints more: their own regressor is the judge
    truth = regressor(eq.mechanism.bound(), list(q), list(qd), list(qdd), columns="base")
    assert_equal(Y.evaluate({}, q, qd, qdd), floats(truth))


def test_a_batch_of_states(seed=3):
    m = da.robots.puma560()
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, 4, 5, 6))
    Y = da.equations(m).regressor(base=True)
    assert_equal(Y.evaluate({}, q, qd, qdd), da.regressor(m, q, qd, qdd, columns="base"))
    one = Y[3, "MXR3"].value({}, q[0, 0], qd[0, 0], qdd[0, 0])
    k = Y.names.index("MXR3")
    assert one == pytest.approx(Y.evaluate({}, q, qd, qdd)[0, 0, 2, k], abs=1e-12)


def test_pinocchio_has_the_same_regressor():
    try:
        import pinocchio as pin
    except ImportError:
        absent("pin")
    # its order: m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, as ours
    kinds = {"revolute": 3, "prismatic": 2, "any": 1}
    for m in random_mechanisms(8, 507, dof=(2, 4), joints=kinds, root=0.0, drives=0.0,
                               depth_first=True):  # fmt: skip
        q, qd, qdd = random_state(m, 7, mild=True)
        model = to_pinocchio(m)
        order = [model.joints[k].idx_v for k in range(1, model.njoints)]
        theirs = pin.computeJointTorqueRegressor(
            model, model.createData(), floats(q), floats(qd), floats(qdd)
        )
        assert order == list(range(m.nv))
        assert_equal(da.equations(m).regressor().evaluate({}, q, qd, qdd), theirs, m.name)


# -- Y phi is the equations, as polynomials ----------------------------------------------------


class Plain:
    """A ring in which every angle sum, reported constant and parameter is written out."""

    def __init__(self, m, Y):
        n = len(m.bodies)
        words = [f"{f}{j}" for j in range(1, n + 1) for f in ("s", "c", "q", "qd", "qdd")]
        self.names = {name: k for k, name in enumerate(words)}
        for p in m.parameters:
            self.names.setdefault(f"p {p.name}", len(self.names))
        for text in Y.ring.symbols.still.others:
            self.names.setdefault(f"f {text}", len(self.names))
        self.ctx = fmpq_mpoly_ctx.get(tuple(f"x{k}" for k in range(len(self.names))), "lex")
        self.gens = self.ctx.gens()
        self.m, self.n = m, n

    def __getitem__(self, name):
        return self.gens[self.names[name]]

    def number(self, x):
        """Return an exact number or an expression of parameters."""
        if not isinstance(x, Expr):
            return self.ctx.constant(rational(x))
        made, g = {}, x.graph
        for i in g.live([x.id]):
            op, args = g.op[i], g.args[i]
            if op == "const":
                made[i] = self.ctx.constant(rational(g.const[i]))
            elif op == "param":
                made[i] = self[f"p {args[0]}"]
            else:
                a = [made[k] for k in args]
                made[i] = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y,
                           "mul": lambda x, y: x * y, "neg": lambda x: -x}[op](*a)  # fmt: skip
        return made[x.id]

    def angle(self, joints):
        pair = (self.ctx.constant(1), self.ctx.constant(0))
        for j in joints:
            c, s = self[f"c{abs(j)}"], self[f"s{abs(j)}"]
            pair = rotated(pair, (c, s if j > 0 else -s))
        return pair

    def images(self, symbols, augmented=()):
        """Return what each generator is here."""
        out = []
        for g in symbols.generators:
            kind, *key = g.key
            if kind in ("sin", "cos"):
                out.append(self.angle(key[0])[kind == "sin"])
            elif kind in ("q", "rate", "second"):
                out.append(self[{"q": "q", "rate": "qd", "second": "qdd"}[kind] + str(key[0])])
            elif kind == "p":
                out.append(self[f"p {key[0]}"])
            else:
                body, q = augmented[key[0]], self[f"q{key[0] + 1}"]
                if kind == "M":
                    parts = [body.M]
                elif kind == "V":
                    parts = [v[key[1]] for v in (body.V, body.V_q)]
                else:
                    parts = [W[key[1], key[2]] for W in (body.J, body.W_q, body.W_qq)]
                out.append(sum(self.number(x) * q**e for e, x in enumerate(parts)))
        return out

    def reduced(self, p):
        for j in range(1, self.n + 1):
            p = divmod(p, self[f"s{j}"] ** 2 + self[f"c{j}"] ** 2 - 1)[1]
        return p


CASES = {
    "planar2r": da.robots.planar2r,
    "report6r": da.robots.report6r,
    "cylindrical": lambda: da.load("RZ(),TZK(L1),TZ(),TXK(L2),TX(),RX(),TYK(L3);"),
    "rx90": rx90,
    "a tree": lambda: da.load("RZ(),TXK(L1),RY()[RX(),TZK(L2)],TX(),TYK(L3),RX(),TZK(L4);"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("base", [False, True], ids=["standard", "base"])
def test_the_regressor_times_the_parameters_is_the_equations_exactly(name, base):
    eq = da.equations(CASES[name]())
    m = eq.mechanism
    Y = eq.regressor(base=base)
    plain = Plain(m, Y)
    phi = [plain.number(x) for x in Y.phi]
    images = plain.images(Y.ring.symbols)
    tau = [plain.ctx.constant(0)] * eq.n
    for entry in Y:
        i, k = entry.place
        for form in ("report", "condensed"):
            made = entry.form(form).compose(*images, ctx=plain.ctx)
            tau[i - 1] += made * phi[k - 1] * fmpq(1, 2)
    theirs = plain.images(eq.ring.symbols, eq.ring.symbols.augmented)

    def image(entry):
        return entry.poly.compose(*theirs, ctx=plain.ctx) if len(entry.poly) else 0

    for i in range(1, eq.n + 1):
        total = -image(eq.Q[i])
        for j in range(1, eq.n + 1):
            total += image(eq.A[i, j]) * plain[f"qdd{j}"] + image(eq.C[i, j]) * plain[f"qd{j}"] ** 2
            for k in range(j + 1, eq.n + 1):
                total += image(eq.B[i, j, k]) * plain[f"qd{j}"] * plain[f"qd{k}"]
        assert len(total)
        assert plain.reduced(total - tau[i - 1]) == 0, (name, i)


def test_lagrange_in_sympy_gives_the_same_columns():
    """The two-link arm from its energies, differentiated by SymPy, parameter by parameter."""
    sympy = pytest.importorskip("sympy")
    t = sympy.Symbol("t")
    path = [sympy.Function(f"f{k}")(t) for k in (1, 2)]
    l1, G = sympy.symbols("l1 G", real=True)
    a, b = path[0], path[0] + path[1]
    c, s = sympy.cos, sympy.sin
    axes = [(sympy.Matrix([c(x), s(x)]), sympy.Matrix([-s(x), c(x)])) for x in (a, b)]
    origin = [sympy.zeros(2, 1), l1 * axes[0][0]]
    Y = da.equations(da.robots.planar2r()).regressor()
    found = Y.to_sympy()
    assert found.shape == (2, 20)
    names = [f"{s}{k}" for k in (1, 2) for s in ("q", "qd", "qdd")]
    symbol = {n: sympy.Symbol(n, real=True) for n in names}
    for k, (x, y) in enumerate(axes):
        v, w = origin[k].diff(t), (a, b)[k].diff(t)
        energies = {
            # of a unit of mass, first moment and inertia: T - V
            "M": v.dot(v) / 2 + G * origin[k][1],
            "MX": w * v.dot(y) + G * x[1],
            "MY": -w * v.dot(x) + G * y[1],
            "ZZ": w**2 / 2,
        }
        for kind, L in energies.items():
            column = found[:, Y.names.index(f"{kind}{k + 1}")]
            for i, f in enumerate(path):
                tau = L.diff(f.diff(t)).diff(t) - L.diff(f)
                for j, g in enumerate(path, 1):
                    tau = tau.subs(g.diff(t, 2), symbol[f"qdd{j}"])
                for j, g in enumerate(path, 1):
                    tau = tau.subs(g.diff(t), symbol[f"qd{j}"])
                for j, g in enumerate(path, 1):
                    tau = tau.subs(g, symbol[f"q{j}"])
                rest = sympy.expand(sympy.expand_trig(tau - column[i]))
                for j in (1, 2):
                    x = symbol[f"q{j}"]
                    rest = sympy.expand(rest.subs(s(x) ** 2, 1 - c(x) ** 2))
                assert rest == 0, (kind, k, i)


# -- forms -------------------------------------------------------------------------------------


def test_the_entries_of_a_planar_arm_are_those_of_textbooks():
    Y = da.equations(da.robots.planar2r()).regressor(base=True)
    assert Y.shape == (2, 6)
    assert str(Y[1, "MX2"]) == "l1*(C2*(2*qdd1+qdd2)-S2*qd2*(2*qd1+qd2))-G*C12"
    assert Y[2, "MX2"].latex() == (
        r"l_{1}\,\left(s_{2}\,\dot q_{1}^{2}+c_{2}\,\ddot q_{1}\right)-G\,c_{12}"
    )
    assert Y[2, 1].is_zero() and str(Y[2, 1]) == "0"
    assert str(Y["j2", "ZZ2"]) == str(Y[2, 6]) == "qdd1+qdd2"


def test_a_constant_angle_in_a_sum_of_angles_is_told():
    eq = da.equations(da.load("RX(),TYK(A),RX(),RXK(al),RX(),TYK(B);"))
    text = eq.text(only=["regressor"])
    assert "# C123a = cos(q1+q2+q3+al), S123a = sin(q1+q2+q3+al), a = al" in text


def test_friction_has_one_column_or_two():
    m = da.robots.planar2r().with_values(l1=0.5, l2=0.4)
    drives = (Drive(0, 0.1, 1, (2, -2), 0.3), Drive(1, 0.1, -2, (2, -3), 0.3))
    from dataclasses import replace

    m = replace(m, drives=drives)
    Y = da.equations(m).regressor(drives="all")
    last = [n for n in Y.names if n[:2] in ("IA", "FV", "FS")]
    assert last == ["IA1", "FV1", "FS1", "IA2", "FV2", "FSP2", "FSM2"]
    assert [str(Y[1, "FS1"]), str(Y[2, "FSP2"]), str(Y[2, "FSM2"])] == ["SGN1", "POS2", "NEG2"]
    values = {p.name: 1.0 for p in m.parameters if p.name not in m.values}
    b = m.bound(values)
    for speed in (1.0, -1.0, 0.0):
        q, qd, qdd = [0.2, 0.4], [speed, -speed], [0.1, 0.3]
        tau = newton_euler(b, q, qd, qdd, drives="all")
        found = Y.evaluate(values, q, qd, qdd) @ floats(parameter_vector(b, "all"))
        assert_equal(found, floats(tau))


def test_neglected_kinds_are_not_in_the_columns():
    eq = da.equations(da.robots.planar2r()).neglect("gravity", "velocity")
    assert str(eq.regressor()[1, "MX2"]) == "l1*C2*(2*qdd1+qdd2)"
    with pytest.raises(da.UsageError, match="left out"):
        eq.energy_regressor()
    with pytest.raises(da.UsageError, match="left out"):
        da.equations(da.robots.planar2r()).drop("A11:1").regressor()


def test_columns_and_rows_that_do_not_exist():
    Y = da.equations(da.robots.planar2r()).regressor()
    for place in ((1, "MX9"), (3, 1), (0, 1), (1, 21), 2, (1, 2, 3), "MX1"):
        with pytest.raises(da.UsageError):
            Y[place]
    with pytest.raises(da.UsageError, match="drives"):
        da.equations(da.robots.planar2r()).regressor(drives="some")


def test_a_chain_of_thirty_joints_is_refused_by_its_predicted_size():
    sentence = ",".join("RZ(),TXK(1),RX(),TYK(1)" for _ in range(15)) + ";"
    eq = da.equations(da.load(sentence))
    with pytest.raises(da.TooLargeError):
        eq.regressor()


def test_the_manual_shows_what_python_prints():
    text = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    (session,) = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(session, {}, "parameters.md", None, 0))
    assert runner.summarize(verbose=False).failed == 0


def test_the_command_prints_base_parameters(capsys):
    def run(*arguments):
        assert main(["derive", *arguments, "--only", "base_parameters"]) == 0
        return capsys.readouterr().out

    out = run("robot:rx90")
    assert out.startswith("# RX90: 36 base parameters of 60 standard ones\n")
    assert "# no effect: M1, MX1," in out
    assert "\nXXR2 = XX2-YY2-D3**2*(M3+M4+M5+M6)\n" in out
    tex = run("robot:rx90", "--form", "latex")
    assert tex.count("{") == tex.count("}") and r"\mathit{XXR}_{2} = \mathit{XX}_{2}" in tex
    assert "$$" in run("robot:rx90", "--form", "markdown")
    data = json.loads(run("robot:rx90", "--json"))["base_parameters"]
    assert data["base"][1]["formula"] == "MX2+D3*(M3+M4+M5+M6)"
    # loops and joints without closed forms have base parameters of their tree
    assert "\n# grouped along closed motions" in (out := run("robot:fivebar"))
    assert re.match(r"# fivebar: \d+ base parameters of 40 standard ones\n# MX.., XX..: ", out)
    assert main(["derive", "robot:rx90", "--only", "base_parameters,Q"]) == 0
    both = capsys.readouterr().out
    assert "\nQ(2) = " in both and "\nXXR6 = XX6-YY6\n" in both


def test_the_command_prints_regressors(capsys):
    phrase = "RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);"
    assert main(["derive", phrase, "--only", "base_regressor"]) == 0
    out = capsys.readouterr().out
    assert "\nY(2,ZZ2) = qdd1+qdd2\n" in out and "# MXR1 = MX1+L1*M2" in out
    assert re.search(r"# Y: 9 of 12 entries are not zero", out)
    assert main(["derive", phrase, "--only", "regressor,energy_regressor", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["regressor"]["shape"] == [2, 20] and data["energy_regressor"]["shape"] == [1, 20]
    entry = next(e for e in data["regressor"]["entries"] if e["index"] == [2, 20])
    assert entry["column"] == "ZZ2" and entry["text"] == "qdd1+qdd2"
    assert main(["derive", phrase, "--only", "base_regressor", "--form", "latex"]) == 0
    out = capsys.readouterr().out
    assert out.count("{") == out.count("}") and r"\ddot q_{1}" in out
    assert main(["derive", phrase, "--only", "Q,regressor", "--form", "markdown"]) == 0
    assert "## Regressor" in capsys.readouterr().out


def test_a_constant_angle_between_parallel_joints_is_told():
    parts = "; ".join(f"body {j}: M = 1, D = (1, 0, 0), I = (0, 0, 1)" for j in (1, 2))
    m = da.load(f"RZ(), TXK(1), RZK(al), RZ(), TXK(1); {parts};")
    Y = da.equations(m).regressor()
    assert "C12a = cos(q1+q2+al), S12a = sin(q1+q2+al), a = al" in Y.text()
    assert "sin(al + q2)" in str(Y.to_sympy())


@pytest.mark.parametrize("signs", [(1, -1, 1), (1, -1, -1), (-1, 1, -1), (1, 1, -1)])
def test_entries_that_vanish_are_not_printed_where_axes_point_against_each_other(signs):
    bodies = [
        {"name": f"b{k}", "parent": k - 1, "mass": 1, "com": [0.3, 0.1, 0.2],
         "inertia": [0.1, 0.2, 0.3],
         "joint": {"type": "revolute", "axis": [0, 0, s], "placement": {"translation": [1, 0, 0]}}}
        for k, s in enumerate(signs)
    ]  # fmt: skip
    m = da.load({"format": "dalembert/1", "gravity": [0, -9.81, 0], "bodies": bodies})
    Y = da.equations(m).regressor()
    states = np.random.default_rng(0).uniform(-2, 2, (3, 6, 3))
    b = m.bound()
    truth = np.array([floats(regressor(b, *(list(x) for x in s), "none"))
                      for s in zip(*states, strict=True)])  # fmt: skip
    found = Y.evaluate({}, *states)
    assert_equal(found, truth)
    there = np.abs(truth).max(axis=0) > 1e-12
    printed = [[str(Y[i + 1, j + 1]) != "0" for j in range(truth.shape[2])] for i in range(3)]
    assert np.array_equal(printed, there)


def test_the_head_of_a_regressor_says_what_it_is_for_and_what_its_senses_mean():
    m = da.load("RZ(), TXK(0.5), RZ(), TXK(0.4); gravity = (0, -9.81, 0);")
    eq = da.equations(m.with_drives({"all": {"coulomb": "f", "viscous": "v"}}))
    lines = head(eq.regressor(drives="all"))
    assert lines[1].startswith("tau = Y phi; Y(i,k): row of joint i,")
    senses = [x for x in lines if x.startswith(("SGN", "POS", "NEG"))]
    assert "SGN1 = sign(qd1)" in senses or "POS1 = 1 where qd1 > 0, else 0" in senses
    assert len(senses) in (2, 4)
    assert head(eq.energy_regressor())[1].startswith("T + V = E phi; E(k):")
