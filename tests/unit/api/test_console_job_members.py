"""Each member of a job in the API survives its form in the console: opened and saved, and copied."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.builders import TENANT

DOCUMENT = json.loads((Path(__file__).parents[3] / "docs/openapi.json").read_text())
FORM = "lib/job_form.js"
HOOK = "https://example.com/hooks/report"
WITHHELD = {"request.headers", "request.body", "request.json", "target"}
"""The API shows no payload. A job with a target is not copied, and the form leaves its target as it is."""
RELATIVE = {"schedule.delay_seconds"}
"""The API answers with the instant: `schedule.at`."""
CALENDAR = {"cron": "0 18 * * *", "timezone": "Europe/Berlin", "calendar": "DE"}
ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
SAMPLES: dict[str, dict[str, Any]] = {
    "cron": {
        "name": "nightly",
        "tags": ["billing"],
        "schedule": {
            **CALENDAR,
            "start_at": "2030-01-01T00:00:00.000Z",
            "end_at": "2031-01-01T00:00:00.000Z",
            "max_runs": 7,
            "jitter_seconds": 9,
            "dst_gap": "skip",
            "dst_overlap": "both",
            "business_day": -1,
        },
        "request": {
            "url": HOOK,
            "method": "PUT",
            "auth": {"oidc": {"audience": "https://reports.example.com"}},
        },
        "lane": "bulk",
        "timeout_seconds": 20,
        "retry": {
            "max_attempts": 4,
            "base_seconds": 11,
            "factor": 3,
            "cap_seconds": 99,
            "give_up_after_seconds": 7200,
        },
        "async_deadline_seconds": 700,
        "heartbeat_seconds": 61,
        "signing_secret": "billing",
        "on_success": f"{HOOK}?done",
        "on_failure": "none",
        "alerts": {"url": HOOK, "events": ["late", "gone"], "late_after_seconds": 90, "format": "slack"},
        "catch_up": "all",
        "catch_up_limit": 5,
        "catch_up_window_seconds": 900,
        "late_tolerance_seconds": 70,
        "overlap_policy": "skip",
    },
    "rate": {
        "schedule": {"rate_seconds": 5_400},
        "request": {"url": HOOK},
        "retry": {"delays_seconds": [60, 600]},
    },
    "expression": {
        "schedule": {
            "expression": "cron(0 9 ? * MON-FRI *)",
            "timezone": "America/New_York",
            "calendar": "US-CA",
            "when_excluded": "next",
        },
        "request": {"url": HOOK},
    },
    "once": {
        "schedule": {"at": "2030-01-01T09:00:00.000Z"},
        "request": {"url": HOOK},
        "start_deadline_seconds": 300,
        "when_suspended": "run",
    },
    "signed": {
        "schedule": {"rate_seconds": 60},
        "request": {
            "url": "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/",
            "auth": {"sigv4": {"role": ROLE, "service": "execute-api", "region": "eu-west-1"}},
        },
    },
    "workflow": {"schedule": {"rate_seconds": 60}, "workflow": "of this world"},
}
OF_EACH_JOB = {"id", "created_at", "next_due_at", "key", "set"}


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, in place of a reference to it or of a choice between it and null."""
    if "$ref" in schema:
        return resolved(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    choices = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    return resolved(choices[0]) if len(choices) == 1 else schema


def members(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths of all values below a schema, such as `schedule.cron`."""
    for name, each in resolved(schema).get("properties", {}).items():
        below = list(members(each, f"{path}{name}."))
        yield from below or [f"{path}{name}"]


def given(body: dict[str, Any], path: str = "") -> Iterator[str]:
    for name, value in body.items():
        yield from given(value, f"{path}{name}.") if isinstance(value, dict) else [f"{path}{name}"]


def stored(world: ApiWorld, sample: dict[str, Any]) -> dict[str, Any]:
    world.world.tenants.tenants[TENANT] = replace(world.world.tenants.tenants[TENANT], target_roles=(ROLE,))
    world.world.cases.tenancy.signing_secrets.rotate(TENANT, overlap_seconds=0, name="billing")
    if "workflow" in sample:
        tasks = [{"key": "a", "request": {"url": HOOK}}]
        sample = sample | {"workflow": world.post({"tasks": tasks}, "/v1/workflows").json["id"]}
    made = world.post(sample)
    assert made.status == 201, made.text
    shown: dict[str, Any] = world.get(f"/v1/jobs/{made.json['id']}").json
    return shown


def test_job_samples_have_every_member_that_the_api_takes_and_shows() -> None:
    """A member that the API gets belongs to a sample, and then to the form, or to those that are withheld."""
    taken = set(members({"$ref": "#/components/schemas/JobIn"}))
    known = {name for sample in SAMPLES.values() for name in given(sample)} | RELATIVE
    missing = {
        name for name in taken - known if not any(f"{name}.".startswith(f"{each}.") for each in WITHHELD)
    }
    assert "request.auth.oidc.audience" in taken
    assert missing == set()


@pytest.mark.parametrize("name", SAMPLES)
def test_job_that_is_copied_loses_no_member(name: str) -> None:
    world = ApiWorld()
    job = stored(world, SAMPLES[name])
    created = console_modules.result(FORM, "creationOf", console_modules.result(FORM, "copyOf", job))
    assert created["errors"] == []
    answer = world.post(created["body"])
    assert answer.status == 201, answer.text
    copy = world.get(f"/v1/jobs/{answer.json['id']}").json
    assert copy["id"] != job["id"]
    assert without(copy) == without(job)


@pytest.mark.parametrize("name", SAMPLES)
def test_job_that_is_opened_and_saved_with_another_name_changes_nothing_else(name: str) -> None:
    job = stored(ApiWorld(), SAMPLES[name])
    before = console_modules.result(FORM, "formOf", job)
    documents = console_modules.results(
        FORM, ("documentOf", [before]), ("documentOf", [before | {"name": "another"}])
    )
    patch = console_modules.result(
        "lib/job_patch.js", "mergePatch", *(each["document"] for each in documents)
    )
    assert patch == {"name": "another"}


def test_job_gets_and_loses_the_audience_of_its_tokens_by_the_form() -> None:
    world = ApiWorld()
    job = stored(world, SAMPLES["cron"])
    before = console_modules.result(FORM, "formOf", job)
    texts = ["", " https://other.example.com "]
    documents = console_modules.results(
        FORM, ("documentOf", [before]), *(("documentOf", [before | {"audience": text}]) for text in texts)
    )
    bodies = [each["document"] for each in documents]
    patches = console_modules.results(
        "lib/job_patch.js", *(("mergePatch", [bodies[0], each]) for each in bodies[1:])
    )
    assert patches == [
        {"request": {"auth": None}},
        {"request": {"auth": {"oidc": {"audience": "https://other.example.com"}}}},
    ]


def test_job_with_an_audience_that_is_refused_has_the_error_at_its_field() -> None:
    form = console_modules.result(FORM, "EMPTY") | {"cron": "@daily", "url": HOOK, "audience": "two words"}
    refused = ApiWorld().post(console_modules.result(FORM, "creationOf", form)["body"])
    assert refused.status == 422
    shown = console_modules.result("lib/form_errors.js", "errorsByField", refused.json["errors"], "cron")
    assert (list(shown["fields"]), shown["rest"]) == (["audience"], [])


def without(job: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in job.items() if name not in OF_EACH_JOB}
