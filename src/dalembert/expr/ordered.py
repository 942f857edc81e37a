"""From a Function to a Program: live nodes in order, numbered, split into `prepare` and `step`.

`prepare` holds what depends on parameters only and runs once per parameter set; `step` holds the
rest and runs at every state. Emitters and kernels eat Programs and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from ..frozen import dataclass
from .arena import LEAVES, PAYLOAD
from .block import SINES, Block, Leaf, Line, Routine, folded, without_dead
from .columns import SHARED
from .forms import expand
from .function import Function
from .graph import Graph
from .ops import OPS
from .port import Cost, Port

SAVED = 1500  # lines that need not be written again, from which on a Function stays a call


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
        used = {leaf.index for leaf in leaves if leaf.kind == "param"}
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
        if line.op == "call":
            own = count(line.form.block)
            kinds.update({k: getattr(own, k) for k in ("mul", "add", "div", "other")})
        if line.form is not None:
            continue
        kind = OPS[line.op].kind
        if kind == "sincos":
            angles.add(line.args[0])
        else:
            kinds[kind] += 1
    return Cost(kinds["mul"], kinds["add"], kinds["div"], len(angles), kinds["other"])


def program(
    function: Function, parameters: Sequence[str] | None = None, calls: bool = False
) -> Program:
    """Return the Program of a Function: forms expanded, dead lines gone, lines in creation order.

    `parameters` fixes the order of run-time parameters; by default that of first appearance. With
    `calls` long Functions that are called many times stay routines of the Program.
    """
    names = function.parameters if parameters is None else tuple(parameters)
    kept = _kept(function) if calls else frozenset()
    graph, results = _expanded(function, kept)
    return _split(graph, [function], [results], names)[0]


def _kept(function: Function) -> frozenset[int]:
    """Return the called Functions that are to stay calls, by their ids."""
    graph, many, found = function.graph, Counter[int](), dict[int, Function]()
    if "call" not in graph.op:
        return frozenset()
    live = graph.live(function.results)
    for i in live:
        if graph.op[i] == "call":
            called = graph.args[i][0].function
            found[id(called)] = called
            many[id(called)] += 1
    kept = set()
    for i, called in found.items():
        ops = [called.graph.op[k] for k in called.graph.live(called.results)]
        if (many[i] - 1) * len(ops) > SAVED and not (PAYLOAD | SINES).intersection(ops):
            kept.add(i)
    early = _early(graph, live) if kept and "param" in graph.op else {}
    if any(graph.op[i] == "call" and x for i, x in early.items()):
        return frozenset()  # what is prepared has no routines
    return frozenset(kept)


def programs(functions: Sequence[Function], parameters: Sequence[str]) -> list[Program]:
    """Return one Program per Function, all with one `prepare`: what any of them needs, once."""
    if len(functions) == 1:
        return [program(functions[0], parameters)]
    graph, ends = Graph(), []
    for function in functions:
        source, results = _expanded(function)
        made = source.copy_into(graph, results)
        ends.append([made[i] for i in results])
    return _split(graph, functions, ends, tuple(parameters))


def _expanded(function: Function, kept: frozenset[int] = frozenset()) -> tuple[Graph, list[int]]:
    """Return the graph and the results of a Function with its forms, but those kept, expanded."""
    graph, results = function.graph, list(function.results)
    if PAYLOAD.isdisjoint(graph.op):
        return graph, results
    return expand(graph, results, called=kept)


def _split(
    graph: Graph,
    functions: Sequence[Function],
    ends: Sequence[Sequence[int]],
    names: tuple[str, ...],
) -> list[Program]:
    """Return the Programs of functions whose results are `ends` of one graph."""
    together = [i for results in ends for i in results]
    wanted = _wanted(graph, graph.live(together), together) if names else {}
    prepare = _block(graph, graph.live(wanted), list(wanted), names, {})
    made = []
    for f, results in zip(functions, ends, strict=True):
        step = _block(graph, graph.live(results, wanted), results, names, wanted)
        made.append(Program(f.name, names, f.inputs, f.outputs, prepare, step))
    return made


def _wanted(graph: Graph, live: Sequence[int], results: Sequence[int]) -> dict[int, int]:
    """Return what step needs from prepare, numbered: early nodes that feed a late one or a result.

    Numbers and pi are not part of it.
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
            leaf: Leaf | None = Leaf("prepared", index=given[i])
        elif (value := graph.const[i]) is not None:
            leaf = Leaf("const", value=value)
        elif op == "pi":
            leaf = Leaf("pi")
        elif op == "param":
            leaf = Leaf("param", index=names.index(graph.args[i][0]))
        elif op == "input":
            leaf = Leaf("input", *graph.args[i])
        else:
            leaf = None
        if leaf is not None:
            number[i] = len(leaves)
            leaves.append(leaf)
    lines: list[Line] = []
    routines: dict[Any, Routine] = {}
    at = len(leaves)
    for i in nodes:
        if i in number:
            continue
        op, args = graph.op[i], graph.operands(i)
        form: Any = graph.args[i][0] if op in PAYLOAD else None
        if op == "call":
            form = routines.get(form) or routines.setdefault(form, _routine(form.function))
        inner = args[0] if op == "neg" else -1
        if op == "neg" and graph.op[inner] == "sub" and inner not in given:
            # -(a - b) is b - a; where a - b is used elsewhere too it costs nothing to negate
            if uses[inner] == 1:
                op, args = "sub", (graph.args[inner][1], graph.args[inner][0])
        number[i] = at + len(lines)
        lines.append(Line(op, tuple([number[a] for a in args]), form))
    made = tuple(i for i in nodes if number[i] >= at)
    ends = tuple(number[i] for i in results)
    return without_dead(Block(tuple(leaves), tuple(lines), ends, made))


def _routine(function: Function) -> Routine:
    """Return a Function without forms and parameters as a routine."""
    graph, results = function.graph, function.results
    block = folded(_block(graph, graph.live(results), results, (), {}))
    ports = tuple((p.name, p.size) for p in function.inputs)
    shared = sum(p.size for p in function.inputs if p.name == SHARED)
    return Routine(block, ports, shared)
