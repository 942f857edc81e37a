"""dalembert studio: the machine, its equations, code and motion on one local page."""

from __future__ import annotations

from typing import Any

import click

from .model import JSON, ModelCommand, print_json, read_model, with_changes
from .values import flag, option


@click.command(cls=ModelCommand)
@click.argument("model", metavar="[MODEL]", required=False)
@with_changes
@JSON
@option("--port", click.IntRange(0, 65535), "A free one by default.", 0, show_default=False)
@flag("--no-browser", "Print the address only.")
def command(
    model: str | None, port: int, no_browser: bool, as_json: bool, changes: dict[str, Any]
) -> None:
    """Work on MODEL in the browser; only this machine can reach the page.

    \b
    Example:
      dalembert studio robot:puma560
    """
    from ..studio.first import first_text
    from ..studio.server import Studio, opened_studio

    mechanism: Any = None if model is None else read_model(model, **changes)
    text = first_text(mechanism, model)
    if as_json:
        made = Studio(text, port).start()
        print_json({"url": made.url, "port": made.port})
    else:
        made = opened_studio(text, port, browser=not no_browser)
        click.echo("Ctrl-C ends it")
    try:
        made.wait()
    except KeyboardInterrupt:
        made.stop()
