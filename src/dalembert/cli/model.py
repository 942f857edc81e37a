"""What every command on a model shares: the MODEL argument, --set, --gravity and --json."""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.errors import DescriptionError, Place, UsageError, shown

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism


def model_command(function: Callable[..., Any]) -> click.Command:
    """Return a command on MODEL: function(mechanism, as_json, **its own options)."""

    @functools.wraps(function)
    def run(
        model: str,
        settings: Sequence[str],
        gravity: str | None,
        base: str | None,
        as_json: bool,
        **rest: Any,
    ) -> Any:
        options = {"inertia": "full"} if rest.get("inertia") == "full" else {}
        options |= {"base": base} if base else {}
        return function(read_model(model, settings, gravity, **options), as_json, **rest)

    options = (
        click.argument("model", metavar="MODEL"),
        click.option(
            "--set",
            "settings",
            metavar="NAME=VALUE",
            multiple=True,
            help="Give a parameter a value, as L1=400mm or L2=2*L1; may be repeated.",
        ),
        click.option("--gravity", metavar="X,Y,Z", help="Gravity, as in --gravity 0,0,-9.81."),
        click.option(
            "--base",
            type=click.Choice(["fixed", "free", "planar"]),
            help="What MODEL stands on; fixed if nothing else is said.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    )
    for option in reversed(options):
        run = option(run)
    return click.command(run)


def read_model(
    model: str, settings: Sequence[str] = (), gravity: str | None = None, **options: str
) -> Mechanism:
    """Return the mechanism that MODEL names, with parameters and gravity as the options say."""
    values = dict(split_setting(text) for text in settings)
    components = None if gravity is None else split_gravity(gravity)
    mechanism = find_model(model, **options)
    if components:
        mechanism = mechanism.with_gravity(components)
    for together in in_order(values):
        mechanism = mechanism.with_values(together)
    return mechanism


def in_order(values: dict[str, Fraction | str]) -> Iterator[dict[str, Fraction | str]]:
    """Yield values that may be put in place together: L1 = 2*L2 goes before L2 = 0.3."""
    left = dict(values)
    while left:
        named = {n: _names(value) - {n} for n, value in left.items()}
        ready = {n: value for n, value in left.items() if n not in set().union(*named.values())}
        if not ready:
            around = ", ".join(f"{shown(n)}={shown(str(value))}" for n, value in left.items())
            raise UsageError(f"--set: each needs another: {around}", hint="give one a number")
        yield ready
        left = {n: value for n, value in left.items() if n not in ready}


def _names(value: Fraction | str) -> set[str]:
    """Return the parameters that a value names."""
    if not isinstance(value, str):
        return set()
    return set(getattr(parsed(value, "--set", value, 0), "names", tuple)())


def find_model(model: str, **options: str) -> Mechanism:
    """Return the mechanism of a file, else of robot:NAME, else of a phrase."""
    if os.path.isdir(model):
        raise DescriptionError(f"{shown(model)} is a directory", hint="name a file inside it")
    if os.path.exists(model):
        return load(Path(model), **options)
    if model.startswith("robot:"):
        return _on_base(ready_made(model.removeprefix("robot:")), options.get("base", "fixed"))
    if any(sign in model for sign in "(,;"):
        return load(model, **options)
    raise DescriptionError(
        f"no such file: {shown(model)}",
        hint='give a file, robot:NAME, or a phrase such as "RZ(A1,B1),TXK(L1);"',
    )


def _on_base(m: Mechanism, base: str) -> Mechanism:
    from dalembert.mechanism.assemble import on_base

    return m if base == "fixed" else on_base(m, base)


def load(source: Path | str, **options: str) -> Mechanism:
    """Return the mechanism of a file or a phrase; the readers are imported only now."""
    from dalembert.read import load

    return load(source, **options)  # type: ignore[arg-type]


def ready_made(name: str) -> Mechanism:
    """Return the ready-made mechanism dalembert.robots.<name>, or of a size, as eel(20)."""
    from dalembert import robots

    makers = {key: maker for key, maker in vars(robots).items() if _makes_robot(key, maker)}
    plain, bracket, size = name.removesuffix(")").partition("(")
    if plain not in makers or bool(bracket) != name.endswith(")"):
        raise UsageError(
            f"no ready-made robot is called {shown(name)!r}",
            hint="there are: " + ", ".join(sorted(makers)),
        )
    if not bracket:
        return makers[plain]()
    if not _has_size(makers[plain]) or not (size.isascii() and size.isdecimal() and len(size) < 6):
        sized = ", ".join(f"robot:{key}(3)" for key in sorted(makers) if _has_size(makers[key]))
        raise UsageError(f"robot:{shown(name)}: no such size", hint=f"write as {sized}")
    return makers[plain](int(size))


def _has_size(maker: Callable[..., Any]) -> bool:
    first = next(iter(inspect.signature(maker).parameters.values()), None)
    return first is not None and type(first.default) is int


def _makes_robot(name: str, value: object) -> bool:
    home = getattr(value, "__module__", None) or ""
    return not name.startswith("_") and callable(value) and home.startswith("dalembert.robots")


def split_gravity(text: str, option: str = "--gravity") -> tuple[Fraction | str, ...]:
    """Return the three components of X,Y,Z, numbers or expressions."""
    if text.count(",") != 2:
        raise UsageError(
            f"{option} {shown(text)}: three components are needed",
            hint=f"write: {option} 0,0,-9.81",
        )
    return tuple(value_of(part, option, text, start) for part, start in parts_of(text))


def split_setting(text: str, option: str = "--set") -> tuple[str, Fraction | str]:
    """Return the name and the value of NAME=VALUE, a number or an expression."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise UsageError(
            f"{option} {shown(text)}: a name and a value are needed", hint=f"write: {option} L1=0.4"
        )
    return name.strip(), value_of(value, option, text, len(name) + 1)


def parts_of(text: str) -> list[tuple[str, int]]:
    """Return the parts of a text between its commas, each with the place where it begins."""
    parts, start = [], 0
    for part in text.split(","):
        parts.append((part, start))
        start += len(part) + 1
    return parts


def parsed(part: str, option: str, whole: str, start: int) -> Any:
    """Return the exact value of an expression that begins at `start` in the text of an option."""
    from dalembert.expr import Graph
    from dalembert.read.expressions import expression

    return expression(part, Graph(), Place(option, 1, start + 1, whole))


def value_of(part: str, option: str, whole: str, start: int) -> Fraction | str:
    """Return a decimal exactly, or the text of an expression that can be read."""
    value = parsed(part, option, whole, start)
    return Fraction(value) if isinstance(value, (int, Fraction)) else part.strip()


def print_json(data: object) -> None:
    """Print data as JSON; exact numbers become numbers, expressions their text."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> object:
    if hasattr(value, "items"):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
