"""From a Function to a Program: live nodes in order, numbered, split into `prepare` and `step`.

`prepare` holds what depends on parameters only and runs once per parameter set; `step` holds the
rest and runs at every state. Emitters and kernels eat Programs and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .arena import LEAVES, PAYLOAD
from .forms import expand
from .function import Function, Port
from .graph import Graph
from .ops import OPS

# a leaf of a Block: ("const", number) | ("pi",) | ("param", index) | ("input", port, index)
# | ("prepared", index)
Leaf = tuple


@dataclass(frozen=True, slots=True)
class Line:
    """One assignment: value `len(leaves) + position` = op(args), args earlier value numbers."""

    op: str
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Straight-line code: leaves first, then lines, then which values are the results."""

    leaves: tuple[Leaf, ...]
    lines: tuple[Line, ...]
    results: tuple[int, ...]
    nodes: tuple[int, ...] = field(default=(), compare=False, repr=False)  # of the graph, per line

    def constant(self, value: int) -> float | int | None:
        """Return the number a value is, when it is a constant leaf."""
        if value < len(self.leaves) and self.leaves[value][0] == "const":
            return self.leaves[value][1]
        return None


@dataclass(frozen=True, slots=True)
class Cost:
    """Operations that remain: negation is free, x² is one multiplication, sin and cos are counted
    as pairs of the same argument."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sincos: int = 0
    other: int = 0

    def __str__(self) -> str:
        parts = [f"{self.mul} mul", f"{self.add} add"]
        parts += [f"{self.div} div"] if self.div else []
        parts += [f"{self.sincos} sincos"] if self.sincos else []
        parts += [f"{self.other} other"] if self.other else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Program:
    """Ordered assignments: parameters -> prepare -> r; (r, inputs) -> step -> outputs."""

    name: str
    parameters: tuple[str, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    prepare: Block = field(repr=False)
    step: Block = field(repr=False)

    @property
    def idle(self) -> tuple[str, ...]:
        """The parameters that no result depends on."""
        leaves = (*self.prepare.leaves, *self.step.leaves)
        used = {leaf[1] for leaf in leaves if leaf[0] == "param"}
        return tuple(n for k, n in enumerate(self.parameters) if k not in used)

    @property
    def cost(self) -> dict[str, Cost]:
        """Operation counts of `prepare` and `step`."""
        return {"prepare": count(self.prepare), "step": count(self.step)}


def count(block: Block) -> Cost:
    """Return how many operations a block holds (contract: counting)."""
    kinds: Counter[str] = Counter()
    angles = set()
    for line in block.lines:
        kind = OPS[line.op].kind
        if kind == "sincos":
            angles.add(line.args[0])
        else:
            kinds[kind] += 1
    return Cost(kinds["mul"], kinds["add"], kinds["div"], len(angles), kinds["other"])


def program(function: Function, parameters: Sequence[str] | None = None) -> Program:
    """Return the Program of a Function: forms expanded, dead lines gone, lines in creation order.

    `parameters` fixes the order of run-time parameters; by default that of first appearance.
    """
    graph, results = function.graph, list(function.results)
    if any(op in PAYLOAD for op in set(graph.op)):
        graph, results = expand(graph, results)
    live = graph.live(results)
    names = tuple(parameters) if parameters is not None else function.parameters

    wanted = _wanted(graph, live, results) if names else {}
    prepare = _block(graph, graph.live(wanted), list(wanted), names, {})
    step_nodes = _needed(graph, results, wanted)
    step = _block(graph, step_nodes, results, names, wanted)
    return Program(function.name, names, function.inputs, function.outputs, prepare, step)


def programs(functions: Sequence[Function], parameters: Sequence[str]) -> list[Program]:
    """Return one Program per Function, all with one `prepare`: what any of them needs, once."""
    if len(functions) == 1:
        return [program(functions[0], parameters)]
    graph, names = Graph(), tuple(parameters)
    ends: list[list[int]] = []
    for function in functions:
        source, results = function.graph, list(function.results)
        if any(op in PAYLOAD for op in set(source.op)):
            source, results = expand(source, results)
        made = source.copy_into(graph, results)
        ends.append([made[i] for i in results])
    together = [i for results in ends for i in results]
    wanted = _wanted(graph, graph.live(together), together) if names else {}
    prepare = _block(graph, graph.live(wanted), list(wanted), names, {})
    return [
        Program(
            f.name,
            names,
            f.inputs,
            f.outputs,
            prepare,
            _block(graph, _needed(graph, results, wanted), results, names, wanted),
        )
        for f, results in zip(functions, ends, strict=True)
    ]


def _wanted(graph: Graph, live: Sequence[int], results: Sequence[int]) -> dict[int, int]:
    """Return what step needs from prepare, numbered: early nodes that feed a late one or a result.

    Numbers and pi are no part of it.
    """
    early = _early(graph, live)
    wanted: dict[int, int] = {}
    for i in live:
        if not early[i]:
            for a in graph.operands(i):
                if (early[a] and graph.op[a] not in LEAVES) or graph.op[a] == "param":
                    wanted.setdefault(a, len(wanted))
    for i in results:
        if early[i] and graph.op[i] != "const":
            wanted.setdefault(i, len(wanted))
    return wanted


def _early(graph: Graph, live: Sequence[int]) -> dict[int, bool]:
    """Return which nodes depend on no input."""
    early: dict[int, bool] = {}
    for i in live:
        early[i] = graph.op[i] != "input" and all(early[a] for a in graph.operands(i))
    return early


def _needed(graph: Graph, results: Sequence[int], given: dict[int, int]) -> list[int]:
    """Return the nodes results need, in order, not going behind those that are given."""
    needed, stack = set(), list(results)
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            if i not in given:
                stack.extend(graph.operands(i))
    return sorted(needed)


def _block(
    graph: Graph,
    nodes: Sequence[int],
    results: Sequence[int],
    names: tuple[str, ...],
    given: dict[int, int],
) -> Block:
    uses: Counter[int] = Counter(a for i in nodes if i not in given for a in graph.operands(i))
    uses.update(results)
    leaves: list[Leaf] = []
    number: dict[int, int] = {}
    for i in nodes:
        op = graph.op[i]
        if i in given:
            leaf: Leaf | None = ("prepared", given[i])
        elif op == "const":
            leaf = ("const", graph.const[i])
        elif op == "pi":
            leaf = ("pi",)
        elif op == "param":
            leaf = ("param", names.index(graph.args[i][0]))
        elif op == "input":
            leaf = ("input", *graph.args[i])
        else:
            leaf = None
        if leaf is not None:
            number[i] = len(leaves)
            leaves.append(leaf)
    lines: list[Line] = []
    at = len(leaves)
    for i in nodes:
        if i in number:
            continue
        op, args = graph.op[i], graph.operands(i)
        inner = args[0] if op == "neg" else -1
        if op == "neg" and graph.op[inner] == "sub" and inner not in given:
            # -(a - b) is b - a; where a - b is used elsewhere too it costs nothing to negate
            if uses[inner] == 1:
                op, args = "sub", (graph.args[inner][1], graph.args[inner][0])
        number[i] = at + len(lines)
        lines.append(Line(op, tuple(number[a] for a in args)))
    made = tuple(i for i in nodes if number[i] >= at)
    ends = tuple(number[i] for i in results)
    return _without_dead(Block(tuple(leaves), tuple(lines), ends, made))


def _without_dead(block: Block) -> Block:
    """Return the block without lines and leaves that no result needs."""
    base = len(block.leaves)
    needed = set(block.results)
    for k in reversed(range(len(block.lines))):
        if base + k in needed:
            needed.update(block.lines[k].args)
    new = {v: n for n, v in enumerate(sorted(needed))}
    leaves = tuple(leaf for v, leaf in enumerate(block.leaves) if v in new)
    lines = tuple(
        Line(line.op, tuple(new[a] for a in line.args))
        for k, line in enumerate(block.lines)
        if base + k in new
    )
    nodes = tuple(i for k, i in enumerate(block.nodes) if base + k in new)
    return Block(leaves, lines, tuple(new[v] for v in block.results), nodes)
