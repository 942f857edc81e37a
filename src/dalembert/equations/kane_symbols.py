"""The symbols Kane's method is written with, and a mechanism whose numbers are ratios over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any

from ..algebra import Rotation, Transform, Turn
from ..algorithms import kane
from ..algorithms.kinematics import path
from ..algorithms.velocity_constraints import Constraints
from ..algorithms.velocity_rows import TIME, rate_of
from ..expr import OPS, Expr, text
from ..expr.arena import Rows
from ..expr.formula import Symbol
from ..expr.style import latex_name
from ..mechanism import Mechanism, joint_name
from ..mechanism.binding import unlimited, with_equation_values
from ..mechanism.validate import numbers
from .angles import coordinate_axis
from .generator import Generator, atoms, slopes
from .kane_step_names import ENTRIES, followers, step_generators
from .kinds import Slope
from .ratio import Coordinate, Field, constant_angles
from .ring import Ring

if TYPE_CHECKING:
    from .loop_blocks import Solved

TURNING = ("revolute", "screw")
ROUND = ("spherical", "free")  # quaternions: their rates are not derivatives of coordinates
PLANAR = ("x", "y", "th")
LONG = 60  # letters of a name in a formula


class KaneSymbols:
    """Generators: angles and their sums, coordinates, rates, speeds, forces, parameters.

    Coordinates are numbered from 1; prescribed steering angles follow the joints, then time. Rates
    have numbers of their own: a spherical joint has four coordinates and three of them.
    """

    def __init__(self, m: Mechanism, closed: Solved | None = None, leaning: bool = False):
        self.m = m
        self.leaning = leaning  # whether directions of contacts and J_nh have names of their own
        self.n, self.p = m.nv, m.nq
        # the coordinate of each rate that is its derivative
        starts = accumulate((b.joint.nq for b in m.bodies), initial=1)
        self.first = list(starts)[:-1]
        self.place = {
            m.velocity_index[j] + 1 + k: self.first[j] + k
            for j, b in enumerate(m.bodies)
            if b.joint.kind not in ROUND
            for k in range(b.joint.nv)
        }
        self.place |= {
            self.n + 1 + k: self.p + 1 + k for k in range(len(Constraints.of(m).steering))
        }
        self.closed = closed  # the loops, whose lines number the joints
        self.round = [j for j, b in enumerate(m.bodies) if b.joint.kind in ROUND]
        plain = not self.round and all(map(_is_numbered, m.joint_names))
        self.numbered = closed is not None or plain
        self.steer = Constraints.of(m).steering
        self.given = {m.velocity_index[j] + 1: rate_of(m, j) for j in Constraints.of(m).prescribed}
        self.coordinates = self._coordinates()
        self.speeds = m.speeds if closed else kane.speed_names(m)
        self.others: dict[str, Expr] = {}
        self.generators = self._generators()
        self.index = {g.key: i for i, g in enumerate(self.generators)}
        self.names = [g.name for g in self.generators]

    @property
    def rates(self) -> range:
        """The rates: of joints, then of steering angles."""
        return range(1, self.n + len(self.steer) + 1)

    # -- names -------------------------------------------------------------------------------------

    def _coordinates(self) -> list[str]:
        names: list[str] = []
        for body in self.m.bodies:
            own, kind = joint_name(body), body.joint.kind
            parts = body.joint.parts if kind in ROUND else PLANAR[: body.joint.nv]
            names += [own] if body.joint.nv == 1 else [f"{own}_{p}" for p in parts]
        if self.numbered:
            names = [f"q{k}" for k in range(1, self.n + 1)]
        return [*names, *self.steer, TIME]

    def rate_name(self, k: int) -> str:
        """Return the name of rate k (from 1)."""
        if self.numbered and k <= self.n:
            return f"qd{k}"
        if k not in self.place:
            return _flat_name(self.m.rate_names[k - 1])
        return f"{self.coordinate(k)}d"

    def coordinate(self, k: int) -> str:
        """Return the name of the coordinate whose rate is rate k."""
        return self.coordinates[self.place[k] - 1]

    def _second_name(self, key: tuple[Any, ...]) -> str:
        if key[0] == "speed":
            return f"{_flat_name(key[1])}d"
        return f"qdd{key[1]}" if self.numbered else f"{self.rate_name(key[1])}d"

    def force_name(self, k: int) -> str:
        """Return the name of the motor's force at rate k."""
        return f"tau{k}" if self.numbered else written(f"tau_{self.coordinate(k)}")

    def alpha_key(self, a: int) -> tuple[Any, ...]:
        """Return the generator of speed a (from 0): a joint's rate, or a symbol of its own."""
        if self.closed:
            return ("rate", self.closed.plan.independent[a] + 1)
        if len(self.speeds) == self.n:
            return ("rate", a + 1)
        name = self.speeds[a]
        for j, body in enumerate(self.m.bodies):
            if body.joint.nv and joint_name(body) == name:
                return ("rate", self.m.velocity_index[j] + 1)
        if self.round and name in self.m.rate_names:
            return ("rate", self.m.rate_names.index(name) + 1)
        return ("speed", name)

    def motors(self) -> list[int]:
        """Return the rates with a motor: the active ones, else joints among the speeds."""
        m = self.m
        wanted = m.active or self.speeds
        return [
            m.velocity_index[j] + 1
            for j, b in enumerate(m.bodies)
            if b.joint.nv == 1 and joint_name(b) in wanted
        ]

    def _angle_name(self, kind: str, joints: Sequence[int]) -> str:
        if self.numbered and max(joints) <= self.n:
            dot = "_" if self.n > 9 else ""
            return f"{kind[0].upper()}{dot.join(map(str, joints))}"
        return f"{kind}({'+'.join(self.coordinates[k - 1] for k in joints)})"

    def latex(self, kind: str, *key: Any) -> tuple[str, str]:
        """Return the LaTeX of a symbol and what stands behind its power; the name's if empty."""
        if kind in ("sin", "cos", "tan"):
            joints = key[0]
            if self.numbered and max(joints) <= self.n:
                digits = ("," if self.n > 9 else "").join(map(str, joints))
                return (
                    (r"\tan", f" q_{{{digits}}}")
                    if kind == "tan"
                    else (f"{kind[0]}_{{{digits}}}", "")
                )
            total = "+".join(self._coordinate(k) for k in joints)
            return rf"\{kind}", f" {total}" if len(joints) == 1 else f"({total})"
        if kind == "q":
            return self._coordinate(key[0]), ""
        if kind == "rate":
            return self._rate(key[0], 1), ""
        if kind == "second":
            if key[0] == "rate":
                return self._rate(key[1], 2), ""
            return rf"\dot {{{latex_name(_flat_name(key[1]))}}}", ""
        if kind in ("follows", "turns") and self.closed:
            dot = "" if kind == "follows" else r"\dot "
            return f"{dot}G_{{{','.join(str(k + 1) for k in key)}}}", ""
        if kind == "force" and isinstance(key[0], int):
            inner = str(key[0]) if self.numbered else self._coordinate(self.place[key[0]])
            return rf"\Gamma_{{{inner}}}", ""
        return "", ""

    def _rate(self, k: int, dots: int) -> str:
        """Return rate k, or its own rate with two dots, in LaTeX."""
        if k in self.place:
            return rf"\{'d' * dots}ot {{{self._coordinate(self.place[k])}}}"
        name = latex_name(self.rate_name(k))
        return rf"\dot {{{name}}}" if dots == 2 else name

    def _coordinate(self, k: int) -> str:
        return latex_name(self.coordinates[k - 1])

    def tangent(self, joints: tuple[int, ...]) -> Symbol:
        """Return the tangent of an angle: T12, or tan(th+phi)."""
        name = self.names[self.index["sin", joints]]
        text = f"tan{name[3:]}" if name.startswith("sin(") else f"T{name[1:]}"
        return Symbol(text, *self.latex("tan", joints))

    def _generators(self) -> list[Generator]:
        single = self.angles()
        sums = [(k,) for k in single] + self._sums()
        made = step_generators(self.m) if self.leaning else []
        made += [Generator(self._angle_name(kind, s), (kind, s))
                 for kind in ("sin", "cos") for s in sums]  # fmt: skip
        count = len(self.coordinates)
        made += [Generator(self.coordinates[k - 1], ("q", k)) for k in range(1, count + 1)]
        made += [Generator(self.rate_name(k), ("rate", k)) for k in self.rates]
        keys = [self.alpha_key(a) for a in range(len(self.speeds))]
        made += [Generator(_flat_name(k[1]), k) for k in keys if k[0] == "speed"]
        keys += [("rate", k) for k in self.given]
        made += [Generator(self._second_name(k), ("second", *k)) for k in keys]
        made += [Generator(self.force_name(k), ("force", k)) for k in self.motors()]
        made += [Generator(f"F_{w.name}", ("force", w.name)) for w in self.m.wheels]
        made += [Generator(f"S_{w.name}", ("force", ("side", w.name)))
                 for w in self.m.wheels if w.tyre is not None]  # fmt: skip
        # parts of expressions of parameters that are not ratios of polynomials
        for x in numbers(unlimited(self.m)):
            for graph, i in atoms(x, ARITHMETIC):
                if graph.op[i] not in ("const", "param"):
                    self.others.setdefault(text(Expr(graph, i)), Expr(graph, i))
        made += self._followers()
        made += [Generator(p, ("p", p)) for p in self._parameters()]
        made += [Generator(f"K{k}", ("other", t)) for k, t in enumerate(self.others, 1)]
        found = [(g, *self.latex(*g.key)) for g in _apart(made)]
        return [g._replace(latex=latex, tail=tail) if latex else g for g, latex, tail in found]

    def _followers(self) -> list[Generator]:
        """Return the entries of G, or of J_nh, and of its rate that are not numbers."""
        if self.leaning:
            driven = bool(self.given or self.m.velocity_constraints)
            return followers(self.n, len(self.speeds), driven)
        if not self.closed:
            return []
        moving = [p for p, x in sorted(self.closed.G.items()) if isinstance(x, Expr)]
        return [
            Generator(self.closed.name(letter, k + 1, a + 1), (kind, k, a))
            for kind, letter in (("follows", "G"), ("turns", "Gd"))
            for k, a in moving
        ]

    def _parameters(self) -> list[str]:
        """Return the parameters in the order of print: masses, gravity, then as they came."""
        first = [b.m for b in self.m.bodies] + list(self.m.gravity)
        named = [n for x in first if isinstance(x, Expr) for n in x.names()]
        return list(dict.fromkeys([*named, *(p.name for p in self.m.parameters)]))

    def angles(self) -> list[int]:
        """Return the coordinates that can stand under a sine: turning joints, steering, time."""
        turning: list[int] = []
        for j, body in enumerate(self.m.bodies):
            if body.joint.kind in TURNING:
                turning.append(self.first[j])
            elif body.joint.kind == "planar":
                turning.append(self.first[j] + 2)
        return [*turning, *range(self.p + 1, len(self.coordinates) + 1)]

    def quaternions(self) -> list[tuple[int, ...]]:
        """Return the coordinates x, y, z, w of each quaternion, by generator."""
        last = [self.first[j] + self.m.bodies[j].joint.nq for j in self.round]
        return [tuple(self.index["q", k] for k in range(end - 4, end)) for end in last]

    def _sums(self) -> list[tuple[int, ...]]:
        """Return the runs of turns about one axis along each path: sums that shorten the print."""
        found: dict[tuple[int, ...], None] = {}
        for j in range(len(self.m.bodies)):
            run: list[int] = []
            axis: Any = None
            for i in reversed(path(self.m, j)):
                body = self.m.bodies[i]
                if body.joint.kind in ("revolute", "screw", "planar"):
                    about = (2, 1) if body.joint.kind == "planar" else coordinate_axis(body.joint)
                    if about[0] is None or (axis is not None and about != axis):
                        break
                    axis = about
                    first = self.first[i]
                    run.insert(0, first + 2 if body.joint.kind == "planar" else first)
                    if len(run) > 1:
                        found[tuple(run)] = None
                if body.placement.R.factors:
                    break
            found |= {(*run, k): None for k in self._steered(j) if axis == (2, 1)}
        return sorted(found, key=lambda s: (len(s), s))

    def _steered(self, j: int) -> list[int]:
        """Return the steering angles of the wheels of a body, about its z axis."""
        steers = {w.steer for w in self.m.wheels if w.body == j}
        return [self.p + 1 + k for k, name in enumerate(self.steer) if name in steers]


def _flat_name(name: str) -> str:
    """Return the name of a speed without its dots and brackets: w_disc_x of w(disc).x."""
    return "_".join("".join(" " if c in ".(),[]" else c for c in name).split())


def written(name: str) -> str:
    """Return a name as it stands in a formula: what no sum of names has becomes an underscore."""
    runs = groupby(name[: 2 * LONG], lambda c: c.isalnum() or c in "_.()+-")
    return "".join("".join(run) if plain else "_" for plain, run in runs)[:LONG]


def _is_numbered(name: str) -> bool:
    """Whether a joint has but a number: 3, j3, q3, body3."""
    digits = name.removeprefix("j").removeprefix("body").removeprefix("q")
    return digits.isdecimal() and len(name) - len(digits) in (0, 1, 4)


def _apart(made: list[Generator]) -> list[Generator]:
    """Return the generators with written names, equal ones told apart by a trailing underscore."""
    seen: set[str] = set()
    out = []
    # names of the user stay as they are
    for g in sorted(made, key=lambda g: g.key[0] != "p"):
        name = g.name if g.key[0] in ENTRIES else written(g.name)
        while name in seen:
            name += "_"
        seen.add(name)
        out.append(g._replace(name=name))
    order = {g.key: k for k, g in enumerate(made)}
    return sorted(out, key=lambda g: order[g.key])


class Setting:
    """A mechanism over ratios, its coordinates, rates and speeds as scalars."""

    def __init__(self, m: Mechanism, closed: Solved | None = None, leaning: bool = False):
        self.symbols = s = KaneSymbols(m, closed, leaning)
        self.ring = Ring(s)
        self.field = f = Field(self.ring, s.angles(), self, s.quaternions())
        f.circles += constant_angles(self.ring, s.others)
        self.q = [Coordinate(f, {k: Fraction(1)}) for k in range(1, s.p + 1)]
        self.qd = [f.gen("rate", k) for k in range(1, s.n + 1)]
        self.steer: dict[str, tuple[Any, Any]] = {
            name: (Coordinate(f, {s.p + k: Fraction(1)}), f.gen("rate", s.n + k))
            for k, name in enumerate(s.steer, 1)
        }
        self.steer |= {
            name: (f.gen("rate", k), f.gen("second", "rate", k)) for k, name in s.given.items()
        }
        self.t = Coordinate(f, {len(s.coordinates): Fraction(1)})
        self.alpha = [f.gen(*s.alpha_key(a)) for a in range(len(s.speeds))]
        self.alpha_dot = [f.gen("second", *s.alpha_key(a)) for a in range(len(s.speeds))]
        self.m = self._bound(m)
        self.said: Callable[[], Mapping[str, Any]] | None = None  # what named steps are, in SymPy

    def force(self, name: Any) -> Any:
        """Return the force of a wheel or of a motor at a coordinate; 0 if there is none."""
        return self.field.gen("force", name) if ("force", name) in self.symbols.index else 0

    def slopes(self) -> dict[int, Any]:
        """Return how each generator changes along the motion: the rates are symbols."""
        f = self.field
        rates = {at: f.gen("rate", k) for k, at in self.symbols.place.items()}
        rates |= self.quaternion_rates() | {len(self.symbols.coordinates): 1}
        # the rates of the other coordinates stand only where they are not differentiated
        seconds = {k: f.gen("second", "rate", k) for k in self.symbols.given}
        return slopes(self.symbols, Slope(rates, f.gen, seconds=seconds))

    def quaternion_rates(self) -> dict[int, Any]:
        """Return the derivative of each coordinate of spherical and free joints, by their rates."""
        s, out = self.symbols, dict[int, Any]()
        for j in s.round:
            joint, k, v = s.m.bodies[j].joint, s.first[j], s.m.velocity_index[j]
            q, qd = self.q[k - 1 : k - 1 + joint.nq], self.qd[v : v + joint.nv]
            out |= dict(enumerate(joint.coordinate_rate(q, qd), k))
        return out

    def _bound(self, m: Mechanism) -> Mechanism:
        plain = unlimited(m).map(self.number)
        bodies = tuple(replace(b, placement=_flat(b.placement)) for b in plain.bodies)
        values = {p.name: self.field.gen("p", p.name) for p in m.parameters}
        return with_equation_values(replace(plain, bodies=bodies, checked=True), values)

    def number(self, x: Any) -> Any:
        """Return an exact number or an expression of parameters over the ring."""
        if isinstance(x, float):
            x = Fraction(repr(x))
        if not isinstance(x, Expr):
            return int(x) if x == int(x) else Fraction(x)

        def other(i: int, _: list[Any]) -> Any:
            key = ("other", text(Expr(x.graph, i)))
            return self.field.gen(*key) if key in self.symbols.index else None

        leaf: Rows = {"const": self.number, "param": lambda name: self.field.gen("p", name)}
        return x.graph.fold([x.id], leaf, ARITHMETIC, other)[x.id]


def _quotient(a: Any, b: Any) -> Any:
    return Fraction(a) / b if isinstance(a, int) and isinstance(b, (int, Fraction)) else a / b


ARITHMETIC = {n: OPS[n].evaluate for n in ("add", "sub", "mul", "neg")} | {"div": _quotient}


def _flat(T: Transform) -> Transform:
    """Return the transform with its constant rotation as one matrix, quarter turns exact."""
    if not T.R.factors:
        return T
    R = Rotation(tuple(f.matrix() if isinstance(f, Turn) else f for f in T.R.factors))
    return Transform(Rotation.of(R.matrix()), T.p)
