"""A file imports only from layers to its left."""

import ast
from pathlib import Path

import pytest

from peers import ROOT, SOURCE

LAYERS = [
    ["errors"],
    ["display", "door", "files", "kept"],
    ["expr"],
    ["algebra"],
    ["linalg", "inertia", "carried"],
    ["spatial"],
    ["joint"],
    ["mechanism"],
    ["reframe"],
    ["read", "algorithms", "robots"],
    ["plan"],
    ["catalog"],
    ["equations", "emit", "runtime"],
    ["compute", "reference"],
    ["measure", "plausible", "linear_reduction"],
    ["identify", "sweep"],
    ["second_opinion"],
    ["tables", "verify", "agree", "exact_agreement", "cost", "listing", "program_form", "bench"]
    + ["simulate", "trajectory", "control", "linearize", "equilibrium"],
    ["export", "view"],
    ["studio"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# importer, imported: allowed within one layer
NEIGHBOURS = {
    ("robots", "read"),
    ("verify", "simulate"),
    ("verify", "control"),
    ("linearize", "simulate"),
    ("equilibrium", "simulate"),
    ("equilibrium", "linearize"),
    ("trajectory", "simulate"),
}
# allowed inside a function only: Mechanism.save, text, and everything that shows itself
LATE = {("mechanism", "read"), ("equations", "program_form"), ("algorithms", "equations")}
LATE |= {(part, "view") for part in ("mechanism", "measure", "simulate", "trajectory")}
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(file: Path) -> str:
    """Return the top-level module or package that a file belongs to."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(file: Path) -> list[tuple[int, str, bool]]:
    """Return line, top-level part and lateness of every import from dalembert."""
    package = ["dalembert", *file.relative_to(SOURCE).parent.parts]
    tree, found = ast.parse(file.read_text(encoding="utf-8")), []
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    late = {id(inner) for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
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
        parts = [name[1] for name in names if name[0] == "dalembert" and name[1:]]
        found += [(node.lineno, part, id(node) in late) for part in parts]
    return found


def allowed(importer: str, imported: str, late: bool = False) -> bool:
    if imported == importer or (importer, imported) in NEIGHBOURS:
        return True
    if late and (importer, imported) in LATE:
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
        for line, imported, late in imported_parts(file)
        if imported in LEVEL and not allowed(importer, imported, late)
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
        ("mechanism", "read", False),
        ("simulate", "control", False),
        ("compute", "runtime", True),
        ("runtime", "compute", False),
        ("verify", "compute", True),
    ],
)
def test_the_rule_itself(importer, imported, answer):
    assert allowed(importer, imported) is answer


def test_the_guide_shows_these_layers():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = text.split("## Layers")[1].split("```")[1]
    assert [[x.strip() for x in layer.split(",")] for layer in shown.split("<")] == LAYERS
