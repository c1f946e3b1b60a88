"""What a command gets: the client, the output, the clock, the terminal, and the options that all commands have.

Results go to standard output by `show_list`, `show_one` and `show`; everything else goes to standard error by `note`
(left out with `--quiet`) and `warn`. Without a terminal there is no colour, no question and no cut column.
"""

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone, tzinfo
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from punctual.cli.exits import CommandError, Exit
from punctual.cli.output import Column, Format, Output
from punctual.cli.texts import escaped, local

if TYPE_CHECKING:
    import typer

    from punctual.client import Punctual

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the command has from the process; tests replace it.

    `client` makes a client from a URL, a key and a profile. `ask_hidden` asks for a text that is not shown.
    `browse` opens a page in a browser, and `execute` runs a program in a directory and returns its exit code. `zone`
    None is the zone of this machine, and `width` None the width of its terminal.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]
    client: Callable[[str | None, str | None, str | None], "Punctual"]
    ask_hidden: Callable[[str], str]
    browse: Callable[[str], bool]
    execute: Callable[[Sequence[str], Path], int]
    directory: Path
    zone: tzinfo | None = None
    width: int | None = None


@dataclass
class Session:
    """One run of the command line."""

    around: Surroundings
    format: Format = Format.TABLE
    quiet: bool = False
    url: str | None = None
    profile: str | None = None
    instants: dict[str, str] = field(default_factory=dict)
    """Options of a request that were counted from now, such as `--since 24h`, with the instants that were sent."""
    _opened: "list[Punctual]" = field(default_factory=list)

    @cached_property
    def client(self) -> "Punctual":
        """The client of the deployment. Raises ConfigurationError if the URL or the key is missing."""
        return self.client_with(self.url, None, self.profile)

    def client_with(self, url: str | None, key: str | None, profile: str | None) -> "Punctual":
        """Another client, which is closed at the end of the command."""
        client = self.around.client(url, key, profile)
        self._opened.append(client)
        return client

    def close(self) -> None:
        """Close the connections of the client, if there is one."""
        while self._opened:
            self._opened.pop().close()

    # Results.

    @property
    def out(self) -> Output:
        """Writes results."""
        is_terminal = self.around.stdout.isatty()
        return Output(
            stream=self.around.stdout,
            format=self.format,
            zone=self.around.zone,
            is_terminal=is_terminal,
            has_color=is_terminal and not self.around.environ.get("NO_COLOR"),
            width=self.around.width,
        )

    @property
    def is_for_people(self) -> bool:
        """Whether results are tables; otherwise a command writes one document."""
        return self.format is Format.TABLE

    def show_list(self, items: Iterable[Any], columns: Sequence[Column], *, empty: str) -> None:
        """Show objects of the API; `empty` is the note for a table without entries, such as `no jobs`."""
        entries = tuple(items)
        self.out.list(entries, columns)
        if not entries and self.format is Format.TABLE:
            self.note(empty)

    def show_one(self, item: Any, rows: Sequence[Column]) -> None:
        """Show one object of the API. A table has the rows that have a value."""
        self.out.one(item, rows)

    def show(self, text: str, data: Any) -> None:
        """Show text, and with `-o json` or `-o yaml` the data that it tells about."""
        self.out.text(text, data)

    def first(self, items: Iterable[Item], limit: int | None) -> list[Item]:
        """The first entries, and a note if there are more; None takes all."""
        if limit is None:
            return list(items)
        found = list(islice(items, limit + 1))
        if len(found) > limit:
            self.note(f"only the first {limit} are shown: --limit shows more, and --all shows all")
        return found[:limit]

    # Everything else.

    def note(self, text: str) -> None:
        """Tell something that is no result; nothing with `--quiet`."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Tell something that is no result, also with `--quiet`."""
        self.around.stderr.write(escaped(text, keep="\n") + "\n")
        self.around.stderr.flush()

    @property
    def can_ask(self) -> bool:
        """Whether a person can answer questions: standard input and standard error are a terminal."""
        return self.around.stdin.isatty() and self.around.stderr.isatty()

    def ask(self, question: str) -> str:
        """The line that is typed as the answer; CommandError without a terminal."""
        if not self.can_ask:
            raise CommandError("there is no terminal to ask at", Exit.USAGE)
        self.around.stderr.write(escaped(question, keep="\n"))
        self.around.stderr.flush()
        return self.around.stdin.readline().strip()

    def local(self, instant: datetime) -> str:
        """An instant in the local zone, with its offset."""
        return local(instant, self.around.zone)

    def content(self, source: str) -> bytes:
        """The bytes that an argument names: `-` is standard input, and `@path` or `path` a file."""
        if source == "-":
            return self.around.stdin.buffer.read()
        name = source.removeprefix("@")
        try:
            return Path(name).read_bytes()
        except OSError as error:
            raise CommandError(f"{name}: {error.strerror or error}", Exit.USAGE) from None


def session_of(context: "typer.Context") -> Session:
    """The session of a command."""
    session: Session = context.obj
    return session


def surroundings() -> Surroundings:
    """Those of this process."""
    import os
    from getpass import getpass
    from webbrowser import open as browse

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets its escape; a file and a pipe get JSON and YAML in UTF-8.
        encoding = None if stream.isatty() else "utf-8"
        stream.reconfigure(encoding=encoding, errors="backslashreplace")  # type: ignore[union-attr]
    return Surroundings(
        stdin=sys.stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
        environ=os.environ,
        now=lambda: datetime.now(timezone.utc),
        monotonic=time.monotonic,
        sleep=time.sleep,
        client=_client,
        ask_hidden=getpass,
        browse=browse,
        execute=_execute,
        directory=Path.cwd(),
    )


def _client(url: str | None, key: str | None, profile: str | None) -> "Punctual":
    from punctual.client import Punctual

    return Punctual(url, key, profile=profile)


def _execute(words: Sequence[str], directory: Path) -> int:
    import subprocess

    return subprocess.run(words, cwd=directory, check=False).returncode  # noqa: S603 - the user asked for it
