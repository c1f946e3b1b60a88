"""The schemas of what clients send: strict, and the same rules as the domain's."""

from typing import Any

import pytest
from pydantic import ValidationError

from functions.api.resources.jobs.models import JobIn
from shared.domain.delivery.async_policy import AsyncPolicy
from shared.domain.delivery.request import Request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError, ScheduleError
from shared.domain.schedules.schedule import Cron, Once
from shared.domain.schedules.timing import After, Every
from shared.names import Lane

URL = "https://receiver.example/hook"
MINIMAL: dict[str, Any] = {"schedule": {"delay_seconds": 60}, "request": {"url": URL}}


def job(**fields: Any) -> JobIn:
    return JobIn.model_validate(MINIMAL | fields)


def scheduled(**schedule: Any) -> JobIn:
    return job(schedule=schedule)


def requested(**request: Any) -> JobIn:
    return job(request={"url": URL} | request)


def test_absent_field_has_its_documented_default() -> None:
    new = job().new_job()
    assert (new.name, new.lane, new.timeout_seconds, new.retry) == (None, Lane.STANDARD, 30, RetryPolicy())
    assert new.request == Request(method="POST", url=URL)
    assert new.async_policy == AsyncPolicy(deadline_seconds=3_600, heartbeat_seconds=60)


@pytest.mark.parametrize(
    ("schedule", "timing"),
    [
        ({"delay_seconds": 0}, After(0)),
        ({"rate_seconds": 60}, Every(60)),
        ({"at": "1970-01-01T00:01:00Z"}, Once(at=60_000)),
        ({"at": "1970-01-01T01:01:00", "timezone": "Europe/Berlin"}, Once(at=60_000)),
        ({"cron": "0 9 * * *"}, Cron(line="0 9 * * *", timezone="UTC")),
        ({"cron": "@daily", "timezone": "Asia/Tokyo"}, Cron(line="@daily", timezone="Asia/Tokyo")),
    ],
)
def test_every_kind_of_schedule_becomes_its_timing(schedule: dict[str, Any], timing: object) -> None:
    assert scheduled(**schedule).new_job().timing == timing


@pytest.mark.parametrize(
    "schedule",
    [
        {},
        {"delay_seconds": 1, "rate_seconds": 1},
        {"at": "2030-01-01T00:00:00Z", "cron": "0 9 * * *"},
        {"timezone": "UTC"},
        {"delay_seconds": 1, "timezone": "UTC"},
        {"rate_seconds": 1, "timezone": "UTC"},
        {"delay_seconds": -1},
        {"delay_seconds": 10 * 366 * 86_400 + 1},
        {"rate_seconds": 0},
        {"rate_seconds": 366 * 86_400 + 1},
        {"delay_seconds": 1.0},
        {"delay_seconds": 1.5},
        {"delay_seconds": "1"},
        {"delay_seconds": True},
        {"cron": "x" * 1_025},
        {"at": 1_900_000_000},
        {"every": 5},
    ],
)
def test_exactly_one_kind_in_lawful_numbers_is_accepted(schedule: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        scheduled(**schedule)


@pytest.mark.parametrize(
    ("schedule", "field"),
    [
        ({"at": "2030-01-01T00:00:00"}, "at"),
        ({"at": "2030-02-30T00:00:00Z"}, "at"),
        ({"cron": "0 9 * * *", "timezone": "Mars/Phobos"}, "timezone"),
    ],
)
def test_schedule_error_names_its_field(schedule: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        scheduled(**schedule)
    (detail,) = refused.value.errors()
    cause = detail["ctx"]["error"]
    assert isinstance(cause, ScheduleError)
    assert (detail["loc"], cause.field) == (("schedule",), field)


@pytest.mark.parametrize(
    ("request_", "body", "headers"),
    [
        ({}, b"", ()),
        ({"body": "ä"}, "ä".encode(), ()),
        ({"body": ""}, b"", ()),
        (
            {"json": {"b": 1, "a": [None, 1.5]}},
            b'{"b":1,"a":[null,1.5]}',
            (("Content-Type", "application/json"),),
        ),
        ({"json": None}, b"null", (("Content-Type", "application/json"),)),
        ({"json": "", "headers": {"CONTENT-TYPE": "x/y"}}, b'""', (("CONTENT-TYPE", "x/y"),)),
        ({"body": "x", "headers": {"B": "2", "A": "1"}}, b"x", (("B", "2"), ("A", "1"))),
    ],
)
def test_a_body_is_sent_as_it_was_meant(
    request_: dict[str, Any], body: bytes, headers: tuple[tuple[str, str], ...]
) -> None:
    new = requested(**request_).new_job().request
    assert (new.body, new.headers) == (body, headers)


@pytest.mark.parametrize(
    "request_",
    [
        {"body": "x", "json": {}},
        {"body": None, "json": None},
        {"body": 1},
        {"method": "get"},
        {"method": "TRACE"},
        {"url": None},
        {"url": "https://" + "x" * 2_048},
        {"headers": {"A": 1}},
        {"headers": ["A"]},
        {"auth": "x"},
    ],
)
def test_a_request_that_could_be_read_in_two_ways_is_refused(request_: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        requested(**request_)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 129},
        {"name": 5},
        {"lane": "fast"},
        {"timeout_seconds": 0},
        {"timeout_seconds": 61},
        {"timeout_seconds": "30"},
        {"async_deadline_seconds": 59},
        {"async_deadline_seconds": 43_201},
        {"async_deadline_seconds": "3600"},
        {"heartbeat_seconds": 9},
        {"heartbeat_seconds": 3_601},
        {"heartbeat_seconds": None},
        {"heartbeat_seconds": 1e400},
        {"retry": {"max_attempts": 0}},
        {"retry": {"max_attempts": 21}},
        {"retry": {"base_seconds": 20, "cap_seconds": 10}},
        {"retry": {"factor": 11}},
        {"retry": {"attempts": 3}},
        {"retry": None},
        {"unknown": 1},
    ],
)
def test_unknown_fields_and_unlawful_values_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        job(**fields)


def test_attempts_that_go_on_for_longer_than_records_last_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="7 days"):
        job(async_deadline_seconds=43_200, retry={"max_attempts": 20}).new_job()
    assert job(async_deadline_seconds=43_200).new_job().async_policy.deadline_seconds == 43_200


@pytest.mark.parametrize("lane", Lane)
def test_lanes_are_spelled_in_lower_case(lane: Lane) -> None:
    assert job(lane=lane.value).new_job().lane is lane


def test_a_retry_policy_may_be_given_in_part() -> None:
    assert job(retry={"max_attempts": 1}).new_job().retry == RetryPolicy(max_attempts=1)
