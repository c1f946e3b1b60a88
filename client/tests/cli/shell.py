"""Runs command lines in-process against the API in memory."""

import io
import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

from client.tests.sdk.deployment import Deployment
from punctual import Punctual
from punctual.cli.main import run
from punctual.cli.session import Surroundings

BERLIN = timezone(timedelta(hours=1))


class Stream(io.TextIOWrapper):
    """A stream in memory, which may claim to be a terminal."""

    def __init__(self, text: str | bytes = "", *, is_terminal: bool = False) -> None:
        super().__init__(
            io.BytesIO(text.encode() if isinstance(text, str) else text), encoding="utf-8", newline=""
        )
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def text(self) -> str:
        self.flush()
        written: io.BytesIO = self.buffer  # type: ignore[assignment]
        return written.getvalue().decode()


@dataclass(frozen=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The result, which must be one document."""
        return json.loads(self.out)


@dataclass
class Shell:
    """A terminal or a pipe, on a machine one hour east of UTC, beside a deployment."""

    deployment: Deployment = field(default_factory=Deployment)
    environ: dict[str, str] = field(default_factory=dict)
    key: str | None = None
    """The API key; that of the tenant by default."""
    is_terminal: bool = False
    width: int | None = None
    zone: tzinfo = BERLIN
    hidden: Callable[[str], str] = lambda _: ""
    """Answers questions whose answer is not shown."""
    directory: Path = Path("/nowhere")
    opened: list[tuple[str | None, str | None, str | None]] = field(default_factory=list)
    """The URL, the key and the profile of each client that was made."""
    browsed: list[str] = field(default_factory=list)
    """The pages that were opened."""
    executed: list[tuple[tuple[str, ...], Path]] = field(default_factory=list)
    """The programs that were run, and where."""
    program_code: int = 0
    """The exit code of each of them."""

    def run(self, *arguments: str, stdin: str | bytes = "") -> Ran:
        """Run `punctual` with these arguments."""
        out, err = (Stream(is_terminal=self.is_terminal) for _ in range(2))
        around = Surroundings(
            stdin=Stream(stdin, is_terminal=self.is_terminal),
            stdout=out,
            stderr=err,
            environ=self.environ,
            now=self.deployment.runtime.now,
            monotonic=self.deployment.runtime.monotonic,
            sleep=self.deployment.sleep,
            client=self._client,
            ask_hidden=self.hidden,
            browse=self._browse,
            execute=self._execute,
            directory=self.directory,
            zone=self.zone,
            width=self.width,
        )
        # Typer writes help and errors of usage to the streams of the process.
        with redirect_stdout(out), redirect_stderr(err):
            code = run(arguments, around)
        return Ran(code, out.text, err.text)

    def ok(self, *arguments: str, stdin: str | bytes = "") -> Ran:
        """Run a command line that succeeds."""
        ran = self.run(*arguments, stdin=stdin)
        assert ran.code == 0, ran
        return ran

    def json(self, *arguments: str, stdin: str | bytes = "") -> Any:
        """The result of a command line that succeeds, as JSON."""
        return self.ok("-o", "json", *arguments, stdin=stdin).json

    def _client(self, url: str | None, key: str | None, profile: str | None) -> Punctual:
        self.opened.append((url, key, profile))
        return self.deployment.client(key or self.key)

    def _browse(self, page: str) -> bool:
        self.browsed.append(page)
        return True

    def _execute(self, words: Sequence[str], directory: Path) -> int:
        self.executed.append((tuple(words), directory))
        return self.program_code
