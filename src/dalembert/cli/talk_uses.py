"""What a conversation needs beside its words: help, history, mass data, other commands."""

from __future__ import annotations

import io
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ..errors import DalembertError, UsageError, shown
from ..expr.show import readable
from . import fail
from .values import parts_of, value_of

if TYPE_CHECKING:
    from ..mechanism import Mechanism

USES = {
    "export": "export inverse_dynamics --to c --out small",
    "simulate": "simulate --time 2",
    "torques": "torques --to 1,0.5 --time 1",
    "cost": "cost",
    "eval": "eval gravity --q 0.1,0.2",
    "check": "check",
    "agree": "agree",
    "view": "view --out robot.html",
}

HELP = """\
phrase TEXT ;          take a phrase (it may go on over lines, up to a line that ends with ;)
show                   the sentence, its elements numbered; load FILE   take another model
replace N ELEMENT      insert N ELEMENT (before it)   delete N or N-M   branch N CHAIN (from it)
mass                   ask the mass data body by body: Enter keeps what is there, 0 massless, full
tables                 show the tables, which `help tables` explains
set NAME=VALUE         give a parameter a value
gravity X,Y,Z          another gravity
derive [report|program|latex|markdown] [Q,A,B,C,constants,structure]
freeze 4=0.3,5,6       hold joints       neglect velocity|coriolis|centrifugal|gravity
terms [COUNT] [new]    rank the terms by their share; numbers are asked once, again with `new`
drop A12:3,7           delete terms      undo   take the last change back
prune 1%               leave out what is negligible, proven; also 80 operations, 1% passive
check | eval | simulate | torques | cost | agree | view | export ...   as on the command line, of
                       the model as it is: eval gravity --q 0.1,0.2
save FILE              write a native file (or a phrase: FILE.txt)
quit"""

EXPLAINED = """\
TABLE MRR  one row for each frame change, in order. The column (x, y, z) of its axis holds the
           number of the joint, of a constant that of the body it belongs to (0 before joint 1);
           the last column is its kind: 0 a joint that turns, 1 a constant translation, 2 a joint
           that slides, 3 a constant rotation
CONSTANT   the lengths of the constant translations along x, y, z, one row each
ANGLE      one row for each joint: in the column of its axis the joints whose angles add up there,
           234 for q2 + q3 + q4 of parallel axes; 0 0 0 for a joint that slides
BODIES     length of each body; LIMITS: those of each joint; MASS DATA: mass and mass centre
REPORTED   V = M b (masses), W (inertias); TOTAL INERTIAS J = I + W, about the joint of the body
           and in its axes, with all that the body carries counted at its end"""


def used(word: str, text: str, m: Mechanism, known: dict[str, Any]) -> str:
    """Return what another command prints for the model of the talk, as it is now."""
    from . import main

    try:
        arguments = shlex.split(text)
    except ValueError:
        raise UsageError("a quote is not closed", hint=USES[word]) from None
    settings = [x for name, value in known.items() for x in ("--set", f"{name}={value!r}")]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{_plain(m.name)}.toml"
        m.save(str(file))
        out, told = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(told):
            code = main([word, str(file), *arguments, *settings])
    lines = told.getvalue().splitlines()
    if code:
        raise _failure(word, lines)
    for line in lines:
        click.echo(line, err=True)
    return out.getvalue()


def _failure(word: str, lines: list[str]) -> UsageError:
    """Return the error of another command in the words of a conversation."""
    errors = [x.removeprefix("error: ") for x in lines if x.startswith("error: ")]
    hints = [x.removeprefix("  hint: ") for x in lines if x.startswith("  hint: ")]
    hint = (hints or [f"such as: {USES[word]}"])[-1].replace("--set ", "set ")
    return UsageError((errors or [f"{word} has failed"])[-1], hint=hint)


def freedom(m: Mechanism) -> str:
    """Return how many degrees of freedom a model has."""
    return f"{m.nv} degree{'s' * (m.nv != 1)} of freedom"


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)[:60] or "model"


def with_history() -> None:
    """Give the terminal keys of editing and the lines of earlier talks, where Python can."""
    import atexit
    from contextlib import suppress
    from pathlib import Path

    with suppress(ImportError, OSError):
        import readline

        file = Path.home() / ".dalembert_history"
        with suppress(OSError):
            readline.read_history_file(file)
        readline.set_history_length(1000)
        atexit.register(_kept, readline, file)


def _kept(readline: Any, file: Any) -> None:
    from contextlib import suppress

    with suppress(OSError):
        readline.write_history_file(file)


def mass_data(answer: str, j: int, number: Callable[[Any], Any]) -> Any:
    """Return the inertia an answer gives, None for Enter; `0` is massless, `full` all ten names."""
    from ..algebra import Mat3, Vec3
    from ..inertia import Inertia

    answer = answer.strip()
    if not answer:
        return None
    if answer == "0":
        return Inertia()
    if answer == "full":
        answer = f"M{j}; DX{j},DY{j},DZ{j}; IX{j},IY{j},IZ{j},IXY{j},IXZ{j},IYZ{j}"
    parts = [part.strip() for part in answer.split(";")]
    fields = [[number(value_of(x, "mass", part, at)) for x, at in parts_of(part)] for part in parts]
    sizes = [len(f) for f in fields]
    if len(fields) not in (1, 2, 3) or sizes[0] != 1 or sizes[1:2] not in ([], [3]):
        raise UsageError(f"cannot read {shown(answer)!r}", hint="M1; 0,D1,0; IX1,0,IZ1")
    if sizes[2:] and sizes[2] not in (3, 6):
        raise UsageError("an inertia has 3 or 6 numbers", hint="M1; 0,D1,0; IX1,0,IZ1")
    centre = Vec3(*fields[1]) if len(fields) > 1 else Vec3.zero()
    six = fields[2] + [0] * (6 - sizes[2]) if len(fields) > 2 else [0] * 6
    return Inertia(fields[0][0], centre, Mat3.symmetric(*six))


def still(left_out: Mapping[str, Any], m: Mechanism) -> tuple[dict[str, Any], list[str]]:
    """Return what the equations of a changed model still leave out, and the words that are gone.

    Terms that were dropped or pruned are those of the model before.
    """
    kept = {key: x for key, x in left_out.items() if key in ("freeze", "neglect")}
    gone = [key for key in left_out if key not in kept]
    held = {j: x for j, x in kept.get("freeze", {}).items() if _moves(m, j)}
    if held != kept.get("freeze", {}):
        gone, kept = ["freeze", *gone], {**kept, "freeze": held}
    return {key: x for key, x in kept.items() if x}, gone


def _moves(m: Mechanism, joint: Any) -> bool:
    number = str(joint)
    return joint in m.joint_names or (number.isdecimal() and 1 <= int(number) <= m.nv)


def worded(what: Any) -> str:
    """Return what is left out in the words that were typed: velocity; j3 = 0.2."""
    if isinstance(what, Mapping):
        return ", ".join(f"{k} {worded(x)}" if isinstance(x, Mapping) else f"{k} = {worded(x)}"
                         for k, x in what.items() if x or x == 0)  # fmt: skip
    if isinstance(what, (list, tuple)):
        return ", ".join(map(worded, what))
    return readable(what) if isinstance(what, (int, float, Fraction)) else shown(str(what))


def number(name: str, answer: str) -> float:
    """Return the number an answer gives for a name."""
    try:
        return float(answer)
    except ValueError:
        told = f"{name} needs a number, not {shown(answer)!r}"
        raise UsageError(told, hint="write 0.4") from None


# -- lines of a terminal or a script, and answers as text or JSON ---------------------------------


class Lines:
    """Where lines come from and answers go to; what was said since the last line of JSON."""

    def __init__(self, source: TextIO, interactive: bool, as_json: bool = False):
        self.source, self.interactive, self.as_json = source, interactive, as_json
        self.said: list[str] = []  # what was typed and answered since the last line of JSON
        self.told: list[str] = []
        self.slips = 0  # exit code of mistakes in answers that were asked again

    def next(self) -> str | None:
        """Return the next line, None at the end; at a terminal, Ctrl-C gives up a line, not all."""
        while True:
            try:
                return self.ask("> ")
            except KeyboardInterrupt:
                if not self.interactive:
                    raise
                click.echo("\nquit ends the conversation", err=self.as_json)

    def say(self, text: str) -> None:
        """Print an answer, or keep it for the line of JSON."""
        if self.as_json:
            self.told.append(text.removesuffix("\n"))
        else:
            click.echo(text, nl=not text.endswith("\n"))

    def close(self, error: str) -> None:
        """End the answer to one line: its line of JSON, and what was wrong on stderr."""
        if self.as_json:
            told = {"said": "\n".join(self.said), "answer": "\n".join(self.told)}
            click.echo(json.dumps({**told, "error": error or None}, ensure_ascii=False))
            self.told.clear()
        if error:
            fail(error, 0)

    def ask(self, prompt: str) -> str | None:
        """Return the next line, or None at the end."""
        line = self._typed(prompt) if self.interactive else self.source.readline()
        if not line:
            return None
        self.said.append(line.rstrip("\n"))
        return self.said[-1]

    def _typed(self, prompt: str) -> str:
        """Return a line typed at a terminal, with its keys of editing and history where it has."""
        if self.as_json or self.source is not sys.stdin:
            click.echo(prompt, nl=False, err=self.as_json)
            return self.source.readline()
        try:
            return input(prompt) + "\n"
        except EOFError:
            return ""

    def asked(self, prompt: str, read: Callable[[str], Any], otherwise: Any) -> Any:
        """Return what an answer says; a mistake is shown and that one thing is asked again."""
        while (answer := self.ask(prompt)) is not None:
            if answer.strip() in ("quit", "exit"):
                raise UsageError("left without an answer", hint="quit ends the conversation too")
            try:
                return read(answer)
            except DalembertError as error:
                self.slips = max(self.slips, error.exit_code)
                if self.as_json:
                    self.told.append(f"error: {error}")
                fail(str(error), 0)
        return otherwise
