"""A Program as plain assignments under the names of the equations: one statement on each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..expr.block import Block, Leaf
from ..expr.ordered import Program
from .dialect import LISTING
from .listing import _angle
from .names import TextNames, comment
from .walk import Walk


def program_text(
    program: Program, results: Sequence[str], words: Mapping[int, str], taken: Sequence[str] = ()
) -> list[str]:
    """Return the lines of a Program whose inputs are q and whose results have these names.

    `words` names nodes of the graph; `taken` are names that mean something else.
    """
    names = TextNames()
    for word in (*results, *taken):
        names.new(word)
    parameters, said = names.parameters(program.parameters)

    def leaf(x: Leaf, prepared: Sequence[str]) -> str:
        if x.kind == "input":
            return f"q{x.index + 1}"
        if x.kind in ("param", "prepared"):
            return (parameters if x.kind == "param" else prepared)[x.index]
        return LISTING.pi if x.kind == "pi" else ""

    lines = [f"# {comment(remark)}" for remark in said]
    early = program.prepare
    prepared = list(_named(early, [leaf(x, ()) for x in early.leaves], names, words, "K", lines))
    step = program.step
    list(_named(step, [leaf(x, prepared) for x in step.leaves], names, words, "T", lines, results))
    return lines


def _named(
    block: Block,
    leaves: Sequence[str],
    names: TextNames,
    words: Mapping[int, str],
    letter: str,
    lines: list[str],
    results: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the text of each result, after the lines it takes; named ones are lines themselves."""
    walk, base, count = Walk(block, LISTING, leaves, longest=60), len(block.leaves), 0

    def name(k: int) -> str:
        nonlocal count
        line = block.lines[k]
        known = words.get(block.nodes[k]) if block.nodes else None
        if known is None and line.turns:
            angle = _angle(block, line.args[0], set())
            known = line.op[0].upper() + angle if angle else None
        if known is None:
            count += 1
            known = f"{letter}{count}"
        return names.new(known)

    for _, word, right in walk.assignments(name):
        lines.append(f"{word} = {right}")
    first: dict[int, str] = {}
    for k, v in enumerate(block.results):
        text = first.get(v) or walk.text(v)
        if results:
            lines.append(f"{results[k]} = {text}")
            if v >= base:
                first.setdefault(v, results[k])
        elif v >= base and walk.parts[v][1] < 9:
            first.setdefault(v, name(v - base))
            if text != first[v]:
                lines.append(f"{first[v]} = {text}")
            text = first[v]
        yield text
