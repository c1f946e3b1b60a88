"""Jobs with a calendar, as clients see them: created, shown, changed, previewed, backfilled and refused."""

from typing import Any

import pytest

from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import patch, post, send

NINE: dict[str, Any] = {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}
GERMAN = NINE | {"calendar": "DE"}
LAST = GERMAN | {"business_day": -1}


def test_job_shows_its_calendar_and_its_next_business_day() -> None:
    """The world's clock is at Wednesday 19 February 2025."""
    world = ApiWorld()
    job = world.create(schedule=LAST)
    assert job["schedule"] == LAST
    assert job["next_due_at"] == "2025-02-28T08:00:00.000Z"
    assert world.get(f"/v1/jobs/{job['id']}").json == job
    moved = GERMAN | {"when_excluded": "next"}
    assert world.create(schedule=moved)["schedule"] == moved
    assert world.create(schedule=GERMAN | {"when_excluded": "skip"})["schedule"] == GERMAN


def test_expression_takes_a_calendar() -> None:
    schedule = {"expression": "cron(0 9 ? * * *)", "calendar": "US-CA", "business_day": 1}
    job = ApiWorld().create(schedule=schedule)
    assert job["schedule"] == schedule | {"timezone": "UTC", "dst_gap": "skip"}
    assert job["next_due_at"] == "2025-03-03T09:00:00.000Z"


def test_next_runs_of_a_job_leave_out_excluded_days() -> None:
    world = ApiWorld()
    job = world.create(schedule=GERMAN | {"end_at": "2025-05-03T00:00:00Z"})
    runs = world.get(f"/v1/jobs/{job['id']}/upcoming", count="100").json["runs"]
    days = [run["local"][:10] for run in runs]
    assert len(days) == 52 - 3
    assert not {"2025-02-22", "2025-04-18", "2025-04-21", "2025-05-01"} & set(days)


def test_preview_describes_the_calendar_and_shows_moved_runs() -> None:
    schedule = NINE | {"cron": "0 9 1 * *", "calendar": "DE", "when_excluded": "next"}
    shown = ApiWorld().post(schedule, "/v1/schedules/preview").json
    assert shown["description"] == (
        "At 09:00 on day 1 of the month, moved to the next business day of the calendar DE, in Europe/Berlin"
    )
    assert [run["local"][:10] for run in shown["runs"][:4]] == [
        *("2025-03-03", "2025-04-01", "2025-05-02", "2025-06-02"),
    ]


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"calendar": "US"}, LAST | {"calendar": "US"}),
        ({"business_day": 2}, LAST | {"business_day": 2}),
        ({"business_day": None}, GERMAN),
        ({"when_excluded": "next"}, GERMAN | {"when_excluded": "next"}),
        ({"calendar": None}, NINE),
        ({"rate_seconds": 60}, {"rate_seconds": 60}),
    ],
)
def test_patch_of_a_job_with_a_calendar(change: dict[str, Any], shown: dict[str, Any]) -> None:
    """A business day and a rule for excluded days replace one another, and both go with their calendar."""
    world = ApiWorld()
    answer = patch(world, world.create(schedule=LAST), {"schedule": change})
    assert answer.status == 200, answer.text
    assert answer.json["schedule"] | shown == answer.json["schedule"]
    assert answer.json["schedule"].keys() - shown.keys() <= {"start_at"}


def test_business_day_replaces_a_rule_for_excluded_days() -> None:
    world = ApiWorld()
    job = world.create(schedule=GERMAN | {"when_excluded": "next"})
    assert patch(world, job, {"schedule": {"business_day": 1}}).json["schedule"] == GERMAN | {
        "business_day": 1
    }


def test_job_that_is_put_again_with_its_calendar_is_unchanged() -> None:
    world = ApiWorld()
    document = JOB | {"schedule": LAST}
    first = send(world, "PUT", "/v1/jobs/by-key/books", document)
    again = send(world, "PUT", "/v1/jobs/by-key/books", document)
    assert (first.status, again.status) == (200, 200)
    assert again.json["change"] == "unchanged"
    other = send(world, "PUT", "/v1/jobs/by-key/books", JOB | {"schedule": GERMAN})
    assert other.json["change"] == "updated"


def test_backfill_covers_the_business_days_of_its_range() -> None:
    world = ApiWorld()
    job = world.create(schedule=GERMAN)
    body = {"from": "2024-12-20T00:00:00Z", "to": "2025-01-03T00:00:00Z"}
    answer = post(world, job, "backfill", body)
    assert answer.status == 201, answer.text
    assert answer.json["backfill"]["count"] == len(("20", "23", "24", "27", "30", "31", "2"))
    assert answer.json["schedule"] == GERMAN


@pytest.mark.parametrize(
    ("schedule", "pointer", "told"),
    [
        (GERMAN | {"calendar": "de"}, "calendar", "send DE"),
        (GERMAN | {"calendar": "plant-shutdowns"}, "calendar", "PUT /v1/calendars/plant-shutdowns"),
        (GERMAN | {"calendar": "ZZ"}, "calendar", "such as DE, or with a subdivision"),
        (GERMAN | {"calendar": "US-XX"}, "calendar", "US-CA"),
        (GERMAN | {"calendar": ""}, "calendar", "such as DE"),
        (GERMAN | {"business_day": 0}, "business_day", "from 1 to 23"),
        (LAST | {"when_excluded": "next"}, "when_excluded", "no meaning with business_day"),
        (LAST | {"cron": "0 9 * * mon"}, "business_day", "every day"),
        (NINE | {"business_day": 1}, "business_day", "needs a calendar"),
        (NINE | {"when_excluded": "skip"}, "when_excluded", "needs a calendar"),
        ({"at": "2030-01-01T09:00:00Z", "calendar": "DE"}, "calendar", "no meaning with at"),
        ({"delay_seconds": 5, "calendar": "DE"}, "calendar", "no meaning with delay_seconds"),
        ({"rate_seconds": 86_400, "calendar": "DE"}, "calendar", "no meaning with rate_seconds"),
        ({"expression": "rate(1 day)", "calendar": "DE"}, "calendar", "rate(...)"),
        ({"expression": "at(2030-01-01T09:00:00)", "calendar": "DE"}, "calendar", "at(...)"),
    ],
)
def test_calendar_that_cannot_be_meant_is_refused_at_its_member(
    schedule: dict[str, Any], pointer: str, told: str
) -> None:
    answer = ApiWorld().post(JOB | {"schedule": schedule})
    assert (answer.status, answer.problem) == (422, "validation-failed")
    errors = {error["pointer"]: error["detail"] for error in answer.json["errors"]}
    assert told in errors[f"/schedule/{pointer}"]


def test_schedule_whose_days_are_all_excluded_is_refused() -> None:
    answer = ApiWorld().post(JOB | {"schedule": GERMAN | {"cron": "0 9 25 12 *"}})
    assert (answer.status, answer.problem) == (422, "schedule-never-fires")
