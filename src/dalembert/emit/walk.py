"""The one walk over a Block that every dialect shares: values become expressions or assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from ..expr.block import Block
from ..expr.ops import OPS
from .dialect import ATOM, Dialect

Part = tuple[str, int, int]  # text, rank, how many operands it holds


class Walk:
    """The text of every value of a block; lines used once stay inside the line that uses them."""

    def __init__(
        self,
        block: Block,
        dialect: Dialect,
        leaves: Sequence[str],
        longest: int = 8,
        kept: Collection[int] = (),
    ):
        self.block, self.dialect, self.longest = block, dialect, longest
        self.forms = dialect.table()
        self.kept = kept  # values that get a name in any case
        self.parts: list[Part] = [self._leaf(v, text) for v, text in enumerate(leaves)]
        # a cosine and a sine of one angle use it once
        pairs = {line.args[0] for line in block.lines if OPS[line.op].kind == "sincos"}
        self.uses: Counter[int] = Counter(pairs)
        self.uses.update(
            a for line in block.lines if OPS[line.op].kind != "sincos" for a in line.args
        )

    def _leaf(self, v: int, text: str) -> Part:
        value = self.block.constant(v)
        if value is None:
            return text, ATOM, 1
        shown = self.dialect.number(value)
        return shown, (2 if shown.startswith("-") else 3 if "/" in shown else ATOM), 1

    def assignments(self, name: Callable[[int], str]) -> Iterator[tuple[int, str, str]]:
        """Yield (line, name, right side) of every line that gets a name, in order."""
        for k, word, right in self.steps(name):
            if word is not None:
                yield k, word, right

    def steps(self, name: Callable[[int], str]) -> Iterator[tuple[int, str | None, str]]:
        """Yield (line, name or None, text) of every line; without a name the text is used later."""
        base, results = len(self.block.leaves), set(self.block.results)
        for k, line in enumerate(self.block.lines):
            v = base + k
            part = self._part(line.op, line.args)
            shared = self.uses[v] > 1 or (self.uses[v] == 1 and v in results)
            named = shared and (line.op != "neg" or part[2] > 1)
            named = named or v in self.kept or OPS[line.op].kind == "sincos"
            word = name(k) if named or (part[2] > self.longest and self.uses[v]) else None
            self.parts.append(part if word is None else (word, ATOM, 1))
            yield k, word, part[0]

    def _part(self, op: str, args: Sequence[int]) -> Part:
        forms = self.forms
        if op == "mul" and args[0] == args[1] and "square" in forms:
            op, args = "square", args[:1]
        form, parts = forms[op], [self.parts[a] for a in args]
        texts = [
            text if rank >= need else f"({text})"
            for (text, rank, _), need in zip(parts, form.needs, strict=False)
        ]
        return form.text.format(*texts), form.rank, sum(n for _, _, n in parts)

    def text(self, v: int) -> str:
        """Return the text of a value; assignments must have been walked."""
        return self.parts[v][0]
