"""`punctual import`: the schedules of other schedulers as a file for `apply`."""

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from punctual.cli.exits import CommandError, Exit
from punctual.cli.files import apply_imported
from punctual.cli.session import Session, session_of

if TYPE_CHECKING:
    from punctual.importers import SchedulerClient, SourceFile, Span, UrlMap


class Source(str, Enum):
    """The schedulers that are read."""

    EVENTBRIDGE = "eventbridge"
    QSTASH = "qstash"
    CRONTAB = "crontab"
    K8S = "k8s"


class _Reader(Protocol):
    """Reads the files of a source."""

    def read(self, files: list[tuple[str, bytes]]) -> "SourceFile": ...


def import_(
    context: typer.Context,
    source: Annotated[Source, typer.Argument(metavar="SOURCE", help="eventbridge, qstash, crontab or k8s.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE|-]...", help="Files of the source; - is standard input."),
    ] = None,
    map_: Annotated[
        list[str] | None, typer.Option("--map", metavar="TARGET=URL", help="The URL for a target.")
    ] = None,
    map_file: Annotated[
        str | None, typer.Option(metavar="FILE", help='URLs as a JSON object: {"target": "url"}.')
    ] = None,
    set_: Annotated[
        str | None,
        typer.Option("--set", metavar="NAME", help="The set of the file; the source's name by default."),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="The zone of cron's machine, or of the cluster's controller."),
    ] = None,
    system: Annotated[
        bool, typer.Option("--system", help="crontab: lines name a user before the command.")
    ] = False,
    live: Annotated[
        bool, typer.Option("--live", help="eventbridge: read the API of AWS with boto3.")
    ] = False,
    group: Annotated[
        str | None, typer.Option(metavar="NAME", help="eventbridge: with --live, only this schedule group.")
    ] = None,
    no_compare: Annotated[
        bool, typer.Option("--no-compare", help="Compare no instants; needs no API.")
    ] = False,
    with_differences: Annotated[
        bool, typer.Option("--with-differences", help="Write jobs that differ as jobs, too.")
    ] = False,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Create and change the jobs, after a question, and write no file."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --apply: do not ask.")] = False,
) -> None:
    """Write the schedules of another scheduler as a file for `apply`, and report what differs.

    The file goes to standard output, and the report to standard error. Nothing is created without --apply. The exit
    code is 1 if a job differs or cannot be expressed; with --apply, the others are created even so.
    """
    from punctual.importers import Verdict, apply_text, judge, preview_instants, report_text, span_from

    session = session_of(context)
    if yes and not apply:
        raise CommandError("--yes answers the question of --apply: give both, or neither", Exit.USAGE)
    span = span_from(int(session.around.now().timestamp()))
    set_name = _set_name(set_ or source.value)
    urls, zone = _urls(session, map_ or [], map_file), _zone(timezone)
    if live:
        read = _read_live(source, files, urls, span, group)
    else:
        read = _reader(source, urls, span, zone, system).read(_contents(session, files or []))
    judged = judge(read, None if no_compare else preview_instants(session.client), span)
    for line in report_text(judged, read.remarks).splitlines():
        session.note(line)
    named = ", ".join(map(_shown, files or [])) or "the API of EventBridge Scheduler"
    text = apply_text(judged, set_name, source=named, with_differences=with_differences)
    if apply:
        apply_imported(session, text, yes=yes)
    else:
        session.around.stdout.write(text)
    if any(each.verdict not in (Verdict.SAME, Verdict.NOT_COMPARED) for each in judged):
        raise typer.Exit(Exit.FAILED)


def _set_name(name: str) -> str:
    from punctual.applyfile.model import SET

    if not SET.fullmatch(name):
        raise CommandError(
            "--set needs 1 to 64 letters, digits and . _ : -, with a letter or digit first", Exit.USAGE
        )
    return name


def _urls(session: Session, pairs: list[str], map_file: str | None) -> "UrlMap":
    from punctual.importers import url_map

    return url_map(pairs, None if map_file is None else session.content(map_file))


def _zone(name: str | None) -> str | None:
    from punctual.importers.models.clock import check_zone

    return None if name is None else check_zone(name)


def _reader(source: Source, urls: "UrlMap", span: "Span", zone: str | None, is_system: bool) -> _Reader:
    from punctual.importers import CrontabReader, EventBridgeReader, KubernetesReader, QStashReader

    match source:
        case Source.EVENTBRIDGE:
            return EventBridgeReader(urls, span)
        case Source.QSTASH:
            return QStashReader(urls, span)
        case Source.CRONTAB:
            return CrontabReader(urls, span, zone, is_system)
        case Source.K8S:
            return KubernetesReader(urls, span, zone)


def _contents(session: Session, names: list[str]) -> list[tuple[str, bytes]]:
    if not names:
        raise CommandError("no files; - is standard input", Exit.USAGE)
    return [(_shown(name), session.content(name)) for name in names]


def _shown(name: str) -> str:
    return "standard input" if name == "-" else name.removeprefix("@")


def _read_live(
    source: Source, files: list[str] | None, urls: "UrlMap", span: "Span", group: str | None
) -> "SourceFile":
    from punctual.importers import EventBridgeReader, read_live

    if source is not Source.EVENTBRIDGE or files:
        raise CommandError("--live reads the API of EventBridge Scheduler, and takes no files", Exit.USAGE)
    reader = EventBridgeReader(urls, span)
    try:
        return reader.translate(("the API", each) for each in read_live(_scheduler(), group))
    except _aws_errors() as error:
        hint = "boto3 takes region and credentials from AWS_REGION and AWS_PROFILE"
        raise CommandError(f"EventBridge Scheduler: {error}", Exit.USAGE, hint=hint) from None


def _scheduler() -> "SchedulerClient":
    with suppress(ImportError):
        import boto3

        client: SchedulerClient = boto3.client("scheduler")
        return client
    raise CommandError("--live needs boto3: pip install boto3", Exit.USAGE)


def _aws_errors() -> tuple[type[Exception], ...]:
    with suppress(ImportError):
        from botocore.exceptions import BotoCoreError, ClientError

        return BotoCoreError, ClientError
    return ()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)
