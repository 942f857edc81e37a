"""A file imports only from layers to its left."""

import ast

import pytest

from peers import ROOT, sources

LAYERS = [
    ["frozen"],
    ["errors"],
    ["display", "door", "files", "kept"],
    ["expr"],
    ["algebra"],
    ["linalg", "inertia", "carried"],
    ["spatial"],
    ["joint"],
    ["mechanism"],
    ["digits"],
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
# allowed inside a function only: Mechanism.save, terms by number, text, and everything that shows
# itself
LATE = {
    ("mechanism", "read"),
    ("mechanism", "equations"),
    ("equations", "program_form"),
    ("algorithms", "equations"),
}
LATE |= {(part, "view") for part in ("mechanism", "measure", "simulate", "trajectory")}
BLOCKS = (ast.stmt, ast.excepthandler, ast.match_case)  # what may hold an import


def imported_parts(file: str, tree: ast.Module) -> list[tuple[int, str, bool]]:
    """Return line, top-level part and lateness of every import from dalembert."""
    package, found = ["dalembert", *file.split("/")[:-1]], []
    nodes: list[tuple[ast.AST, bool]] = [(tree, False)]
    for node, late in nodes:
        late = late or isinstance(node, ast.FunctionDef)
        inner = (n for n in ast.iter_child_nodes(node) if isinstance(n, BLOCKS))
        nodes += [(n, late) for n in inner]
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
        found += [(node.lineno, part, late) for part in parts]
    return found


def allowed(importer: str, imported: str, late: bool = False) -> bool:
    if imported == importer or (importer, imported) in NEIGHBOURS:
        return True
    if late and (importer, imported) in LATE:
        return True
    return LEVEL[imported] < LEVEL[importer]


def test_a_file_imports_only_from_layers_to_its_left():
    wrong, count = [], 0
    for file, (_, tree) in sources().items():
        importer = file.split("/")[0].removesuffix(".py")
        if importer in ("__init__", "__main__"):
            continue  # the package itself belongs to no layer
        assert importer in LEVEL, f"{importer} is in no layer"
        found = imported_parts(file, tree)
        count += len(found)
        wrong += [
            f"{file}:{line} imports {imported}"
            for line, imported, late in found
            if imported in LEVEL and not allowed(importer, imported, late)
        ]
    assert count > 1000 and not wrong, "\n".join(wrong)


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
