"""dalembert convert: the same mechanism in another description language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .model import echo_notes, model_command, print_json
from .values import option

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@option(
    "--to language",
    ("phrase", "toml", "urdf", "mdh", "par", "json"),
    "The language to write.",
    required=True,
)
def command(mechanism: Mechanism, as_json: bool, language: str) -> None:
    """Write MODEL in another language; what it cannot express is listed on stderr.

    \b
    Example:
      dalembert convert robot.urdf --to toml > robot.toml
    """
    from ..read import write

    text, notes = write(mechanism, language)
    if as_json:
        print_json({"language": language, "text": text, "notes": notes})
        return
    click.echo(text, nl=not text.endswith("\n"))
    echo_notes(notes)
