"""A module stops at 400 lines and a function at 60, unless `# size: reason` stands at its top."""

import ast

from peers import sources

MODULE, FUNCTION = 400, 60


def top(lines: list[str], node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return what stands before the first statement after the docstring, and one line above."""
    body = node.body[1:] if ast.get_docstring(node) is not None and node.body[1:] else node.body
    start = 0 if isinstance(node, ast.Module) else max(0, node.lineno - 2)
    return "\n".join(lines[start : body[0].lineno if body else len(lines)])


def excused(text: str) -> bool:
    return any("# size: " in line for line in text.splitlines())


def too_long(source: str, tree: ast.Module | None = None) -> list[str]:
    """Return one line for each module or function that is too long and gives no reason."""
    lines, tree, found = source.splitlines(), tree or ast.parse(source), []
    if len(lines) > MODULE and not excused(top(lines, tree)):
        found.append(f"module has {len(lines)} lines")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            if length > FUNCTION and not excused(top(lines, node)):
                found.append(f"line {node.lineno}: {node.name} has {length} lines")
    return found


def test_a_file_is_short_or_says_why_not():
    found = {name: long for name, parts in sources().items() if (long := too_long(*parts))}
    assert len(sources()) > 500 and not found


def test_a_reason_is_accepted_only_at_the_top():
    body = "    x = 0\n" * 70
    assert too_long("def f():\n" + body) == ["line 1: f has 71 lines"]
    assert not too_long("# size: a table\ndef f():\n" + body)
    assert not too_long('def f():\n    """Text."""\n    # size: a table\n' + body)
    assert too_long("def f():\n" + body + "    # size: late\n    return x\n")
