"""Translates one schedule of EventBridge Scheduler into a job."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from punctual.importers.eventbridge_targets import (
    ORIGIN,
    PARAMETERS,
    message_of,
    misfits_of,
    options_of,
    service_of,
)
from punctual.importers.job import SourceJob, Translation
from punctual.importers.json_object import JsonObject, MemberError
from punctual.importers.json_values import read_value
from punctual.importers.models.clock import UnknownZoneError, ZoneClock, zone_clock
from punctual.importers.models.eventbridge import (
    CronExpression,
    EventBridgeInstants,
    RateExpression,
    RateInstants,
    read_expression,
)
from punctual.importers.models.fields import LineError
from punctual.importers.ports import SourceInstants
from punctual.importers.preview import text_of
from punctual.importers.span import Span
from punctual.importers.targets import NO_URL, UrlMap, job_key, tag

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_DEFAULT_RETRIES: Final = 185
_DEFAULT_AGE: Final = 86_400
_MAX_ATTEMPTS: Final = 20
_TEMPLATES: Final = (
    "EcsParameters",
    "EventBridgeParameters",
    "KinesisParameters",
    "SageMakerPipelineParameters",
    "SqsParameters",
)
_PLACEHOLDER = "<aws.scheduler."


@dataclass(slots=True)
class EventBridgeTranslation(Translation):
    """Turns one schedule into a job, and collects what does not fit."""

    urls: UrlMap
    span: Span
    schedule: JsonObject
    destinations: dict[str, dict[str, Any]]

    def job(self) -> SourceJob:
        name = str(self.schedule.members.get("Name") or "schedule")
        group = str(self.schedule.members.get("GroupName") or "default")
        origin = f"{group}/{name}"[:200]
        key = job_key(origin)
        self.schedule.skip(
            "Name", "GroupName", "Arn", "Description", "LastModificationDate", "ResponseMetadata"
        )
        instants: SourceInstants | None = None
        try:
            self.members = {"name": name[:128], "tags": [tag(f"group:{group}")]}
            instants = self._when()
            self._window()
            self._target(origin, name)
            self._rest()
        except (MemberError, LineError, UnknownZoneError) as error:
            self.misfits.insert(0, str(error))
        return self.source_job(key, origin, () if instants is None else (instants,))

    def _when(self) -> SourceInstants:
        text = self.schedule.require("ScheduleExpression", str)
        zone = self.schedule.get("ScheduleExpressionTimezone", str) or "UTC"
        expression = read_expression(text)
        clock = zone_clock(zone, *self.span)
        start, end, created = (self._moment(each) for each in ("StartDate", "EndDate", "CreationDate"))
        if end is not None and end <= self.span.start:
            self.misfits.append("its EndDate has passed")
        if isinstance(expression, RateExpression):
            return self._rate(text, expression, clock, (start, end, created))
        self.members |= {
            "expression": _with_plain_hours(text, expression, clock, self.span),
            "timezone": zone,
        }
        self._bounds(start, end)
        return EventBridgeInstants(expression.pattern, clock, start, end)

    def _rate(
        self,
        text: str,
        expression: RateExpression,
        clock: ZoneClock,
        dates: tuple[int | None, int | None, int | None],
    ) -> SourceInstants:
        start, end, created = dates
        anchor = created if start is None else start
        self.members["expression"] = text
        if anchor is None:
            self.misfits.append("a rate counts from StartDate or CreationDate, and the file has neither")
            anchor = self.span.start
        elif start is None:
            self.notes.append("the rate counts from CreationDate; an update may have moved it in EventBridge")
        self._bounds(anchor, end)
        return RateInstants(anchor, expression.interval, clock, end)

    def _bounds(self, start: int | None, end: int | None) -> None:
        for name, instant in (("start_at", start), ("end_at", end)):
            if instant is not None:
                self.members[name] = text_of(instant)

    def _moment(self, name: str) -> int | None:
        """Return a date of the schedule in whole seconds: text with an offset, a number, or boto3's datetime."""
        value = self.schedule.get(name, object)
        if value is None:
            return None
        try:
            if isinstance(value, str):
                bare = re.sub(r"\.\d+", "", value.replace("Z", "+00:00"))
                value = datetime.fromisoformat(bare)
            if isinstance(value, datetime) and value.tzinfo is not None:
                value = (value - _EPOCH) // timedelta(seconds=1)
            if isinstance(value, int | float) and 0 <= value <= 253_000_000_000:
                return int(value)
        except (ValueError, OverflowError):
            pass
        raise MemberError(f"{name}: no instant with an offset from UTC")

    def _window(self) -> None:
        window = self.schedule.object("FlexibleTimeWindow")
        if window.get("Mode", str) == "FLEXIBLE":
            self.members["jitter_seconds"] = window.require("MaximumWindowInMinutes", int) * 60

    def _target(self, origin: str, name: str) -> None:
        target = self.schedule.object("Target")
        arn = target.require("Arn", str)
        destination = self.destinations.get(arn)
        url = self.urls.find(origin, name, arn)
        if url is None and destination is not None:
            url = self._destination(destination)
        served = service_of(arn) if url is None else None
        if served is not None:
            self._send(target, arn, *served)
        else:
            if url is None:
                what = "a universal target" if ":aws-sdk:" in arn else "the target"
                self.misfits.append(f"no URL: give --map for {origin}, or for {what} {arn[:120]}")
            self.members["url"] = url or NO_URL
            self._input(target)
        policy = target.object("RetryPolicy")
        retries = policy.get("MaximumRetryAttempts", int)
        attempts = (_DEFAULT_RETRIES if retries is None else retries) + 1
        age = policy.get("MaximumEventAgeInSeconds", int)
        if attempts > _MAX_ATTEMPTS:
            self.notes.append(f"{attempts} attempts become {_MAX_ATTEMPTS}, the most")
        self.members["retry"] = {
            "max_attempts": min(attempts, _MAX_ATTEMPTS),
            "give_up_after_seconds": _DEFAULT_AGE if age is None else age,
        }
        if target.object("DeadLetterConfig").get("Arn", str):
            self.notes.append("the dead-letter queue is not carried over: failed executions are dead letters")
        target.skip("RoleArn")
        used = PARAMETERS[served[0]][0] if served is not None and served[0] in PARAMETERS else ""
        for template in _TEMPLATES:
            if template == used:
                continue
            if target.get(template, dict):
                self.notes.append(f"{template} is not carried over: the endpoint calls the service")
        self.misfits.extend(f"{unknown} is not known to the importer" for unknown in target.unused())

    def _send(self, target: JsonObject, arn: str, service: str, account: str) -> None:
        """Make the job send to the target itself, with a role that an operator registers."""
        text = target.get("Input", str)
        self._check_placeholders(text)
        if text is None:
            self.notes.append("it has no Input: the message is {}")
        options, unknown = options_of(service, target)
        self.members |= {service: arn, **options, **message_of(text)}
        self.misfits.extend(f"{name} is not known to the importer" for name in unknown)
        self.misfits.extend(misfits_of(service, arn, self.members))
        if service == "lambda" and text is not None:
            self.notes.append(f"the event has one more member, {ORIGIN}")
        self.notes.append(f"an operator registers a role of the account {account}; RoleArn is not used")

    def _check_placeholders(self, text: str | None) -> None:
        if text is not None and _PLACEHOLDER in text:
            self.misfits.append(
                "its Input has attributes such as <aws.scheduler.scheduled-time>; calls have headers, and messages "
                "have attributes"
            )

    def _destination(self, destination: dict[str, Any]) -> str | None:
        """Return the URL of an API destination whose description is among the files."""
        described = JsonObject(destination)
        url = described.require("InvocationEndpoint", str)
        self.members["method"] = described.require("HttpMethod", str)
        self.notes.append(
            "the headers and credentials of the API destination's connection are not carried over"
        )
        if "*" in url:
            self.misfits.append("the URL of the API destination has * for parameters: give --map")
            return None
        return url

    def _input(self, target: JsonObject) -> None:
        text = target.get("Input", str)
        if text is None:
            return
        self._check_placeholders(text)
        try:
            self.members["json"] = read_value(text)
        except ValueError:
            # The text as it is says more than a value that Punctual, or the file, would change.
            self.members["body"] = text

    def _rest(self) -> None:
        if self.schedule.get("State", str) == "DISABLED":
            self.misfits.append("it is disabled, and a job cannot be created paused")
        if self.schedule.get("ActionAfterCompletion", str) == "DELETE":
            self.notes.append("completed jobs stay in lists until their records expire")
        if self.schedule.get("KmsKeyArn", str):
            self.notes.append("the key of the schedule is not carried over: a deployment has one key")
        self.misfits.extend(f"{unknown} is not known to the importer" for unknown in self.schedule.unused())


def _with_plain_hours(text: str, expression: CronExpression, clock: ZoneClock, span: Span) -> str:
    """Return the expression without `*` at the start of minute and hour, if the zone has clock changes.

    With it, Punctual runs the hour that comes twice in autumn twice; EventBridge documents that it runs once.
    """
    if not clock.changes(*span):
        return text
    minute, hour, *others = expression.words
    words = (_plain(minute, "0-59"), _plain(hour, "0-23"), *others)
    return f"cron({' '.join(words)})"


def _plain(word: str, everything: str) -> str:
    return everything + word[1:] if word.startswith("*") else word
