"""The command `python -m punctual.importers`."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TextIO

from punctual.applyfile.model import SET
from punctual.client import Punctual
from punctual.errors import ConfigurationError, RequestError
from punctual.importers.crontab import CrontabReader
from punctual.importers.eventbridge import EventBridgeReader, SchedulerClient, read_live
from punctual.importers.job import SourceFile, UnreadableSourceError, Verdict
from punctual.importers.kubernetes import KubernetesReader
from punctual.importers.models.clock import UnknownZoneError, check_zone
from punctual.importers.preview import preview_instants
from punctual.importers.qstash import QStashReader
from punctual.importers.report import apply_text, judge, report_text
from punctual.importers.span import Span, span_from
from punctual.importers.targets import UrlMap, url_map
from punctual.problems import ApiError

DONE, MISFITS, USAGE, REFUSED_KEY, UNAVAILABLE = 0, 1, 2, 4, 8
"""Exit codes: every job was imported; at least one differs or is left out; wrong usage or an unreadable file; the
key is refused; the API does not answer."""
SOURCES: Final = ("eventbridge", "qstash", "crontab", "k8s")


class Reader(Protocol):
    """Reads the files of a source."""

    def read(self, files: list[tuple[str, bytes]]) -> SourceFile: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the command has from the process.

    `client` makes the client of the API, and `scheduler` that of EventBridge Scheduler.
    """

    stdin: Callable[[], bytes]
    stdout: TextIO
    stderr: TextIO
    now: Callable[[], float]
    client: Callable[[], Punctual]
    scheduler: Callable[[], SchedulerClient]


def run(arguments: Sequence[str], around: Surroundings) -> int:
    """Run the command and return its exit code."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as error:
        return USAGE if error.code else DONE
    try:
        return _import(options, around)
    except (UnreadableSourceError, UnknownZoneError, ConfigurationError) as error:
        around.stderr.write(f"{error}\n")
        return USAGE
    except RequestError as error:
        around.stderr.write(f"{error}\n")
        is_refused = isinstance(error, ApiError) and error.status in (401, 403)
        return REFUSED_KEY if is_refused else UNAVAILABLE


def _import(options: argparse.Namespace, around: Surroundings) -> int:
    span = span_from(int(around.now()))
    if not SET.fullmatch(options.set or options.source):
        raise UnreadableSourceError("--set needs 1 to 63 lower-case letters, digits and . _ -")
    source = _read(options, around, span)
    with ExitStack() as stack:
        instants = None if options.no_compare else preview_instants(stack.enter_context(around.client()))
        judged = judge(source, instants, span)
    around.stderr.write(report_text(judged, source.remarks))
    named = ", ".join(map(_shown, options.files)) or "the API of EventBridge Scheduler"
    around.stdout.write(
        apply_text(
            judged, options.set or options.source, source=named, with_differences=options.with_differences
        )
    )
    is_complete = all(each.verdict in (Verdict.SAME, Verdict.NOT_COMPARED) for each in judged)
    return DONE if is_complete else MISFITS


def _read(options: argparse.Namespace, around: Surroundings, span: Span) -> SourceFile:
    map_file = None if options.map_file is None else _contents(options.map_file, around)
    urls = url_map(options.map, map_file)
    zone = None if options.timezone is None else check_zone(options.timezone)
    if options.live:
        if options.source != "eventbridge" or options.files:
            raise UnreadableSourceError("--live reads the API of EventBridge Scheduler, and takes no files")
        found = read_live(around.scheduler(), options.group)
        return EventBridgeReader(urls, span).translate(("the API", each) for each in found)
    if not options.files:
        raise UnreadableSourceError("no files; - is the standard input")
    files = [(_shown(name), _contents(name, around)) for name in options.files]
    return _reader(options, urls, span, zone).read(files)


def _reader(options: argparse.Namespace, urls: UrlMap, span: Span, zone: str | None) -> Reader:
    match options.source:
        case "eventbridge":
            return EventBridgeReader(urls, span)
        case "qstash":
            return QStashReader(urls, span)
        case "crontab":
            return CrontabReader(urls, span, zone, options.system)
        case _:
            return KubernetesReader(urls, span, zone)


def _shown(name: str) -> str:
    return "standard input" if name == "-" else name


def _contents(name: str, around: Surroundings) -> bytes:
    if name == "-":
        return around.stdin()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UnreadableSourceError(f"{name}: {error.strerror}") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m punctual.importers",
        description="Print the schedules of a source as an apply file, and a report on standard error.",
    )
    parser.add_argument("source", choices=SOURCES)
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="a file of the source; - is the standard input"
    )
    parser.add_argument(
        "--map", action="append", default=[], metavar="TARGET=URL", help="the URL for a target"
    )
    parser.add_argument("--map-file", metavar="FILE", help='URLs as a JSON object: {"target": "url"}')
    parser.add_argument(
        "--set", metavar="NAME", help="the set of the apply file; the source's name by default"
    )
    parser.add_argument(
        "--timezone", metavar="ZONE", help="the zone of cron's machine, or of the cluster's controller"
    )
    parser.add_argument(
        "--system", action="store_true", help="crontab: the lines name a user before the command"
    )
    parser.add_argument("--live", action="store_true", help="eventbridge: read the API with boto3")
    parser.add_argument("--group", metavar="NAME", help="eventbridge: with --live, only this schedule group")
    parser.add_argument("--no-compare", action="store_true", help="do not compare instants; needs no API")
    parser.add_argument("--with-differences", action="store_true", help="write jobs that differ as jobs, too")
    return parser


def surroundings() -> Surroundings:
    """Return those of this process; the SDK finds URL and key in the environment or in a profile."""
    return Surroundings(
        stdin=lambda: sys.stdin.buffer.read(),
        stdout=sys.stdout,
        stderr=sys.stderr,
        now=time.time,
        client=Punctual,
        scheduler=_boto3,
    )


def _boto3() -> SchedulerClient:
    try:
        import boto3
    except ImportError:
        raise UnreadableSourceError("--live needs boto3: pip install boto3") from None
    client: SchedulerClient = boto3.client("scheduler")
    return client
