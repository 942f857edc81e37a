"""Lines that limbs have in common: those of two or four legs, computed as one vector.

The legs of a walking robot are alike but for numbers and signs. Where lines of a block differ in
nothing but the limb that they belong to, in numbers, in the order of a sum or product and in the
sign of a term, one state computes them at once, in the lanes of a vector.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ..expr import Block, Port
from ..expr.block import Line, Row, steps
from ..frozen import dataclass

OPS = frozenset({"add", "sub", "mul", "neg"})
LONG = 400  # lines of a block from which on limbs are looked for
ALIKE = 0.25  # by how much limbs may differ in how many lines are theirs alone
LOOSE = 0.7  # of the lines that a coordinate changes, so many its neighbour may if it is apart
OWN = 0.1  # of all lines, so many are of limbs that are alike
WORTH = 0.1  # of all lines, so many must go

Key: TypeAlias = tuple[object, ...]
Values: TypeAlias = tuple[int, ...]
Lane: TypeAlias = tuple[int, int]  # a family of limbs, and which of them


@dataclass(frozen=True, slots=True)
class Family:
    """Limbs alike: as many coordinates each, one limb after the other, counted from the last."""

    start: int
    stride: int
    many: int

    @property
    def end(self) -> int:
        """The coordinate after the last."""
        return self.start + self.stride * self.many


def families(block: Block, sizes: Mapping[str, int]) -> list[Family]:
    """Return the limbs that seem alike, from what lines depend on: `sizes` are those of inputs."""
    depends = Counter(_depends(block, sizes))
    ends = _ends(depends, min(sizes.values(), default=0))
    gain = dict[Family, int]()
    for n in (4, 2):
        for first, *_, last, end in zip(*(ends[k:] for k in range(n + 1)), strict=False):
            # the one that comes first may have coordinates before it that all have in common
            own = Family(first, (last - first) // (n - 1), n)
            limbs = all(own.start + k * own.stride in ends for k in range(n))
            if limbs and own.stride > 1 and own.end <= end:
                gain[own] = _gain(own, depends, len(block.lines))
    found = list[Family]()
    for own in sorted(gain, key=lambda own: gain[own], reverse=True):
        if gain[own] and all(own.end <= f.start or f.end <= own.start for f in found):
            found.append(own)
    return found


def _depends(block: Block, sizes: Mapping[str, int]) -> list[int]:
    """Return for each line the coordinates it depends on, as bits, the last first."""
    known = [1 << sizes[x.name] - 1 - x.index if x.kind == "input" else 0 for x in block.leaves]
    for line in block.lines:
        bits = 0
        for a in line.args:
            bits |= known[a]
        known.append(bits)
    return known[len(block.leaves) :]


def _ends(depends: Mapping[int, int], most: int) -> list[int]:
    """Return where chains of coordinates begin and end: few lines depend on both sides."""
    each, joined, full = [0] * most, [0] * most, 0
    for bits in depends:
        full |= bits
    for bits, n in depends.items():
        if bits != full:
            for t in range(most):
                each[t] += n * (bits >> t & 1)
                joined[t] += n * (bits >> t & 1 & bits >> t + 1)
    inner = range(1, most)
    return [0, *(t for t in inner if joined[t - 1] < LOOSE * min(each[t - 1 : t + 1])), most]


def _gain(own: Family, depends: Mapping[int, int], lines: int) -> int:
    """Return how many lines may go: each limb has about as many that no other limb changes."""
    limb = (1 << own.stride) - 1 << own.start
    each = {limb << own.stride * k: 0 for k in range(own.many)}
    every = sum(each)
    for bits, n in depends.items():
        inside = bits & every
        mask = next((m for m in each if inside & m), 0)
        if inside and inside & mask == inside:
            each[mask] += n
    least = min(each.values())
    alike = least >= max((1 - ALIKE) * max(each.values()), OWN * lines / own.many)
    return least * (own.many - 1) if alike else 0


@dataclass(frozen=True, slots=True)
class Bundle:
    """Values of two or four limbs: a leaf of each, or a line of each, with the signs of its args.

    Arguments stand in the same order in all limbs; each has a sign in each limb.
    """

    values: Values
    op: str = ""  # none of a leaf, a sine or a cosine
    args: tuple[Values, ...] = ()
    signs: tuple[Values, ...] = ()


def bundled(block: Block, ports: Sequence[Port]) -> tuple[Block, tuple[Bundle, ...]]:
    """Return the block in an order in which bundles stay together, and the bundles."""
    if len(block.lines) < LONG or any(line.op in ("call", "item") for line in block.lines):
        return block, ()
    sizes = {p.name: p.size for p in ports}
    found = families(block, sizes)
    if not found:
        return block, ()
    bundles = _bundles(_Places(block, found, sizes), found)
    if _gone(block, bundles) < WORTH * len(block.lines):
        return block, ()
    return _together(block, bundles)


def _gone(block: Block, bundles: Sequence[Bundle]) -> int:
    """Return how many lines go, but for what is brought to vectors and taken out of them."""
    base = len(block.leaves)
    whole = {v: b.values for b in bundles if b.op for v in b.values}
    wide = {a for b in bundles for a in b.args}
    gathered = [a for a in wide if len({*a}) > 1 and whole.get(a[0]) != a]
    brought = sum(any(v >= base for v in a) * (len(a) - 1) for a in gathered)
    alone = {a for v, line in enumerate(block.lines, base) if v not in whole for a in line.args}
    taken = len(whole.keys() & alone)
    return sum(len(b.values) - 1 for b in bundles if b.op) - brought - taken // 2


class _Places:
    """What tells the values of a block apart but for the limb they belong to.

    Values of two limbs have one id if they are made alike, of values with one id or of no limb. As
    many sines and lines then lead to each, so no two bundles wait for each other.
    """

    def __init__(self, block: Block, found: Sequence[Family], sizes: Mapping[str, int]):
        self.block, self.base = block, len(block.leaves)
        self.ids: dict[Key, int] = {}
        self.seen: Counter[Key] = Counter()
        self.id: list[int] = []
        self.lane: list[Lane | None] = []
        self.args: dict[int, tuple[tuple[int, int], ...]] = {}  # (value, sign) in common order
        self.high = [(0, 0)] * self.base  # sines one after the other, then lines
        for line in block.lines:
            given = [self.high[a] for a in line.args]
            level, lines = (max(each) for each in zip(*given, strict=True))
            self.high.append((level + line.turns, lines + 1))
        for v, leaf in enumerate(block.leaves):
            key: Key = ("own", v)
            lane = None
            if leaf.kind == "const":
                key = ("const",)
            elif leaf.kind == "input":
                t = sizes[leaf.name] - 1 - leaf.index
                for f, family in enumerate(found):
                    if family.start <= t < family.end:
                        limb, place = divmod(t - family.start, family.stride)
                        key, lane = (leaf.name, f, place), (f, limb)
            self._note(key, lane)
        for v, line in enumerate(block.lines, self.base):
            self._line(v, line.op, line.args)

    def _line(self, v: int, op: str, args: Sequence[int]) -> None:
        lanes = {self.lane[a] for a in args} - {None}
        if len(lanes) != 1 or not (op in OPS or op in ("sin", "cos")):
            self._note(("own", v), None)
            return
        (lane,) = lanes
        given = [(a, 1) for a in args]
        if op == "sub":
            op, given[1] = "add", (args[1], -1)
        if op in ("add", "mul"):
            given.sort(key=lambda x: self._part(x[0]))
        self.args[v] = tuple(given)
        key: Key = (op, *(self._part(a) for a, _ in given))
        # the same lines of a limb once more are another bundle
        self.seen[key, lane] += 1
        self._note((*key, self.seen[key, lane]), lane)

    def _part(self, v: int) -> tuple[int, ...]:
        """Return what tells an argument apart: of lines that are no limb's only where they stand.

        They may be others in each limb, but none of them waits for what this is an argument of.
        """
        if self.lane[v] is None and v >= self.base:
            return (1, *self.high[v])
        return 0, self.id[v]

    def _note(self, key: Key, lane: Lane | None) -> None:
        self.id.append(self.ids.setdefault(key, len(self.ids)))
        self.lane.append(lane)


def _bundles(places: _Places, found: Sequence[Family]) -> list[Bundle]:
    """Return the values that are one vector each."""
    groups = defaultdict[int, dict[int, int]](dict)
    family = dict[int, int]()
    for v, lane in enumerate(places.lane):
        if lane is not None:
            groups[places.id[v]][lane[1]] = v
            family[places.id[v]] = lane[0]
    order = [
        _order(f, (set(g) for i, g in groups.items() if family[i] == k))
        for k, f in enumerate(found)
    ]
    made = []
    for i, group in groups.items():
        lanes = order[family[i]]
        if len(group) == len(lanes):
            made.append(tuple(group[k] for k in lanes))
        else:
            pairs = (lanes[n : n + 2] for n in range(0, len(lanes), 2))
            made += [tuple(group[k] for k in p) for p in pairs if len(p) == 2 and {*p} <= {*group}]
    return [_bundle(places, values) for values in made]


def _order(family: Family, groups: Iterable[set[int]]) -> list[int]:
    """Return the limbs in an order where those most alike are neighbours."""
    if family.many < 4:
        return [*range(family.many)]
    alike = Counter(tuple(sorted(g)) for g in groups if len(g) == 2)
    pairings = ([0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2])
    return max(pairings, key=lambda p: alike[p[0], p[1]] + alike[p[2], p[3]])


def _bundle(places: _Places, values: Values) -> Bundle:
    first = values[0]
    if first not in places.args:
        return Bundle(values)
    op = places.block.lines[first - places.base].op
    if op in ("sin", "cos"):
        return Bundle(values)
    op = "add" if op == "sub" else op
    each = zip(*(places.args[v] for v in values), strict=True)
    columns = [tuple(zip(*column, strict=True)) for column in each]
    args, signs = zip(*columns, strict=True)
    return Bundle(values, op, args, signs)


def _together(block: Block, bundles: Sequence[Bundle]) -> tuple[Block, tuple[Bundle, ...]]:
    """Return the block with the lines of a bundle one after the other."""
    base, lines = len(block.leaves), block.lines
    unit = {v: b.values for b in bundles if b.op for v in b.values}
    turned = [b.values for b in bundles if not b.op and b.values[0] >= base]
    for row in (item for item in steps(block) if isinstance(item, Row)):
        # sines of a bundle are neighbours in their row
        values = [v for own in turned if {*own} <= {*row.values} for v in own]
        values += [v for v in row.values if v not in values]
        unit |= dict.fromkeys(values, tuple(values))
    order, done = list[int](), set[int](range(base))
    for root in range(base, base + len(lines)):
        stack = [root]
        while stack:
            v = stack[-1]
            own = unit.get(v, (v,))
            need = [a for u in own for a in lines[u - base].args if a not in done]
            if v in done:
                stack.pop()
            elif need:
                stack += reversed(need)
            else:
                stack.pop()
                order += own
                done.update(own)
    new = {v: n for n, v in enumerate([*range(base), *order])}

    def at(values: Sequence[int]) -> Values:
        return tuple([new[v] for v in values])

    moved = tuple(
        [Line(line.op, at(line.args), line.form) for line in (lines[v - base] for v in order)]
    )
    made = Block(block.leaves, moved, at(block.results))
    return made, tuple(
        [Bundle(at(b.values), b.op, tuple([at(a) for a in b.args]), b.signs) for b in bundles]
    )
