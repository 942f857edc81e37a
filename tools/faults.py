"""What can be made wrong in a file: one operator, number, condition, name or call at a time.

Left out is what no result depends on: docstrings, type hints, decorators, what `__repr__` prints,
messages of errors and warnings, seeds, `strict=` of zip, constants that only set the pace (`PACE`).
A condition that is one comparison is turned once, not twice. A comparison with a tolerance is
turned round: between rounded numbers `<` and `<=` are the same.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
ROUND: dict[type, type] = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
NAMES = {"sin": "cos", "cos": "sin", "min": "max", "max": "min", "any": "all", "all": "any"}
SILENT = {"__repr__", "__str__", "_repr_html_", "_repr_latex_", "_repr_mimebundle_"}
LOOSE = {"strict", "stacklevel", "maxsize"}  # words of calls that change no result
# only the time and the memory depend on these, not the numbers
PACE = re.compile(
    r"^_?(AT_ONCE|CHUNK|TILE|KEPT|TASKS|COLUMNS|PAGE|SCREEN|STACK|SPIN"
    r"|LARGE|SINGLE|TILE_BYTES|PAIRED|NEAR|DIRECT|SPARSE)$"
)


@dataclass(frozen=True)
class Spot:
    """A node of a file, what of it can be changed, and the lines where its statement begins."""

    node: ast.AST
    part: str
    lines: range
    inside: bool  # a function: it is reached when that is called, not when the file is read
    where: str  # the names of the classes and functions around it


def _mute(node: ast.AST) -> bool:
    """Return whether no result depends on what a node says."""
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return True
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in SILENT:
        return True
    if isinstance(node, ast.keyword) and node.arg in LOOSE:
        return True
    if isinstance(node, ast.Assign | ast.AnnAssign):
        to = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return isinstance(to, ast.Name) and bool(PACE.match(to.id))
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return name.endswith(("Error", "Warning", "warnings.warn", "add_note", "default_rng"))
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return False


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are run, hints and decorators left out."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _is_rounded(node: ast.AST) -> bool:
    """Return whether a node compares with a tolerance: a fraction that is written there."""
    return (
        isinstance(node, ast.Compare)
        and type(node.ops[0]) in ROUND
        and any(
            isinstance(x, ast.Constant) and isinstance(x.value, float) and x.value % 1
            for side in (node.left, node.comparators[0])
            for x in ast.walk(side)
        )
    )


def _parts(node: ast.AST) -> Iterator[str]:
    """Yield what can be changed in one node."""
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        sides = [s for s in (node.left, node.right) if isinstance(s, ast.Constant | ast.JoinedStr)]
        if not any(isinstance(s, ast.JoinedStr) or isinstance(s.value, str) for s in sides):
            yield "op"
    elif isinstance(node, ast.BoolOp) or (
        isinstance(node, ast.AugAssign) and type(node.op) in SWAPS
    ):
        yield "op"
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "sense" if _is_rounded(node) else "ops"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "operand"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield "value"
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield "id"
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "value of a statement"
    elif isinstance(node, ast.If | ast.IfExp):
        once = isinstance(node.test, ast.Compare) and not isinstance(
            node.test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE
        )
        once |= _is_rounded(node.test)
        if not once and not isinstance(node.test, ast.UnaryOp):
            yield "test"


def spots(tree: ast.Module) -> list[Spot]:
    """Return everything that can be made wrong, in the order of the file."""
    found: list[Spot] = []
    todo: list[tuple[ast.AST, range, bool, str]] = [(tree, range(0), False, "")]
    while todo:
        node, lines, inside, where = todo.pop()
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else (node.end_lineno or 0) + 1
            lines = range(node.lineno, max(end, node.lineno + 1))
        if _mute(node):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            where = f"{where}.{node.name}".lstrip(".")
        found += [Spot(node, part, lines, inside, where) for part in _parts(node)]
        within = inside or isinstance(node, ast.FunctionDef | ast.Lambda)
        for child in reversed(list(_children(node))):  # defaults belong to what is around
            deep = inside if isinstance(child, ast.arguments) else within
            todo.append((child, lines, deep, where))
    return found


def names(tree: ast.Module) -> list[str]:
    """Return a name of each fault that stays when lines above it or other functions change."""
    found, seen = [], Counter[str]()
    for spot in spots(tree):
        part = spot.node.test if spot.part == "test" else spot.node  # type: ignore[attr-defined]
        name = f"{spot.where}: {spot.part} of {ast.unparse(part).splitlines()[0][:70]}"
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def broken(text: str, which: int) -> tuple[ast.Module, str]:
    """Return the tree of a file with fault number `which`, and what it is."""
    tree = ast.parse(text)
    spot = spots(tree)[which]
    node, before = spot.node, ast.unparse(spot.node).split("\n")[0][:70]
    if spot.part in ("ops", "sense"):
        swaps = SWAPS if spot.part == "ops" else ROUND
        node.ops[0] = swaps[type(node.ops[0])]()  # type: ignore[attr-defined]
    elif spot.part == "op":
        node.op = SWAPS[type(node.op)]()  # type: ignore[attr-defined]
    elif spot.part == "id":
        node.id = NAMES[node.id]  # type: ignore[attr-defined]
    elif spot.part == "value":
        value = node.value  # type: ignore[attr-defined]
        node.value = not value if isinstance(value, bool) else value + 1  # type: ignore[attr-defined]
    elif spot.part == "value of a statement":  # a call that is not made
        node.value = ast.Constant(None)  # type: ignore[attr-defined]
    elif spot.part == "test":
        node.test = ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    elif isinstance(node.op, ast.USub):  # type: ignore[attr-defined]
        node.op = ast.UAdd()  # type: ignore[attr-defined]
    else:
        node.operand = ast.UnaryOp(ast.Not(), node.operand)  # type: ignore[attr-defined]
    after = ast.unparse(node).split("\n")[0][:70]
    return ast.fix_missing_locations(tree), f"{before} -> {after}"
