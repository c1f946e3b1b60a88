"""The form of a job in the console: its fields become what the API takes, and nothing else."""

import json
from typing import Any

import pytest

from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send

FORM = "lib/job_form.js"
PATCH = "lib/job_patch.js"
EMPTY: dict[str, Any] = console_modules.result(FORM, "EMPTY")
HOOK = "https://example.com/hooks/report"


def form(**fields: Any) -> dict[str, Any]:
    return EMPTY | {"cron": "30 2 * * *", "url": HOOK} | fields


SCHEDULES: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    (
        {"cron": " 30 2 * * * ", "timezone": "Europe/Berlin"},
        {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
    ),
    ({"cron": ""}, None),
    ({"kind": "rate", "every": "10", "unit": "minutes"}, {"rate_seconds": 600}),
    ({"kind": "rate", "every": "ten", "unit": "minutes"}, {"rate_seconds": "ten"}),
    ({"kind": "rate", "every": "1.5", "unit": "hours"}, {"rate_seconds": "1.5"}),
    (
        {"kind": "at", "at": "2030-01-01T09:00", "timezone": "UTC"},
        {"at": "2030-01-01T09:00:00", "timezone": "UTC"},
    ),
    ({"kind": "delay", "delaySeconds": "60", "maxRuns": "3"}, {"delay_seconds": 60}),
    (
        {"kind": "expression", "expression": "rate(5 minutes)", "jitterSeconds": "30", "maxRuns": "3"},
        {"expression": "rate(5 minutes)", "timezone": "UTC", "jitter_seconds": 30, "max_runs": 3},
    ),
    (
        {"startAt": "2030-01-01T09:00:00Z", "dstGap": "skip", "dstOverlap": "both"},
        {
            "cron": "30 2 * * *",
            "timezone": "UTC",
            "start_at": "2030-01-01T09:00:00Z",
            "dst_gap": "skip",
            "dst_overlap": "both",
        },
    ),
    (
        {"cron": "0 18 * * *", "calendar": " DE ", "businessDay": "-1"},
        {"cron": "0 18 * * *", "timezone": "UTC", "calendar": "DE", "business_day": -1},
    ),
    (
        {"calendar": "US-CA", "whenExcluded": "next"},
        {"cron": "30 2 * * *", "timezone": "UTC", "calendar": "US-CA", "when_excluded": "next"},
    ),
    (
        {"kind": "rate", "every": "10", "unit": "minutes", "calendar": "DE", "businessDay": "1"},
        {"rate_seconds": 600},
    ),
]


@pytest.mark.parametrize(("fields", "schedule"), SCHEDULES)
def test_fields_of_a_kind_become_its_schedule(
    fields: dict[str, Any], schedule: dict[str, Any] | None
) -> None:
    assert console_modules.result(FORM, "scheduleOf", form(**fields)) == schedule


def test_creation_has_only_what_differs_from_the_defaults() -> None:
    created = console_modules.result(
        FORM, "creationOf", form(lane="bulk", bodyKind="json", body='{"kind": "nightly"}')
    )
    assert created == {
        "errors": [],
        "body": {
            "schedule": {"cron": "30 2 * * *", "timezone": "UTC"},
            "request": {"method": "POST", "url": HOOK, "json": {"kind": "nightly"}},
            "lane": "bulk",
        },
    }


@pytest.mark.parametrize("body", ["{", "", '{"id": 12345678901234567890}', '{"id": -1e400}'])
def test_body_that_is_no_json_or_would_be_changed_is_refused_at_its_field(body: str) -> None:
    created = console_modules.result(FORM, "creationOf", form(bodyKind="json", body=body))
    assert [error["pointer"] for error in created["errors"]] == ["/request/json"]


def test_every_form_that_the_console_makes_is_a_job_that_the_api_takes() -> None:
    world = ApiWorld()
    forms = [
        form(),
        form(retryKind="table", delaysSeconds="60, 600", giveUpAfterSeconds="3600", tags="billing, nightly"),
        form(kind="rate", every="10", catchUp="all", overlapPolicy="queue_one", name="poll"),
        form(kind="delay", delaySeconds="60", startDeadlineSeconds="300", whenSuspended="run"),
        form(
            headers=[{"name": "X-Team", "value": "billing", "isRemoved": False}],
            bodyKind="text",
            body="hello",
        ),
        form(onSuccess="none", onFailure=HOOK, timeoutSeconds="20", jitterSeconds="5", maxRuns="9"),
        form(alertsKind="none"),
        form(calendar="DE", whenExcluded="modified_following"),
        form(calendar="US-CA", businessDay="-1"),
        form(
            alertsKind="own",
            alertsUrl=f" {HOOK} ",
            alertEvents=["gone", "late", "failed"],
            alertLateSeconds="60",
            alertFormat="slack",
        ),
    ]
    for created in console_modules.results(FORM, *(("creationOf", [each]) for each in forms)):
        assert world.post(created["body"]).status == 201, created


def stored(world: ApiWorld, **members: Any) -> Any:
    made = world.create(**{"schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}, **members})
    return world.get(f"/v1/jobs/{made['id']}").json


def patch_for(job: Any, **fields: Any) -> Any:
    """The merge patch of an edit that changes these fields of a job."""
    before = console_modules.result(FORM, "formOf", job)
    documents = console_modules.results(FORM, ("documentOf", [before]), ("documentOf", [before | fields]))
    return console_modules.result(PATCH, "mergePatch", *(each["document"] for each in documents))


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"retry": {"delays_seconds": [60, 600], "give_up_after_seconds": 7200}, "tags": ["billing"]},
        {"schedule": {"rate_seconds": 86_400, "max_runs": 7, "jitter_seconds": 30}, "catch_up": "all"},
        {"schedule": {"at": "2030-01-01T09:00:00Z"}, "when_suspended": "run", "start_deadline_seconds": 60},
        {"schedule": {"expression": "cron(0 9 ? * MON-FRI *)", "timezone": "America/New_York"}},
        {"schedule": {"cron": "0 18 * * *", "timezone": "UTC", "calendar": "DE", "business_day": -1}},
        {"alerts": {"url": "none"}},
        {"alerts": {"url": HOOK, "events": ["late", "gone"], "late_after_seconds": 90, "format": "slack"}},
    ],
)
def test_job_that_is_opened_and_saved_without_a_change_is_not_changed(members: dict[str, Any]) -> None:
    assert patch_for(stored(ApiWorld(), **members)) == {}


EDITS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"cron": "0 3 * * *"}, {"schedule": {"cron": "0 3 * * *"}}),
    ({"kind": "rate", "every": "1", "unit": "days"}, {"schedule": {"rate_seconds": 86_400}}),
    ({"name": "", "tags": "a, b"}, {"name": None, "tags": ["a", "b"]}),
    (
        {"retryKind": "table", "delaysSeconds": "60"},
        {
            "retry": {
                "delays_seconds": [60],
                "max_attempts": None,
                "base_seconds": None,
                "factor": None,
                "cap_seconds": None,
            }
        },
    ),
    ({"bodyKind": "none"}, {"request": {"body": None}}),
    (
        {"headers": [{"name": "X-Old", "value": "", "isRemoved": True}, {"name": "X-New", "value": "1"}]},
        {"request": {"headers": {"X-Old": None, "X-New": "1"}}},
    ),
]


@pytest.mark.parametrize(("fields", "patch"), EDITS)
def test_edit_is_the_smallest_patch_and_the_api_takes_it(
    fields: dict[str, Any], patch: dict[str, Any]
) -> None:
    world = ApiWorld()
    job = stored(world, name="nightly")
    assert patch_for(job, **fields) == patch
    changed = send(world, "PATCH", f"/v1/jobs/{job['id']}", patch, '"1"')
    assert (changed.status, changed.json["revision"]) == (200, 2)


ALERTS = {"url": HOOK, "events": ["failed", "late"], "late_after_seconds": 60}
OWN = {"alertsKind": "own", "alertsUrl": HOOK}
ALERT_EDITS: list[tuple[Any, dict[str, Any], Any]] = [
    (None, {"alertsKind": "none"}, {"url": "none"}),
    (None, OWN, {"url": HOOK, "events": ["failed"], "format": "json"}),
    (ALERTS, {"alertsKind": "default"}, None),
    (
        ALERTS,
        {"alertsKind": "none"},
        {"url": "none", "events": None, "late_after_seconds": None, "format": None},
    ),
    (
        ALERTS,
        {"alertEvents": ["skipped", "failed"]},
        {"events": ["failed", "skipped"], "late_after_seconds": None},
    ),
    ({"url": "none"}, OWN, {"url": HOOK, "events": ["failed"], "format": "json"}),
]


@pytest.mark.parametrize(("before", "fields", "patch"), ALERT_EDITS)
def test_edit_of_alerts_is_stored_as_it_was_typed(before: Any, fields: dict[str, Any], patch: Any) -> None:
    world = ApiWorld()
    job = stored(world, alerts=before)
    assert patch_for(job, **fields) == {"alerts": patch}
    changed = send(world, "PATCH", f"/v1/jobs/{job['id']}", {"alerts": patch}, '"1"')
    assert changed.status == 200, changed.text
    assert patch_for(changed.json, **fields) == {}


BROKEN_ALERTS: list[tuple[dict[str, Any], str]] = [
    ({"alertsUrl": ""}, "alertsUrl"),
    ({"alertsUrl": "https://10.0.0.1/"}, "alertsUrl"),
    ({"alertEvents": []}, "alertEvents"),
    ({"alertEvents": ["recovered"]}, "alertEvents"),
    ({"alertEvents": ["late"]}, "alertLateSeconds"),
    ({"alertEvents": ["late"], "alertLateSeconds": "soon"}, "alertLateSeconds"),
]


@pytest.mark.parametrize(("fields", "at"), BROKEN_ALERTS)
def test_alerts_that_the_api_refuses_have_the_error_at_their_field(fields: dict[str, Any], at: str) -> None:
    body = console_modules.result(FORM, "creationOf", form(**OWN | fields))["body"]
    refused = ApiWorld().post(body)
    assert refused.status == 422
    shown = console_modules.result("lib/form_errors.js", "errorsByField", refused.json["errors"], "cron")
    assert list(shown["fields"]) == [at]
    assert shown["rest"] == []


def test_alerts_are_said_in_a_few_words() -> None:
    own = {"url": HOOK, "events": ["failed", "late"], "late_after_seconds": 60, "format": "json"}
    said = console_modules.results(
        "lib/job_words.js", *(("alertWords", [each]) for each in (None, {"url": "none", "events": []}, own))
    )
    assert said == ["", "none", f"failed, late after 1 min: {HOOK}"]


def test_values_of_headers_and_bodies_are_in_no_difference() -> None:
    before = {"request": {"url": "a", "headers": {"X-Token": "old-secret"}, "body": "old-secret"}}
    after = {"request": {"url": "b", "headers": {"X-Token": "new-secret"}, "body": "new-secret"}}
    found = console_modules.result(PATCH, "differences", before, after)
    assert [each["pointer"] for each in found] == [
        "/request/body",
        "/request/headers/X-Token",
        "/request/url",
    ]
    assert "secret" not in json.dumps(found)


def test_job_that_two_requests_change_is_shown_from_both_sides() -> None:
    base = {"name": "a", "lane": "standard", "schedule": {"cron": "0 1 * * *"}}
    mine = base | {"name": "mine", "schedule": {"cron": "0 2 * * *"}}
    theirs = base | {"lane": "bulk", "schedule": {"cron": "0 3 * * *"}}
    rows = console_modules.result(PATCH, "bothSides", base, mine, theirs)
    shown = [(row["pointer"], row["base"], row["mine"], row["theirs"], row["isConflict"]) for row in rows]
    assert shown == [
        ("/lane", "standard", "standard", "bulk", False),
        ("/name", "a", "mine", "a", False),
        ("/schedule/cron", "0 1 * * *", "0 2 * * *", "0 3 * * *", True),
    ]


def test_own_changes_are_kept_on_top_of_those_of_another_request() -> None:
    before, theirs = form(), form(lane="bulk", cron="0 3 * * *")
    mine = form(name="mine", cron="0 2 * * *")
    merged = console_modules.result(FORM, "rebased", before, mine, theirs)
    assert merged == theirs | {"name": "mine", "cron": "0 2 * * *"}


def test_errors_of_the_api_are_at_their_fields() -> None:
    errors = [
        {"pointer": "/schedule/cron", "detail": "minute: 61 is not from 0 to 59"},
        {"pointer": "/schedule", "detail": "never"},
        {"pointer": "/tags/0", "detail": "a tag"},
        {"pointer": "/request/headers/Host", "detail": "refused"},
        {"pointer": "/request/json", "detail": "too large"},
        {"pointer": "", "detail": "the whole"},
        {"pointer": "/alerts/url", "detail": "no address"},
        {"pointer": "/alerts/events/0", "detail": "no event"},
        {"pointer": "/alerts/late_after_seconds", "detail": "goes with late"},
        {"pointer": "/depth", "detail": "no field"},
    ]
    assert console_modules.result("lib/form_errors.js", "errorsByField", errors, "cron") == {
        "fields": {
            "cron": "minute: 61 is not from 0 to 59; never",
            "tags": "a tag",
            "headers": "refused",
            "body": "too large",
            "alertsUrl": "no address",
            "alertEvents": "no event",
            "alertLateSeconds": "goes with late",
        },
        "rest": ["the whole", "/depth: no field"],
    }


_TYPING = """
(async () => {
const shown = [], answers = {}, timers = [];
const questions = m.latest({
  ask: (text) => new Promise((resolve, reject) => { answers[text] = { resolve, reject }; }),
  show: (change) => shown.push(change),
  pauseMs: 350,
  setTimer: (act) => timers.push(act),
  clearTimer: (timer) => { if (timer) timers[timer - 1] = () => {}; },
});
const turn = () => new Promise((resolve) => setImmediate(resolve));
questions.change('a');
questions.change('ab');
timers.forEach((act) => act());
const first = Object.keys(answers);
questions.change('abc');
timers.at(-1)();
answers.abc.resolve('new');
answers.ab.resolve('old');
await turn();
return { first, shown };
})()
"""


def test_last_answer_wins_while_one_types() -> None:
    told = console_modules.evaluated("lib/latest.js", _TYPING)
    assert told["first"] == ["ab"]
    assert told["shown"] == [*[{"isLoading": True}] * 3, {"isLoading": False, "value": "new"}]


def test_schedule_in_short_names_its_calendar() -> None:
    nine = {"cron": "0 9 * * *", "timezone": "Europe/Berlin"}
    schedules = [
        nine,
        nine | {"calendar": "DE"},
        nine | {"calendar": "plant", "when_excluded": "next"},
        {"expression": "cron(0 9 * * ? *)", "calendar": "US-CA", "business_day": -1},
    ]
    assert console_modules.results("lib/job_words.js", *(("cadence", [each]) for each in schedules)) == [
        "0 9 * * *, Europe/Berlin",
        "0 9 * * *, Europe/Berlin, DE",
        "0 9 * * *, Europe/Berlin, plant next",
        "cron(0 9 * * ? *), US-CA business day -1",
    ]


def test_form_of_a_job_that_starts_a_workflow_has_no_member_of_a_call():
    world = ApiWorld()
    task = {"key": "a", "request": {"url": HOOK}}
    first, second = (world.post({"tasks": [task]}, "/v1/workflows").json["id"] for _ in range(2))
    body = console_modules.result(FORM, "creationOf", form(workflow=f" {first} ", overlapPolicy="skip"))[
        "body"
    ]
    assert body == {
        "schedule": {"cron": "30 2 * * *", "timezone": "UTC"},
        "workflow": first,
        "overlap_policy": "skip",
    }
    job = world.post(body).json
    shown = console_modules.result(FORM, "formOf", job)
    before = console_modules.result(FORM, "documentOf", shown)["document"]
    for changed, request in ({"workflow": second}, None), ({"workflow": "", "url": HOOK}, HOOK):
        after = console_modules.result(FORM, "documentOf", shown | changed)["document"]
        patch = console_modules.result(PATCH, "mergePatch", before, after)
        answer = send(world, "PATCH", f"/v1/jobs/{job['id']}", patch, match="*")
        assert answer.status == 200, answer.text
        found = answer.json["request"]
        assert (found and found["url"]) == request
        assert answer.json.get("workflow") == (changed["workflow"] or None)
