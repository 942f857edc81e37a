"""dalembert talk: the conversation of the 1980 report, at a terminal or from a script.

Liégeois and Aldon, INRIA RR 32 (1980), sections 4.1 and 5: a phrase is taken and mended, tables are
shown, mass data are asked body by body, then equations are derived, simplified and saved.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from ..errors import DalembertError, UsageError, closest, shown
from ..files import write_file
from ..mechanism.simplified import Simplified
from .model import ModelCommand, read_model, with_changes
from .sentence import EDITS, mended, numbered
from .talk_uses import (
    EXPLAINED,
    HELP,
    USES,
    Lines,
    freedom,
    mass_data,
    number,
    still,
    used,
    with_history,
    worded,
)
from .values import flag, freeze, setting, vector

if TYPE_CHECKING:
    from ..equations import Equations
    from ..mechanism import Mechanism


# words of a conversation that are methods of their own
WORDS = [
    "phrase", "tables", "mass", "set", "gravity", "derive", "freeze", "neglect", "terms", "drop",
    "undo", "save", "load", "show", "prune",
]  # fmt: skip


@click.command(cls=ModelCommand)
@click.argument("model", metavar="[MODEL]", required=False)
@with_changes
@flag("--json as_json", "Answer each line by a line of JSON: said, answer.")
def command(model: str | None, as_json: bool, changes: dict[str, Any]) -> int:
    """Work on a model in a conversation: describe, mend, derive, simplify, save.

    A mistake is shown and the conversation goes on; a script with a mistake ends with exit code 2.

    \b
    Example:
      dalembert talk < session.txt
    """
    interactive = sys.stdin.isatty()
    if interactive:
        with_history()
    worst = Conversation(sys.stdin, interactive, as_json).run(model, changes)
    return 0 if interactive else worst


class Conversation:
    """One session: what was read, the equations made of it, and the way back."""

    def __init__(self, source: TextIO, interactive: bool, as_json: bool = False):
        self.lines = Lines(source, interactive, as_json)
        self.mechanism: Mechanism | None = None
        self.steps: list[tuple[Any, ...]] = []  # mechanism, what is left out, sentence, equations
        self.left_out = Simplified()  # of the equations, as a native file says it
        self.made: Equations | None = None
        self.numbers: dict[str, float] = {}  # that were asked for
        self.sentence: str | None = None  # as it was typed, while nothing else has changed
        own = {word: getattr(self, word) for word in WORDS}
        self.commands: dict[str, Callable[[str], None]] = {
            **own,
            "help": lambda text: self.lines.say(EXPLAINED if text.startswith("tab") else HELP),
            **{word: partial(self.mend, word) for word in EDITS},
            **{word: partial(self.use, word) for word in USES},
        }

    def run(self, model: str | None, changes: dict[str, Any]) -> int:
        """Answer line after line until `quit` or the end; return the worst exit code."""
        worst = 0
        if model:
            self.take(read_model(model, **changes))
            self.tables("")
            self.lines.close("")
        elif self.lines.interactive and not self.lines.as_json:
            click.echo("Type a phrase such as RZ(A1,B1),TXK(L1);  or help.")
        while (line := self.lines.next()) is not None:
            if line.strip() in ("quit", "exit", "q"):
                break
            if line.strip():
                worst = max(worst, self.answer(line.strip()))
            self.lines.said.clear()
        return worst

    def answer(self, line: str) -> int:
        """Do what one line says; a mistake is shown and the conversation goes on."""
        self.lines.slips = 0
        try:
            self.obey(line)
        except DalembertError as error:
            self.lines.close(error.told(error.command or error.hint))
            return error.exit_code
        except OSError as error:
            self.lines.close(f"{error.filename or 'system'}: {error.strerror}")
            return 2
        except KeyboardInterrupt:
            if not self.lines.interactive:
                raise
            click.echo(err=True)
            self.lines.close("interrupted: nothing has changed")
            return 0
        self.lines.close("")
        return self.lines.slips

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

    # -- the model ---------------------------------------------------------------------------------

    def keep(self, m: Mechanism | None, left_out: Any = None, eq: Equations | None = None) -> None:
        """Make this the state of the conversation; `undo` goes back to the one before."""
        self.steps.append((self.mechanism, self.left_out, self.sentence, self.made))
        self.sentence = self.sentence if m is self.mechanism else None
        self.mechanism, self.left_out, self.made = m, Simplified(left_out or {}), eq

    def take(self, m: Mechanism) -> None:
        """Begin with a model; what its file leaves out stays so."""
        self.keep(m.full, m.simplified)

    def change(self, m: Mechanism) -> None:
        """Take the model with a change; what the equations leave out stays where it can."""
        kept, gone = still(self.left_out, m)
        self.keep(m, kept)
        if gone:
            self.lines.say(
                f"the model is another one: {' and '.join(gone)} taken back, say it again"
            )

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
            from ..equations.derive import tree_equations

            self.made = tree_equations(self.whole())
        return self.made

    def whole(self) -> Mechanism:
        """Return the model with what is left out of its equations, as a file holds both."""
        from dataclasses import replace

        return replace(self.model, simplified=self.left_out or None, checked=True)

    def phrase(self, text: str, take: Callable[[Mechanism], None] | None = None) -> None:
        """Take a phrase, to its semicolon; a mistake is shown with a caret and may be mended."""
        from ..read.phrase import read_phrase

        while not text.rstrip().endswith(";"):
            more = self.lines.ask("... ")
            if more is None:
                break
            text += "\n" + more
        (take or self.take)(read_phrase(text))
        self.sentence = text
        m = self.model
        changes = f"{len(m.changes)} frame change{'s' * (len(m.changes) != 1)}"
        self.lines.say(f"{changes}, {freedom(m)}")

    def show(self, _: str) -> None:
        """Show the sentence with its elements numbered, and what the equations leave out."""
        self.lines.say(numbered(self.phrased()))
        for key, what in self.left_out.items():
            self.lines.say(f"{key}: {worded(what)}")

    def phrased(self) -> str:
        """Return the model as a phrase: as it was typed, or as it is now."""
        from ..read import write

        if self.sentence is None:
            self.sentence = write(self.model, "phrase")[0]
        return self.sentence

    def mend(self, word: str, text: str) -> None:
        """Change an element of the sentence; what else was said stays."""
        self.phrase(mended(self.phrased(), word, text), self.change)
        self.show("")

    def load(self, text: str) -> None:
        """Take the model of a file, a phrase or robot:NAME."""
        if not text:
            raise UsageError("a file name is needed", hint="load arm.toml or load robot:puma560")
        self.take(read_model(text))
        self.lines.say(freedom(self.model))

    def use(self, word: str, text: str) -> None:
        """Do what another command does, with the model as it is."""
        known = {n: self.numbers[n] for n in self.model.open_parameters if n in self.numbers}
        self.lines.say(used(word, text, self.whole(), known))

    def tables(self, _: str) -> None:
        """Show the tables."""
        from ..tables import tables_text

        self.lines.say(tables_text(self.model))

    def mass(self, _: str) -> None:
        """Ask the mass data of each body; Enter keeps what is there."""
        from dataclasses import replace

        from ..expr import Graph
        from ..mechanism import Parameter
        from ..mechanism.edit import number as exact
        from ..mechanism.validate import numbers

        graph = Graph()
        exact_number = partial(exact, graph=graph)
        m = self.model.map(lambda x: graph.adopt(x) if hasattr(x, "graph") else x)
        bodies = []
        for j, body in enumerate(m.bodies, 1):
            prompt = f"body {j} (M; D x,y,z; I xx,yy,zz[,xy,xz,yz]): "
            given = self.lines.asked(prompt, partial(mass_data, j=j, number=exact_number), None)
            bodies.append(body if given is None else replace(body, inertia=given))
        new = replace(m, bodies=tuple(bodies), checked=True)
        known = {p.name: p for p in m.parameters}
        used = {n: None for x in numbers(new) if hasattr(x, "names") for n in x.names()}
        parameters = [known.get(n, Parameter(n)) for n in used]
        parameters += [p for n, p in known.items() if n not in used and p.value is not None]
        self.change(replace(new, parameters=tuple(parameters), checked=False))

    def set(self, text: str) -> None:
        """Give a parameter a value."""
        name, value = setting(text, "set")
        self.change(self.model.with_values(**{name: value}))

    def gravity(self, text: str) -> None:
        """Take another gravity, also as a phrase has it: = (0, G, 0);"""
        three = text.removeprefix("=").removesuffix(";").strip()
        bracketed = three.startswith("(") and three.endswith(")") and three.count("(") == 1
        three = three[1:-1] if bracketed else three
        self.change(self.model.with_gravity(vector(three, "gravity")))

    # -- the equations -----------------------------------------------------------------------------

    def derive(self, text: str) -> None:
        """Print the equations."""
        words, forms = text.split(), ("report", "condensed", "program", "latex", "markdown")
        form = next((w for w in words if w in forms), "condensed")
        sections = [w for word in words if word not in forms for w in word.split(",")] or None
        if form in ("latex", "markdown"):
            return self.lines.say(getattr(self.equations, form)(sections))
        self.lines.say(self.equations.text(form, sections))

    def freeze(self, text: str) -> None:
        """Hold joints."""
        eq = self.equations.freeze(freeze(text, "freeze"))
        kept = {key: x for key, x in self.left_out.items() if key != "freeze"}
        self.keep(eq.mechanism, kept, eq)
        left = "1 degree of freedom is" if eq.n == 1 else f"{eq.n} degrees of freedom are"
        self.lines.say(f"{left} left")

    def neglect(self, text: str) -> None:
        """Leave out a kind of forces."""
        words = text.replace(",", " ").split()
        eq = self.equations.neglect(*words)
        new = [x for x in words if x not in self.left_out.get("neglect", ())]
        self.keep(self.mechanism, self.left_out.with_more({"neglect": new}),
                  None if "prune" in self.left_out else eq)  # fmt: skip

    def drop(self, text: str) -> None:
        """Delete terms."""
        from ..equations.drop import dropped

        if "prune" in self.left_out:
            raise UsageError("terms are pruned already", hint="undo, drop first, then prune")
        eq = self.equations.drop(text)
        self.keep(self.mechanism, {**self.left_out, "drop": dropped(eq)}, eq)
        self.lines.say(eq.remarks[-1])

    def terms(self, text: str) -> None:
        """Rank the terms; values and limits that are missing are asked once."""
        words = text.split()
        if "new" in words:
            self.numbers.clear()
        count = next((int(w) for w in words if w.isdecimal() and len(w) < 10), 20)
        for share in self.equations.terms(*self.box())[:count]:
            self.lines.say(str(share))

    def box(self) -> tuple[dict[str, float], dict[str, Any]]:
        """Return values and limits; what is missing is asked once."""
        from ..equations.box import needed

        names = [name for name in self.model.open_parameters if needed(self.equations, name)]
        values = {name: self.value(name) for name in names}
        return values, {"all": {name: self.value(f"largest {name}") for name in ("qd", "qdd")}}

    def prune(self, text: str) -> None:
        """Leave out what is negligible, with a proof."""
        from ..equations.tolerance import tolerances, worded

        if not text:
            raise UsageError("a tolerance is needed", hint="prune 1%, prune 80 operations")
        tolerances(self.equations, worded(text)[0] or 0.0)
        if "prune" in self.left_out:
            raise UsageError("terms are pruned already", hint="undo, then prune again")
        values, limits = self.box()
        found = self.equations.prune(values, limits, text)
        how = {"tolerance": text, "values": values, "limits": limits}
        self.keep(self.mechanism, {**self.left_out, "prune": how}, found.equations)
        self.lines.say(str(found))

    def value(self, name: str) -> float:
        """Return a number that is asked for, or was."""
        if name not in self.numbers:
            found = self.lines.asked(f"{name} = ", partial(number, name), None)
            if found is None:
                raise UsageError(f"{name} needs a number, and the input ends", hint="write 0.4")
            self.numbers[name] = found
        return self.numbers[name]

    def undo(self, _: str) -> None:
        """Take the last change back."""
        if not self.steps:
            raise UsageError("there is nothing to take back", hint="change something first")
        self.mechanism, self.left_out, self.sentence, self.made = self.steps.pop()

    def save(self, text: str) -> None:
        """Write the model to a file."""
        if not text:
            raise UsageError("a file name is needed", hint="save arm.toml")
        if text.endswith(".txt"):
            from ..read import write

            write_file(text, write(self.model, "phrase")[0])
            note = "a phrase holds the whole model, what is neglected or dropped too"
        else:
            self.whole().save(text)
            note = "the file keeps what is left out: " + ", ".join(self.left_out)
        if self.left_out:
            self.lines.say(note)
        self.lines.say(f"saved {shown(text)}")
