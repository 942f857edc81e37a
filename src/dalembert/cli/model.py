"""What every command on a model shares: MODEL, the options that change it, and --json."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import DescriptionError, UsageError, closest, shown
from .values import (
    FREEZE,
    HELD,
    PAYLOAD,
    SETTING,
    SETTING_TEXT,
    TABLE,
    VECTOR,
    WORDS,
    flag,
    option,
    parsed,
    several,
)
from .xacro import is_xacro, read_xacro

if TYPE_CHECKING:
    from ..mechanism import Mechanism

# what --lock, --payload and their like mean is the same wherever a MODEL is taken
CHANGES = {
    "locked": several(
        "--lock locked", HELD, "Hold a joint: elbow=90deg, or 3 (the third joint, at 0)"
    ),
    "payloads": several(
        "--payload payloads", PAYLOAD, "Add a load to a frame: mass in kg, mass centre in its axes"
    ),
    "mimic": option(
        "--mimic", ("couple", "substitute", "free"),
        "Joints that follow another joint: keep them and add an equation, replace them by their "
        "leader (the default), or let them move freely.",
    ),
    "settings": several("--set settings", SETTING, "Give a parameter a value: L1=400mm or L2=2*L1"),
    "gravity": option("--gravity", VECTOR, "Gravity in m/s²: 0,0,-9.81."),
    "base": option("--base", ("fixed", "free", "planar"), "The base of MODEL; fixed by default."),
    "snap": option(
        "--snap", float,
        "Read angles this near to a multiple of pi/12 as exact: 1e-5 for 1.5708; 0 keeps all.",
    ),
    "xacro": several("--xacro", SETTING_TEXT, "Set an argument of a .xacro file: ur_type=ur5e"),
}  # fmt: skip
# what is left out of the equations, wherever a quantity of MODEL is taken
LEFT_OUT = {
    "freeze": option(
        "--freeze", FREEZE, "Hold joints in the equations: 4=90deg,5,6 (5 and 6 at 0)."
    ),
    "neglect": option(
        "--neglect", WORDS, "Leave out velocity, coriolis, centrifugal or gravity terms."
    ),
    "drop": option("--drop", "TERMS", 'Leave out terms by number: "A12:3,7 Q2:1".'),
    "prune": option(
        "--prune", "HOW",
        "Leave out terms that are proven to stay below a share of each joint's force: 1%, "
        '"1% passive", "80 operations"; of derive, "curve" prints the error against operations.',
    ),
    "values": option("--values", TABLE, "For --prune: parameter values or ranges (JSON, TOML)."),
    "limits": option("--limits", TABLE, "For --prune: ranges of q, qd, qdd (JSON, TOML)."),
}  # fmt: skip
# headings in --help: a command's own options come first, then these
SECTIONS = {"Options that change MODEL": CHANGES, "Options that simplify the equations": LEFT_OUT}
# options whose numbers are coordinates, or rates and accelerations, one for each
UNITS = dict.fromkeys(("q", "q0", "start", "end", "goal"), "q")
UNITS |= dict.fromkeys(("qd", "qdd", "qd0", "speed", "acceleration"), "qd")
JSON = flag("--json as_json", "Print the result as JSON.")
INERTIA = option(
    "--inertia", ("simple", "full"),
    "Mass data generated for a phrase: one lever axis, or all ten numbers per body.", "simple",
)  # fmt: skip


def drives_option(default: str | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Return the option --drives; where there is no default, quantities have theirs: inertia."""
    usual = ", the default" if default is None else ""
    told = f"Count rotor inertia (inertia{usual}), also friction (all), or neither (none)."
    return option("--drives", ("inertia", "all", "none"), told, default)


def perhaps_degrees(m: Mechanism, q: Sequence[float]) -> list[str]:
    """Return notes of angles far beyond their limits, such as degrees that do not say so."""
    if len(q) != m.nq or not any(isinstance(x, (int, float)) and abs(x) > 6.3 for x in q):
        return []
    import numpy as np

    from ..measure.columns import perhaps_degrees as found

    return found(m, np.asarray([q], dtype=float), "write 45deg")


def without_mass(m: Mechanism) -> list[str]:
    """Return a note where no moving body has a mass or an inertia, so that no force is found."""
    moving = [b for b in m.bodies if b.joint.nv]
    heavy = any(x != 0 for b in m.bodies for x in (b.inertia.mass, *b.inertia.tensor.six()))
    if heavy or not moving or any(d.inertia != 0 for d in m.drives):
        return []
    return [
        "no body has a mass: every force of gravity and inertia is 0; give the file masses, "
        "numbers or letters"
    ]


def rounded_angles(m: Mechanism) -> list[str]:
    """Return the note on angles such as 1.5708, which make equations and code longer."""
    from ..read.rounded import ALMOST

    return [note for note in m.notes if ALMOST in note]


def echo_answer(as_json: bool, data: object, lines: Iterable[str]) -> None:
    """Print a result: as JSON, or line by line."""
    if as_json:
        print_json(data)
    else:
        click.echo("\n".join(lines))


def echo_notes(notes: Iterable[str]) -> None:
    """Print what a reader should know beside a result, apart from it."""
    for note in notes:
        click.echo(f"note: {shown(note, 300)}", err=True)


def echo_written(options: Mapping[str, Any], *files: str) -> None:
    """Say which of the files that options name were written."""
    for name in files:
        if options[name]:
            click.echo(f"wrote {options[name]}")


class ModelCommand(click.Command):
    """A command whose help lists its own options first, then those that many commands share."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        headings = {key: heading for heading, keys in SECTIONS.items() for key in keys}
        rows: dict[str, list[tuple[str, str]]] = {"Options": []}
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        for each in sorted(options, key=lambda p: ("--help" in p.opts, "--json" in p.opts)):
            heading = headings.get(each.name or "", "Options")
            if (record := each.get_help_record(ctx)) is not None:
                rows.setdefault(heading, []).append(record)
        for heading in ("Options", *SECTIONS):
            if rows.get(heading):
                with formatter.section(heading):
                    formatter.write_dl(rows[heading])


def model_command(function: Callable[..., Any]) -> click.Command:
    """Return a command on MODEL: function(mechanism, as_json, **its own options)."""

    @functools.wraps(function)
    def run(model: str, as_json: bool, changes: dict[str, Any], **rest: Any) -> Any:
        if rest.get("inertia") == "full":
            changes["inertia"] = "full"
        m = read_model(model, **changes)
        _check_units(m, rest)
        return function(m, as_json, **rest)

    named = click.argument("model", metavar="MODEL")(with_changes(JSON(run)))
    return click.command(cls=ModelCommand)(named)


def _check_units(m: Mechanism, options: Mapping[str, Any]) -> None:
    """Raise an error where a coordinate or a rate is given in the unit of another kind."""
    from ..mechanism.units import coordinate_units, rate_units

    for name, value in options.items():
        if name in UNITS and hasattr(value, "fit"):
            q = UNITS[name] == "q"
            value.fit(
                *(m.coordinate_names, coordinate_units(m)) if q else (m.rate_names, rate_units(m))
            )


def with_options(table: dict[str, Any], name: str) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: the command's function takes the options of a table as one dict."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*arguments: Any, **options: Any) -> Any:
            options[name] = {key: options.pop(key) for key in table}
            return function(*arguments, **options)

        for add in reversed(table.values()):
            run = add(run)
        return run

    return decorate


with_changes = with_options(CHANGES, "changes")


def with_left_out(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command's function on a mechanism whose equations leave out what options say."""

    @functools.wraps(function)
    def run(mechanism: Mechanism, *arguments: Any, left: Any, **options: Any) -> Any:
        return function(leave_out(mechanism, **left), *arguments, **options)

    return with_options(LEFT_OUT, "left")(run)


def leave_out(
    m: Mechanism,
    freeze: dict[int | str, Any] | None,
    neglect: list[str] | None,
    drop: str | None,
    prune: str | None,
    values: dict[str, Any] | None,
    limits: dict[str, Any] | None,
) -> Mechanism:
    """Return the mechanism with what is left out of its equations, beside what its file says."""
    from dataclasses import replace

    from ..mechanism import joint_name
    from ..mechanism.simplified import NEGLECTED, Simplified

    if prune is None and (values or limits):
        raise UsageError("--values and --limits belong to --prune", hint="--prune 1%")
    for word in neglect or ():
        if word not in NEGLECTED:
            raise UsageError(f"cannot neglect {shown(word)!r}", hint=closest(word, NEGLECTED))
    told: dict[str, Any] = {
        "freeze": {joint_name(m.bodies[m.joint_index(j)]): x for j, x in (freeze or {}).items()},
        "neglect": neglect,
        "drop": [drop] if drop else None,
    }
    if prune is not None:
        told["prune"] = {"tolerance": prune, "values": values or {}, "limits": limits}
    if not any(told.values()):
        return m
    return replace(m, simplified=(m.simplified or Simplified()).with_more(told), checked=True)


def read_model(
    model: str,
    settings: Sequence[tuple[str, Any]] = (),
    gravity: Sequence[Any] | None = None,
    locked: Sequence[tuple[int | str, Any]] = (),
    payloads: Sequence[tuple[str, Any, Sequence[Any]]] = (),
    xacro: Sequence[tuple[str, str]] = (),
    snap: float | None = None,
    **options: str | None,
) -> Mechanism:
    """Return the mechanism that MODEL names, changed as the options say.

    Joints are held, then frames loaded, then values given: these may be those of a load too.
    """
    given: dict[str, Any] = {key: value for key, value in options.items() if value}
    given |= {} if snap is None else {"snap": snap}
    mechanism = find_model(model, dict(xacro), **given)
    if gravity:
        mechanism = mechanism.with_gravity(gravity)
    mechanism = hold(mechanism, _held_once(locked))
    for frame, mass, centre in payloads:
        mechanism = mechanism.with_payload(frame, mass, centre)
    for together in in_order(dict(settings)):
        mechanism = mechanism.with_values(together)
    return mechanism


def hold(m: Mechanism, joints: dict[int | str, Any]) -> Mechanism:
    """Return the mechanism with joints, by name or number from 1, locked at their values."""
    return m.lock(list(joints), joints) if joints else m


def _held_once(locked: Sequence[tuple[int | str, Any]]) -> dict[int | str, Any]:
    found: dict[int | str, Any] = {}
    for name, value in locked:
        if found.setdefault(name, value) != value:
            raise UsageError(f"--lock names joint {shown(str(name))} twice", hint="lock it once")
    return found


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


def find_model(model: str, arguments: Mapping[str, str] | None = None, **options: Any) -> Mechanism:
    """Return the mechanism of a file, else of robot:NAME, else of a phrase."""
    from ..read import load

    if model.startswith("~") and os.path.exists(os.path.expanduser(model)):
        model = os.path.expanduser(model)  # in quotes the shell leaves it
    if os.path.isdir(model):
        raise DescriptionError(f"{shown(model)} is a directory", hint="name a file inside it")
    there = os.path.exists(model)
    if there and is_xacro(model):
        return read_xacro(Path(model), arguments or {}, **options)
    if not (there or model.startswith("robot:") or any(sign in model for sign in "(,;")):
        from ..read.near import near_model

        raise DescriptionError(f"no such file: {shown(model)}", hint=near_model(model))
    return load(Path(model) if there else model, **options)


def print_json(data: object) -> None:
    """Print data as JSON; exact numbers become numbers, expressions their text.

    JSON has no word for what is not finite, or not known: that is null.
    """
    text = json.dumps(data, default=_plain)
    whole = json.loads(text, parse_constant=lambda _: None)
    click.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> object:
    if hasattr(value, "items"):
        return dict(value)
    if hasattr(value, "plain"):
        return value.plain()
    if hasattr(value, "tolist"):
        return value.tolist()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
