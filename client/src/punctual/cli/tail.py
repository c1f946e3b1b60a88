"""`punctual tail`: a line for each execution that ends."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any

import typer

from punctual.cli.exits import CommandError, Exit, code_of, lines_of
from punctual.cli.jobs_of import find_job_id
from punctual.cli.list_options import AnyJob, Since, fixed
from punctual.cli.output import Format, plain
from punctual.cli.run_texts import line_of
from punctual.cli.session import Session, session_of
from punctual.cli.texts import escaped, escaped_json

if TYPE_CHECKING:
    from punctual.cli.following import Failed, ReadPage, ReadRun, Run, Step

PAGE = 100
REMEMBERED_JOBS = 10_000
"""The tags of so many jobs are remembered; they are read once for each job."""
_TEMPORARY = frozenset({Exit.UNAVAILABLE, Exit.QUOTA})


@dataclass
class _Filter:
    """Which executions are shown."""

    session: Session
    job_id: str | None
    tag: str | None
    failed: bool
    _has_tag: dict[str, bool] = field(default_factory=dict)

    def keeps(self, run: "Run") -> bool:
        if self.job_id not in (None, run.job_id) or (self.failed and run.state != "failed"):
            return False
        return self.tag is None or self._is_tagged(run.job_id)

    def _is_tagged(self, job_id: str) -> bool:
        if job_id not in self._has_tag:
            from punctual.problems import NotFoundError

            try:
                tags = self.session.client.jobs.get(job_id).tags
            except NotFoundError:  # A notification about a limit of the tenant belongs to no job.
                tags = ()
            if len(self._has_tag) >= REMEMBERED_JOBS:
                self._has_tag.clear()
            self._has_tag[job_id] = self.tag in tags
        return self._has_tag[job_id]


@dataclass
class _Tail:
    """Does the steps of a following."""

    session: Session
    filter: _Filter
    has_trouble: bool = False

    def do(self, step: "Step") -> Any:
        from punctual.cli.following import Wait

        if isinstance(step, Wait):
            self.session.around.sleep(step.seconds)
            return None
        try:
            answer = self._read_or_show(step)
        except Exception as error:
            if not _is_temporary(error):
                raise
            return self._failed(error)
        self.has_trouble = False
        return answer

    def _read_or_show(self, step: Any) -> Any:
        from punctual.cli.following import ReadPage, ReadRun

        if isinstance(step, ReadPage):
            return self._page(step)
        if isinstance(step, ReadRun):
            return self._run(step)
        # The tags are read before anything is written: what cannot be read is shown later, and then as a whole.
        for run in [run for run in step.runs if self.filter.keeps(run)]:
            self._show(run)
        return None

    def _page(self, step: "ReadPage") -> Any:
        return self.session.client.executions.list(
            since=step.since, until=step.until, cursor=step.cursor, limit=PAGE
        )

    def _run(self, step: "ReadRun") -> Any:
        from punctual.problems import NotFoundError

        try:
            return self.session.client.executions.get(step.id)
        except NotFoundError:
            return None

    def _show(self, run: "Run") -> None:
        stream = self.session.around.stdout
        if self.session.format is Format.JSON:
            stream.write(escaped_json(json.dumps(plain(run), ensure_ascii=False)) + "\n")
        else:
            stream.write(escaped(line_of(run, self.session.around.zone)) + "\n")
        stream.flush()

    def _failed(self, error: Exception) -> "Failed":
        from punctual.cli.following import Failed

        if not self.has_trouble:
            for line in lines_of(error):
                self.session.note(line)
            self.session.note("punctual: nothing is lost: it goes on when the API answers again")
        self.has_trouble = True
        return Failed(getattr(error, "retry_after", None))


def _is_temporary(error: Exception) -> bool:
    """Whether another round may succeed. A cursor may be that of an earlier release."""
    return code_of(error) in _TEMPORARY or getattr(error, "type", None) == "invalid-cursor"


def tail(
    context: typer.Context,
    job: AnyJob = None,
    tag: Annotated[str | None, typer.Option(help="Only executions of jobs with this tag.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only executions that fail.")] = False,
    attempts: Annotated[
        bool, typer.Option("--attempts", help="Show failed attempts that are tried again, too.")
    ] = False,
    since: Since = None,
) -> None:
    """Show each execution once when it has ended, until Ctrl-C.

    It begins with what is due from now on, or from --since on. With --json each line is one JSON document.
    """
    session = session_of(context)
    if session.format not in (Format.TABLE, Format.JSON):
        raise CommandError("tail writes lines of text, or of JSON with -o json", Exit.USAGE)
    if failed and attempts:
        raise CommandError("--failed and --attempts exclude each other: give one of them", Exit.USAGE)
    try:
        chosen = _Filter(session, None if job is None else find_job_id(session, job), tag, failed)
        _follow(_Tail(session, chosen), _start(session, since), session.around.now, attempts)
    except KeyboardInterrupt:
        return


def _follow(shown: _Tail, start: datetime, now: Callable[[], datetime], with_attempts: bool) -> None:
    from punctual.cli.following import Following

    steps = Following(start, now, with_attempts=with_attempts).steps()
    answer: Any = None
    while True:
        answer = shown.do(steps.send(answer))


def _start(session: Session, since: str | None) -> datetime:
    text = fixed(session, since)
    if text is None:
        return session.around.now().astimezone(timezone.utc)
    found: datetime | None
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CommandError(
            f"--since {since!r} is no instant: give one such as 2030-03-01T08:00:00Z, or 24h for how long ago",
            Exit.USAGE,
        )
    return found


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tail")(tail)
