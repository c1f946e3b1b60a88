"""Reads crontabs, of a user or of the system (`/etc/crontab`, `/etc/cron.d`)."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from punctual.importers.job import SourceFile, SourceJob, UnreadableSourceError
from punctual.importers.models.clock import UnknownZoneError, zone_clock
from punctual.importers.models.crontab import CrontabInstants, CrontabLine, read_crontab_line
from punctual.importers.models.fields import Field, LineError
from punctual.importers.span import Span
from punctual.importers.targets import NO_URL, UrlMap, job_key, tag

MAX_BYTES: Final = 8 * 1024 * 1024
_VARIABLE = re.compile(r"""(?P<quote>["']?)(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P=quote)\s*=\s*(?P<value>.*)""")
_ENTRY = re.compile(r"(?P<when>@\S+|\S+(?:\s+\S+){4})\s+(?P<rest>\S.*)")
_INPUT = re.compile(r"(?<!\\)%")
_NO_TIME = {
    "@reboot": "@reboot runs when the machine starts, which is no time",
    "@every_minute": "write * * * * *",
}


@dataclass(slots=True)
class _State:
    """The variables above a line, and what has been read so far."""

    variables: dict[str, str] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CrontabReader:
    """Reads crontabs of a machine whose clock is in `timezone`; None if the user has not said.

    With `is_system`, the lines have a user between the times and the command. A command is mapped to a URL by its
    whole text or by the name of its program. Keys and messages hold only that name, since commands may hold
    passwords.
    """

    urls: UrlMap
    span: Span
    timezone: str | None = None
    is_system: bool = False

    def read(self, files: list[tuple[str, bytes]]) -> SourceFile:
        """Read files, each with its name. Raises UnreadableSourceError."""
        seen: Counter[str] = Counter()
        return SourceFile(tuple(job for name, data in files for job in self._file(name, data, seen)))

    def _file(self, name: str, data: bytes, seen: Counter[str]) -> Iterator[SourceJob]:
        if len(data) > MAX_BYTES:
            raise UnreadableSourceError(f"{name}: more than {MAX_BYTES // 1024 // 1024} MiB")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UnreadableSourceError(f"{name}: not UTF-8") from None
        state = _State(seen=seen)
        for number, line in enumerate(text.split("\n"), start=1):
            bare = line.strip()
            if not bare or bare.startswith("#"):
                continue
            if variable := _VARIABLE.fullmatch(bare):
                state.variables[variable["name"]] = _unquoted(variable["value"])
                continue
            yield self._job(f"{name} line {number}", bare, state)

    def _job(self, origin: str, text: str, state: _State) -> SourceJob:
        entry = _ENTRY.fullmatch(text)
        if entry is None:
            return SourceJob(job_key(origin), origin, None, misfit="no five time fields and a command")
        when, command, user = " ".join(entry["when"].split()), entry["rest"], None
        if self.is_system:
            user, _, command = command.partition(" ")
            command = command.strip()
        key = _key(when, command, user, state.seen)
        translated = self._translate(when, state)
        program = _program(command)
        misfit = translated.misfit
        if _INPUT.search(command):
            misfit = misfit or "% in the command starts its standard input, which a URL does not have"
        url = self.urls.find(command, program)
        if url is None:
            misfit = misfit or f"no URL: give --map for the command of this line ({program})"
        members = {**translated.members, "url": url or NO_URL, "name": program}
        if user:
            members["tags"] = [tag(f"user:{user}")]
        has_times = bool(translated.members)
        return SourceJob(
            key,
            origin,
            members if has_times else None,
            instants=() if translated.instants is None else (translated.instants,),
            misfit=misfit,
            notes=translated.notes,
        )

    def _translate(self, when: str, state: _State) -> "_Translated":
        """Return the schedule of a line, or why there is none."""
        if when in _NO_TIME:
            return _Translated(misfit=_NO_TIME[when])
        if state.variables.get("RANDOM_DELAY", "0") != "0":
            return _Translated(misfit="RANDOM_DELAY: cron draws one delay each time it starts")
        job_zone = state.variables.get("CRON_TZ")
        try:
            line = read_crontab_line(when)
            if self.timezone is None:
                raise LineError("the file does not say the machine's time zone: give --timezone")
            machine = zone_clock(self.timezone, *self.span)
            job = zone_clock(job_zone, *self.span) if job_zone else None
        except (LineError, UnknownZoneError) as error:
            return _Translated(misfit=str(error))
        notes = ("TZ does not change when cron runs a job",) if "TZ" in state.variables else ()
        members: dict[str, object] = {
            "cron": when if when.startswith("@") else _punctual_line(line),
            "timezone": job_zone or self.timezone,
        }
        if job is not None:
            # Under CRON_TZ, cron makes up for no gap, and notices only the overlaps of the machine's own zone.
            is_own = job_zone == self.timezone
            members |= {"dst_gap": "skip", "dst_overlap": "first" if is_own else "both"}
        instants = CrontabInstants(line, machine, job)
        return _Translated(members, instants, misfit=_both_days(line), notes=notes)


@dataclass(frozen=True, slots=True)
class _Translated:
    members: dict[str, object] = field(default_factory=dict)
    instants: CrontabInstants | None = None
    misfit: str | None = None
    notes: tuple[str, ...] = ()


def _punctual_line(line: CrontabLine) -> str:
    """Return the line for `cron`, whose `*` in lists and in day fields has other effects than cron's."""
    day, weekday = _portable(line.day), _portable(line.weekday)
    if line.needs_both_days:
        # A full field leaves the choice to the other one, whether or not it begins with `*`.
        day = "*" if line.day.is_full else day
        weekday = "*" if line.weekday.is_full else weekday
    return " ".join((_portable(line.minute), _portable(line.hour), day, _portable(line.month), weekday))


def _portable(field_: Field) -> str:
    first, *others = field_.items
    return ",".join((first.portable(), *(item.as_range() for item in others)))


def _both_days(line: CrontabLine) -> str | None:
    if line.needs_both_days and not line.day.is_full and not line.weekday.is_full:
        return "cron asks for both days, since one field begins with *; Punctual runs on either"
    return None


def _key(when: str, command: str, user: str | None, seen: Counter[str]) -> str:
    """Return a key of the program and the line's text. Equal lines are told apart by their order."""
    digest = hashlib.sha256(f"{user or ''}\0{when}\0{command}".encode()).hexdigest()[:8]
    base = f"{job_key(_program(command))}-{digest}"
    seen[base] += 1
    return base if seen[base] == 1 else f"{base}-{seen[base]}"


def _program(command: str) -> str:
    """Return the name of the program, which is all that is shown of a command."""
    words = [word for word in command.split() if "=" not in word]
    return (
        re.sub(r"[^A-Za-z0-9._-]", "", words[0].rsplit("/", 1)[-1])[:40] or "command" if words else "command"
    )


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value
