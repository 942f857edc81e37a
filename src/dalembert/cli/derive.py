"""dalembert derive: the closed-form equations of motion."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from dalembert.cli.model import model_command, parts_of, print_json, value_of
from dalembert.errors import UsageError, shown

if TYPE_CHECKING:
    from dalembert.equations import Equations
    from dalembert.mechanism import Mechanism

FORMS = ("report", "condensed", "latex", "markdown", "json", "listing", "kane")
# options that belong to some forms only: to closed forms, to a listing, to Kane's steps
OWN = {
    "only": ("closed", "kane"),
    **dict.fromkeys(
        ("neglect", "drop", "prune", "values", "limits", "sign", "expand"), ("closed",)
    ),
    **dict.fromkeys(("quantity", "method", "parameters"), ("listing",)),
    "as_latex": ("kane",),
}


@model_command
@click.option(
    "--form", type=click.Choice(FORMS), default="condensed", show_default=True, help="The form."
)
@click.option(
    "--only", metavar="LIST",
    help="Sections: Q,A,B,C,constants,structure; also base_parameters, regressor, "
    "base_regressor, energy_regressor. Of --form kane: numbers of steps, as 5,9.",
)  # fmt: skip
@click.option(
    "--inertia",
    type=click.Choice(["simple", "full"]),
    default="simple",
    show_default=True,
    help="Generated mass data: one lever axis, or all ten numbers per body.",
)
@click.option("--freeze", metavar="LIST", help="Hold joints: 4=90deg,5,6 (0 where no value).")
@click.option("--neglect", metavar="LIST", help="velocity, coriolis, centrifugal, gravity.")
@click.option("--drop", metavar="TERMS", help='Leave terms out: "A12:3,7 Q2:1".')
@click.option("--prune", metavar="PERCENT", help="Leave out what stays below this share, proven.")
@click.option("--values", metavar="FILE", help="Parameter values or [low, high] (JSON, TOML).")
@click.option("--limits", metavar="FILE", help="Ranges of q, qd, qdd (JSON or TOML) for --prune.")
@click.option(
    "--sign-of-Q", "sign", type=click.Choice(["section2", "section3"]), default="section3",
    show_default=True, help="Which section of the report gives gravity its sign.",
)  # fmt: skip
@click.option("--expand", is_flag=True, help="Take a planar or free base apart.")
@click.option(
    "--quantity", default="inverse_dynamics", show_default=True, help="Of a listing: what of."
)
@click.option("--method", help="Of a listing: by which method.")
@click.option(
    "--parameters", type=click.Choice(["standard", "base", "given"]), default="given",
    show_default=True, help="Of a listing: symbols for all or base inertias, or given.",
)  # fmt: skip
@click.option("--latex", "as_latex", is_flag=True, help="Of the Kane form: as LaTeX.")
def command(
    mechanism: Mechanism,
    as_json: bool,
    form: str,
    only: str | None,
    inertia: str,
    freeze: str | None,
    neglect: str | None,
    drop: str | None,
    prune: str | None,
    values: str | None,
    limits: str | None,
    sign: str,
    expand: bool,
    quantity: str,
    method: str | None,
    parameters: str,
    as_latex: bool,
) -> None:
    """Print the closed-form equations of motion of MODEL.

    \b
    Example:
      dalembert derive "RZ(A1,B1),TXK(L1),RZ(A2,B2),TXK(L2); gravity = (0, G, 0);" --form report
    """
    from dalembert.equations import equations

    check_options(form)
    if form == "listing":
        listed(mechanism, as_json, freeze, quantity, parameters, method)
        return
    if form == "kane":
        stepwise(frozen(mechanism, freeze), as_json, as_latex, only)
        return
    if only == "base_parameters" and not freeze:
        grouped(mechanism, as_json or form == "json", form)
        return
    mechanism, loops = taken_apart(mechanism, expand)
    eq = equations(mechanism, expand=expand, full=inertia == "full")
    if freeze:
        eq = eq.freeze(split_freeze(freeze))
    if neglect:
        eq = eq.neglect(*(x.strip() for x in neglect.split(",")))
    if drop:
        eq = eq.drop(drop)
    eq = eq.with_sign(sign)  # type: ignore[arg-type]
    if prune:
        eq = pruned(eq, prune, values, limits)
    sections = None if only is None else [x.strip() for x in only.split(",")]
    expand_with_bar(eq, form, sections)
    printed(eq, loops, "json" if as_json else form, sections)


def check_options(form: str) -> None:
    """Raise UsageError for an option that this form would not heed."""
    kind = form if form in ("listing", "kane") else "closed"
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        forms = OWN.get(option.name or "", (kind,))
        if given and kind not in forms:
            meant = "condensed" if forms[0] == "closed" else forms[0]
            raise UsageError(
                f"{option.opts[0]} is not for --form {form}", hint=f"write it with --form {meant}"
            )


def printed(eq: Equations, loops: list[str], form: str, sections: list[str] | None) -> None:
    """Print the equations, and the lines that close loops, in one of the forms."""
    if form == "json":
        print_json(eq.json(sections) | ({"loops": loops} if loops else {}))
    elif form == "latex":
        from dalembert.equations.latex import document

        remarks = "".join(f"% {line}\n" for line in loops)
        click.echo(document(eq, sections) + remarks, nl=False)
    elif form == "markdown":
        listed_loops = "\n".join(["", "## Closed loops", "", "```", *loops, "```", ""])
        click.echo(eq.markdown(sections) + (listed_loops if loops else ""), nl=False)
    else:
        click.echo(eq.text(form, sections) + "".join(f"{line}\n" for line in loops), nl=False)


def grouped(m: Mechanism, as_json: bool, form: str) -> None:
    """Print the base inertial parameters, which mechanisms without closed forms have too."""
    from dalembert.algorithms.base_parameters import base_parameters
    from dalembert.equations import latex, regressor_print

    if as_json:
        print_json({"name": m.name, "base_parameters": base_parameters(m).json()})
    elif form == "latex":
        click.echo(latex.whole(latex.grouping(m)), nl=False)
    else:
        made = latex.grouping_markdown if form == "markdown" else regressor_print.grouping
        click.echo(made(m), nl=False)


def taken_apart(m: Mechanism, expand: bool) -> tuple[Mechanism, list[str]]:
    """Return the cut tree of a mechanism with loops, and the lines that close them."""
    if not m.loops:
        return m, []
    from dalembert.equations.closure_text import closure_lines, cut_tree
    from dalembert.equations.expand import expanded

    m = expanded(m) if expand else m
    return cut_tree(m), closure_lines(m)


def expand_with_bar(eq: Equations, form: str, sections: list[str] | None) -> None:
    """Derive what will be printed; on a terminal a bar shows after one second how far it is."""
    if not sys.stderr.isatty():
        return
    from rich.console import Console
    from rich.progress import Progress

    entries = [e for kind in "QABC" if sections is None or kind in sections
               for e in getattr(eq, kind)]  # fmt: skip
    start = time.monotonic()
    with Progress(console=Console(stderr=True), transient=True, disable=True) as bar:
        task = bar.add_task("deriving", total=len(entries))
        for entry in entries:
            entry.form("report" if form == "report" else "condensed")
            bar.advance(task)
            if bar.disable and time.monotonic() - start > 1:
                bar.disable = False
                bar.start()


def listed(
    m: Mechanism, as_json: bool, freeze: str | None, name: str, parameters: str, method: str | None
) -> None:
    """Print a quantity as named, numbered assignments."""
    from dalembert.listing import listing_text

    text = listing_text(frozen(m, freeze), name, parameters, method)
    if as_json:
        kind = {"quantity": name, "parameters": parameters}
        print_json(kind | {"listing": text.splitlines()})
    else:
        click.echo(text, nl=False)


def frozen(m: Mechanism, freeze: str | None) -> Mechanism:
    """Return the mechanism with joints locked."""
    # a joint keeps its name when others are locked before it, not its number
    held = {k if isinstance(k, str) else m.joint_names[k - 1]: at
            for k, at in split_freeze(freeze).items()} if freeze else {}  # fmt: skip
    for joint, at in held.items():
        m = m.lock([joint], at)
    return m


def stepwise(mechanism: Mechanism, as_json: bool, as_latex: bool, only: str | None) -> None:
    """Print Kane's method in its ten steps, or some of them, as text, LaTeX or JSON."""
    from dalembert.equations.kane_form import kane_form

    words = [x.strip() for x in only.split(",")] if only else []
    for word in words:
        if not word.isdecimal():
            raise UsageError(f"--only {shown(word)}: not the number of a step", hint="--only 5,9")
    chosen = [int(word) for word in words] or None
    form = kane_form(mechanism)
    if as_json:
        print_json(form.json(chosen))
    elif as_latex:
        from dalembert.equations.kane_print import document

        click.echo(document(form, chosen), nl=False)
    else:
        click.echo(form.text(chosen), nl=False)


def split_freeze(text: str, option: str = "--freeze") -> dict[int | str, Any]:
    """Return joint -> value of 4=pi/2,5,6; joints are numbers or names."""
    held: dict[int | str, Any] = {}
    for item, start in parts_of(text):
        joint, equals, value = item.partition("=")
        if not joint.strip() or (equals and not value.strip()):
            raise UsageError(
                f"{option} {shown(text)}: a joint and a value are needed",
                hint=f"write: {option} 4=0.3,5,6",
            )
        at = value_of(value, option, text, start + len(joint) + 1) if equals else 0
        joint = joint.strip()
        held[int(joint) if joint.isdecimal() else joint] = at
    return held


def pruned(eq: Equations, tolerance: str, values: str | None, limits: str | None) -> Equations:
    """Return the equations without negligible terms."""
    known = table(values) if values else {}
    found = eq.prune(known, table(limits) if limits else None, tolerance)
    proof = str(found).splitlines()
    return replace(found.equations, remarks=(*found.equations.remarks, *proof))


def table(path: str) -> Mapping[str, Any]:
    """Return the table of a JSON or TOML file."""
    import tomllib

    text = Path(path).read_text(encoding="utf-8")
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{shown(path)}: {error}", hint="write JSON or TOML") from None
    return found
