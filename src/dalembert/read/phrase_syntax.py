"""The structure of a phrase: its elements, branches and statements in order, or what is wrong.

    model     = chain ";" { statement ";" }
    chain     = (element | branch { branch }) { "," element }
    element   = [ name ":" ] word [ group ] { branch }
    branch    = "[" chain "]"
    statement = word (word | number) ":" field { "," field }  |  word "=" value
    field     = word "=" value
    group     = "(" [ value { "," value } ] ")"
    value     = (part | group) { part | group }

What stands in a part is read by expressions.py; a rejected text is scanned once more to say what is
missing where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

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
    cleaned = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), text.translate(ZEROS))
    found = Sentence(source, text, cleaned)
    first = re.match(rf"\s*(body\s+(?:{NAME}|[0-9]+)\s*:|gravity\s*=)", cleaned)
    if first:
        hint = f"begin with the phrase, as {EXAMPLE}, and write body and gravity after its ;"
        found.fail("a statement comes before the phrase", first.start(1), hint)
    reader = _Reader(found)
    reader.chain()
    while reader.next():
        reader.statement()
    return found


class _Reader:
    """Reads a text from left to right: brackets are kept in a list, so that any depth is fine."""

    def __init__(self, found: Sentence) -> None:
        self.found, self.text, self.at = found, found.text, 0

    def next(self) -> str:
        """Return the next sign that is not a blank; none at the end."""
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.text[self.at : self.at + 1]

    def take(self, form: re.Pattern[str]) -> re.Match[str]:
        """Return what stands here, of one form."""
        self.next()
        found = form.match(self.text, self.at) or self.stop()
        self.at = found.end()
        return found

    def stop(self) -> NoReturn:
        """Raise the error that explains why the text cannot go on as it does."""
        diagnose(self.found, min(self.at, len(self.text.rstrip())))

    def chain(self) -> None:
        """Read elements and branches: an element or a branch begins a chain, a comma an element."""
        elements = self.found.elements
        depth, begins, wanted = 0, True, True
        while True:
            c = self.next()
            if c == "[" and (begins or not wanted):
                elements.append(Branch(True, self.at))
                depth, begins, wanted = depth + 1, True, True
            elif wanted:
                elements.append(self.item())
                begins = wanted = False
                continue
            elif c == "]" and depth:
                elements.append(Branch(False, self.at))
                depth -= 1
            elif c == ",":
                wanted = True
            elif c != ";" or depth:
                self.stop()
            self.at += 1
            if c == ";":
                return

    def item(self) -> Item:
        """Return RX(a, b), elbow: RX(a, b), TZK(L1) or RX."""
        first = word = self.take(_WORD)
        if self.next() == ":":
            self.at += 1
            word = self.take(_WORD)
        name = None if word is first else first[0]
        group = self.group() if self.next() == "(" else Value(word.end(), word.end())
        return Item(word[0], word.start(), name, first.start(), group.parts, group.start)

    def statement(self) -> None:
        """Read body 3: M = M3, D = (0, D3, 0); or gravity = (0, G, 0);"""
        word = self.take(_WORD)
        start = word.start()
        if self.next() == "=":
            fields = [(word[0], start, self.value())]
            made = Statement(word[0], start, "", -1, tuple(fields))
        else:
            of = self.take(_REFERENCE)
            self.take(_COLON)
            fields = [self.entry()]
            while self.next() == ",":
                self.at += 1
                fields.append(self.entry())
            made = Statement(word[0], start, of[0], of.start(), tuple(fields))
        self.take(_END)
        self.found.statements.append(made)

    def entry(self) -> tuple[str, int, Value]:
        """Return the word, the place and the value of M = M3."""
        word = self.take(_WORD)
        return word[0], word.start(), self.value()

    def value(self) -> Value:
        """Return what stands behind =."""
        self.take(_EQUALS)
        parts = [self.group() if self.next() == "(" else self.part()]
        while (c := self.next()) == "(" or _PART.match(c):
            parts.append(self.group() if c == "(" else self.part())
        return _whole(parts)

    def part(self) -> Value:
        """Return a run of text without brackets and commas."""
        return Value(*self.take(_PART).span())

    def group(self) -> Value:
        """Return the bracket that opens here, with the values between its commas."""
        opened: list[tuple[int, list[Value], list[Value]]] = []  # start, values, parts of the next
        while True:
            c = self.next()
            if c == "(":
                opened.append((self.at, [], []))
                self.at += 1
                continue
            start, values, parts = opened[-1]
            if c not in (")", ","):
                parts.append(self.part())
                continue
            if parts:
                values.append(_whole(parts))
            elif values or c == ",":
                self.stop()
            self.at += 1
            if c == ",":
                parts.clear()
                continue
            opened.pop()
            made = Value(start, self.at, tuple(values))
            if not opened:
                return made
            opened[-1][2].append(made)


def _whole(parts: list[Value]) -> Value:
    """Return a value of several parts as one: a bracket that stands alone keeps its own."""
    alone = len(parts) == 1
    return parts[0] if alone else Value(parts[0].start, parts[-1].stop)


_BLANK = re.compile(r"\s*")
_WORD, _REFERENCE = re.compile(NAME), re.compile(rf"{NAME}|[0-9]+")
_COLON, _EQUALS, _END = re.compile(":"), re.compile("="), re.compile(";")
_PART = re.compile(r"[^\s()\[\],;:=][^()\[\],;:=]*")


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
    what = f"before {shown(c)}" if c else "at the end"
    if inner:
        what, at = f"before {inner[0].strip(' ,(')}", inner.start() + 1
    column = place_at("", found.text, start).column
    found.fail(f"missing ) {what}", at, f"the bracket opened at column {column} must be closed")


def _in_chain(found: Sentence, at: int, last: str) -> NoReturn:
    text = found.text
    c = text[at : at + 1].strip()
    word = re.compile(NAME).match(text, at)
    if c == "[" and last == ",":
        hint = "remove the comma before [: RX(A1,B1)[RY(A2,B2)],TZK(L1)"
        found.fail("a branch must follow its element directly", at, hint)
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
    what = f"{shown(c)!r} has no place here" if c else "the phrase ends too early"
    hint = f"write a joint such as RX(A1,B1) or a constant such as TZK(L1): {EXAMPLE}"
    found.fail(what, at, hint)


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
        rest = "only body and gravity follow; elements are joined by commas"
        what = f"{shown(word[1])!r} begins no statement"
        found.fail(what, word.start(1), f"after the ; of the phrase {rest}")
    if word and word[1] == "gravity":
        found.fail("this is not a gravity statement", at, "write gravity = (0, 0, G);")
    what = "this is not a body statement" if c else "the statement ends too early"
    found.fail(what, at, "write body 1: M = 2.5, D = (0, 0, 0.1), I = (0.1, 0.1, 0.02);")
