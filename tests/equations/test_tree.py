"""Long closed forms, written from their tree: a reader of its own finds the coefficients."""

import ast
import math
import operator
import re

import numpy as np
import pytest

import dalembert as da
from dalembert.equations import tree

OPS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
       ast.Div: operator.truediv, ast.Pow: operator.pow}  # fmt: skip
MACHINES = {
    "chain": "RY(),TYK(L1),RX(),TYK(L2),RX(),TZK(L3),RY(),TZK(L4); gravity = (0, G, 0);",
    "tree": "RZ(),TXK(A)[RX(),TYK(B),TZ(),TXK(D)][RZ(),TXK(E),RY(),TZK(F)]; gravity = (0, G, 0);",
    "slides": "TX(),TYK(A),RZ(),TXK(B),TZ(),RXK(al),RY(),TXK(E);",
    "numbers": "RZ(),TXK(0.4),RXK(0.3),RZ(),TXK(0.2),RY(),TZK(0.1); gravity = (0, -9.81, 0);",
    "letters": "RX(),TYK(T1),RX(),RXK(al),RX(),TYK(B);",  # T1 is taken
}


def plain(text):
    bracket = re.compile(r"\b([QABC])\((\d+(?:,\d+)*)\)")
    return bracket.sub(lambda x: x[1] + "_" + x[2].replace(",", "_"), text)


def value(x, known):
    if isinstance(x, ast.BinOp):
        return OPS[type(x.op)](value(x.left, known), value(x.right, known))
    if isinstance(x, ast.UnaryOp):
        return (1 if isinstance(x.op, ast.UAdd) else -1) * value(x.operand, known)
    if isinstance(x, ast.Call):
        return getattr(math, x.func.id)(value(x.args[0], known))
    return x.value if isinstance(x, ast.Constant) else known[x.id]


def read(text, known):
    """Return the value of every name that is printed, and of those that are given."""
    found = dict(known)
    for line in re.sub(r"\n  (?=[+\-*/(])", "", text).splitlines():
        if not line.startswith("#"):
            name, right = plain(line).split(" = ")
            found[name] = value(ast.parse(right, mode="eval").body, found)
    return found


def holds(eq, text, worst=1e-12):
    m = eq.mechanism
    rng = np.random.default_rng(7)
    values = {p: rng.uniform(0.3, 1.5) for p in m.open_parameters}
    values |= {k: float(v) for k, v in m.values.items()}
    q = list(rng.uniform(-2, 2, eq.n))
    symbols = dict(zip(eq.ring.symbols.names, map(float, eq.values(values, q)), strict=True))
    found = read(text, symbols | values | {f"q{j}": x for j, x in enumerate(q, 1)})
    exact = eq.coefficients(values, q)
    scale = max(1.0, *(abs(float(x)) for x in exact.values()))
    for kind in "QABC":
        for e in getattr(eq, kind):
            printed = found.get(plain(e.name), 0.0)  # a section may be zero in one line
            assert abs(printed - float(exact[kind, e.place])) <= worst * scale, e.name


@pytest.mark.parametrize("name", MACHINES)
def test_the_tree_holds_the_coefficients(name, monkeypatch):
    monkeypatch.setattr(tree, "LONG", -1)
    eq = da.equations(da.load(MACHINES[name]))
    holds(eq, eq.text())
    holds(eq, eq.text("report"))
    assert "# A: " in eq.text() and "# drop: " in eq.text()


@pytest.mark.parametrize(
    "change",
    [
        lambda eq: eq.with_sign("section2").neglect("coriolis"),
        lambda eq: eq.drop("A11:1,2 Q(2):1 B(1,1,2):1"),
        lambda eq: eq.freeze([4, 5, 6]),
    ],
)
def test_what_is_left_out_is_left_out_of_the_tree(change, monkeypatch):
    monkeypatch.setattr(tree, "LONG", -1)
    eq = change(da.equations(da.robots.puma560()))
    holds(eq, eq.text())


def nine_joints(n=9):
    axes, along = "YXXYXYZXYX", "YYZZZZXYZZ"
    chain = ",".join(f"R{axes[k]}(),T{along[k]}K(L{k + 1})" for k in range(n))
    bodies = "".join(
        f"body {k}: M=M{k}, D=(DX{k},DY{k},DZ{k}), I=(IXX{k},IYY{k},IZZ{k},IXY{k},IXZ{k},IYZ{k});"
        for k in range(1, n + 1)
    )
    return da.load(f"{chain}; gravity = (0, G, 0);{bodies}")


def test_nine_joints_with_ten_parameters_a_link_are_printed():
    eq = da.equations(nine_joints())
    assert sum(eq.counts().values()) > 200_000
    text = eq.text()
    assert len(text) < 150_000
    rng = np.random.default_rng(3)
    values = {p: rng.uniform(0.3, 1.5) for p in eq.mechanism.open_parameters} | {"G": -9.81}
    q, qd, qdd = rng.uniform(-2, 2, (3, 9))
    at = {f"C{j}": math.cos(x) for j, x in enumerate(q, 1)} | {"C23": math.cos(q[1] + q[2])}
    at |= {f"S{j}": math.sin(x) for j, x in enumerate(q, 1)} | {"S23": math.sin(q[1] + q[2])}
    x = read(text, values | at)
    n = range(1, 10)
    tau = [
        sum(x[f"A{min(i, j)}{max(i, j)}"] * qdd[j - 1] for j in n)
        + sum(x[f"B_{i}_{j}_{k}"] * qd[j - 1] * qd[k - 1] for j in n for k in n if j < k)
        + sum(x[f"C_{i}_{j}"] * qd[j - 1] ** 2 for j in n) - x[f"Q_{i}"]
        for i in n
    ]  # fmt: skip
    wanted = da.inverse_dynamics(eq.mechanism.with_values(values), q, qd, qdd)
    assert np.abs(tau - wanted).max() <= 1e-12 * np.abs(wanted).max()
    assert max(map(len, text.splitlines())) <= 130
    assert r"\[ T_{100} = c_{5}\," in eq.latex()
