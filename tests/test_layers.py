"""A file imports only from layers to its left."""

import ast
from pathlib import Path

import pytest

from peers import SOURCE

LAYERS = [
    ["errors"],
    ["expr"],
    ["algebra"],
    ["joint"],
    ["mechanism"],
    ["reframe"],
    ["read", "algorithms", "robots"],
    ["plan"],
    ["catalog"],
    ["equations", "emit", "runtime"],
    ["tables", "verify", "simulate", "trajectory", "control"],
    ["cli"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
NEIGHBOURS = {("robots", "read")}  # importer, imported: allowed within one layer
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(file: Path) -> str:
    """Return the top-level module or package that a file belongs to."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(file: Path) -> list[tuple[int, str]]:
    """Return line and top-level part of every import from dalembert, nested ones included."""
    package = ["dalembert", *file.relative_to(SOURCE).parent.parts]
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            names = [
                [*start, *(node.module.split(".") if node.module else []), alias.name]
                for alias in node.names
            ]
        else:
            continue
        found += [(node.lineno, name[1]) for name in names if name[0] == "dalembert" and name[1:]]
    return found


def allowed(importer: str, imported: str) -> bool:
    if imported == importer or (importer, imported) in NEIGHBOURS:
        return True
    return LEVEL[imported] < LEVEL[importer]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(SOURCE).as_posix())
def test_a_file_imports_only_from_layers_to_its_left(file):
    importer = part_of(file)
    if importer in ("__init__", "__main__"):
        pytest.skip("the package itself belongs to no layer")
    assert importer in LEVEL, f"{importer} is in no layer"
    wrong = [
        f"{file.relative_to(SOURCE)}:{line} imports {imported}"
        for line, imported in imported_parts(file)
        if imported in LEVEL and not allowed(importer, imported)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("importer", "imported", "answer"),
    [
        ("read", "mechanism", True),
        ("robots", "read", True),
        ("read", "read", True),
        ("read", "robots", False),
        ("algorithms", "read", False),
        ("errors", "cli", False),
        ("simulate", "control", False),
    ],
)
def test_the_rule_itself(importer, imported, answer):
    assert allowed(importer, imported) is answer
