"""dalembert talk: the conversation of the 1980 report, at a terminal or from a script.

Liégeois and Aldon, INRIA RR 32 (1980), sections 4.1 and 5: a phrase is taken and mended, tables are
shown, mass data are asked body by body, then equations are derived, simplified and saved.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

import click

from ..errors import DalembertError, UsageError, closest, shown
from . import fail
from .model import read_model, with_changes
from .values import freeze, parts_of, setting, value_of, vector

if TYPE_CHECKING:
    from ..equations import Equations
    from ..mechanism import Mechanism

HELP = """\
phrase TEXT ;          take a phrase (it may go on over lines, up to a line that ends with ;)
mass                   ask the mass data body by body: Enter keeps what is there, 0 massless, full
tables                 show the tables
set NAME=VALUE         give a parameter a value
gravity X,Y,Z          another gravity
derive [report] [Q,A,B,C,constants,structure]
freeze 4=0.3,5,6       hold joints       neglect velocity|coriolis|centrifugal|gravity
terms [COUNT] [new]    rank the terms by their share; numbers are asked once, anew with `new`
drop A12:3,7           delete terms      undo   take the last change back
save FILE              write a native file (or a phrase: FILE.txt)
quit"""


@click.command()
@click.argument("model", metavar="[MODEL]", required=False)
@with_changes
@click.option(
    "--json", "as_json", is_flag=True, help="Answer each line by a line of JSON: said, answer."
)
def command(model: str | None, as_json: bool, changes: dict[str, Any]) -> int:
    """Work on a model in a conversation: describe, mend, derive, simplify, save.

    A mistake is shown and the conversation goes on; a script with a mistake ends with exit code 2.

    \b
    Example:
      dalembert talk < session.txt
    """
    interactive = sys.stdin.isatty()
    worst = Conversation(sys.stdin, interactive, as_json).run(model, changes)
    return 0 if interactive else worst


class Conversation:
    """One session: what was read, the equations made of it, and the way back."""

    def __init__(self, source: TextIO, interactive: bool, as_json: bool = False):
        self.source, self.interactive, self.as_json = source, interactive, as_json
        self.said: list[str] = []  # what was typed and answered since the last line of JSON
        self.told: list[str] = []
        self.mechanism: Mechanism | None = None
        self.steps: list[tuple[Mechanism | None, Equations | None]] = []
        self.made: Equations | None = None
        self.numbers: dict[str, float] = {}  # that were asked for
        self.slips = 0  # exit code of mistakes in answers that were asked again
        self.commands: dict[str, Callable[[str], None]] = {
            "phrase": self.phrase,
            "tables": self.tables,
            "mass": self.mass,
            "set": self.set,
            "gravity": self.gravity,
            "derive": self.derive,
            "freeze": self.freeze,
            "neglect": self.neglect,
            "terms": self.terms,
            "drop": self.drop,
            "undo": self.undo,
            "save": self.save,
            "help": lambda _: self.say(HELP),
        }

    def run(self, model: str | None, changes: dict[str, Any]) -> int:
        """Answer line after line until `quit` or the end; return the worst exit code."""
        worst = 0
        if model:
            self.keep(read_model(model, **changes))
            self.tables("")
            self.close("")
        elif self.interactive and not self.as_json:
            click.echo("Type a phrase such as RZ(A1,B1),TXK(L1);  or help.")
        while (line := self.ask("> ")) is not None:
            if line.strip() in ("quit", "exit", "q"):
                break
            if line.strip():
                worst = max(worst, self.answer(line.strip()))
            self.said.clear()
        return worst

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

    def answer(self, line: str) -> int:
        """Do what one line says; a mistake is shown and the conversation goes on."""
        self.slips = 0
        try:
            self.obey(line)
        except DalembertError as error:
            self.close(error.told(error.command or error.hint))
            return error.exit_code
        except OSError as error:
            self.close(f"{error.filename or 'system'}: {error.strerror}")
            return 2
        self.close("")
        return self.slips

    def obey(self, line: str) -> None:
        """Do what one line says."""
        word, _, rest = line.partition(" ")
        if word in self.commands:
            self.commands[word](rest.strip())
        elif "(" in line:
            self.phrase(line)
        else:
            hint = closest(word, [*self.commands, "quit"])
            raise UsageError(f"unknown word {shown(word)!r}", hint=hint)

    def ask(self, prompt: str) -> str | None:
        """Return the next line, or None at the end."""
        if self.interactive:
            click.echo(prompt, nl=False, err=self.as_json)
        line = self.source.readline()
        if not line:
            return None
        self.said.append(line.rstrip("\n"))
        return self.said[-1]

    def asked(self, prompt: str, read: Callable[[str], Any], otherwise: Any) -> Any:
        """Return what an answer says; a mistake is shown and that one thing is asked again."""
        while (answer := self.ask(prompt)) is not None:
            try:
                return read(answer)
            except DalembertError as error:
                self.slips = max(self.slips, error.exit_code)
                if self.as_json:
                    self.told.append(f"error: {error}")
                fail(str(error), 0)
        return otherwise

    # -- the model ---------------------------------------------------------------------------------

    def keep(self, m: Mechanism | None, eq: Equations | None = None) -> None:
        """Make this the state of the conversation; the one before can be had back."""
        self.steps.append((self.mechanism, self.made))
        self.mechanism, self.made = m, eq

    @property
    def model(self) -> Mechanism:
        """The mechanism that the talk is about."""
        if self.mechanism is None:
            raise UsageError("there is no model yet", hint="type a phrase: RZ(A1,B1),TXK(L1);")
        return self.mechanism

    @property
    def equations(self) -> Equations:
        """Its closed forms, made when first asked for."""
        if self.made is None:
            from ..equations import equations

            self.made = equations(self.model)
        return self.made

    def phrase(self, text: str) -> None:
        """Take a phrase, to its semicolon; a mistake is shown with a caret and may be mended."""
        from ..read.phrase import read_phrase

        while not text.rstrip().endswith(";"):
            more = self.ask("... ")
            if more is None:
                break
            text += "\n" + more
        self.keep(read_phrase(text))
        m = self.model
        self.say(f"{len(m.changes)} frame changes, {m.nv} degrees of freedom")

    def tables(self, _: str) -> None:
        """Show the tables."""
        from ..tables import tables_text

        self.say(tables_text(self.model))

    def mass(self, _: str) -> None:
        """Ask the mass data of each body; Enter keeps what is there."""
        from dataclasses import replace
        from functools import partial

        from ..expr import Graph
        from ..mechanism import Parameter
        from ..mechanism.edit import number
        from ..mechanism.validate import numbers

        graph = Graph()
        exact_number = partial(number, graph=graph)
        m = self.model.map(lambda x: graph.adopt(x) if hasattr(x, "graph") else x)
        bodies = []
        for j, body in enumerate(m.bodies, 1):
            prompt = f"body {j} (M; D x,y,z; I xx,yy,zz[,xy,xz,yz]): "
            given = self.asked(prompt, partial(mass_data, j=j, number=exact_number), None)
            bodies.append(body if given is None else replace(body, inertia=given))
        new = replace(m, bodies=tuple(bodies), checked=True)
        known = {p.name: p for p in m.parameters}
        used = {n: None for x in numbers(new) if hasattr(x, "names") for n in x.names()}
        parameters = [known.get(n, Parameter(n)) for n in used]
        parameters += [p for n, p in known.items() if n not in used and p.value is not None]
        self.keep(replace(new, parameters=tuple(parameters), checked=False))

    def set(self, text: str) -> None:
        """Give a parameter a value."""
        name, value = setting(text, "set")
        self.keep(self.model.with_values(**{name: value}))

    def gravity(self, text: str) -> None:
        """Take another gravity."""
        self.keep(self.model.with_gravity(vector(text, "gravity")))

    # -- the equations -----------------------------------------------------------------------------

    def derive(self, text: str) -> None:
        """Print the equations."""
        words = text.split()
        form = "report" if "report" in words else "condensed"
        sections = [w for word in words if word not in ("report", "condensed")
                    for w in word.split(",")]  # fmt: skip
        self.say(self.equations.text(form, sections or None))

    def freeze(self, text: str) -> None:
        """Hold joints."""
        eq = self.equations.freeze(freeze(text, "freeze"))
        self.keep(eq.mechanism, eq)
        self.say(f"{eq.n} degrees of freedom are left")

    def neglect(self, text: str) -> None:
        """Leave out a kind of forces."""
        eq = self.equations.neglect(*text.replace(",", " ").split())
        self.keep(self.mechanism, eq)

    def drop(self, text: str) -> None:
        """Delete terms."""
        eq = self.equations.drop(text)
        self.keep(self.mechanism, eq)
        self.say(eq.remarks[-1])

    def terms(self, text: str) -> None:
        """Rank the terms; values and limits that are missing are asked once."""
        from ..equations.box import needed

        words = text.split()
        if "new" in words:
            self.numbers.clear()
        count = next((int(w) for w in words if w.isdecimal() and len(w) < 10), 20)
        names = [name for name in self.model.open_parameters if needed(self.equations, name)]
        values = {name: self.value(name) for name in names}
        rates = {name: self.value(f"largest {name}") for name in ("qd", "qdd")}
        for share in self.equations.terms(values, {"all": rates})[:count]:
            self.say(str(share))

    def value(self, name: str) -> float:
        """Return a number that is asked for, or was."""

        def read(answer: str) -> float:
            try:
                return float(answer)
            except ValueError:
                raise UsageError(
                    f"{name} needs a number, not {shown(answer)!r}", hint="write 0.4"
                ) from None

        if name not in self.numbers:
            found = self.asked(f"{name} = ", read, None)
            if found is None:
                raise UsageError(f"{name} needs a number, and the input ends", hint="write 0.4")
            self.numbers[name] = found
        return self.numbers[name]

    def undo(self, _: str) -> None:
        """Take the last change back."""
        if not self.steps:
            raise UsageError("there is nothing to take back", hint="change something first")
        self.mechanism, self.made = self.steps.pop()

    def save(self, text: str) -> None:
        """Write the model to a file."""
        if not text:
            raise UsageError("a file name is needed", hint="save arm.toml")
        if text.endswith(".txt"):
            from ..read import write

            with open(text, "w", encoding="utf-8") as file:
                file.write(write(self.model, "phrase")[0])
            if self.left_out():
                self.say("a phrase holds the whole model, what is neglected or dropped too")
        else:
            from dataclasses import replace

            told = self.left_out()
            replace(self.model, simplified=told or None, checked=True).save(text)
            if told:
                self.say("the file keeps what is left out: " + ", ".join(map(str, told)))
        self.say(f"saved {shown(text)}")

    def left_out(self) -> dict[str, Any]:
        """Return what the equations of the talk leave out, as a native file says it."""
        from ..equations.drop import dropped
        from ..mechanism.simplified import Simplified

        if self.made is None:
            return self.model.simplified or {}
        told = {"neglect": list(self.made.neglected), "drop": dropped(self.made) or []}
        return Simplified({key: x for key, x in told.items() if x})


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
