"""Reads schedules of EventBridge Scheduler, as `get-schedule` prints them or as its API returns them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from punctual.importers.eventbridge_job import EventBridgeTranslation
from punctual.importers.job import SourceFile, UnreadableSourceError, without_repeats
from punctual.importers.json_object import JsonObject
from punctual.importers.json_values import read_values
from punctual.importers.span import Span
from punctual.importers.targets import UrlMap


class SchedulerClient(Protocol):
    """What is needed of boto3's client `scheduler`."""

    def get_paginator(self, operation_name: str) -> Any: ...

    def get_schedule(self, **arguments: str) -> dict[str, Any]: ...


def read_live(client: SchedulerClient, group: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the schedules of an account and region, or of one group, with one call for each."""
    only = {} if group is None else {"GroupName": group}
    for page in client.get_paginator("list_schedules").paginate(**only):
        for listed in page["Schedules"]:
            yield client.get_schedule(GroupName=listed["GroupName"], Name=listed["Name"])


@dataclass(frozen=True, slots=True)
class EventBridgeReader:
    """Reads schedules. A target is mapped to a URL by the schedule's `group/name`, its name, or the target's ARN."""

    urls: UrlMap
    span: Span

    def read(self, files: list[tuple[str, bytes]]) -> SourceFile:
        """Read files, each with its name, of one or many schedules. Raises UnreadableSourceError."""
        found = [
            (name, value)
            for name, data in files
            for top in read_values(data, name)
            for value in _flattened(top, name)
        ]
        return self.translate(found)

    def translate(self, schedules: Iterable[tuple[str, dict[str, Any]]]) -> SourceFile:
        """Translate schedules, each with the name of its file or source."""
        found = list(schedules)
        destinations = {
            value["ApiDestinationArn"]: value
            for _, value in found
            if isinstance(value.get("ApiDestinationArn"), str)
        }
        schedules_alone = [each for each in found if "ApiDestinationArn" not in each[1]]
        for name, value in schedules_alone:
            if "ScheduleExpression" not in value:
                raise UnreadableSourceError(f"{name}: {_no_schedule(value)}")
        jobs = (
            EventBridgeTranslation(self.urls, self.span, JsonObject(value), destinations).job()
            for _, value in schedules_alone
        )
        return SourceFile(tuple(without_repeats(jobs, "group and name")))


def _flattened(value: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file: one, a list of them, or a list under `Schedules`."""
    if isinstance(value, dict) and isinstance(value.get("Schedules"), list):
        value = value["Schedules"]
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            raise UnreadableSourceError(f"{name}: not a schedule as `aws scheduler get-schedule` prints it")
        yield each


def _no_schedule(value: dict[str, Any]) -> str:
    if "Target" in value and "Name" in value:
        return "`list-schedules` prints no expressions: give what `get-schedule` prints for each schedule"
    if "EventPattern" in value or "EventBusName" in value:
        return "a rule of EventBridge; schedules of EventBridge Scheduler are read"
    return "not a schedule as `aws scheduler get-schedule` prints it: ScheduleExpression is missing"
