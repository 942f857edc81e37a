"""Texts made wrong: bytes, numbers, words and whole parts exchanged, in ways that readers dread."""

from __future__ import annotations

import random
import re

NUMBERS = [
    b"0", b"-0", b"-1", b"1e999", b"-1e999", b"1e-999", b"nan", b"inf", b"-inf", b"1_0", b"0x10",
    b"9**9**9", b"9^9^9", b"1/0", b"2**100000", b"1e308", b"5e-324", b"1.7976931348623157e308",
    b"999999999999999999999999", b"1" * 5000, b"0." + b"1" * 5000, b"\xd9\xa3", b"\xef\xbc\x91",
    b"1,5", b"1e", b".", b"+", b"--1", b"true", b"null", b"0b1", b"1j", b"90deg", b"5mm",
]  # fmt: skip
TEXTS = [
    b"", b" ", b"\0", b"\n", b"\r", b"\t", b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xae", b"'",
    b"\xef\xbb\xbf", b"a" * 300, b"../../../etc/passwd", b"package://../../x", b"file:///etc/passwd",
    b"$(find x)", b"${9**9**9}", b"%s%n", b"{0.__class__}", b"__import__('os')", b"base", b"world",
    b"-1", b"q1", b"pi", b"G", b"\\", b"\"", b"<!--", b"&lt;", b"&#0;", b"]]>", b"#", b";", b"tip",
]  # fmt: skip
TOKENS = [
    b"(", b")", b"[", b"]", b"{", b"}", b",", b";", b":", b"=", b"<", b">", b"/>", b"</", b'"',
    b"(" * 300, b"[" * 300, b"{" * 300, b"<a>" * 200, b"-" * 300, b"RX(", b"TZK(", b"body 1:",
    b"gravity = (0, 0, G)", b"<mimic joint='j1'/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"[[bodies]]",
    b"sqrt(", b"sin(", b"**", b"^", b"deg", b"parent = 5", b"\n", b"\r\n", b"{ a = 1 }",
]  # fmt: skip
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
TEXT = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'")
WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")
LONGEST = 20_000


def mutated(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    """Return a text with one to six changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = rng.choice(CHANGES)(data, others, rng)[:LONGEST]
    return data


def _at(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _flip(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    if not data:
        return data
    k = rng.randrange(len(data))
    return data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :]


def _cut(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    a, b = sorted((_at(data, rng), _at(data, rng)))
    return data[:a] + data[b:]


def _small_cut(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    a = _at(data, rng)
    return data[:a] + data[a + rng.randrange(1, 8) :]


def _insert(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    k = _at(data, rng)
    return data[:k] + rng.choice(rng.choice((NUMBERS, TEXTS, TOKENS))) + data[k:]


def _repeat(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    a, b = sorted((_at(data, rng), _at(data, rng)))
    return data[:b] + data[a:b] * rng.choice((1, 1, 2, 20)) + data[b:]


def _splice(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    other = rng.choice(others)
    a, b = sorted((_at(other, rng), _at(other, rng)))
    k = _at(data, rng)
    return data[:k] + other[a:b] + data[k:]


def _lines(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines.insert(a, lines[b])
    return b"\n".join(lines)


def _exchange(pattern: re.Pattern[bytes], choices: list[bytes], quoted: bool = False):
    def change(data: bytes, others: tuple[bytes, ...], rng: random.Random) -> bytes:
        found = list(pattern.finditer(data))
        if not found:
            return data
        spot = rng.choice(found)
        new = rng.choice(choices)
        if rng.random() < 0.3:  # something that stands elsewhere in it
            new = rng.choice(found).group()
        elif quoted:
            new = spot.group()[:1] + new + spot.group()[:1]
        return data[: spot.start()] + new + data[spot.end() :]

    return change


CHANGES = [
    _flip, _cut, _small_cut, _insert, _insert, _repeat, _splice, _lines,
    _exchange(NUMBER, NUMBERS), _exchange(NUMBER, NUMBERS), _exchange(TEXT, TEXTS, quoted=True),
    _exchange(WORD, [*TEXTS, *NUMBERS]),
]  # fmt: skip
