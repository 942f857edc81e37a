"""Algorithms take at most six arguments; public signatures say what they take."""

import ast
import inspect

import pytest

import dalembert as da
from peers import SOURCE

FILES = sorted((SOURCE / "algorithms").glob("*.py")) + sorted((SOURCE / "linalg").glob("*.py"))
MOST = 6


def arguments(node):
    """Return how many arguments a function takes, `self` left out."""
    a = node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
    return len([n for n in names if n != "self"])


@pytest.mark.parametrize("file", [*FILES, SOURCE / "spatial.py"], ids=lambda f: f.stem)
def test_no_signature_is_longer_than_six(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and arguments(n) > MOST]
    assert not found, [(n.name, arguments(n)) for n in found]


# files that read descriptions, options or structure, where the kind of an entry is a fact of theirs
READERS = {"base_parameters", "body_terms", "dual", "leg_kinematics", "parallel", "rolled_links"}
NUMBERS = {"int", "float", "Expr", "complex", "Fraction"}


def asks_for_a_type(node):
    """Return whether code asks what type of number it was given."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__class__"
    called = node.func.id if isinstance(node, ast.Call) and hasattr(node.func, "id") else ""
    if called == "isinstance":
        return bool({x.id for x in ast.walk(node.args[1]) if hasattr(x, "id")} & NUMBERS)
    return called == "type"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_no_algorithm_branches_on_the_type_of_a_number(file):
    if file.stem in READERS:
        return
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not [n.lineno for n in ast.walk(tree) if asks_for_a_type(n)]


# a tree and a closed machine have equations of two classes, without a common type
OPEN = {"equations": {"return"}}


def untyped(function):
    """Return the arguments of a function that are Any; those handed on by name are left out."""
    signature = inspect.signature(inspect.unwrap(function))
    found = {
        p.name
        for p in signature.parameters.values()
        if p.annotation == "Any" and p.kind is not p.VAR_KEYWORD and p.name != "self"
    }
    return found | ({"return"} if signature.return_annotation == "Any" else set())


def public():
    """Yield every public function and method by name."""
    for name in da.__all__:
        thing = getattr(da, name)
        if not inspect.isclass(thing):
            if callable(thing):
                yield name, thing
            continue
        for key, value in vars(thing).items():
            method = value.fget if isinstance(value, property) else value
            if not key.startswith("_") and inspect.isfunction(method):
                yield f"{name}.{key}", method


def test_no_public_signature_says_any():
    found = {name: untyped(function) for name, function in public()}
    assert len(found) > 100
    assert {name: args for name, args in found.items() if args} == OPEN
