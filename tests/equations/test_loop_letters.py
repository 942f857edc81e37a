"""Machines with letters as lengths in every form, each evaluated by another reader, and sizes."""

import re

import numpy as np
import pytest

import dalembert as da
from closed_text import closed_states, closes_from_what_leads, read_back
from dalembert.equations.loop_blocks import value
from machines.lettered import LETTERED
from slow_cases import with_slow

# signs of the text, of the listing, and of Kane's ten steps
SIZES = {"Watt I": (4600, 4000, 6600), "Watt II": (3300, 2700, 5400), "3-PRR": (5200, 5100, 15500),
         "Delta": (12500, 10100, 31500), "Delta of rods": (4700, 3300, 8600),
         "Orthoglide": (3000, 2200, 5600), "3-UPU": (23000, 21700, 80000)}  # fmt: skip
EASY = ["Watt II", "Orthoglide", "Watt I", "Delta of rods", "3-PRR", "Delta", "3-UPU"]


class Case:
    """A machine in letters, and closed states of it with values."""

    def __init__(self, name):
        data, self.values = LETTERED[name]()
        self.letters = da.load(data)
        self.m = self.letters.with_values(**self.values)
        self.eq = da.equations(self.letters)
        self.q, qd, qdd = closed_states(self.m, da.regular_pose(self.m), 10)
        self.qd, self.qdd = da.tree_motion(self.m, self.q, qd, qdd)
        self.lead = [k - 1 for k in self.eq.independent]
        assert tuple(self.lead) == da.plan(self.m, self.q[0]).independent
        self.tau = da.active_torques(self.m, self.q, self.qd, self.qdd)

    def at(self, every=False):
        """Return values of letters and coordinates, and rates of what leads, or of all joints."""
        at = dict(self.values) | {f"q{k + 1}": x for k, x in enumerate(self.q.T)}
        at |= {f"e{k}": 1.0 for k in range(1, 20)}
        own = range(self.m.nv) if every else self.lead
        at |= {f"qd{k + 1}": self.qd[:, k] for k in own}
        return at | {f"qdd{k + 1}": self.qdd[:, k] for k in self.lead}

    def require(self, known):
        """Compare forces and G with those of kernels."""
        for x, j in enumerate(self.eq.loops.plan.motors):
            scale = np.abs(self.tau).max()
            np.testing.assert_allclose(known[f"tau{j + 1}"], self.tau[:, x], atol=1e-9 * scale)
        G = da.active_map(self.m, self.q)
        for i, j in self.eq.loops.G:
            name = re.sub(r"\((\d+),(\d+)\)", r"_\1_\2", self.eq.loops.name("G", i + 1, j + 1))
            if name in known:
                own = G[:, i, self.lead.index(j)]
                np.testing.assert_allclose(known[name], own, atol=1e-9 * np.abs(G).max())


@pytest.mark.parametrize("name", with_slow(EASY, fast=2))
def test_text_listing_and_sympy_are_the_kernels(name):
    """At ten closed states; the listing has no idle line, and nothing is longer than it was."""
    pytest.importorskip("sympy")
    case = Case(name)
    eq, text, program = case.eq, case.eq.text(), case.eq.text("program")
    zeros, known = read_back(text, case.at())
    assert all(np.abs(x).max() < 1e-12 for x in zeros)
    case.require(known)
    lines = [re.sub(r"^ *\d+ +", "", x) for x in program.splitlines() if x and x[0] != "#"]
    plain = "\n".join(re.sub(r"\b([CS])(\d\w*)\b", r"\1n\2", x) for x in lines)
    case.require(read_back(plain, case.at())[1])
    assert "abs(" not in program and len(text) < SIZES[name][0] and len(program) < SIZES[name][1]
    for left in (line.split(" = ")[0] for line in lines):
        assert left.startswith("tau") or plain.count(re.sub(r"^([CS])(?=\d)", r"\1n", left)) > 1, (
            left
        )
    one = {n: float(x[0]) if np.ndim(x) else float(x) for n, x in case.at().items()}
    found = eq.tree.coefficients(case.values, list(case.q[0]))
    one |= {getattr(eq.tree, kind)[place].name: float(x) for (kind, place), x in found.items()}
    for n, x in eq.loops.before:
        one[n] = value(x, one)
    for n, x in eq.to_sympy().items():
        one[n] = float(x.subs({s: one[s.name] for s in x.free_symbols}))
    own = [one[f"tau{j + 1}"] for j in eq.loops.plan.motors]
    np.testing.assert_allclose(own, case.tau[0], atol=1e-9 * np.abs(case.tau).max())


@pytest.mark.parametrize("name", with_slow(EASY, fast=2))
def test_kanes_steps_in_letters_are_the_kernels(name):
    """D is A_c and C alpha - tau is H_c in the printed text."""
    case = Case(name)
    text = da.kane_form(case.letters).text()
    assert len(text) < SIZES[name][2] and text.count("# step") == 10
    at = case.at(every=True) | {f"tau{k + 1}": 0.0 for k in range(case.m.nv)}
    known, size = read_back(text, at)[1], range(1, len(case.lead) + 1)
    zero = np.zeros(len(case.q))
    D, C = (np.array([[known[f"{x}_{a}_{b}"] + zero for b in size] for a in size]) for x in "DC")
    tau = np.array([known[f"tau_{a}"] + zero for a in size])
    A, H = da.active_mass_matrix(case.m, case.q), da.active_bias(case.m, case.q, case.qd)
    np.testing.assert_allclose(np.moveaxis(D, 2, 0), A, atol=1e-9 * np.abs(A).max())
    bias = np.einsum("abn,nb->na", C, case.qd[:, case.lead]) - tau.T
    np.testing.assert_allclose(bias, H, atol=1e-9 * np.abs(H).max())


def test_a_second_dyad_reads_as_the_first():
    """What holds the determinant is divided by it, and common factors stand before a bracket."""
    eq = da.equations(da.load(LETTERED["Watt II"]()[0]))
    assert eq.G[4, 1] == "-G31*h*(e*sin(q3-q5)+f*cos(q3-q5))/D2-G31"
    assert eq.G[5, 1] == "G31*g*(e*sin(q4)-f*cos(q4))/D2"


def test_rods_are_directions_of_the_platforms_equations():
    """A Delta leg by leg: the crank of a leg moves its end along the rod by L sin(q5) cos(q6)."""
    text = da.equations(da.load(LETTERED["Delta"]()[0])).text()
    assert "= L*sin(q5)*cos(q6)\n" in text and "w45 = qd4+qd5\n" in text
    assert "C12 = cos(q12), C1_2 = cos(q1+q2)" in text
    first = da.equations(da.load(LETTERED["Orthoglide"]()[0])).closure[0]
    assert first == "(q4-r-q1)**2+q2**2+q3**2-l**2"


def test_turns_that_undo_each_other_leave_nothing():
    """Slides along x in frames at 120 and 240 degrees have no share of a weight along y."""
    eq = da.equations(da.load(LETTERED["3-PRR"]()[0]))
    slides = [k for k, n in enumerate(eq.mechanism.rate_names, 1) if n in ("s1", "s2", "s3")]
    assert len(slides) == 3 and not any(eq.tree.Q[k] for k in slides)
    assert "e-1" not in eq.text()
    assert any("r*sqrt(3)*" in x and "0.5*r" not in x for x in eq.closure)  # phases are joined


@pytest.mark.parametrize("name", ["Orthoglide", "Delta of rods", "Delta"])
def test_a_platform_on_three_rods_has_its_place_in_closed_form(name):
    """Three spheres meet in two points; the sign of the pose takes the one that is meant."""
    data, values = LETTERED[name]()
    m = da.load(data).with_values(**values)
    start = da.regular_pose(m)
    for seed in range(2):
        near = start + 0.2 * np.random.default_rng(seed).normal(size=m.nq)
        closes_from_what_leads(m, q := da.assemble(m, near))
    assert not da.equations(da.load(data)).loops.unsolved
    # as printed: the names of its steps are no others'
    eq = da.equations(m, q=q)
    at = {n: x for n, x in eq.loops.at.items() if n[0] == "e"} | values
    at |= {f"q{k + 1}": x for k, x in enumerate(q)}
    known = read_back(eq.text(only="passive"), at)[1]
    found = [known[f"q{k + 1} follows"] for k in eq.loops.plan.dependent]
    wanted = q[list(eq.loops.plan.dependent)]
    for turned in (np.sin, np.cos):  # angles up to whole turns; slides are short of half a one
        np.testing.assert_allclose(turned(found), turned(wanted), atol=1e-9)


def test_a_rod_longer_than_the_others_and_one_that_is_no_rod():
    """Lengths may differ; a platform that turns is left to assembly."""
    data, values = LETTERED["Orthoglide"]()
    data["loops"][1]["length"] = "2*l/3"
    m = da.load(data).with_values(**values)
    closes_from_what_leads(m, da.assemble(m, [0.1, -0.2, 0.1, 0.9, 0.6, 1.0]))
    assert da.equations(da.load(LETTERED["3-PRR"]()[0])).loops.unsolved


def test_names_of_rates_are_names_and_never_two_things():
    """2 q6 and q2 + q6 have different rates; a name has no dot, and no minus sign."""
    from dalembert.equations.loop_rates import _marks

    one = [("q2", 1), ("q6", 1)]
    marks = [_marks(x) for x in (one, [("q2", 1), ("q6", -1)], [("q2", 2), ("q6", 1)],
                                 [("q10", 1), ("q11", -1)], [("q1", 1), ("q12", 1)])]  # fmt: skip
    assert marks == ["26", "2m6", "2q2_6", "10m11", "1_12"]
