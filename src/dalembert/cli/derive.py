"""dalembert derive: the closed-form equations of motion."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..errors import UsageError, shown
from .model import hold, model_command, print_json
from .progress import progress_bar
from .values import FREEZE, TABLE, WORDS

if TYPE_CHECKING:
    from ..equations import Equations
    from ..mechanism import Mechanism

FORMS = ("report", "condensed", "program", "latex", "markdown", "json", "listing", "kane")
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
    "--only", type=WORDS,
    help="Sections: Q,A,B,C,constants,structure; also matrices, terms (numbered as --drop counts "
    "them), base_parameters, regressor, "
    "base_regressor, energy_regressor. Of --form kane: numbers of steps, as 5,9.",
)  # fmt: skip
@click.option(
    "--inertia",
    type=click.Choice(["simple", "full"]),
    default="simple",
    show_default=True,
    help="Generated mass data: one lever axis, or all ten numbers per body.",
)
@click.option("--freeze", type=FREEZE, help="Hold joints: 4=90deg,5,6 (0 where no value).")
@click.option("--neglect", type=WORDS, help="velocity, coriolis, centrifugal, gravity.")
@click.option("--drop", metavar="TERMS", help='Leave terms out: "A12:3,7 Q2:1".')
@click.option("--prune", metavar="PERCENT", help="Leave out what stays below this share, proven.")
@click.option("--values", type=TABLE, help="Parameter values or [low, high] (JSON, TOML).")
@click.option("--limits", type=TABLE, help="Ranges of q, qd, qdd (JSON or TOML) for --prune.")
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
    only: list[str] | None,
    inertia: str,
    freeze: dict[int | str, Any] | None,
    neglect: list[str] | None,
    drop: str | None,
    prune: str | None,
    values: Mapping[str, Any] | None,
    limits: Mapping[str, Any] | None,
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
    from ..equations import equations

    check_options(form)
    if form == "listing":
        listed(hold(mechanism, freeze or {}), as_json, quantity, parameters, method)
        return
    if form == "kane":
        stepwise(hold(mechanism, freeze or {}), as_json, as_latex, only)
        return
    if only == ["base_parameters"] and not freeze:
        grouped(mechanism, as_json or form == "json", form)
        return
    mechanism, loops = taken_apart(mechanism, expand)
    eq = equations(mechanism, expand=expand, full=inertia == "full")
    if freeze:
        from ..equations.model import of_left

        whole = eq.mechanism.joint_names
        eq = eq.freeze(freeze)
        limits = of_left(limits, whole, eq.mechanism.joint_names)
    if neglect:
        eq = eq.neglect(*neglect)
    if drop:
        eq = eq.drop(drop)
    eq = eq.with_sign(sign)  # type: ignore[arg-type]
    if prune:
        eq = pruned(eq, prune, values, limits)
    if only == ["matrices"]:
        as_matrices(eq, "json" if as_json else form)
        return
    if form != "program":
        expand_with_bar(eq, form, only)
    printed(eq, loops, "json" if as_json else form, only)


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
        from ..equations.latex import document

        remarks = "".join(f"% {line}\n" for line in loops)
        click.echo(document(eq, sections) + remarks, nl=False)
    elif form == "markdown":
        listed_loops = "\n".join(["", "## Closed loops", "", "```", *loops, "```", ""])
        click.echo(eq.markdown(sections) + (listed_loops if loops else ""), nl=False)
    else:
        click.echo(eq.text(form, sections) + "".join(f"{line}\n" for line in loops), nl=False)


def as_matrices(eq: Equations, form: str) -> None:
    """Print M, C and g of M qdd + C qd + g = tau as matrices."""
    from ..equations import sections

    found = eq.matrices()
    if form == "json":
        print_json(found.json())
    elif form in ("latex", "markdown"):
        made = sections.whole(found.latex()) if form == "latex" else found.markdown()
        click.echo(made, nl=False)
    else:
        click.echo(found.text(), nl=False)


def grouped(m: Mechanism, as_json: bool, form: str) -> None:
    """Print the base inertial parameters, which mechanisms without closed forms have too."""
    from ..algorithms.base_parameters import base_parameters
    from ..equations.latex import grouping
    from ..equations.sections import whole

    if as_json:
        print_json({"name": m.name, "base_parameters": base_parameters(m).json()})
    elif form == "latex":
        click.echo(whole(grouping(m)), nl=False)
    else:
        click.echo(grouping(m, "markdown" if form == "markdown" else "text"), nl=False)


def taken_apart(m: Mechanism, expand: bool) -> tuple[Mechanism, list[str]]:
    """Return the cut tree of a mechanism with loops, and the lines that close them."""
    if not m.loops:
        return m, []
    from ..equations.closure_text import closure_lines, cut_tree
    from ..equations.expand import expanded

    m = expanded(m) if expand else m
    return cut_tree(m), closure_lines(m)


def expand_with_bar(eq: Equations, form: str, sections: list[str] | None) -> None:
    """Derive what will be printed; on a terminal a bar shows after one second how far it is."""
    if not sys.stderr.isatty():
        return
    entries = [e for kind in "QABC" if sections is None or kind in sections
               for e in getattr(eq, kind)]  # fmt: skip
    with progress_bar("deriving") as report:
        for k, entry in enumerate(entries, 1):
            entry.form("report" if form == "report" else "condensed")
            if report:
                report(k / len(entries))


def listed(m: Mechanism, as_json: bool, name: str, parameters: str, method: str | None) -> None:
    """Print a quantity as named, numbered assignments."""
    from ..listing import listing_text

    text = listing_text(m, name, parameters, method)
    if as_json:
        kind = {"quantity": name, "parameters": parameters}
        print_json(kind | {"listing": text.splitlines()})
    else:
        click.echo(text, nl=False)


def stepwise(mechanism: Mechanism, as_json: bool, as_latex: bool, only: list[str] | None) -> None:
    """Print Kane's method in its ten steps, or some of them, as text, LaTeX or JSON."""
    from ..equations.kane_form import kane_form

    for word in only or ():
        if not word.isdecimal():
            raise UsageError(f"--only {shown(word)}: not the number of a step", hint="--only 5,9")
    chosen = [int(word) for word in only or ()] or None
    form = kane_form(mechanism)
    if as_json:
        print_json(form.json(chosen))
    elif as_latex:
        from ..equations.kane_print import document

        click.echo(document(form, chosen), nl=False)
    else:
        click.echo(form.text(chosen), nl=False)


def pruned(
    eq: Equations,
    tolerance: str,
    values: Mapping[str, Any] | None,
    limits: Mapping[str, Any] | None,
) -> Equations:
    """Return the equations without negligible terms."""
    found: Equations = eq.prune(values or {}, limits, tolerance).equations
    return found
