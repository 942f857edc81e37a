"""The structure of a phrase: its elements, branches and statements in order, or what is wrong.

The grammar is `phrase.lark`. Reductions happen in the order of the text, so that the callbacks only
append to a list; a rejected text is scanned once more to say what is missing where.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, NoReturn

from ..errors import DescriptionError, shown
from .expressions import NAME, ZEROS, place_at

KEYWORD = re.compile(r"(R|T|ROT|TRANS)([XYZ])(K?)")
EXAMPLE = "RY(A1,B1),TYK(L1),RX(A2,B2),TZK(L2);"


@dataclass(frozen=True, slots=True)
class Value:
    """What stands between two commas: its span, and the spans of its parts when it is (a, b, c)."""

    start: int
    stop: int
    parts: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A joint or a constant: its word, its optional name, and its arguments (None: no bracket)."""

    word: str
    start: int
    name: str | None
    name_start: int
    arguments: tuple[Value, ...] | None
    bracket: int  # the offset of the bracket, or the end of the word


@dataclass(frozen=True, slots=True)
class Branch:
    """A bracket [ (open) or ]."""

    open: bool
    start: int


@dataclass(frozen=True, slots=True)
class Statement:
    """`body REF: field, ...` or `gravity = value`; `fields` are (word, offset, value)."""

    word: str
    start: int
    reference: str
    reference_start: int
    fields: tuple[tuple[str, int, Value], ...]


@dataclass(slots=True)
class Sentence:
    """A phrase taken apart: `text` has comments blanked and Ø as 0, `original` is for messages."""

    source: str
    original: str
    text: str
    elements: list[Item | Branch] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)

    def fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        """Raise DescriptionError at a place of the text as written."""
        raise DescriptionError(message, place_at(self.source, self.original, offset), hint)


def sentence(text: str, source: str) -> Sentence:
    """Return the parts of a phrase, or raise DescriptionError where it stops making sense."""
    from lark.exceptions import UnexpectedInput

    cleaned = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), text.translate(ZEROS))
    found = Sentence(source, text, cleaned)
    first = re.match(rf"\s*(body\s+(?:{NAME}|[0-9]+)\s*:|gravity\s*=)", cleaned)
    if first:
        found.fail(
            "a statement comes before the phrase",
            first.start(1),
            f"begin with the phrase, as {EXAMPLE}, and write body and gravity after its ;",
        )
    try:
        _parser().parse(cleaned, found)
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        end = error.pos_in_stream is None or (token is not None and token.type == "$END")
        diagnose(found, len(cleaned.rstrip()) if end else error.pos_in_stream or 0)
    return found


class _Parser:
    """The LALR parser with callbacks that fill a Sentence."""

    def __init__(self) -> None:
        from lark import Lark

        grammar = resources.files(__package__).joinpath("phrase.lark").read_text(encoding="utf-8")
        self.callbacks = _callbacks()
        self.lark = Lark(
            grammar,
            start="model",
            parser="lalr",
            lexer="contextual",
            transformer=self.callbacks,
            maybe_placeholders=True,
        )

    def parse(self, text: str, into: Sentence) -> None:
        self.callbacks.into = into
        try:
            self.lark.parse(text)
        finally:
            self.callbacks.into = None


_LOCAL = threading.local()  # one parser per thread, since its callbacks hold the sentence


def _parser() -> _Parser:
    if not hasattr(_LOCAL, "parser"):
        _LOCAL.parser = _Parser()
    return _LOCAL.parser


def _callbacks() -> Any:
    from lark import Transformer

    class Callbacks(Transformer):
        """Append each part of the text to the Sentence `into` as soon as it is complete."""

        into: Any = None

        def name(self, children: list[Any]) -> Any:
            return children[0]

        def open(self, children: list[Any]) -> None:
            self.into.elements.append(Branch(True, children[0].start_pos))

        def close(self, children: list[Any]) -> None:
            self.into.elements.append(Branch(False, children[0].start_pos))

        def item(self, children: list[Any]) -> None:
            name, word, group = children
            self.into.elements.append(
                Item(
                    str(word),
                    word.start_pos,
                    None if name is None else str(name),
                    word.start_pos if name is None else name.start_pos,
                    None if group is None else group.parts,
                    word.end_pos if group is None else group.start,
                )
            )

        def group(self, children: list[Any]) -> Value:
            parts = tuple(c for c in children[1:-1] if c is not None)
            return Value(children[0].start_pos, children[-1].end_pos, parts)

        def value(self, children: list[Any]) -> Value:
            if len(children) == 1 and isinstance(children[0], Value):
                return children[0]
            first, last = children[0], children[-1]
            start = first.start if isinstance(first, Value) else first.start_pos
            stop = last.stop if isinstance(last, Value) else last.end_pos
            return Value(start, stop)

        def field(self, children: list[Any]) -> tuple[str, int, Value]:
            return str(children[0]), children[0].start_pos, children[1]

        def body(self, children: list[Any]) -> None:
            word, ref, *fields = children
            self.into.statements.append(
                Statement(str(word), word.start_pos, str(ref), ref.start_pos, tuple(fields))
            )

        def gravity(self, children: list[Any]) -> None:
            word, value = children
            fields = ((str(word), word.start_pos, value),)
            self.into.statements.append(Statement(str(word), word.start_pos, "", -1, fields))

    return Callbacks()


# -- what is wrong with a rejected text --------------------------------------------------------


def diagnose(found: Sentence, at: int) -> NoReturn:
    """Raise the error that explains why the grammar stopped at offset `at`."""
    text = found.text
    stack, in_statement = _open_brackets(text[:at])
    before = text[:at].rstrip()
    last = before[-1:]
    c = text[at : at + 1].strip()
    if stack and stack[-1][0] == "(":
        _in_bracket(found, at, c, last, stack[-1][1])
    if c == ")":
        found.fail("there is no ( for this )", at, "remove it, or open a bracket before")
    if c == "]" and not stack:
        found.fail("there is no [ for this ]", at, "remove it, or open the branch before")
    if c == "]" and last == "[":
        found.fail("empty branch", at, "write the elements of the branch, as [RX(A2,B2),TZK(L2)]")
    if c in (";", "") and stack:
        found.fail("this [ is never closed", stack[-1][1], "write ] after the last element of it")
    if c == "" and not before:
        found.fail("the phrase is empty", at, f"write a phrase such as {EXAMPLE}")
    if c == "" and last not in ",:=;":
        found.fail("missing ;", at, "a phrase and every statement end with ;")
    if in_statement:
        _in_statement(found, at, before)
    _in_chain(found, at, last)


def _open_brackets(text: str) -> tuple[list[tuple[str, int]], bool]:
    """Return the brackets still open at the end of a text, and whether its phrase has ended."""
    stack: list[tuple[str, int]] = []
    for m in re.finditer(r"[()\[\]]", text):
        c = m[0]
        if c in "([":
            stack.append((c, m.start()))
        elif stack and stack[-1][0] == ("(" if c == ")" else "["):
            stack.pop()
    return stack, ";" in text


def _in_bracket(found: Sentence, at: int, c: str, last: str, start: int) -> NoReturn:
    if c in ",)" and c and last in "(,":
        what = "leading comma: " if last == "(" else "double comma: "
        message = f"{what if c == ',' else ''}a value is missing before {c}"
        found.fail(message, at, "write a number, a name or an expression, or remove the comma")
    inner = re.compile(rf"[,\s](?:{KEYWORD.pattern})\s*\(").search(found.text, start, at)
    if inner:
        word = inner.start() + 1
        found.fail(
            f"missing ) before {inner[0].strip(' ,(')}",
            word,
            f"the bracket opened at column {place_at('', found.text, start).column} must be closed",
        )
    what = f"before {shown(c)}" if c else "at the end"
    found.fail(
        f"missing ) {what}",
        at,
        f"the bracket opened at column {place_at('', found.text, start).column} must be closed",
    )


def _in_chain(found: Sentence, at: int, last: str) -> NoReturn:
    text = found.text
    c = text[at : at + 1].strip()
    word = re.compile(NAME).match(text, at)
    if c == "[" and last == ",":
        found.fail(
            "a branch must follow its element directly",
            at,
            "remove the comma before [: RX(A1,B1)[RY(A2,B2)],TZK(L1)",
        )
    if c and c in ",;]" and last in ("", ",", "["):
        if c == ",":
            what = "double comma" if last == "," else "leading comma"
            found.fail(f"{what}: an element is missing before ,", at, "remove one comma")
        if c == ";" and not last:
            found.fail("there is no joint before ;", at, f"write a phrase such as {EXAMPLE}")
        found.fail(f"an element is missing before {c}", at, f"remove the comma before {c}")
    if last == ":":
        found.fail("a joint or a constant is missing after :", at, "write elbow: RX(A2,B2)")
    if word and word[0] in ("body", "joint", "gravity"):
        found.fail(f"missing ; before {word[0]}", at, "the phrase ends with ;")
    if word:
        found.fail(f"missing , before {shown(word[0])}", at, "elements are separated by commas")
    if c == "(" and last == ")":
        found.fail("a second bracket", at, "each element has one bracket")
    if c == "=":
        found.fail("= has no place in the phrase", at, "end the phrase with ; before a statement")
    found.fail(
        f"{shown(c)!r} has no place here" if c else "the phrase ends too early",
        at,
        f"write a joint such as RX(A1,B1) or a constant such as TZK(L1): {EXAMPLE}",
    )


def _in_statement(found: Sentence, at: int, before: str) -> NoReturn:
    text = found.text
    c = text[at : at + 1].strip()
    opened = re.search(rf"\b(body\s+(?:{NAME}|[0-9]+)|gravity)$", before)
    tail = before[before.rfind(";") + 1 :]
    if c and c in ":=" and opened and tail.strip() != opened[0]:
        found.fail(f"missing ; before {opened[1]}", opened.start(), "every statement ends with ;")
    entry = re.search(r"(?<![\w])(M|D|I|IO)$", before)
    if c == "=" and entry and "=" in tail:
        found.fail(f"missing , before {entry[1]}", entry.start(), "fields are separated by commas")
    if c == "," and before.endswith((",", ":")):
        found.fail("a field is missing before ,", at, "remove the comma, or write M = 2.5")
    if c == ";" and not tail.strip():
        found.fail("empty statement", at, "remove this ;")
    word = re.compile(rf"\s*({NAME})").match(text, before.rfind(";") + 1)
    if word and word[1] not in ("body", "gravity"):
        found.fail(
            f"{shown(word[1])!r} begins no statement",
            word.start(1),
            "after the ; of the phrase only body and gravity follow; elements are joined by commas",
        )
    if word and word[1] == "gravity":
        found.fail("this is not a gravity statement", at, "write gravity = (0, 0, G);")
    found.fail(
        "this is not a body statement" if c else "the statement ends too early",
        at,
        "write body 1: M = 2.5, D = (0, 0, 0.1), I = (0.1, 0.1, 0.02);",
    )
