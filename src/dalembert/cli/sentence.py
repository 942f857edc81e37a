"""A sentence mended by its elements: replace, insert, delete, branch, each by its number.

Elements are numbered from 1 in order of appearance, branches included. Statements on bodies and
joints keep to theirs: the numbers behind a new or a lost joint are moved.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..errors import UsageError, shown

ELEMENT = re.compile(r"(?:[^\W\d]\w*\s*:\s*)?[^\W\d]\w*\s*(?:\((?:[^()]|\([^()]*\))*\))?")
JOINT = re.compile(r"(?:[^\W\d]\w*\s*:\s*)?(?:ROT|TRANS|R|T)[XYZ]\s*(?:\(|$)")
STATEMENT = re.compile(r"\b(body|joint)\s+(\d+)(?=\s*:)")


def elements(phrase: str) -> list[tuple[int, int]]:
    """Return where each element stands in the sentence before its first semicolon.

    >>> [ "RZ(A,B),TXK(L)[RX],TYK(1);"[a:b] for a, b in elements("RZ(A,B),TXK(L)[RX],TYK(1);") ]
    ['RZ(A,B)', 'TXK(L)', 'RX', 'TYK(1)']
    """
    end = phrase.index(";") if ";" in phrase else len(phrase)
    return [(x.start(), x.start() + len(x.group().rstrip())) for x in
            ELEMENT.finditer(phrase, 0, end)]  # fmt: skip


def numbered(phrase: str) -> str:
    """Return the elements with their numbers, branches set in, then the statements.

    >>> print(numbered("RZ,TXK(L)[RX,TYK(1)],TYK(2);"))
      1  RZ
      2  TXK(L)
      3    [RX
      4    TYK(1)]
      5  TYK(2)
    """
    rows: list[str] = []
    sentence, _, rest = phrase.partition(";")
    depth = before = 0
    for k, (a, b) in enumerate(elements(phrase), 1):
        opened, closed = (sentence[before:a].count(x) for x in "[]")
        if closed:
            rows[-1] += "]" * closed
        depth, before = depth + opened - closed, b
        rows.append(f"{k:>3}  {'  ' * depth}{'[' * opened}{sentence[a:b]}")
    if rows:
        rows[-1] += "]" * sentence[before:].count("]")
    rest = rest.strip()
    return "\n".join([*rows, *([rest] if rest else [])])


def mended(phrase: str, word: str, text: str) -> str:
    """Return the phrase after `replace N ELEMENT`, `insert N ...`, `delete N`, `branch N ...`."""
    number, _, rest = text.partition(" ")
    places, rest = elements(phrase), rest.strip().rstrip(";")
    first, _, last = number.partition("-")
    good = all(x.isdecimal() and len(x) < 6 for x in (first, last or first))
    k, n = (int(first), int(last or first)) if good else (0, 0)
    most = len(places) + (word == "insert")
    if not 1 <= k <= n <= most or (last and word != "delete"):
        raise UsageError(
            f"{word} {shown(text)}: no element {shown(number)}",
            hint=f"elements are numbered 1 to {most}: `show` lists them",
        )
    if (word == "delete") != (not rest):
        hint = "delete 3 or delete 3-5" if word == "delete" else f"{word} {k} RX(A,B)"
        raise UsageError(f"cannot read {word} {shown(text)!r}", hint=hint)
    made = EDITS[word](phrase, places, k - 1, n - 1, rest)
    gone = [phrase[a:b] for a, b in places[k - 1 : n]] if word in ("replace", "delete") else []
    lost = sum(bool(JOINT.match(x)) for x in gone)
    new = [rest[a:b] for a, b in elements(rest)] if rest else []
    won = sum(bool(JOINT.match(x)) for x in new)
    before = sum(bool(JOINT.match(phrase[a:b])) for a, b in places[: k - (word != "branch")])
    return _renumbered(made, before, lost, won)


def _replace(phrase: str, places: list[tuple[int, int]], k: int, n: int, rest: str) -> str:
    a, b = places[k]
    return phrase[:a] + rest + phrase[b:]


def _insert(phrase: str, places: list[tuple[int, int]], k: int, n: int, rest: str) -> str:
    if k == len(places):
        b = places[-1][1]
        while phrase[b : b + 1] == "]":
            b += 1
        return f"{phrase[:b]},{rest}{phrase[b:]}"
    a = places[k][0]
    return f"{phrase[:a]}{rest},{phrase[a:]}"


def _delete(phrase: str, places: list[tuple[int, int]], k: int, n: int, rest: str) -> str:
    a, b = places[k][0], places[n][1]
    left = phrase[a:b].count("[") - phrase[a:b].count("]")
    while left > 0 and "]" in phrase[b:]:  # what branched off goes too
        b = phrase.index("]", b) + 1
        left -= 1
    before, after = phrase[:a].rstrip(), phrase[b:].lstrip()
    if before.endswith("[") and after.startswith("]"):
        return before[:-1] + after[1:]
    if before.endswith(","):
        return before[:-1] + after
    return before + after.removeprefix(",")


def _branch(phrase: str, places: list[tuple[int, int]], k: int, n: int, rest: str) -> str:
    b = places[k][1]
    return f"{phrase[:b]}[{rest}]{phrase[b:]}"


def _renumbered(phrase: str, before: int, lost: int, won: int) -> str:
    """Return the phrase with its statements on the joints they were on."""
    head, semicolon, rest = phrase.partition(";")
    kept = []
    for statement in rest.split(";"):
        found = STATEMENT.search(statement)
        number = int(found[2]) if found else 0
        if found and before < number <= before + lost - won:
            continue  # of a joint that is gone
        if found and number > before + min(lost, won):
            moved = str(number - lost + won)
            statement = statement[: found.start(2)] + moved + statement[found.end(2) :]
        kept.append(statement)
    return head + semicolon + ";".join(kept)


EDITS: dict[str, Callable[[str, list[tuple[int, int]], int, int, str], str]] = {
    "replace": _replace,
    "insert": _insert,
    "delete": _delete,
    "branch": _branch,
}
