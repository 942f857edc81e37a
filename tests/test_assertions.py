"""Every test says what must hold: it asserts, expects an error, or calls a helper that does."""

import ast

from peers import ROOT

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
# of pytest and JAX: they raise when what they compare or expect does not hold
EXPECTED = {"raises", "warns", "fail", "check_grads"}
# here it must hold that a page runs to its end, which needs no assertion
EXEMPT = ["test_examples.py: test_the_python_of_a_page_runs"]


def called(call: ast.Call) -> str:
    """Return the name of what is called; a method has a dot before it."""
    f = call.func
    return f".{f.attr}" if isinstance(f, ast.Attribute) else getattr(f, "id", "")


def is_checked_process(call: ast.Call) -> bool:
    """Return whether a call is subprocess.run(..., check=True), which raises on failure."""
    given = [k.value for k in call.keywords if k.arg == "check"]
    return ast.unparse(call.func) == "subprocess.run" and any(
        isinstance(x, ast.Constant) and x.value is True for x in given
    )


def is_assertion(x: ast.AST) -> bool:
    """Return whether a statement raises where something does not hold."""
    if isinstance(x, ast.Raise) and x.exc is not None:
        return ast.unparse(x.exc).startswith("AssertionError")
    if isinstance(x, ast.Call):
        name = called(x).removeprefix(".")
        return name in EXPECTED or name.startswith("assert_") or is_checked_process(x)
    return isinstance(x, ast.Assert)


def told(node: ast.AST) -> tuple[bool, set[str]]:
    """Return whether a function asserts by itself, and the names of what it calls."""
    parts = list(ast.walk(node))
    return any(map(is_assertion, parts)), {called(x) for x in parts if isinstance(x, ast.Call)}


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
        own = [f for f in all_ if f not in tests]
        known = stating(own, helpers - {name for name, _, _ in own})
        found += [f"{file}: {t}" for t, itself, calls in tests if not itself and not calls & known]
    return found


def test_no_test_is_silent():
    files = {
        p.relative_to(ROOT / "tests").as_posix(): p.read_text(encoding="utf-8")
        for p in sorted((ROOT / "tests").rglob("*.py"))
    }
    assert len(files) > 200 and silent(files) == EXEMPT


def test_a_silent_test_is_found():
    helper = "def agree(a, b):\n    close(a, b)\ndef close(a, b):\n    assert a == b\n"
    helper += "def wait(page):\n    raise AssertionError(page)\n"
    lines = {
        "f(1)": True,
        "1 + 1": True,
        "da.gravity(m, q, check=False)": True,
        "da.gravity(m, q, check=True)": True,
        "subprocess.run(words, check=False)": True,
        "process.wait()": True,
        "raise ValueError": True,
        "def close(a, b): pass\n    close(1, 1)": True,
        "agree(1, 1)": False,
        "wait(page)": False,
        "subprocess.run(words, check=True)": False,
        "with pytest.raises(ValueError): f(1)": False,
        "np.testing.assert_allclose(1, 1)": False,
    }
    for line, is_silent in lines.items():
        texts = {"test_x.py": f"def test_a():\n    {line}\n", "laws.py": helper}
        assert silent(texts) == ["test_x.py: test_a"] * is_silent, line
