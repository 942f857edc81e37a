"""The API reference, written from signatures and docstrings as MyST pages: python docs/api.py."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dalembert as da

HEAD = "# {title}\n\n{text}\n"
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
    for name, (title, text, names) in groups().items():
        body = "\n".join(entry(n, getattr(da, n)) for n in names)
        page = HEAD.format(title=title, text=text) + "\n" + body
        _keep(folder / f"{name}.md", page)
        listed.append(name)
    toc = "\n".join(listed)
    text = "Every public name of `import dalembert as da`, from its docstring."
    index = HEAD.format(title="API reference", text=text)
    _keep(folder / "index.md", f"{index}\n```{{toctree}}\n{toc}\n```\n")


def groups() -> dict[str, tuple[str, str, list[str]]]:
    """Return page -> title, opening and names; what no group names is on the page `more`."""
    quantities = list(da.QUANTITIES)
    errors = [n for n in da.__all__ if _is_error(n)]
    named = {n for _, names in GROUPS.values() for n in names} | {*quantities, *errors}
    more = [n for n in da.__all__ if n not in named and not n.startswith("_")]
    found = {
        page: (title, "", [n for n in names if n in da.__all__])
        for page, (title, names) in GROUPS.items()
    }
    text = "Each is also a kernel, `da.compile(m, NAME)`, and `dalembert eval MODEL NAME`."
    found["quantities"] = ("Quantities", text, quantities)
    found["more"] = ("Motion, loops, measurements, code", "", more)
    found["errors"] = ("Errors", "Every exception is a `DalembertError`.", errors)
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
