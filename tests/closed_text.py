"""A four-bar in letters, closed states, and a reader of printed equations by Python itself."""

import re

import numpy as np

import dalembert as da
from dalembert.equations.loop_blocks import value
from dalembert.plan.assembly import Closure, close
from dalembert.plan.elimination import null_space

FOUR_BAR = {
    "format": "dalembert/1", "name": "four-bar", "gravity": [0, "G", 0],
    "symbols": ["a", "b", "c", "d", "G", "m1", "m2", "m3", "J1", "J2", "J3"], "active": ["A"],
    "joints": [
        {"name": "A", "joint": "revolute", "axis": [0, 0, 1], "body_i": "base", "body_j": "crank"},
        {"name": "B", "joint": "revolute", "axis": [0, 0, 1], "body_i": "crank",
         "point_i": ["a", 0, 0], "body_j": "coupler"},
        {"name": "C", "joint": "revolute", "axis": [0, 0, 1], "body_i": "coupler",
         "point_i": ["b", 0, 0], "body_j": "rocker", "point_j": ["c", 0, 0]},
        {"name": "D", "joint": "revolute", "axis": [0, 0, 1], "body_i": "base",
         "point_i": ["d", 0, 0], "body_j": "rocker"},
    ],
    "bodies": [
        {"name": "crank", "mass": "m1", "com": ["a/2", 0, 0], "inertia": [0, 0, "J1"]},
        {"name": "coupler", "mass": "m2", "com": ["b/2", 0, 0], "inertia": [0, 0, "J2"]},
        {"name": "rocker", "mass": "m3", "com": ["c/2", 0, 0], "inertia": [0, 0, "J3"]},
    ],
}  # fmt: skip


def closed_states(m, start, count, seed=0):
    """Return closed poses near a start, and rates of all joints."""
    rng = np.random.default_rng(seed)
    start = np.asarray(start, float)
    c = Closure(m)
    found = []
    while len(found) < count:
        N = null_space(c.jacobian(start))
        step = 0.15 * N @ rng.uniform(-1, 1, N.shape[1])
        q, worst = close(c, c.moved(start, step))
        assert worst < 1e-10
        found.append(q)
    return np.array(found), rng.normal(size=(count, m.nv)), rng.normal(size=(count, m.nv))


def _plain(x, wide=False):
    """Return a printed right side as Python: J(1,2) as a name, C12 as a cosine."""
    x = re.sub(r"\b(?!sin\b|cos\b|tan\b|sqrt\b)([A-Za-z_]+\d*)\((\w(?:,\d+)*|\d+(?:,\d+)*)\)",
               lambda f: f[1] + "_" + f[2].replace(",", "_"), x)  # fmt: skip
    return re.sub(
        r"\b([CS])([0-9][0-9_]*(?:m[0-9_]+)*(?:[_m]?[a-ln-z]+)*)\b",
        lambda f: f"{'cos' if f[1] == 'C' else 'sin'}({_angles(f[2], wide)})",
        x,
    )


def _angles(digits, wide):
    """Return q1+q2 of 12, or of 1_2 where a joint has two digits and 12 is one joint.

    In 3ma a constant angle, which a remark of the text tells, is taken off: q3-angle_a.
    """
    out, wide = "", wide or "_" in digits
    for sign, own in re.findall(r"(^|_|m)([^_m]+)", digits):
        parts = re.findall(r"\d+|[a-z]+" if wide else r"\d|[a-z]+", own)
        for k, part in enumerate(parts):
            out += "-" if sign == "m" and not k else "+"
            out += f"q{part}" if part.isdecimal() else f"angle_{part}"
    return out


def read_back(text, at):
    """Return the closure residuals and all names of a printed text at values of the others."""
    zeros, known = [], dict(at)
    functions = {n: getattr(np, n) for n in ("sin", "cos", "tan", "sqrt")} | {"atan2": np.arctan2}
    functions["pi"] = np.pi
    wide = "C1_2 = cos(q1+q2)" in text
    for told in re.findall(r"^# C\w+ = cos.*$", text, re.M):
        for name, angle in re.findall(r", ([a-z]+) = ([^,]+)", told):
            known[f"angle_{name}"] = eval(angle, {"__builtins__": {}}, functions)
    logical = re.sub(r"\n  (?=[+\-*/(])", "", text)
    for line in logical.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, right = line.split(" = ")
        found = eval(_plain(right, wide), {"__builtins__": {}}, functions | known)
        if name == "0":
            zeros.append(found)
        elif re.fullmatch(r"q\d+", name):
            known[f"{name} follows"] = found  # a passive coordinate, beside the one that is given
        else:
            known[_plain(name, wide)] = found
    return zeros, known


def closes_from_what_leads(m, start):
    """The passive coordinates follow from the independent ones and the branch alone."""
    s = da.equations(m, q=start).loops
    assert not s.unsolved
    at = {n: x for n, x in s.at.items() if n.startswith("e")} | dict(s.example.values)
    at |= {f"q{k + 1}": start[k] for k in s.plan.independent}
    for n, x in s.passive:
        if n:
            at[n] = value(x, at)
    q = np.array([at[f"q{k + 1}"] for k in range(m.nq)])
    assert np.abs(da.closure(m, q)).max() < 1e-9
    assert np.abs(np.sin((q - start) / 2)).max() < 1e-7  # the branch of the example
