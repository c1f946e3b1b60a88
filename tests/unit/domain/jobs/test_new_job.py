"""What a client asks for, before it has an identity."""

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.delivery.request import Request, encode_request
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.errors import InvalidValueError, ScheduleInPastError, ScheduleTooFarError
from shared.domain.jobs.new_job import NewJob, encode_new_job
from shared.domain.schedules.schedule import Cron, Once, Rate
from shared.domain.schedules.timing import After, Every
from shared.names import Lane
from tests.support.builders import DUE_AT

REQUEST = Request(method="POST", url="https://receiver.example/hook", body=b"x")
NEW = NewJob(timing=After(60), request=REQUEST)
TEN_YEARS_MS = 3_653 * 86_400_000


@pytest.mark.parametrize(
    ("timing", "schedule"),
    [
        (After(0), Once(at=DUE_AT)),
        (After(90), Once(at=DUE_AT + 90_000)),
        (Once(at=DUE_AT - 60_000), Once(at=DUE_AT - 60_000)),
        (Once(at=DUE_AT + TEN_YEARS_MS), Once(at=DUE_AT + TEN_YEARS_MS)),
        (Every(5), Rate(interval_ms=5_000, anchor=DUE_AT // 1000 * 1000)),
        (Cron(line="0 9 * * *", timezone="UTC"), Cron(line="0 9 * * *", timezone="UTC")),
    ],
)
def test_timing_becomes_a_schedule_at_the_moment_of_the_request(timing: Any, schedule: object) -> None:
    assert replace(NEW, timing=timing).schedule_at(DUE_AT) == schedule


@pytest.mark.parametrize(
    ("timing", "error"),
    [
        (Once(at=DUE_AT - 60_001), ScheduleInPastError),
        (Once(at=DUE_AT + TEN_YEARS_MS + 1), ScheduleTooFarError),
        (After(TEN_YEARS_MS // 1000 + 1), ScheduleTooFarError),
    ],
)
def test_an_instant_out_of_reach_is_refused(timing: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        replace(NEW, timing=timing).schedule_at(DUE_AT)


@pytest.mark.parametrize(
    "fields",
    [{"timeout_seconds": 0}, {"timeout_seconds": 61}, {"name": ""}, {"name": "x" * 129}],
)
def test_invalid_timeout_or_name_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        replace(NEW, **fields)


def test_the_same_request_always_has_the_same_spelling() -> None:
    again = NewJob(timing=After(60), request=replace(REQUEST))
    assert encode_new_job(again) == encode_new_job(NEW)


@pytest.mark.parametrize(
    "fields",
    [
        {"timing": After(61)},
        {"timing": Every(60)},
        {"timing": Once(at=60)},
        {"timing": Cron(line="0 9 * * *", timezone="UTC")},
        {"request": replace(REQUEST, body=b"y")},
        {"request": replace(REQUEST, url="https://receiver.example/other")},
        {"request": replace(REQUEST, headers=(("A", "1"),))},
        {"request": replace(REQUEST, method="PUT")},
        {"name": "x"},
        {"lane": Lane.BULK},
        {"timeout_seconds": 31},
        {"retry": RetryPolicy(max_attempts=4)},
        {"retry": RetryPolicy(base_seconds=11)},
        {"retry": RetryPolicy(factor=3)},
        {"retry": RetryPolicy(cap_seconds=3_601)},
        {"signing_secret": "billing"},
    ],
)
def test_different_jobs_have_different_encodings(fields: dict[str, Any]) -> None:
    assert encode_new_job(replace(NEW, **fields)) != encode_new_job(NEW)


def test_an_encoding_stays_the_same_in_every_release() -> None:
    """A replay after a deployment would otherwise count as another request."""
    new = replace(
        NEW,
        timing=Every(60, 1_000, 9_000),
        name="é",
        tags=("a",),
        retry=RetryPolicy(max_attempts=2, delays_seconds=(7,), give_up_after_seconds=600),
        signing_secret="mine",
    )
    request = encode_request(REQUEST).decode()
    assert json.loads(encode_new_job(new)) == [
        ["every", 60, 1_000, 9_000],
        request,
        "é",
        ["a"],
        "standard",
        30,
        [2, 10, 2, 3_600, [7], 600],
        0,
        [None, ["coalesce", 100, 86_400_000, 60_000], "allow"],
        None,
        [3_600, 60],
        "mine",
    ]


def test_cron_lines_differ_by_their_zone() -> None:
    lines = [Cron(line="0 9 * * *", timezone=zone) for zone in ("UTC", "Europe/Berlin")]
    assert len({encode_new_job(replace(NEW, timing=line)) for line in lines}) == 2
