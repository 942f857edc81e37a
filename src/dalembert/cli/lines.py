"""The lines of a conversation, of a terminal or a script, and its answers, as text or JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, TextIO

import click

from ..errors import DalembertError, UsageError
from . import fail


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
