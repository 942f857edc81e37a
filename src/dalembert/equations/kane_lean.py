"""Rolling bodies that lean, in named steps: directions, levers and the root of their length.

On the ground they are written in the axes of the body that carries the machine: all that counts of
its attitude is the normal n of the ground there, with ṅ = n × ω (Poisson). A disc does not slip
along any axis: its three rows are those of v + ω × (p + l) = 0. An edge has d·v + ((p + l) × d)·ω
of its side and of its contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..algebra import Transform, Vec3
from ..algorithms.constraint_row import Row
from ..algorithms.kinematics import path, target_pose
from ..algorithms.rolling_rows import Place, contact_rows, ends, rolling_names, rolling_rows
from ..algorithms.velocity_constraints import Constraints
from ..algorithms.velocity_rows import wheel_names
from ..expr import sqrt
from ..mechanism import Mechanism, RollingContact
from .kane_step_names import LEANING
from .ratio import Ratio, size

if TYPE_CHECKING:
    from .kane_symbols import Setting

AXES = (Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1))
STILL = (0, 0, 0, 0, 0, 0, 1)  # a free joint whose body has the axes of the ground


@dataclass
class Steps:
    """What the named steps stand for, in the order in which they are computed."""

    setting: Setting
    found: dict[tuple[Any, ...], Any]
    normals: dict[int, tuple[Vec3, Vec3]]  # of the free bodies: n of the ground, here and there
    spins: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # of bodies, by the rates

    def said(self, i: int, letter: str, x: Vec3) -> Vec3:
        """Return a vector by names of its components, those that move and are not names already."""
        return Vec3(
            *(self._named(("step", i, letter, u), y) for u, y in zip("xyz", x, strict=True))
        )

    def spin(self, b: int, w: Vec3) -> Vec3:
        """Return Ω of a body by names of its components, those that are not names already."""
        gen, named = self.setting.field.gen, list(w)
        for k, x in enumerate(w):
            if size(x) > 1:
                key = ("step", b, "w", "xyz"[k])
                self.spins[key] = x
                named[k] = gen(*key)
        return Vec3(*named)

    def whole(self, c: RollingContact) -> bool:
        """Return whether a disc has all of its rows: then those along the axes say the same."""
        return c.kind != "knife_edge" and not set(rolling_names(c)) & set(self.setting.m.idle)

    def scalar(self, i: int, letter: str, x: Any) -> Any:
        """Return a number by its name."""
        return self._named(("step", i, letter, ""), x)

    def _named(self, key: tuple[Any, ...], x: Any) -> Any:
        one = self.setting.field.one
        if not isinstance(x, Ratio) or (size(x) == 1 and x.den == one) or not self._moves(x):
            return x
        for known, y in self.found.items():
            if x == y:
                return self.setting.field.gen(*known)
        self.found[key] = x
        return self.setting.field.gen(*key)

    def _moves(self, x: Ratio) -> bool:
        generators = self.setting.symbols.generators
        used = zip(x.num.degrees(), x.den.degrees(), generators, strict=True)
        return any((a or b) and g.key[0] not in ("p", "other") for a, b, g in used)

    # -- what stands in the printed steps --------------------------------------------------------

    def defined(self) -> dict[tuple[Any, ...], Any]:
        """Return every step with its value, a root with what it is the root of."""
        f, out = self.setting.field, dict[tuple[Any, ...], Any]()
        roots = [(("root", k), x) for k, x in enumerate(f.roots, 1)]
        waiting = [*roots, *self.found.items()]
        while waiting:  # what a step is made of stands before it
            left = {key for key, _ in waiting}
            ready = [e for e in waiting if not (self.used(e[1]) & left)]
            out |= dict(ready)
            waiting = [e for e in waiting if e[0] in left - out.keys()]
        return out

    def used(self, x: Any) -> set[tuple[Any, ...]]:
        """Return the named steps in an entry."""
        if not isinstance(x, Ratio):
            return set()
        generators = self.setting.symbols.generators
        pairs = zip(x.num.degrees(), x.den.degrees(), generators, strict=True)
        named = ("root", "step", "root_rate", "step_rate")
        return {g.key for a, b, g in pairs if (a or b) and g.key[0] in named}

    def rates(self, slopes: dict[int, Any]) -> dict[tuple[Any, ...], Any]:
        """Return the rate of every step that moves, and add it to the slopes by its name."""
        f, index = self.setting.field, self.setting.symbols.index
        turning = self._turning()
        out = {}
        for key, x in self.defined().items():
            rate = turning.get(key)
            if rate is None:
                rate = x.derivative(slopes)
                rate = rate / (2 * f.gen(*key)) if key[0] == "root" else rate
            if isinstance(rate, Ratio):
                name = (f"{key[0]}_rate", *key[1:])
                out[name] = rate
                slopes[index[key]] = f.gen(*name)
        return out

    def _turning(self) -> dict[tuple[Any, ...], Any]:
        """Return the rates of normals: n × ω."""
        s, out = self.setting, dict[tuple[Any, ...], Any]()
        for j, (n, _) in self.normals.items():
            k = s.m.velocity_index[j] + 3
            rates = n.cross(Vec3(*s.qd[k : k + 3]))
            for x, rate in zip(n, rates, strict=True):
                out |= {key: rate for key in self.used(x) if key in self.found}
        return out


class LeaningPlace(Place):
    """A contact whose directions are named; n and a have length one, so that one root is enough."""

    def __init__(self, place: Place, number: int, steps: Steps):
        vars(self).update(vars(place))
        self.number, self.steps = number, steps
        self.n, self.a = self._said("n", place.n), self._said("a", place.a)
        self.s = steps.scalar(number, "s", self.n.dot(self.a))
        self.over = 1 / sqrt(1 - self.s * self.s)

    def _said(self, letter: str, x: Vec3) -> Vec3:
        return self.steps.said(self.number, letter, x)

    @property
    def down(self) -> Vec3:
        """The way down in the plane of the wheel."""
        return self._said("d", (self.a * self.s - self.n) * self.over)

    @property
    def forward(self) -> Vec3:
        """The direction in which a wheel or an edge heads."""
        return self._said("f", self.a.cross(self.n) * self.over)

    @property
    def lever(self) -> Vec3:
        """From the centre to the contact."""
        return self._said("l", super().lever)

    def directions(self) -> list[Vec3]:
        """Return the direction along which each row measures slip."""
        if self.steps.whole(self.c):
            return list(AXES)
        *forward, side, n = super().directions()
        return [*forward, self._said("e", side), n]


def carrier(m: Mechanism, c: RollingContact) -> int | None:
    """Return the free body on the ground that carries a rolling body, if the ground is still."""
    first = path(m, c.body_i)[0]
    return first if c.body_j < 0 and m.bodies[first].joint.kind == "free" else None


def carried(m: Mechanism, j: int, q: Sequence[Any]) -> tuple[Mechanism, list[Any]]:
    """Return the machine and its coordinates as they are seen in the axes of a free body."""
    bodies = [replace(b, placement=Transform()) if k == j else b for k, b in enumerate(m.bodies)]
    parts = [STILL if k == j else own for k, own in enumerate(m.split_q(q))]
    return replace(m, bodies=tuple(bodies), checked=True), [x for own in parts for x in own]


def leaning_rows(setting: Setting) -> tuple[list[Row], Steps]:
    """Return the rows of a machine with the steps of its rolling bodies named."""
    m, s = setting.m, setting
    steps = Steps(s, {}, {})
    plain = Constraints.of(replace(m, rolling=(), checked=True))
    rest = plain.rows(s.q, [0] * m.nv, s.steer, s.t)
    wheels = {n for w in m.wheels for n in wheel_names(w)}
    rolled: list[Row] = []
    for i, c in enumerate(m.rolling, 1):
        if c.kind in LEANING:
            H = _contact(steps, i, c)
            names = [f"{c.name} along {u}" for u in "xyz"] if steps.whole(c) else rolling_names(c)
            rolled += [Row(n, list(x), [0] * m.nv) for n, x in zip(names, H, strict=True)]
        else:
            rolled += rolling_rows(m, c, s.q, [0] * m.nv)
    first = sum(row.name in wheels for row in rest)
    held = [row for row in rolled if row.name not in m.idle]
    return [*rest[:first], *held, *rest[first:]], steps


def _contact(steps: Steps, i: int, c: RollingContact) -> Sequence[Sequence[Any]]:
    m, q = steps.setting.m, steps.setting.q
    j = carrier(m, c)
    if j is None:
        return contact_rows(m, c, q, LeaningPlace(Place.of(m, c, q), i, steps))
    # in the axes of the carrier the ground turns, and its normal is all that counts of it
    R, _ = m.bodies[j].pose(m.split_q(q)[j])
    normal = steps.said(i, "n", R.T @ c.axis_j)
    steps.normals.setdefault(j, (normal, c.axis_j))
    m, still = carried(m, j, q)
    turned = replace(c, axis_j=normal)
    place = LeaningPlace(Place.of(m, turned, still), i, steps)
    rows = [list(row) for row in contact_rows(m, turned, still, place)]
    # the columns of the carrier: d·v + ((p + l) × d)·ω, with p by its name
    at = steps.said(i, "p", target_pose(m, ends(c)[0], still).p)
    at = at + (place.lever if c.kind != "knife_edge" else Vec3.zero())
    k = m.velocity_index[j]
    for row, d in zip(rows, place.directions(), strict=True):
        row[k : k + 6] = [*d, *at.cross(d)]
    return rows
