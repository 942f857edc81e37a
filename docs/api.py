"""The API reference, written from signatures and docstrings as MyST pages: python docs/api.py."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dalembert as da

HEAD = "# {title}\n\n{text}\n"
# what a page begins with: a picture or an equation
OPENINGS = {
    "index": "![From a description to equations, kernels, code and motion](../figures/way.svg)\n\n"
    "Every public name of `import dalembert as da`, from its docstring.",
    "describe": "A mechanism is a tree of bodies. Each hangs on its parent $a(j)$ by a constant "
    "placement and a joint, and a loop closes where two bodies meet again:\n\n"
    "$$\n{}^0T_j(q) = {}^0T_{a(j)}(q)\\;\\underbrace{P_j}_{\\text{placement}}\\;"
    "\\underbrace{E_j(q_j)}_{\\text{joint}}\n$$",
    "compute": "What is computed belongs to one equation; `compile` makes a fast function of any "
    "part of it, `equations` writes it as formulas, `linearize` expands it about a state:\n\n"
    "$$\nM(q)\\,\\ddot q + c(q, \\dot q) + g(q) = \\tau + J^T\\lambda\n$$",
    "quantities": "Each is also a kernel, `da.compile(m, NAME)`, and `dalembert eval MODEL NAME`. "
    "[Which quantity do I want?](../which.md) finds one by what you need.\n\n"
    "$$\n\\underbrace{M(q)\\,\\ddot q}_{\\text{mass_matrix}} + "
    "\\underbrace{c(q, \\dot q)}_{\\text{coriolis}} + \\underbrace{g(q)}_{\\text{gravity}} = "
    "\\underbrace{\\tau}_{\\text{inverse_dynamics}}\n$$",
    "more": "![What torques_along finds for a move: the force of each joint and its parts]"
    "(../figures/torques.png)",
    "errors": "Every exception is a `DalembertError`. Its text says what is wrong and where; "
    "`error.hint` says what to write instead.\n\n![The tree of errors](../figures/errors.svg)",
}
GROUPS = {
    "describe": ("Describe and change", ["load", "Mechanism", "robots"]),
    "compute": (
        "Compute",
        ["compile", "catalog", "equations", "kane_form", "base_parameters", "parameter_names"]
        + ["parameter_vector", "integrate", "neutral", "linearize", "equilibrium"],
    ),
}


def write(folder: Path) -> None:
    """Write one page for each group of public names, and one that lists them."""
    folder.mkdir(exist_ok=True)
    listed = []
    for name, (title, names) in groups().items():
        body = "\n".join(entry(n, getattr(da, n)) for n in names)
        page = HEAD.format(title=title, text=OPENINGS[name]) + "\n" + body
        _keep(folder / f"{name}.md", page)
        listed.append(name)
    toc = "\n".join(listed)
    index = HEAD.format(title="API reference", text=OPENINGS["index"])
    _keep(folder / "index.md", f"{index}\n```{{toctree}}\n{toc}\n```\n")


def groups() -> dict[str, tuple[str, list[str]]]:
    """Return page -> title and names; what no group names is on the page `more`."""
    quantities = list(da.QUANTITIES)
    errors = [n for n in da.__all__ if _is_error(n)]
    named = {n for _, names in GROUPS.values() for n in names} | {*quantities, *errors}
    more = [n for n in da.__all__ if n not in named and not n.startswith("_")]
    found = {
        page: (title, [n for n in names if n in da.__all__])
        for page, (title, names) in GROUPS.items()
    }
    found["quantities"] = ("Quantities", quantities)
    found["more"] = ("Motion, loops, measurements, code", more)
    found["errors"] = ("Errors", errors)
    return found


def _is_error(name: str) -> bool:
    value = getattr(da, name)
    return inspect.isclass(value) and issubclass(value, BaseException)


def entry(name: str, value: Any, owner: str = "dalembert") -> str:
    """Return one name as a directive of Sphinx's Python domain, its members inside."""
    kind = "class" if inspect.isclass(value) else "function" if callable(value) else "module"
    fence = "::::" if kind == "class" else ":::"
    lines = [f"{fence}{{py:{kind}}} {owner}.{name}{signature(value)}", "", text(value), ""]
    if kind == "class" and not issubclass(value, BaseException):
        lines += [member(f"{owner}.{name}", n, v) for n, v in members(value)]
    # what follows a module has its whole name already
    after = [":::{py:currentmodule} None", ":::", ""] if kind == "module" else []
    return "\n".join([*lines, fence, "", *after])


def member(owner: str, name: str, value: Any) -> str:
    """Return a method or a property."""
    if isinstance(value, property) or not callable(value):
        head = f":::{{py:attribute}} {owner}.{name}"
    else:
        head = f":::{{py:method}} {owner}.{name}{signature(value)}"
    return "\n".join([head, "", text(value), ":::", ""])


def members(value: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members of a class that have a docstring of their own."""
    for name, one in vars(value).items():
        bare = getattr(one, "__func__", one)
        if not name.startswith("_") and (callable(bare) or isinstance(bare, property)):
            if inspect.getdoc(bare):
                yield name, bare


def signature(value: Any) -> str:
    """Return the arguments without their types, which the text explains."""
    if inspect.ismodule(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    empty = inspect.Parameter.empty
    bare = [p.replace(annotation=empty) for p in found.parameters.values() if p.name != "self"]
    shown = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    # defaults that are objects have no text that reads back
    return re.sub(r"=<[^>]*>", "=...", shown)


def text(value: Any) -> str:
    """Return a docstring as Markdown: its examples become blocks of code."""
    doc = inspect.getdoc(value) or ""
    lines, inside = [], False
    for line in doc.splitlines():
        if line.startswith(">>>") and not inside:
            lines, inside = [*lines, "", "```pycon"], True
        elif inside and not line.strip():
            lines, inside = [*lines, "```"], False
        lines.append(line if inside else plain(line))
    return "\n".join([*lines, "```"] if inside else lines)


def plain(line: str) -> str:
    """Return a line of prose in which only backticks have a meaning."""
    parts = line.split("`")
    parts[::2] = [re.sub(r"([<|\[*_])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts) if len(parts) % 2 else re.sub(r"([<|\[*_`])", r"\\\1", line)


def _keep(path: Path, text: str) -> None:
    """Write a page unless it is the same, so that Sphinx reads only what has changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent / "reference")
