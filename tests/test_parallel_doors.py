"""Every kind of leg through every door: printed forms read back, kernels, platform, task, base.

The table "Every leg, every form" of docs/loops.md is what is expected: `yes`, or why it is refused.
Forces are compared with those of maximal coordinates (`referee`), which share no code with ours.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
import referee
from closed_text import read_back
from dalembert.equations.loop_blocks import value
from machines.platforms import PLATFORMS, motion
from slow_cases import with_slow

ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


def table():
    """Return machine -> door -> what docs/loops.md says."""
    text = Path(__file__).parents[1].joinpath("docs", "loops.md").read_text(encoding="utf-8")
    lines = (
        text.split("## Every leg, every form")[1].split("\n\n|")[1].split("\n\n")[0].splitlines()
    )
    head, _, *rows = ([x.strip() for x in line.strip("|").split("|")] for line in lines if line)
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows if len(row) > 1}


def close(found, want, part=1e-7):
    """Require equal values, up to a part of the largest."""
    want = np.asarray(want, float)
    np.testing.assert_allclose(np.asarray(found, float), want, atol=part * np.abs(want).max())


class Machine:
    """A parallel robot at a closed state, with motor forces of the referee."""

    def __init__(self, name):
        self.data, start = PLATFORMS[name]()
        self.m = da.load(self.data)
        self.start = start
        self.q, self.qd, self.qdd = motion(self.data, start)
        self.tau = referee.inverse(self.data, self.q, self.qd, self.qdd)
        named = [f for f in self.m.frames if f == "platform" or f.endswith("_platform")]
        self.frame = named[-1]

    # -- in symbols: joints with quaternions are expanded ----------------------------------------

    @property
    def equations(self):
        return da.equations(self.m, q=self.q, expand=self.expands)

    @property
    def expands(self):
        return any(b.joint.kind in ("planar", "free", "spherical") for b in self.m.bodies)

    def state(self, own):
        """Return pose and rates in the coordinates of the equations; the kernels agree there."""
        m, pose = own.mechanism, np.array(own.loops.example.q)
        qd, qdd = np.zeros((2, m.nv))
        for k in own.loops.plan.independent:
            j = self.m.rate_names.index(m.rate_names[k])
            qd[k], qdd[k] = self.qd[j], self.qdd[j]
        qd, qdd = da.tree_motion(m, pose, qd, qdd)
        close(da.inverse_dynamics(m, pose, qd, qdd), self.tau)
        return pose, qd, qdd

    def at(self, own):
        """Return what a printed text does not say: coordinates, rates of what leads, branches."""
        pose, qd, qdd = self.state(own)
        at = {n: x for n, x in own.loops.at.items() if re.fullmatch(r"e\d+", n)}
        at |= {f"q{k + 1}": x for k, x in enumerate(pose)}
        at |= {f"qd{k + 1}": qd[k] for k in own.loops.plan.independent}
        return at | {f"qdd{k + 1}": qdd[k] for k in own.loops.plan.independent}

    def require(self, own, known):
        """Compare the forces of motors."""
        close([known[f"tau{j + 1}"] for j in own.loops.plan.motors], self.tau)

    def text(self):
        own = self.equations
        zeros, known = read_back(own.text(), self.at(own))
        assert np.abs(zeros).max() < 1e-8
        self.require(own, known)

    def listing(self):
        own = self.equations
        program = own.text("program")
        lines = [re.sub(r"^ *\d+ +", "", x) for x in program.splitlines() if x and x[0] != "#"]
        plain = "\n".join(re.sub(r"\b([CS])(\d\w*)\b", r"\1n\2", x) for x in lines)
        self.require(own, read_back(plain, self.at(own))[1])
        assert "abs(" not in program

    def latex(self):
        """Headings are there, and what is opened is closed; numbers are compared in text."""
        own = self.equations
        tex, marks = own.latex(), own.markdown()
        assert tex.count("{") == tex.count("}") and tex.count(r"\left") == tex.count(r"\right")
        for heading in ("Closure", "Rates", "Inertia of the closed mechanism", "Forces"):
            assert heading in tex and heading in marks
        assert r"\tau_" in tex and "0x" not in tex

    def sympy(self):
        pytest.importorskip("sympy")
        own = self.equations
        at = {n: float(x) for n, x in self.at(own).items()}
        trees = own.tree.coefficients({}, list(self.state(own)[0]))
        at |= {getattr(own.tree, k)[place].name: float(x) for (k, place), x in trees.items()}
        for n, x in own.loops.before:
            at[n] = value(x, at)
        for n, x in own.to_sympy().items():
            at[n] = float(x.subs({s: at[s.name] for s in x.free_symbols}))
        self.require(own, at)

    def json(self):
        """The texts of JSON, read as lines in their order."""
        own = self.equations
        told = own.json()
        tree = told["tree"]
        angles = next((f"# {x}" for x in tree["conventions"] if "= cos(" in x), "")
        wide = "# C10 = cos(q10), C1_2 = cos(q1+q2)" if own.mechanism.nv > 9 else ""
        entries = {
            getattr(own.tree, kind)[tuple(x["index"])].name: x["text"]
            for kind in "QABC" for x in tree[kind]
        }  # fmt: skip
        rest = ("rates", "drifts", "inertia", "forces", "motors")
        parts = [tree["constants"], entries, told.get("steps", {}), *(told[k] for k in rest)]
        lines = [f"{n} = {x}" for part in parts for n, x in part.items()]
        self.require(own, read_back("\n".join([angles, wide, *lines]), self.at(own))[1])

    def kane(self):
        own = self.equations
        pose, qd, _ = self.state(own)
        m, lead = own.mechanism, list(own.loops.plan.independent)
        at = self.at(own) | {f"qd{k + 1}": x for k, x in enumerate(qd)}
        at |= {f"tau{k + 1}": 0.0 for k in range(m.nv)}
        text = da.kane_form(self.m, self.q, expand=self.expands).text()
        known, size = read_back(text, at)[1], range(1, len(lead) + 1)
        D, C = (np.array([[known[f"{x}_{a}_{b}"] for b in size] for a in size]) for x in "DC")
        close(D, da.active_mass_matrix(m, pose))
        free = np.array([known[f"tau_{a}"] for a in size])
        close(C @ qd[lead] - free, da.active_bias(m, pose, qd))

    # -- in numbers ------------------------------------------------------------------------------

    def compiled(self):
        close(da.inverse_dynamics(self.m, self.q, self.qd, self.qdd), self.tau)
        close(da.forward_dynamics(self.m, self.q, self.qd, self.tau), self.qdd, 1e-6)

    def posed(self):
        """Return the motion of the platform, and the branch of a pose beside this one."""
        at = {"frame": self.frame}
        return (
            (da.pose(self.m, self.q, **at), da.velocity(self.m, self.q, self.qd, **at),
             da.acceleration(self.m.tree, self.q, self.qd, self.qdd, **at)),
            {"branch": da.leg_branches(self.m, self.start)},
        )  # fmt: skip

    def platform(self):
        (T, twist, rate), branch = self.posed()
        close(da.actuator_forces(self.m, T, twist, rate, **branch), self.tau)
        close(da.platform_acceleration(self.m, T, twist, self.tau, **branch), rate, 1e-6)
        da.leg_states(self.m, T, twist, rate, **branch)
        assert da.platform_wrench(self.m, T, twist, rate).shape == (6,)

    def cartesian(self):
        (T, twist, rate), branch = self.posed()
        J = da.platform_jacobian(self.m, T, **branch)
        A, H = da.cartesian_model(self.m, T, twist, **branch)
        close(J.T @ (A @ rate + H), self.tau)
        close(J @ self.qd[[self.m.rate_names.index(n) for n in self.m.active]], twist)

    def task(self):
        t = da.task_model(self.m, frame=self.frame)
        s, keep = t(self.q, self.qd), [ROWS.index(x) for x in t.rows]
        xdd = da.acceleration(self.m.tree, self.q, self.qd, self.qdd, frame=self.frame)[keep]
        close(s.inertia @ xdd + s.bias, s.force_map @ self.tau, 1e-6)

    def base(self):
        base = da.base_parameters(self.m, q=self.q)
        Y = da.active_regressor(self.m, self.q, self.qd, self.qdd)[:, list(base.kept)]
        close(Y @ [float(x) for x in base.values(self.m.bound())], self.tau, 1e-6)


DOORS = {
    "compiled": Machine.compiled, "text": Machine.text, "listing": Machine.listing,
    "LaTeX": Machine.latex, "SymPy": Machine.sympy, "JSON": Machine.json, "Kane": Machine.kane,
    "platform": Machine.platform, "Cartesian": Machine.cartesian, "task": Machine.task,
    "base": Machine.base,
}  # fmt: skip
# what is said where a door is closed
REASONS = {"redundant": "does not decide that of the machine"}
machine = cache(Machine)


@pytest.mark.parametrize("name", with_slow(PLATFORMS, fast=1))
def test_every_leg_through_every_door(name):
    said = table()[name]
    assert set(said) == set(DOORS)
    wrong = []
    for door, open_it in DOORS.items():
        try:
            open_it(machine(name))
            found = "yes"
        except da.DalembertError as error:
            (found,) = [k for k, x in REASONS.items() if x in str(error)] or [str(error)]
        if found != said[door]:
            wrong.append(f"{door}: {found}")
    assert not wrong, "\n".join(wrong)


def test_the_table_names_every_machine():
    assert set(table()) == set(PLATFORMS)
