"""dalembert derive: the closed-form equations of motion."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..errors import ModelError, TooLargeError, UsageError, shown
from .model import (
    INERTIA,
    LEFT_OUT,
    echo_answer,
    echo_notes,
    hold,
    model_command,
    print_json,
    rounded_angles,
    with_options,
    without_mass,
)
from .progress import progress_bar
from .values import WORDS, flag, option

if TYPE_CHECKING:
    from ..equations import Equations
    from ..mechanism import Mechanism

FORMS = ("report", "condensed", "program", "latex", "markdown", "json", "listing", "kane")
# options that belong to some forms only: to closed forms, to a listing, to Kane's steps
OWN = {
    "only": ("closed", "kane"),
    **dict.fromkeys(("neglect", "drop", "prune", "values", "limits", "sign"), ("closed",)),
    **dict.fromkeys(("quantity", "method", "parameters"), ("listing",)),
    "as_latex": ("kane",),
}


@model_command
@option("--form", FORMS, "How to write the equations.", "condensed")
@option(
    "--only",
    WORDS,
    "Print these parts only: Q,A,B,C,constants,structure; or matrices, terms (numbered as "
    "for --drop), base_parameters, regressor, base_regressor, energy_regressor. "
    "With loops: closure,passive,G,E,tree,A_c,H_c,tau. "
    "With --form kane: numbers of steps, such as 5,9.",
)
@INERTIA
@with_options(LEFT_OUT, "left")
@option(
    "--sign-of-Q sign",
    ("section2", "section3"),
    "Which section of the 1980 report sets the sign of gravity.",
    "section3",
)
@flag("--expand", "Replace planar, free and spherical joints by single ones.")
@option("--quantity", str, "For a listing: the quantity.", "inverse_dynamics")
@option("--method", str, "For a listing: the method.")
@option(
    "--parameters",
    ("standard", "base", "given"),
    "For a listing: all inertial parameters as symbols, base parameters, or numbers.",
    "given",
)
@flag("--latex as_latex", "With --form kane: write LaTeX.")
def command(
    mechanism: Mechanism,
    as_json: bool,
    form: str,
    only: list[str] | None,
    inertia: str,
    left: dict[str, Any],
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
    from ..equations.expand import expanded

    check_options(form)
    echo_notes([*without_mass(mechanism), *rounded_angles(mechanism)])
    freeze, neglect, drop, prune, values, limits = (left[key] for key in LEFT_OUT)
    if form == "listing":
        held = hold(mechanism, freeze or {})
        listed(expanded(held) if expand else held, as_json, quantity, parameters, method)
        return
    if form == "kane":
        stepwise(hold(mechanism, freeze or {}), as_json, as_latex, only, expand)
        return
    form = "json" if as_json else form
    if only == ["base_parameters"] and not freeze:
        return grouped(mechanism, form)
    if mechanism.loops or mechanism.couplings:
        mechanism = hold(mechanism, freeze or {})
        return closed(mechanism, form, expand, inertia == "full", sign, only)
    eq = equations(mechanism, expand=expand, full=inertia == "full")
    if freeze or neglect or drop:
        from ..equations.model import of_left, simplified

        whole = eq.mechanism.joint_names
        eq = simplified(eq, {"freeze": freeze, "neglect": neglect, "drop": drop})
        limits = of_left(limits, whole, eq.mechanism.joint_names)
    eq = eq.with_sign(sign)  # type: ignore[arg-type]
    if prune == "curve":
        return weighed(eq, as_json, values, limits)
    if prune:
        with progress_bar("pruning") as report:
            eq = eq.prune(values or {}, limits, prune, progress=report).equations
    if only == ["matrices"]:
        return printed(eq.matrices(), form)
    if form != "program":
        expand_with_bar(eq, form, only)
    printed(eq, form, only, text=partial(eq.text, form))


def check_options(form: str) -> None:
    """Raise UsageError for an option that this form would ignore."""
    kind = form if form in ("listing", "kane") else "closed"
    context = click.get_current_context()
    for each in context.command.params:
        given = context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
        forms = OWN.get(each.name or "", (kind,))
        if given and kind not in forms:
            meant = "condensed" if forms[0] == "closed" else forms[0]
            raise UsageError(
                f"{each.opts[0]} is not for --form {form}", hint=f"write it with --form {meant}"
            )


def printed(made: Any, form: str, *only: Any, text: Callable[..., str] | None = None) -> None:
    """Print what was derived in one of the forms, some of its parts or all."""
    if form == "json":
        print_json(made.json(*only))
    elif form == "latex":
        from ..equations.sections import whole

        click.echo(whole(made.latex(*only)), nl=False)
    else:
        write = made.markdown if form == "markdown" else text or made.text
        click.echo(write(*only), nl=False)


TREE_ONLY = ("neglect", "drop", "prune")


def closed(
    m: Mechanism, form: str, expand: bool, full: bool, sign: str, only: list[str] | None
) -> None:  # fmt: skip
    """Print the equations of a mechanism with loops: closure, G, A_c, H_c and those of the tree."""
    from ..equations import equations

    context = click.get_current_context()
    for name in TREE_ONLY:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"--{name} is for the equations of a tree, and {shown(m.name)!r} has loops",
                hint=f"leave out --{name}",
            )
    eq = equations(m, expand, full)
    eq = replace(eq, tree=eq.tree.with_sign(sign))
    printed(eq, form, only, text=partial(eq.text, form))


def grouped(m: Mechanism, form: str) -> None:
    """Print the base inertial parameters, which mechanisms without closed forms have too."""
    from ..equations.grouping import document
    from ..identify.closed_base import base_parameters

    base = base_parameters(m)
    if form == "json":
        print_json({"name": m.name, "base_parameters": base.json()})
    else:
        printed(document(base, m.name), form)


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


def loop_listing(m: Mechanism) -> str | None:
    """Return the forces of a closed machine line by line; None where it has no closed forms."""
    from ..equations.loop_equations import loop_equations
    from ..mechanism import is_rolling

    if not (m.loops or m.couplings) or is_rolling(m):
        return None
    try:
        eq = loop_equations(m)
        plan = eq.loops.plan
        return None if set(plan.motors) - set(plan.independent) else eq.text("program")
    except (ModelError, TooLargeError):
        return None


def listed(m: Mechanism, as_json: bool, name: str, parameters: str, method: str | None) -> None:
    """Print a quantity as named, numbered assignments."""
    from ..listing import listing_text

    text = None
    if (name, parameters, method) == ("inverse_dynamics", "given", None):
        text = loop_listing(m)
    if text is None:
        text = listing_text(m, name, parameters, method)
    lines = text.splitlines()
    echo_answer(as_json, {"quantity": name, "parameters": parameters, "listing": lines}, lines)


def stepwise(
    mechanism: Mechanism, as_json: bool, as_latex: bool, only: list[str] | None, expand: bool
) -> None:
    """Print Kane's method in its ten steps, or some of them, as text, LaTeX or JSON."""
    from ..equations.kane_form import kane_form

    for word in only or ():
        if not word.isdecimal():
            raise UsageError(f"--only {shown(word)}: not the number of a step", hint="--only 5,9")
    chosen = [int(word) for word in only or ()] or None
    form = "json" if as_json else "latex" if as_latex else "text"
    printed(kane_form(mechanism, expand=expand), form, chosen)


def weighed(
    eq: Equations, as_json: bool, values: Mapping[str, Any] | None, limits: Mapping[str, Any] | None
) -> None:
    """Print the curve of proven error against operations."""
    with progress_bar("pruning") as report:
        curve = eq.prune_curve(values or {}, limits, progress=report)
    names = ("operations", "terms", "share", "bound")
    rows = [dict(zip(names, row, strict=True)) for row in curve.rows]
    echo_answer(as_json, rows, [str(curve)])
