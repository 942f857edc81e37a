"""The box of motions a comparison holds for: ranges of q, q̇, q̈, and values of the parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DalembertError, ParameterError, UsageError, shown
from ..expr import Expr, Graph
from ..expr.exact import exact, to_float
from ..mechanism.edit import number as exact_number
from .angles import CONSTANT, Joints
from .entry import Entry, Place, motions
from .evaluate import known
from .interval import Interval, hull, interval
from .kinds import KINDS
from .ring import Term

if TYPE_CHECKING:
    from .closed_form import Equations

Range = tuple[float, float]
NAMES = ("q", "qd", "qdd")
SAMPLES = 400
CORNERS = 4


@dataclass(frozen=True)
class Box:
    """Ranges of coordinates, rates and accelerations, joint by joint, and parameter values.

    A parameter with a range has its middle among the values.
    """

    q: tuple[Range, ...]
    qd: tuple[Range, ...]
    qdd: tuple[Range, ...]
    values: Mapping[str, float]
    ranges: Mapping[str, Range] = field(default_factory=dict)

    @cached_property
    def cases(self) -> list[dict[str, float]]:
        """Parameter values to try: the middle, both ends of all, and some mixed corners."""
        out = [dict(self.values)]
        if self.ranges:
            rng = np.random.default_rng(4)
            mixed = [rng.random(len(self.ranges)) for _ in range(CORNERS)]
            for shares in (np.zeros(len(self.ranges)), np.ones(len(self.ranges)), *mixed):
                ends = {k: r[int(x > 0.5)] for (k, r), x in zip(self.ranges.items(), shares,
                                                                strict=True)}  # fmt: skip
                out.append(dict(self.values) | ends)
        return out

    @cached_property
    def random_states(self) -> tuple[Any, Any, Any]:
        """States spread over the box, corners of rates and accelerations among them."""
        rng = np.random.default_rng(1)
        n = len(self.q)

        def spread(ranges: Sequence[Range], corners: bool) -> Any:
            low, high = (np.array(x, dtype=float) for x in zip(*ranges, strict=True))
            u: Any = rng.random((SAMPLES, n))
            if corners:
                u = np.where(rng.random((SAMPLES, 1)) < 0.7, np.round(u), u)
            return low + (high - low) * u

        return spread(self.q, False), spread(self.qd, True), spread(self.qdd, True)

    def largest_forces(self, eq: Equations) -> list[float]:
        """Return max |tau_i| found over motions of the box: attained, so a lower bound."""
        tau = [np.abs(eq.evaluate(case, *self.random_states)) for case in self.cases]
        return [float(x) for x in np.max(tau, axis=(0, 1))]

    def bound(self, eq: Equations, entry: Entry, term: Term) -> dict[int, float]:
        """Return the largest force one term can give, by joint from 0."""
        coefficient, monomial = term
        size = abs(float(coefficient))
        for i, power in monomial:
            size *= self._largest(eq, i) ** power

        def most(motion: Place) -> float:
            ranges = self.qdd if len(motion) == 1 else self.qd
            return math.prod(max(map(abs, ranges[k])) for k in motion)

        return {j: size * most(motion) for j, motion in motions(entry.kind, entry.place)}

    def _largest(self, eq: Equations, i: int) -> float:
        cache = self.__dict__.setdefault("_sizes", {})
        if i not in cache:
            low, high = self.range_of(eq, i)
            cache[i] = max(abs(low), abs(high))
        return cache[i]

    def range_of(self, eq: Equations, i: int) -> Range:
        """Return the range of a generator over the box."""
        kind, *key = eq.ring.symbols.generators[i].key
        if (row := KINDS[kind].interval) is not None:
            return row(self, eq, *key)
        # constants, and reported constants of a slide: monotone or convex in q, ends and vertex
        bent = kind == "J" and eq.ring.symbols.slides[key[0]]
        shares = np.linspace(0, 1, 33) if bent else (0, 1)
        found = [at[i] for share in shares for at in self._at(eq, share)]
        return min(found), max(found)

    def wave(self, eq: Equations, kind: str, joints: Joints) -> Range:
        """Return the range of the sine or cosine of a sum of angles."""
        parts = [self._turned(eq, j) for j in joints]
        return _sine_range(sum(a for a, _ in parts), sum(b for _, b in parts), kind)

    def _turned(self, eq: Equations, j: int) -> Range:
        """Return the range of one part of a sum of angles: a joint or a constant, with its sign."""
        low, high = self.q[abs(j) - 1] if abs(j) < CONSTANT else self._constant(eq, abs(j))
        return (low, high) if j > 0 else (-high, -low)

    def _constant(self, eq: Equations, j: int) -> Range:
        known = {**eq.mechanism.floats, **self.values}
        parameters = {k: interval(exact(v)) for k, v in known.items()}
        parameters |= {k: hull(*r) for k, r in self.ranges.items()}
        found = interval(eq.ring.symbols.constants[j - CONSTANT - 1], parameters)
        return float(found.lower()), float(found.upper())

    def _at(self, eq: Equations, share: float) -> list[list[Any]]:
        cache = self.__dict__.setdefault("_values", {})
        if share not in cache:
            q = [a + (b - a) * share for a, b in self.q]
            cache[share] = [eq.values(case, q) for case in self.cases]
        return cache[share]


def _sine_range(low: float, high: float, kind: str) -> Range:
    """Return the range of a sine or cosine over an interval of angles."""
    if high - low >= 2 * math.pi:
        return -1.0, 1.0
    f, shift = (math.sin, math.pi / 2) if kind == "sin" else (math.cos, 0.0)
    a, b = sorted((f(low), f(high)))
    if math.floor((high - shift) / (2 * math.pi)) != math.floor((low - shift) / (2 * math.pi)):
        b = 1.0
    shift += math.pi
    if math.floor((high - shift) / (2 * math.pi)) != math.floor((low - shift) / (2 * math.pi)):
        a = -1.0
    return a, b


def box_of(eq: Equations, values: Mapping[str, Any], limits: Any = None) -> Box:
    """Return the box of the given limits, else of the mechanism's own; a full turn where open.

    `values` are numbers or (low, high) pairs. `limits` maps
    joint names or numbers to {"q": (a, b), "qd": v or (a, b), "qdd": a or (a, b)};
    the key "all" serves every joint that is not named.
    """
    m = eq.mechanism
    values, limits = known(m, _table(values, "values")), _table(limits, "limits")
    missing = [n for n in m.open_parameters if n not in values and needed(eq, n)]
    if missing:
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        raise ParameterError(
            "no value for parameter " + ", ".join(map(shown, missing[:8])) + more,
            hint="give every symbol of the model a number: values={...}",
            command="give every symbol of the model a number: --values FILE or --set NAME=VALUE",
        )
    pairs = {k: _ends(k, v) for k, v in values.items()}
    middle = {k: a + (b - a) / 2 for k, (a, b) in pairs.items()}
    ranges = {k: r for k, r in pairs.items() if r[0] < r[1]}
    spans = {k: interval(exact(v)) for k, v in m.values.items()}
    spans |= {k: hull(*r) for k, r in pairs.items()}
    names = m.joint_names
    given = _by_joint(names, limits)
    rows: dict[str, list[Range]] = {name: [] for name in NAMES}
    for j, body in enumerate(m.bodies):
        own = given.get(j)
        own = {**_table(limits.get("all"), "limits of all"), **_table(own, f"limits of {names[j]}")}
        for name in own:
            if name not in NAMES:
                raise UsageError(
                    f"joint {shown(names[j])!r} has a limit of {shown(str(name))!r}",
                    hint="limits are those of q, qd and qdd",
                )
        for name in NAMES:
            rows[name].append(_range(own.get(name), name, body, names[j], spans))
    q, qd, qdd = (tuple(rows[name]) for name in NAMES)
    return Box(q, qd, qdd, middle, ranges)


def _by_joint(names: Sequence[str], limits: Mapping[Any, Any]) -> dict[int, Any]:
    """Return the limits of each joint that is named, by a name or by its number from 1."""
    numbers: dict[Any, int] = {j + 1: j for j in range(len(names))}
    numbers |= {str(n): j for n, j in numbers.items()}
    numbers |= {name: j for j, name in enumerate(names)}  # of texts, a name goes before a number
    found: dict[int, Any] = {}
    for key, table in limits.items():
        if key == "all":
            continue
        joint = shown(str(key))
        j = None if isinstance(key, bool | float) else numbers.get(key)
        if j is None:
            raise UsageError(
                f"limits name no joint {joint!r}",
                hint="joints: " + ", ".join(map(shown, names[:20])),
            )
        if j in found:
            raise UsageError(
                f"limits name joint {shown(names[j])!r} twice, once as {joint!r}",
                hint="name each joint once",
            )
        found[j] = table
    return found


def _table(given: Any, what: str) -> Mapping[Any, Any]:
    """Return values or limits as a mapping, an empty one for None."""
    if given is not None and not isinstance(given, Mapping):
        hint = 'write {"L1": 0.4}' if what == "values" else 'write {"all": {"qd": 2, "qdd": 5}}'
        raise UsageError(f"{shown(what)} must be a mapping, not {type(given).__name__}", hint=hint)
    return given or {}


def _ends(name: str, value: Any) -> Range:
    """Return the ends of a parameter's range, equal ones for a number."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    try:
        low, high = map(_number, given)
        good = low <= high and math.isfinite(low) and math.isfinite(high)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise UsageError(
            f"parameter {shown(name)!r} has the value {shown(str(value))}",
            hint="give a number, or (low, high) with low <= high",
        )
    return low, high


def _number(x: Any) -> float:
    """Return a number, or the value of a text such as -150deg or pi/2; ValueError otherwise."""
    if not isinstance(x, str):
        return float(x)
    try:
        return to_float(exact_number(x, Graph()))
    except (DalembertError, KeyError) as error:
        raise ValueError(str(error)) from None


def _range(given: Any, name: str, body: Any, joint: str, known: Mapping[str, Interval]) -> Range:
    if given is not None:
        several = hasattr(given, "__len__") and not isinstance(given, str)
        try:
            numbers = [_number(x) for x in (given if several else [given])]
        except (TypeError, ValueError):
            numbers = []
        if not all(map(math.isfinite, numbers)):
            numbers = []  # no bound can be proven over an infinite box
        if len(numbers) == 1:
            return -abs(numbers[0]), abs(numbers[0])
        if len(numbers) == 2 and numbers[0] <= numbers[1]:
            return numbers[0], numbers[1]
        raise UsageError(
            f"joint {shown(joint)!r} has the limit {name} = {shown(str(given))}",
            hint="give a finite number, or (low, high) with low <= high",
        )
    if name == "q":
        pair = body.limits[0] if body.limits else (None, None)
        try:
            # the widest limits that the ranges of parameters allow
            ends = [None if x is None else _extreme(x, known, k) for k, x in enumerate(pair)]
        except KeyError:
            ends = [None, None]
        if None not in ends:
            return ends[0], ends[1]  # type: ignore[return-value]
        if body.joint.kind == "revolute":
            return -math.pi, math.pi
    if name == "qd" and body.velocity_limit is not None:
        top = _extreme(body.velocity_limit, known, 1)
        return -top, top
    raise UsageError(
        f"joint {shown(joint)!r} has no limit of {name}",
        hint=f'write limits = {{"{shown(joint)}": {{"{name}": ...}}}}, or "all" for every joint',
        command=f"give --limits FILE with a line such as: all = {{ {name} = 2 }}",
    )


def _extreme(x: Any, known: Mapping[str, Interval], side: int) -> float:
    """Return the least (side 0) or the largest value of a limit over the ranges of parameters."""
    if not isinstance(x, Expr):
        return float(x)
    found = interval(x, known)
    return float(found.upper() if side else found.lower())


def needed(eq: Equations, name: str) -> bool:
    """Return whether a parameter has a part in the equations; limits of joints may stay open."""
    m = eq.mechanism
    numbers = [x for b in m.bodies for x in (b.inertia.m, *b.inertia.lever,
               *b.inertia.tensor.six(), *b.placement.p, getattr(b.joint, "pitch", 0))]  # fmt: skip
    numbers += [*m.gravity, *(x for d in m.drives for x in (d.inertia, d.gear))]
    numbers += [x for x in eq.ring.symbols.constants]
    return any(isinstance(x, Expr) and name in x.names() for x in numbers)
