"""dalembert excite: a motion that shows the parameters of a model best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..display import aligned
from ..errors import shown
from .model import echo_written, model_command, print_json
from .values import NUMBERS, flag, option

if TYPE_CHECKING:
    from ..mechanism import Mechanism


@model_command
@option("--time", float, "Length of one period, s.", 10.0)
@option("--harmonics", int, "Number of sines.", 5)
@option("--rate", float, "Samples per second.", 100.0)
@option("--acceleration", NUMBERS, "Largest joint accelerations: one number, or one per joint.")
@flag("--no-friction", "Look for masses and inertias only.")
@option("--seed", int, "Seed of the random starts.", 0)
@option("--out", "FILE.csv", "Write the motion as a table.")
def command(mechanism: Mechanism, as_json: bool, **options: Any) -> None:
    """Find a motion of MODEL within its limits that shows its parameters best.

    \b
    Example:
      dalembert excite robot:puma560 --time 10 --out excite.csv
    """
    from ..identify.excite import excite

    a = options["acceleration"]
    d = excite(
        mechanism, options["time"], options["harmonics"], friction=not options["no_friction"],
        acceleration=a[0] if a and len(a) == 1 else a, rate=options["rate"], seed=options["seed"],
    )  # fmt: skip
    if options["out"]:
        d.save(options["out"])
    if as_json:
        print_json({"t": d.t, "q": d.q, "qd": d.qd, "qdd": d.qdd, "notes": list(d.notes)})
        return
    click.echo(repr(d))
    rows = [["", "largest |q|", "largest |qd|", "largest |qdd|"]]
    for k, n in enumerate(mechanism.rate_names):
        rows.append([shown(n), *(f"{abs(x[:, k]).max():.4g}" for x in (d.q, d.qd, d.qdd))])
    click.echo("\n".join(aligned(rows)))
    for note in d.notes:
        click.echo(note)
    echo_written(options, "out")
