"""Reads schedules of QStash, as `GET /v2/schedules` of its API returns them."""

import base64
import binascii
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from punctual.applyfile.writing import variable_names
from punctual.importers.job import SourceFile, SourceJob, Translation, UnreadableSourceError, without_repeats
from punctual.importers.json_object import JsonObject, MemberError
from punctual.importers.json_values import read_values
from punctual.importers.models.clock import UnknownZoneError, zone_clock
from punctual.importers.models.fields import LineError
from punctual.importers.models.qstash import UNDOCUMENTED, possible_instants, read_qstash_cron
from punctual.importers.ports import SourceInstants
from punctual.importers.span import Span
from punctual.importers.targets import NO_URL, Names, UrlMap, job_key, tag, take_headers

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_MAX_ATTEMPTS: Final = 20
_MAX_TAGS: Final = 10
_FORWARDED: Final = "upstash-forward-"
_LIMITS: Final = ("flowControlKey", "parallelism", "rate", "period")
_NO_EFFECT: Final = (
    "createdAt",
    "callerIP",
    "lastScheduleTime",
    "lastScheduleStates",
    "nextScheduleTime",
    "isFirst",
    "id",
    "error",
)


@dataclass(frozen=True, slots=True)
class QStashReader:
    """Reads schedules. A destination that is no URL, such as a URL group, is mapped to a URL by its name."""

    urls: UrlMap
    span: Span

    def read(self, files: list[tuple[str, bytes]]) -> SourceFile:
        """Read files, each with its name, of one schedule or a list. Raises UnreadableSourceError.

        The files are read twice: names of variables depend on all headers that need one.
        """
        parts: list[tuple[str, str]] = []

        def note(key: str, header: str) -> str:
            parts.append((key, header))
            return ""

        deque(self._jobs(files, note), maxlen=0)
        names = variable_names(parts)
        found = self._jobs(files, lambda key, header: names[key, header])
        return SourceFile(tuple(without_repeats(found, "scheduleId")))

    def _jobs(self, files: list[tuple[str, bytes]], names: Names) -> Iterator[SourceJob]:
        for name, data in files:
            for top in read_values(data, name):
                for value in top if isinstance(top, list) else [top]:
                    if not isinstance(value, dict) or "cron" not in value:
                        raise UnreadableSourceError(f"{name}: not a schedule as GET /v2/schedules returns it")
                    yield _Translation(self.urls, self.span, names, JsonObject(value)).job()


@dataclass(slots=True)
class _Translation(Translation):
    urls: UrlMap
    span: Span
    names: Names
    schedule: JsonObject

    def job(self) -> SourceJob:
        found = self.schedule.members
        origin = str(found.get("scheduleId") or found.get("id") or "schedule")[:200]
        key = job_key(origin)
        self.schedule.skip("scheduleId", *_NO_EFFECT)
        instants: tuple[SourceInstants, ...] = ()
        try:
            instants = self._when()
            self._request(key)
            self._delivery()
            self._rest()
        except (MemberError, LineError, UnknownZoneError) as error:
            self.misfits.insert(0, str(error))
        return self.source_job(key, origin, instants, UNDOCUMENTED)

    def _when(self) -> tuple[SourceInstants, ...]:
        zone, line = read_qstash_cron(self.schedule.require("cron", str))
        clock = zone_clock(zone, *self.span)
        fields = (line.minute, line.hour, line.day, line.month, line.weekday)
        self.members["cron"] = " ".join(",".join(item.portable() for item in each.items) for each in fields)
        self.members["timezone"] = zone
        if clock.changes(*self.span):
            self.members |= {"dst_gap": "skip", "dst_overlap": "both"}
        if self.schedule.get("delay", int):
            self.misfits.append("its delay moves every run, which a cron line cannot say: move the line")
        if self.schedule.get("notBefore", int):
            self.misfits.append("notBefore is not read: set start_at")
        return possible_instants(line, clock)

    def _request(self, key: str) -> None:
        destination = self.schedule.require("destination", str)
        url = self.urls.find(destination)
        if url is None and destination.startswith(("https://", "http://")):
            url = destination
        if url is None:
            self.misfits.append(f"no URL: give --map for the destination {destination[:80]!r}")
        self.members["url"] = url or NO_URL
        method = self.schedule.get("method", str) or "POST"
        if method not in _METHODS:
            self.misfits.append("its method is not one of Punctual's")
        else:
            self.members["method"] = method
        headers, notes = take_headers(key, self._headers(), self.names)
        self.notes.extend(notes)
        if headers:
            self.members["headers"] = headers
        self._body()

    def _headers(self) -> dict[str, str]:
        """Return the forwarded headers, each under the name that the destination sees."""
        found: dict[str, str] = {}
        for name, values in (self.schedule.get("header", dict) or {}).items():
            texts = values if isinstance(values, list) else [values]
            if not all(isinstance(text, str) for text in texts):
                raise MemberError(f"header.{str(name)[:60]}: not a list of text")
            bare = name[len(_FORWARDED) :] if name.lower().startswith(_FORWARDED) else name
            found[bare] = ", ".join(texts)
        return found

    def _body(self) -> None:
        body = self.schedule.get("body", str)
        encoded = self.schedule.get("bodyBase64", str)
        if encoded:
            try:
                body = base64.b64decode(encoded, validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                self.misfits.append("its body is no text in UTF-8")
                return
        if body:
            self.members["body"] = body

    def _delivery(self) -> None:
        retries = self.schedule.get("retries", int)
        if retries is None:
            self.notes.append("retries depend on the plan in QStash; Punctual's default is 5 attempts")
        else:
            self.members["retry"] = {"max_attempts": max(1, min(retries + 1, _MAX_ATTEMPTS))}
            if retries + 1 > _MAX_ATTEMPTS:
                self.notes.append(f"{retries + 1} attempts become {_MAX_ATTEMPTS}, the most")
        for name, member in (("callback", "on_success"), ("failureCallback", "on_failure")):
            url = self.schedule.get(name, str)
            if url:
                self.members[member] = url
                self.notes.append(f"{name} becomes {member}, whose body has Punctual's form")
        if self.schedule.get("retryDelayExpression", str):
            self.notes.append("retryDelayExpression is not carried over: see `retry`")

    def _rest(self) -> None:
        label = self.schedule.get("label", object)
        labels = [label] if isinstance(label, str) else label if isinstance(label, list) else []
        tags = list(
            dict.fromkeys(
                tag(each.strip()) for each in labels if isinstance(each, str) and each[:1].isalnum()
            )
        )
        if tags:
            self.members["tags"] = tags[:_MAX_TAGS]
        if self.schedule.get("isPaused", bool):
            self.misfits.append("it is paused, and a job cannot be created paused")
        if self.schedule.get("queueName", str):
            self.misfits.append("it publishes to a queue, whose order Punctual does not keep")
        limits = [name for name in _LIMITS if self.schedule.get(name, object)]
        if limits:
            self.notes.append(f"not carried over: {', '.join(limits)}; Punctual limits calls by destination")
        self.misfits.extend(f"{unknown} is not known to the importer" for unknown in self.schedule.unused())
