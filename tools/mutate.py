"""Faults put into the code one by one: do the tests of a file notice?

    python tools/mutate.py --sample 100 [--seed 0] [FILE...]

Without files: algorithms/, equations/, plan/, runtime/. Each fault is one change of one operator,
number or condition, in a copy of the package; the fast tests that mirror the file are then run
against that copy. A fault that no test notices is printed with its line.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "dalembert"
PARTS = ("algorithms", "equations", "plan", "runtime")
SECONDS = 300  # of the processor; a run that takes longer noticed the fault: it no longer ends

SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def spots(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield what can be made wrong: a node, and which part of it."""
    words = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            if not isinstance(node.left, ast.Constant) or not isinstance(node.left.value, str):
                yield node, "op"
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, "ops"
        elif isinstance(node, ast.BoolOp):
            yield node, "op"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
            yield node, "operand"
        elif isinstance(node, ast.Constant) and id(node) not in words:
            if type(node.value) in (int, float, bool):
                yield node, "value"
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield node, "test"


def broken(text: str, which: int) -> tuple[str, int, str]:
    """Return the text with fault number `which`, its line and what it is."""
    tree = ast.parse(text)
    node, part = list(spots(tree))[which]
    before = ast.unparse(node)[:70]
    if part == "ops":
        node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[attr-defined]
    elif part == "op":
        node.op = SWAPS[type(node.op)]()  # type: ignore[attr-defined]
    elif part == "value":
        value = node.value  # type: ignore[attr-defined]
        node.value = not value if isinstance(value, bool) else value + 1  # type: ignore[attr-defined]
    elif part == "test":
        node.test = ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    else:
        for field in ("op",):  # the sign or the `not` goes
            setattr(node, field, ast.UAdd() if isinstance(node.op, ast.USub) else node.op)  # type: ignore[attr-defined]
        if isinstance(node.op, ast.Not):  # type: ignore[attr-defined]
            node.operand = ast.UnaryOp(ast.Not(), node.operand)  # type: ignore[attr-defined]
    after = ast.unparse(node)[:70].replace("\n", " ")
    line = getattr(node, "lineno", 0)
    return ast.unparse(ast.fix_missing_locations(tree)), line, f"{before!r} -> {after!r}"


def tests_of(file: Path) -> list[str]:
    """Return the fast tests that mirror a file: its own, else those of its folder."""
    inside = file.relative_to(SOURCE)
    own = [ROOT / "tests" / inside.parent / f"test_{inside.name}"]
    own += [ROOT / "tests" / f"test_{name}.py" for name in (inside.stem, inside.parts[0])]
    found = [p for p in own if p.exists()]
    folder = ROOT / "tests" / inside.parts[0]
    if not found[:1] or found[0] != own[0]:
        found += [folder] if folder.is_dir() else []
    return [str(p) for p in found] or [str(ROOT / "tests")]


def noticed(copy: Path, tests: list[str]) -> bool:
    """Return whether the tests fail against a copy of the package."""
    run = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    run += ["-m", "not slow", *tests]
    path = os.pathsep.join([str(copy), str(ROOT / "tests")])
    settings = {**os.environ, "PYTHONPATH": path, "DALEMBERT_CACHE": "off"}
    try:
        done = subprocess.run(
            run, cwd=ROOT, env=settings, capture_output=True, preexec_fn=_bounded,
            timeout=20 * SECONDS,  # of the clock: it waits for ever
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def files_of(asked: list[str]) -> list[Path]:
    """Return the files to put faults into."""
    if asked:
        return [Path(f).resolve() for f in asked]
    return sorted(f for part in PARTS for f in (SOURCE / part).rglob("*.py") if f.name[0] != "_")


def main() -> int:
    """Put faults in, count those noticed; exit 1 where fewer than the wanted share are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--want", type=float, default=0.0, help="share that must be noticed")
    asked = parser.parse_args()
    places = [
        (file, k)
        for file in files_of(asked.files)
        for k in range(len(list(spots(ast.parse(file.read_text())))))
    ]
    random.Random(asked.seed).shuffle(places)
    killed, tried = 0, 0
    with tempfile.TemporaryDirectory(prefix="dalembert-mutate-") as folder:
        copy = Path(folder)
        shutil.copytree(SOURCE, copy / "dalembert", ignore=shutil.ignore_patterns("__pycache__"))
        for file, which in places[: asked.sample]:
            target = copy / "dalembert" / file.relative_to(SOURCE)
            text = file.read_text()
            wrong, line, what = broken(text, which)
            target.write_text(wrong)
            seen = noticed(copy, tests_of(file))
            target.write_text(text)
            tried, killed = tried + 1, killed + seen
            word = "noticed" if seen else "SURVIVED"
            print(f"{word} {file.relative_to(ROOT)}:{line} {what}", flush=True)
    print(f"{killed} of {tried} faults noticed ({killed / max(1, tried):.0%}) of {len(places)}")
    return 0 if killed >= asked.want * tried else 1


if __name__ == "__main__":
    sys.exit(main())
