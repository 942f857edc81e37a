"""What every command on a model shares: the MODEL argument, --set, --gravity and --json."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.errors import DescriptionError, UsageError, shown

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism

DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")


def model_command(function: Callable[..., Any]) -> click.Command:
    """Return a command on MODEL: function(mechanism, as_json, **its own options)."""

    @functools.wraps(function)
    def run(
        model: str, settings: Sequence[str], gravity: str | None, as_json: bool, **rest: Any
    ) -> Any:
        options = {"inertia": "full"} if rest.get("inertia") == "full" else {}
        return function(read_model(model, settings, gravity, **options), as_json, **rest)

    options = (
        click.argument("model", metavar="MODEL"),
        click.option(
            "--set",
            "settings",
            metavar="NAME=VALUE",
            multiple=True,
            help="Give a parameter a value; may be repeated.",
        ),
        click.option("--gravity", metavar="X,Y,Z", help="Gravity, as in --gravity 0,0,-9.81."),
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
    if values:
        mechanism = mechanism.with_values(**values)
    return mechanism


def find_model(model: str, **options: str) -> Mechanism:
    """Return the mechanism of a file, else of robot:NAME, else of a phrase."""
    if os.path.isdir(model):
        raise DescriptionError(f"{shown(model)} is a directory", hint="name a file inside it")
    if os.path.exists(model):
        return load(Path(model), **options)
    if model.startswith("robot:"):
        return ready_made(model.removeprefix("robot:"))
    if any(sign in model for sign in "(,;"):
        return load(model, **options)
    raise DescriptionError(
        f"no such file: {shown(model)}",
        hint='give a file, robot:NAME, or a phrase such as "RZ(A1,B1),TXK(L1);"',
    )


def load(source: Path | str, **options: str) -> Mechanism:
    """Return the mechanism of a file or a phrase; the readers are imported only now."""
    from dalembert.read import load

    return load(source, **options)  # type: ignore[arg-type]


def ready_made(name: str) -> Mechanism:
    """Return the ready-made mechanism dalembert.robots.<name>."""
    from dalembert import robots

    makers = {key: maker for key, maker in vars(robots).items() if _makes_robot(key, maker)}
    if name not in makers:
        raise UsageError(
            f"no ready-made robot is called {shown(name)!r}",
            hint="there are: " + ", ".join(sorted(makers)),
        )
    return makers[name]()


def _makes_robot(name: str, value: object) -> bool:
    home = getattr(value, "__module__", None) or ""
    return not name.startswith("_") and callable(value) and home.startswith("dalembert.robots")


def split_gravity(text: str) -> tuple[Fraction | str, ...]:
    """Return the three components of X,Y,Z, numbers or names."""
    parts = text.split(",")
    if len(parts) != 3:
        raise UsageError(
            f"--gravity {shown(text)}: three components are needed",
            hint="write: --gravity 0,0,-9.81",
        )
    return tuple(number_or_name(part, f"--gravity {shown(text)}") for part in parts)


def split_setting(text: str) -> tuple[str, Fraction | str]:
    """Return the name and the value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise UsageError(
            f"--set {shown(text)}: a name and a value are needed", hint="write: --set L1=0.4"
        )
    return name.strip(), number_or_name(value, f"--set {shown(text)}")


def number_or_name(text: str, option: str) -> Fraction | str:
    """Return a decimal exactly, or the name of a parameter, perhaps after a minus."""
    text = text.strip()
    if len(text) <= 100 and DECIMAL.fullmatch(text):
        return Fraction(text)
    if text.removeprefix("-").isidentifier():
        return text
    raise UsageError(f"{option}: {shown(text)!r} is neither a number nor a parameter name")


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
