"""Every test says what must hold: it asserts, expects an error, or calls a helper that does."""

import ast

from peers import ROOT

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
# they raise when what they wait for or compare does not hold
EXPECTED = {"raises", "warns", "fail", "check_grads", "wait"}


def told(node: ast.AST) -> tuple[bool, set[str]]:
    """Return whether a function asserts by itself, and the names of what it calls."""
    parts = list(ast.walk(node))
    made = [x.func for x in parts if isinstance(x, ast.Call)]
    names = {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in made}
    itself = any(isinstance(x, ast.Assert) for x in parts) or bool(names & EXPECTED)
    itself |= any(isinstance(x, ast.keyword) and x.arg == "check" for x in parts)  # of a process
    return itself or any(name.startswith("assert_") for name in names), names


def stating(functions: list[tuple[str, bool, set[str]]], helpers: set[str]) -> set[str]:
    """Return the names of the functions that assert, also by what they call."""
    found = helpers | {name for name, itself, _ in functions if itself}
    while more := {name for name, _, calls in functions if calls & found} - found:
        found |= more
    return found


def silent(texts: dict[str, str]) -> list[str]:
    """Return the tests that assert nothing, of files by their names."""
    functions = {
        file: [(x.name, *told(x)) for x in ast.walk(ast.parse(text)) if isinstance(x, FUNCTION)]
        for file, text in texts.items()
    }
    shared = [f for file, all_ in functions.items() if "test_" not in file for f in all_]
    helpers, found = stating(shared, set()), []
    for file, all_ in functions.items():
        tests = [f for f in all_ if f[0].startswith("test_") and "test_" in file]
        known = stating([f for f in all_ if f not in tests], helpers)
        found += [f"{file}: {t}" for t, itself, calls in tests if not itself and not calls & known]
    return found


def test_no_test_is_silent():
    files = {
        p.relative_to(ROOT / "tests").as_posix(): p.read_text(encoding="utf-8")
        for p in sorted((ROOT / "tests").rglob("*.py"))
    }
    assert len(files) > 200 and not silent(files)


def test_a_silent_test_is_found():
    helper = "def agree(a, b):\n    close(a, b)\ndef close(a, b):\n    assert a == b\n"
    text = "def test_a():\n    f(1)\ndef test_b():\n    agree(1, 1)\ndef test_c():\n    1 + 1\n"
    texts = {"test_x.py": text, "laws.py": helper}
    assert silent(texts) == ["test_x.py: test_a", "test_x.py: test_c"]
