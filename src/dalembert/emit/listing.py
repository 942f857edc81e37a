"""A Program as a listing to read: numbered assignments in execution order, under headings.

Names say where a value belongs: a letter for what it depends on, the number of the link, a counter.
C and S are cosines and sines, R depends on q, W on q and qd, A on the accelerations or forces too;
on the way back to the base J depends on q, B on qd too, N on all; V is the last way outward.
"""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..expr.block import Block, Leaf
from ..expr.ordered import Program
from .dialect import LISTING
from .names import TextNames, comment
from .walk import Walk

MEANS = {
    "C": "C, S: cosines and sines",
    "K": "K: constants",
    "R": "R: of q",
    "W": "W: of q, qd",
    "A": "A: of all inputs",
    "J": "J: of q",
    "B": "B: of q, qd",
    "N": "N: of all inputs",
    "V": "V: the last way outward",
}
LETTERS = {"start": "RWA", "out": "RWA", "in": "JBN", "after": "VVV"}


@dataclass(frozen=True, slots=True)
class Step:
    """From this node of the graph on, an algorithm works on one link."""

    first: int
    stage: str  # start, out, in, after
    link: str = ""  # its number


@dataclass(frozen=True)
class Notes:
    """What a listing can say about a Program beyond its lines."""

    title: str
    steps: Sequence[Step] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)  # of each stage
    links: Mapping[str, str] = field(default_factory=dict)  # the name behind each number
    words: Mapping[int, str] = field(default_factory=dict)  # node of the graph -> its name
    remarks: Sequence[str] = ()


def listing(program: Program, notes: Notes) -> str:
    """Return the listing of a Program."""
    return _Listing(program, notes).text()


class _Listing:
    def __init__(self, program: Program, notes: Notes):
        self.program, self.notes = program, notes
        self.names = TextNames()
        self.lines: list[str] = []
        self.letters: set[str] = set()  # that names begin with
        self.number = 0
        self.inputs = {
            (port.name, k): self.names.new(f"{port.name}{k + 1}")
            for port in program.inputs
            for k in range(port.size)
        }
        self.parameters, self.said = self.names.parameters(program.parameters)
        self.outputs = [word for port in program.outputs for word in self._entries(port)]

    def _entries(self, port: object) -> list[str]:
        """Return the name of each entry of an output: tau3, M12, M(1,12) as M1_12."""
        name, shape = port.name, port.shape  # type: ignore[attr-defined]
        if not shape:
            return [self.names.new(name)]
        wide = max(shape) > 9 and len(shape) > 1
        places: list[tuple[int, ...]] = [()]
        for n in shape:
            places = [(*p, k + 1) for p in places for k in range(n)]
        return [self.names.new(name + ("_" if wide else "").join(map(str, p))) for p in places]

    def text(self) -> str:
        cost = self.program.cost
        self._remark(self.notes.title)
        self._remark(f"operations: {cost['step']}")
        if self.program.prepare.lines:
            self._remark(f"and once per set of parameters: {cost['prepare']}")
        ends = [f"{p.name}({', '.join(map(str, p.shape))})" for p in self.program.inputs]
        self._remark("inputs: " + ", ".join(ends))
        used = [self.parameters[k] for k in sorted(self._used())]
        said = ["parameters: " + (", ".join(used) or "none"), *self.said]
        for remark in (*said, *self.notes.remarks):
            for line in textwrap.wrap(remark, 96, subsequent_indent="  "):
                self._remark(line)
        head, self.lines = self.lines, []
        self._step(self._prepare())
        body, self.lines = self.lines, head
        self._legend()
        return "\n".join(self.lines + body) + "\n"

    def _legend(self) -> None:
        """Say what the letters of the names mean, those that occur."""
        used = self.letters
        out = [MEANS[x] for x in "CKRWA" if x in used]
        back = [MEANS[x] for x in "JBN" if x in used]
        text = "; ".join(out + (["on the way back " + ", ".join(back)] if back else []))
        text += "; " + MEANS["V"] if "V" in used else ""
        for line in textwrap.wrap(f"names: {text}", 96, subsequent_indent="  ") if text else ():
            self._remark(line)

    def _used(self) -> set[int]:
        blocks = (self.program.prepare, self.program.step)
        return {leaf.index for b in blocks for leaf in b.leaves if leaf.kind == "param"}

    def _remark(self, text: str) -> None:
        self.lines.append(f"# {comment(text)}")

    def _assign(self, name: str, value: str) -> None:
        self.number += 1
        line = f"{name} = {value}"
        self.lines.append(f"{self.number:>4}  {line}")

    # -- what depends on parameters only -------------------------------------------------------

    def _prepare(self) -> list[str]:
        """Write the lines of `prepare`; return the text of what it hands on."""
        block = self.program.prepare
        leaves = [self._leaf(leaf, []) for leaf in block.leaves]
        walk = Walk(block, LISTING, leaves, longest=40)
        base, counter = len(block.leaves), 0

        def name(k: int) -> str:
            nonlocal counter
            counter += 1
            known = self.notes.words.get(block.nodes[k])
            self.letters |= {"K"} if known is None else set()
            return self.names.new(known or f"K{counter}")

        heading = "constants of the parameters"
        for _, word, right in walk.assignments(name):
            heading = self._heading(heading)
            self._assign(word, right)
        prepared: list[str] = []
        known: dict[int, str] = {}
        for v in block.results:
            text, rank, _ = walk.parts[v]
            if rank < 9 or v in known or "(" in text:
                if v not in known:
                    heading = self._heading(heading)
                    known[v] = name(v - base)
                    self._assign(known[v], text)
                text = known[v]
            prepared.append(text)
        return prepared

    def _heading(self, heading: str) -> str:
        if heading:
            self.lines.append("")
            self._remark(heading)
        return ""

    def _leaf(self, leaf: Leaf, prepared: Sequence[str]) -> str:
        if leaf.kind == "input":
            return self.inputs[leaf.name, leaf.index]
        if leaf.kind in ("param", "prepared"):
            return (self.parameters if leaf.kind == "param" else prepared)[leaf.index]
        return LISTING.pi if leaf.kind == "pi" else ""

    # -- what runs at every state --------------------------------------------------------------

    def _step(self, prepared: Sequence[str]) -> None:
        block = self.program.step
        walk = Walk(block, LISTING, [self._leaf(leaf, prepared) for leaf in block.leaves])
        kinds, starts = dependence(block), [s.first for s in self.notes.steps]
        counters: dict[str, int] = {}
        group: object = None

        def step_of(k: int) -> Step:
            at = bisect_right(starts, block.nodes[k]) - 1 if block.nodes else -1
            return self.notes.steps[at] if at >= 0 else Step(0, "start")

        named: set[int] = set()

        def name(k: int) -> str:
            line = block.lines[k]
            named.add(len(block.leaves) + k)
            if line.turns:
                self.letters.add("C")
                angle = line.args[0]
                indices = _angle(block, angle, named) or "_" + walk.text(angle)
                return self.names.new(line.op[0].upper() + indices)
            here = step_of(k)
            letter = LETTERS[here.stage][kinds[len(block.leaves) + k]]
            self.letters.add(letter)
            stem = letter + here.link
            counters[stem] = counters.get(stem, 0) + 1
            return self.names.new(f"{stem}_{counters[stem]}")

        made = list(walk.assignments(name))
        early = _of_inputs(block, {k for k, _, _ in made})
        for k, word, right in sorted(made, key=lambda item: item[0] not in early):
            here = step_of(k)
            found: object = "sines" if k in early else (here.stage, here.link)
            if found != group:
                group = found
                self.lines.append("")
                self._remark("cosines and sines" if k in early else self._meaning(here))
            self._assign(word, right)
        self.lines.append("")
        self._remark("results")
        first: dict[int, str] = {}
        for word, v in zip(self.outputs, block.results, strict=True):
            constant = block.constant(v) is not None
            self._assign(word, first.get(v) or walk.text(v))
            if not constant and v >= len(block.leaves):
                first.setdefault(v, word)

    def _meaning(self, here: Step) -> str:
        meaning = self.notes.meanings.get(here.stage, "")
        if not here.link:
            return meaning or ("all links together" if here.first else "before the recursion")
        link = self.notes.links.get(here.link, "")
        called = f"link {here.link}" + (f" ({link})" if link and link != here.link else "")
        return f"{called}: {meaning}" if meaning else called


def dependence(block: Block) -> list[int]:
    """Return for each value what it depends on: 0 positions at most, 1 speeds, 2 more."""
    rank = {"q": 0, "qd": 1}
    kinds = [rank.get(leaf.name, 2) if leaf.kind == "input" else 0 for leaf in block.leaves]
    for line in block.lines:
        kinds.append(max((kinds[a] for a in line.args), default=0))
    return kinds


def _of_inputs(block: Block, named: set[int]) -> set[int]:
    """Return the cosines and sines of what needs no other named line: they may stand first."""
    plain, early = [True] * len(block.leaves), set()
    for k, line in enumerate(block.lines):
        whole = all(plain[a] for a in line.args)
        if whole and line.turns:
            early.add(k)
        plain.append(whole and k not in named)
    return early


def _angle(block: Block, v: int, named: set[int]) -> str:
    """Return the indices of a sum of joint angles: those of q2 + q3 are 23, of q10 - q2 10_m2.

    Anything else, and what has a name of its own, has none.
    """
    signs, stack, found = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}, [(v, 1)], []
    while stack:
        v, sign = stack.pop()
        leaf = block.leaves[v] if v < len(block.leaves) else None
        if leaf is not None and leaf.kind == "input" and leaf.name == "q":
            found.append(("m" if sign < 0 else "") + str(leaf.index + 1))
            continue
        line = None if leaf is not None or v in named else block.lines[v - len(block.leaves)]
        if line is None or line.op not in signs:
            return ""
        stack += reversed([(a, sign * s) for a, s in zip(line.args, signs[line.op], strict=True)])
    found.sort(key=lambda i: int(i.lstrip("m")))
    return ("_" if any(len(i.lstrip("m")) > 1 for i in found) else "").join(found)
