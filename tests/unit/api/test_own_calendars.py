"""A tenant's own calendars, as clients see them: put, shown, named by jobs, changed and deleted."""

from typing import Any

import pytest

from shared.usecases.tenancy.manage_calendars import MAX_CALENDARS
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.job_requests import patch, post, send
from tests.support.builders import TENANT

DAY_MS = 86_400_000
PLANT: dict[str, Any] = {
    "country": "DE",
    "weekend": None,
    "dates_in": ["2025-02-22"],
    "dates_out": ["2025-02-20", "2025-02-22", "2025-02-24"],
    "blackouts": [],
}
MANY = [f"{2000 + year}-{month:02}-01" for year in range(100) for month in range(1, 5)]
NINE: dict[str, Any] = {"cron": "0 9 * * *", "timezone": "UTC", "calendar": "plant"}


def put(world: ApiWorld, name: str = "plant", **changes: Any) -> Any:
    return send(world, "PUT", f"/v1/calendars/{name}", PLANT | changes)


def upcoming(world: ApiWorld, job: dict[str, Any], count: int) -> list[str]:
    runs = world.get(f"/v1/jobs/{job['id']}/upcoming", count=str(count)).json["runs"]
    return [run["local"][:10] for run in runs]


@pytest.fixture
def world() -> ApiWorld:
    """A deployment at Wednesday 19 February 2025, with the calendar `plant`."""
    world = ApiWorld()
    assert put(world).status == 200
    return world


def test_calendar_is_shown_as_it_was_put(world: ApiWorld) -> None:
    shown = world.get("/v1/calendars/plant").json
    assert shown == PLANT | {"name": "plant", "version": 1, "changed_at": shown["changed_at"]}
    assert world.get("/v1/calendars").json == {"calendars": [shown], "shared": []}


def test_calendars_are_listed_by_name(world: ApiWorld) -> None:
    for name in ("works", "a-1"):
        put(world, name)
    assert [each["name"] for each in world.get("/v1/calendars").json["calendars"]] == [
        "a-1",
        "plant",
        "works",
    ]


def test_dates_are_sorted_and_each_is_kept_once(world: ApiWorld) -> None:
    shown = put(world, dates_out=["2025-12-31", "2025-12-24", "2025-12-31"]).json
    assert shown["dates_out"] == ["2025-12-24", "2025-12-31"]


def test_version_grows_with_each_change_alone(world: ApiWorld) -> None:
    assert put(world).json["version"] == 1
    assert put(world, dates_out=[]).json["version"] == 2
    assert put(world, weekend=["sunday"]).json["version"] == 3


def test_version_does_not_restart_after_a_deletion(world: ApiWorld) -> None:
    deleted = send(world, "DELETE", "/v1/calendars/plant")
    assert (deleted.status, deleted.json["version"]) == (200, 1)
    assert world.get("/v1/calendars/plant").status == 404
    assert send(world, "DELETE", "/v1/calendars/plant").status == 404
    assert world.get("/v1/calendars").json == {"calendars": [], "shared": []}
    assert put(world).json["version"] == 3


def test_dates_in_win_over_dates_out_and_both_over_the_country(world: ApiWorld) -> None:
    """20 and 24 February are excluded, and Saturday 22 February is a business day."""
    job = world.create(schedule=NINE)
    assert job["schedule"] == NINE
    assert upcoming(world, job, 4) == ["2025-02-21", "2025-02-22", "2025-02-25", "2025-02-26"]


def test_calendar_excludes_the_holidays_of_its_country(world: ApiWorld) -> None:
    """Good Friday and Easter Monday."""
    job = world.create(schedule=NINE | {"start_at": "2025-04-17T00:00:00Z"})
    assert upcoming(world, job, 2) == ["2025-04-17", "2025-04-22"]


def test_weekend_of_its_own_replaces_that_of_the_country(world: ApiWorld) -> None:
    put(world, weekend=["friday"], dates_in=[], dates_out=[])
    job = world.create(schedule=NINE | {"start_at": "2025-04-17T00:00:00Z"})
    assert upcoming(world, job, 4) == ["2025-04-17", "2025-04-19", "2025-04-20", "2025-04-22"]


def test_calendar_without_a_country_has_a_weekend_and_dates(world: ApiWorld) -> None:
    put(world, country=None)
    job = world.create(schedule=NINE | {"business_day": -1})
    assert upcoming(world, job, 2) == ["2025-02-28", "2025-03-31"]
    put(world, country=None, weekend=[], dates_in=[])
    assert upcoming(world, world.create(schedule=NINE), 3) == ["2025-02-21", "2025-02-23", "2025-02-25"]


def test_preview_knows_the_calendar(world: ApiWorld) -> None:
    shown = world.post(NINE, "/v1/schedules/preview").json
    assert [run["local"][:10] for run in shown["runs"][:2]] == ["2025-02-21", "2025-02-22"]
    assert "the calendar plant" in shown["description"]


def test_job_with_a_key_and_its_calendar_is_put_and_put_again(world: ApiWorld) -> None:
    document = JOB | {"schedule": NINE}
    assert send(world, "PUT", "/v1/jobs/by-key/books", document).json["change"] == "created"
    assert send(world, "PUT", "/v1/jobs/by-key/books", document).json["change"] == "unchanged"
    put(world, dates_out=[])
    assert send(world, "PUT", "/v1/jobs/by-key/books", document).json["change"] == "unchanged"


def test_creation_that_is_repeated_after_a_change_of_its_calendar_is_the_same_request(
    world: ApiWorld,
) -> None:
    document = JOB | {"schedule": NINE}
    first = world.post(document, idempotency_key="once")
    put(world, dates_out=[])
    again = world.post(document, idempotency_key="once")
    assert (first.status, again.status) == (201, 201)
    assert again.json["id"] == first.json["id"]


def test_batch_and_patch_name_a_calendar(world: ApiWorld) -> None:
    batch = world.post(
        {"jobs": [JOB | {"schedule": NINE}, JOB | {"schedule": NINE | {"calendar": "none"}}]},
        "/v1/jobs/batch",
    )
    made, refused = batch.json["results"]
    assert made["job"]["schedule"] == NINE
    assert refused["problem"]["errors"][0]["pointer"] == "/jobs/1/schedule/calendar"
    job = world.create(schedule={"cron": "0 9 * * *"})
    changed = patch(world, job, {"schedule": {"calendar": "plant"}})
    assert changed.json["schedule"] == NINE
    assert upcoming(world, changed.json, 1) == ["2025-02-21"]


def test_backfill_of_long_ago_knows_the_days_of_the_calendar(world: ApiWorld) -> None:
    put(world, dates_out=["2024-12-23"])
    job = world.create(schedule=NINE)
    body = {"from": "2024-12-20T00:00:00Z", "to": "2025-01-01T00:00:00Z"}
    made = post(world, job, "backfill", body)
    assert made.json["backfill"]["count"] == len(("20", "24", "27", "30", "31"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("works", "PUT /v1/calendars/works"),
        ("de", "send DE for that of the country"),
        ("us-ca", "send US-CA for that of the country"),
    ],
)
def test_calendar_that_does_not_exist_is_refused_with_what_to_send(
    world: ApiWorld, name: str, told: str
) -> None:
    schedule = NINE | {"calendar": name}
    answer = world.post(JOB | {"schedule": schedule})
    assert (answer.status, answer.problem) == (422, "validation-failed")
    (error,) = answer.json["errors"]
    assert error["pointer"] == "/schedule/calendar"
    assert told in error["detail"]
    preview = world.post(schedule, "/v1/schedules/preview")
    assert [each["pointer"] for each in preview.json["errors"]] == ["/calendar"]
    keyed = send(world, "PUT", "/v1/jobs/by-key/books", JOB | {"schedule": schedule})
    assert [each["pointer"] for each in keyed.json["errors"]] == ["/schedule/calendar"]


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"country": "ZZ"}, "/country"),
        ({"country": "de"}, "/country"),
        ({"country": "DE-XX"}, "/country"),
        ({"weekend": ["funday"]}, "/weekend/0"),
        (
            {"weekend": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]},
            "/weekend",
        ),
        ({"dates_out": ["2025-02-30"]}, "/dates_out/0"),
        ({"dates_in": ["2025-02-20", "1969-12-31"]}, "/dates_in/1"),
        ({"dates_in": ["tomorrow"]}, "/dates_in/0"),
        (
            {
                "dates_out": [f"{2000 + year}-01-01" for year in range(200)],
                "dates_in": [f"{2000 + year}-05-01" for year in range(200)],
            },
            "/dates_out",
        ),
        ({"zone": "UTC"}, "/zone"),
    ],
)
def test_calendar_that_cannot_be_is_refused_at_its_member(
    world: ApiWorld, changes: dict[str, Any], pointer: str
) -> None:
    answer = put(world, **changes)
    assert (answer.status, answer.problem) == (422, "validation-failed")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("name", ["Plant", "a" * 64, "a_b", "-a"])
def test_name_of_a_calendar_is_a_slug(world: ApiWorld, name: str) -> None:
    refused = put(world, name)
    assert (refused.status, refused.problem) == (404, "not-found")
    assert world.get(f"/v1/calendars/{name}").status == 404


def test_tenant_has_a_limited_number_of_calendars(world: ApiWorld) -> None:
    for number in range(1, MAX_CALENDARS):
        assert put(world, f"c{number}").status == 200
    refused = put(world, "one-more")
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert put(world, dates_out=[]).status == 200
    send(world, "DELETE", "/v1/calendars/c1")
    assert put(world, "one-more").status == 200


def test_calendar_in_use_is_not_deleted_and_its_jobs_are_named(world: ApiWorld) -> None:
    job = world.create(schedule=NINE)
    refused = send(world, "DELETE", "/v1/calendars/plant")
    assert (refused.status, refused.problem) == (409, "invalid-state")
    assert job["id"] in refused.json["detail"]
    send(world, "DELETE", f"/v1/jobs/{job['id']}")
    assert send(world, "DELETE", "/v1/calendars/plant").status == 200


def test_changes_of_calendars_are_audited(world: ApiWorld) -> None:
    put(world)
    put(world, dates_out=[])
    send(world, "DELETE", "/v1/calendars/plant")
    recorded = [each for each in world.world.audit_log.records.values() if "Calendar" in each.operation]
    assert [(each.operation, each.target) for each in recorded] == [
        ("putCalendar", "plant"),
        ("putCalendar", "plant"),
        ("deleteCalendar", "plant"),
    ]


NIGHT = {"from": "2025-02-21T08:00:00+01:00", "until": "2025-02-21T10:30:00Z", "reason": "deployment"}
SHOWN = {"from": "2025-02-21T07:00:00.000Z", "until": "2025-02-21T10:30:00.000Z", "reason": "deployment"}


def test_blackout_windows_are_shown_in_utc_by_their_start_each_once(world: ApiWorld) -> None:
    later = {"from": "2025-03-01T00:00:00Z", "until": "2025-03-02T00:00:00Z"}
    shown = put(world, blackouts=[later, NIGHT, SHOWN]).json
    plain = {name: f"{text[:-1]}.000Z" for name, text in later.items()}
    assert shown["blackouts"] == [SHOWN, plain | {"reason": ""}]
    assert world.get("/v1/calendars/plant").json == shown
    assert put(world, blackouts=[NIGHT, later]).json["version"] == shown["version"] == 2


def test_runs_of_jobs_and_previews_move_out_of_a_blackout_window(world: ApiWorld) -> None:
    put(world, blackouts=[NIGHT])
    for rule, expected in (
        ("skip", "2025-02-22T09:00:00"),
        ("next", "2025-02-21T10:30:00"),
        ("previous", "2025-02-21T06:59:00"),
    ):
        asked = NINE | {
            "when_excluded": rule,
            "start_at": "2025-02-21T06:00:00Z",
        }
        previewed = world.post(asked, "/v1/schedules/preview").json["runs"][0]["local"]
        job = world.create(schedule=asked)
        shown = world.get(f"/v1/jobs/{job['id']}/upcoming", count="1").json["runs"][0]["local"]
        assert (previewed, shown) == (expected, expected)


def test_change_of_the_blackout_windows_is_in_the_audit_log(world: ApiWorld) -> None:
    for windows in ([NIGHT], [NIGHT], [NIGHT | {"reason": "another"}]):
        put(world, blackouts=windows)
    first, second = world.world.audit_log.of(TENANT)[-2:]
    assert "putCalendar" in str(first)
    assert first.before != first.after == second.before != second.after


@pytest.mark.parametrize(
    ("window", "member", "text"),
    [
        (NIGHT | {"until": "2025-02-21T07:00:00Z"}, "until", "must be after from"),
        (NIGHT | {"until": "2025-02-20T07:00:00Z"}, "until", "must be after from"),
        (NIGHT | {"until": "2025-08-21T07:00:00Z"}, "until", "at most 92 days"),
        (NIGHT | {"from": "2025-02-21T08:00:00"}, "from", "neither an offset nor a time zone"),
        (NIGHT | {"from": "2025-02-21"}, "from", "not an instant such as"),
        (NIGHT | {"from": "2025-02-21T07:00:30Z"}, "from", "must be a whole minute"),
        (NIGHT | {"from": "0001-01-01T00:00:00Z"}, "from", "the year must be"),
        (NIGHT | {"until": "9999-12-31T23:59:00Z"}, "until", "the year must be"),
        ({"from": "9998-01-01T00:00:00Z", "until": "9998-01-02T00:00:00Z"}, "from", "from 1970 to 2200"),
        (NIGHT | {"from": "1969-12-31T23:59:00Z"}, "from", "the year must be"),
        (NIGHT | {"reason": "x" * 201}, "reason", "200"),
        (NIGHT | {"reason": "é" * 101}, "reason", "200 bytes"),
        ({"from": NIGHT["from"]}, "until", "required"),
    ],
)
def test_window_that_cannot_be_is_refused_with_its_path(
    world: ApiWorld, window: dict[str, str], member: str, text: str
) -> None:
    refused = put(world, blackouts=[NIGHT, window])
    assert refused.status == 422
    (error,) = refused.json["errors"]
    assert error["pointer"] == f"/blackouts/1/{member}"
    assert text in error["detail"]
    assert world.get("/v1/calendars/plant").json["version"] == 1


def test_more_blackout_windows_than_a_calendar_takes_are_refused(world: ApiWorld) -> None:
    many = [
        {"from": f"2025-03-01T{hour:02}:{minute:02}:00Z", "until": "2025-03-02T00:00:00Z"}
        for hour in range(20)
        for minute in range(6)
    ]
    assert put(world, blackouts=many[:100]).status == 200
    refused = put(world, blackouts=many)
    assert refused.status == 422
    assert "blackouts" in str(refused.json["errors"])
