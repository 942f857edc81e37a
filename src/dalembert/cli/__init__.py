"""The command line: one group, one lazily imported file per command, one shape of errors."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from .. import __version__
from ..errors import DalembertError, UsageError, closest, shown

RARELY = 100_000  # objects made between two looks for rubbish
# command -> one-line help; its module has its name
COMMANDS = {
    "derive": "Print the closed-form equations of motion.",
    "view": "Show a model as a page that moves, or as a drawing.",
    "simulate": "Integrate the motion of a model.",
    "check": "Show what was imported, what was ignored, and physical warnings.",
    "eval": "Compute one quantity at one state.",
    "torques": "Compute the joint forces along a motion.",
    "export": "Write a model as code in another language.",
    "studio": "Work on a model in the browser, on this machine alone.",
    "identify": "Identify masses, inertias and friction from a log.",
    "excite": "Find the motion from which parameters are best identified.",
    "sweep": "Measure many designs that all do one task.",
    "size": "Choose motors and gears for a duty cycle.",
    "convert": "Write a model in another description language.",
    "cost": "Count the operations of each quantity and method.",
    "agree": "Compare all formalisms with each other.",
    "verify": "Compare results with the numbers in reference files.",
    "bench": "Time the kernels, alone or beside other engines.",
    "tables": "Print the geometry, angle and mass tables of the 1980 report.",
    "talk": "Work on a model interactively.",
    "doctor": "Show versions, what works here, and what is missing.",
}


class _Commands(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            raise UsageError(f"no such command: {shown(name)}", hint=closest(name, COMMANDS))
        command: click.Command = import_module(f".{name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # from the table, so that --help imports no command
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Example: dalembert derive "RZ(),TXK(L1),RZ(),TXK(L2);"',
)
@click.version_option(__version__, prog_name="dalembert")
def group() -> None:
    """Generate and run the dynamic models of robots.

    MODEL is a file (phrase, TOML, JSON, URDF, ...), a phrase, or robot:NAME.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code of one command: that of the command line where no arguments are given.

    A process that ends with its command collects rubbish rarely, and none at its end: that was a
    fifth of a short command.
    """
    if arguments is not None:
        return run(arguments)
    gc.set_threshold(RARELY)
    try:
        return run(sys.argv[1:])
    finally:
        gc.disable()
        gc.freeze()


def run(arguments: Sequence[str]) -> int:
    """Return the exit code of one command: 0 well, 1 failed, 2 bad input, 130 interrupted.

    Whatever goes wrong, stderr ends with a line `error: ...` and shows no traceback;
    DALEMBERT_DEBUG=1 lets unexpected exceptions through.
    """
    arguments = list(arguments) or ["--help"]
    # a name that the terminal cannot show is escaped rather than fatal
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        result = group.main(arguments, prog_name="dalembert", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except DalembertError as error:
        return fail(error.told(error.command or error.hint), error.exit_code)
    except click.NoSuchOption as error:
        known = [name for p in error.ctx.command.params for name in p.opts] if error.ctx else []
        meant = ELSEWHERE.get(error.option_name)
        hint = f"did you mean {meant}?" if meant in known else closest(error.option_name, known)
        return fail(f"no such option: {shown(error.option_name)}\n  hint: {hint}", 2)
    except click.UsageError as error:
        usage = error.ctx.get_usage() + "\n" if error.ctx else ""
        return fail(f"{error.format_message()}\n{usage}{_missing(error) or _extra(error)}", 2)
    except click.ClickException as error:
        return fail(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return fail("interrupted", 130)
    except BrokenPipeError:
        # the reader has gone; keep the interpreter from flushing into the closed pipe at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError as error:
        hint = "  hint: ask for less: fewer samples, a shorter time, a smaller machine"
        told = f": {error}" if str(error) else ""
        return fail(f"there is not enough memory{told}\n{hint}", 1)
    except OSError as error:
        return fail(f"{error.filename or 'system'}: {error.strerror or error}", 2)
    except Exception as error:
        if isinstance(error, ValueError) and "null byte" in str(error):
            return fail("an argument holds a NUL character, which no file name can", 2)
        if os.environ.get("DALEMBERT_DEBUG"):
            raise
        bug = "this is a defect of dalembert; DALEMBERT_DEBUG=1 shows where it arose"
        return fail(f"unexpected {type(error).__name__}: {error}\n  {bug}", 1)


# what other commands, or programs, call an option
ELSEWHERE = {
    "--to": "--goal", "--goal": "--to", "--friction": "--drives", "--output": "--out",
    "-o": "--out", "--duration": "--time", "--dt": "--step", "--format": "--form",
    "--param": "--set", "--log": "--motion", "--qdot": "--qd", "--qddot": "--qdd",
}  # fmt: skip


def _extra(error: click.UsageError) -> str:
    """Return a hint where words stand that no argument takes: numbers, or a file of a motion."""
    found = re.search(r"unexpected extra arguments? \((.*)\)", error.format_message())
    if not found or error.ctx is None:
        return ""
    known = [name for p in error.ctx.command.params for name in p.opts]
    words = found[1].split()
    if all(re.fullmatch(r"[-+.\d]+(deg|e-?\d+)?", w) for w in words):
        return "  hint: write numbers with commas and no blanks between them: --q 0,0.5,90deg"
    if "--motion" in known and len(words) == 1:
        return f"  hint: write --motion {shown(words[0])}"
    return '  hint: put what has blanks in quotes: "my robot.urdf"'


def _missing(error: click.UsageError) -> str:
    """Return a hint at what to write where an option or an argument is missing."""
    if not isinstance(error, click.MissingParameter) or error.ctx is None:
        return ""
    if isinstance(error.param, click.Option):
        named = " ".join(filter(None, (error.param.opts[0], error.param.metavar)))
        return f"  hint: {named}: {error.param.help}"
    said = {"quantity": "QUANTITY is such as inverse_dynamics; docs/which.md lists them",
            "model": "MODEL is a file, robot:NAME such as robot:ur5, or a phrase"}  # fmt: skip
    name = str(getattr(error.param, "metavar", "")).partition(".")[0].lower()
    return f"  hint: {said[name]}" if name in said else ""


def fail(message: str, exit_code: int) -> int:
    """Return exit_code after printing the message, its details first and its first line last."""
    headline, *details = message.splitlines() or [""]
    for line in [*details, f"error: {headline}"]:
        click.echo(line, err=True)
    return exit_code
