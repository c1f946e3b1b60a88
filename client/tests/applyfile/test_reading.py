"""Reading of apply files: what becomes of members and defaults, and errors with file, line and member."""

import json
import re
from typing import Any

import msgspec
import pytest

from punctual.applyfile import ApplyFileError, Job, MissingVariablesError, read_apply_file
from punctual.applyfile.schema import MEMBERS, Alerts, Fields, Retry
from tests.support.sources import ROOT

SCHEMAS = json.loads((ROOT / "docs" / "openapi.json").read_text())["components"]["schemas"]
JOB = "set: s\njobs:\n  nightly:\n    cron: 30 2 * * *\n    url: https://example.com/\n"


def read(text: str) -> Job:
    (job,) = read_apply_file(text.encode()).jobs
    return job


def refusal(text: str) -> str:
    with pytest.raises(ApplyFileError) as refused:
        read_apply_file(text.encode(), "jobs.yaml")
    return str(refused.value)


def test_job_becomes_the_body_of_the_api_with_its_variables() -> None:
    job = read(
        "set: billing\n"
        "jobs:\n"
        "  nightly:\n"
        "    cron: 30 2 * * *\n"
        "    timezone: Europe/Berlin\n"
        "    url: https://example.com/hooks\n"
        "    method: PUT\n"
        "    headers: {X-Token: {env: HOOK_TOKEN}, X-Team: billing}\n"
        "    json: {n: 1}\n"
        "    retry: {max_attempts: 3}\n"
        "    tags: [a]\n"
    )
    assert job.variables() == ("HOOK_TOKEN",)
    assert job.line == 3
    assert job.body({"HOOK_TOKEN": "s3cret"}) == {
        "name": "nightly",
        "tags": ["a"],
        "retry": {"max_attempts": 3},
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {
            "url": "https://example.com/hooks",
            "method": "PUT",
            "headers": {"X-Token": "s3cret", "X-Team": "billing"},
            "json": {"n": 1},
        },
    }
    with pytest.raises(MissingVariablesError, match="HOOK_TOKEN"):
        job.body({})


def test_defaults_complete_jobs_where_they_have_a_meaning() -> None:
    file = read_apply_file(
        b"set: s\n"
        b"defaults:\n"
        b"  timezone: Europe/Berlin\n"
        b"  overlap_policy: skip\n"
        b"  body: text\n"
        b"  url: https://example.com/\n"
        b"  headers: {X-Team: a, X-Other: b}\n"
        b"jobs:\n"
        b"  line: {cron: '@daily', headers: {x-team: c}, json: null}\n"
        b"  rate: {rate_seconds: 60}\n"
        b"  once: {at: 2030-01-01T09:00:00, start_deadline_seconds: 5}\n"
    )
    line, rate, once = file.jobs
    assert line.members["headers"] == {"X-Other": "b", "x-team": "c"}
    assert (line.members["timezone"], line.members["json"]) == ("Europe/Berlin", None)
    assert "body" not in line.members
    assert (rate.members["overlap_policy"], "timezone" in rate.members) == ("skip", False)
    assert (once.members["timezone"], "overlap_policy" in once.members) == ("Europe/Berlin", False)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "0 YAML documents"),
        ("set: s\n---\nset: t\n", "2 YAML documents"),
        ("- a\n", r"jobs.yaml:1: must be a mapping"),
        ("jobs: {}\n", r"jobs.yaml:1: set: is required"),
        ("set: S!\njobs: {}\n", r"jobs.yaml:1: set: is required"),
        ("set: s\n", r"jobs: is required"),
        ("set: s\njob: {}\n", r"jobs.yaml:2: job: unknown; a file has set, defaults, jobs"),
        (
            JOB + "    timezon: UTC\n",
            r"jobs.yaml:6: jobs.nightly.timezon: unknown member; did you mean timezone\?",
        ),
        (JOB + "    delay_seconds: 5\n", r"jobs.yaml:6: .*each apply would move the job: write `at`"),
        (JOB + "    schedule: {cron: x}\n", r"jobs.yaml:6: .*stand beside the others"),
        (JOB + "    rate_seconds: 5\n", r"jobs.yaml:3: jobs.nightly: exactly one of at, cron"),
        ("set: s\njobs:\n  a: {url: https://x.example}\n", r"jobs.yaml:3: jobs.a: exactly one of"),
        ("set: s\njobs:\n  a: {cron: '@daily'}\n", r"jobs.yaml:3: jobs.a.url: is required"),
        ("set: s\njobs:\n  a:\n", r"jobs.yaml:3: jobs.a: is required"),
        ("set: s\njobs:\n  'a b': {}\n", r"jobs.yaml:3: .*a key has 1 to 128 letters"),
        (
            JOB + "    retry:\n      max_attempts: 21\n",
            r"jobs.yaml:7: .*retry.max_attempts: expected `int` <= 20",
        ),
        (JOB + "    tags: [ok, Not]\n", r"jobs.yaml:6: jobs.nightly.tags.1: has a form that the API refuses"),
        (JOB + "    tags: [a, a]\n", r"jobs.yaml:6: jobs.nightly.tags: a tag occurs twice"),
        (JOB + "    timeout_seconds: 1.0\n", r"jobs.yaml:6: jobs.nightly.timeout_seconds: expected `int`"),
        (JOB + "    timeout_seconds: yes\n", r"jobs.yaml:6: .*expected `int`"),
        (JOB + "    headers: {A: x, a: y}\n", r"jobs.yaml:6: jobs.nightly.headers: a header occurs twice"),
        (JOB + "    headers: {A: {env: 'a b'}}\n", r"jobs.yaml:6: jobs.nightly.headers: has a form"),
        (
            JOB + "    headers: {A: {env: B, more: 1}}\n",
            r"jobs.yaml:6: jobs.nightly.headers: object contains unknown",
        ),
        (
            JOB + "    body: a\n    json: b\n",
            r"jobs.yaml:7: jobs.nightly.json: a request has `body` or `json`",
        ),
        (JOB + "    start_deadline_seconds: 5\n", r"jobs.yaml:6: .*has no meaning with cron"),
        ("set: s\ndefaults: {cron: '@daily'}\njobs: {}\n", r"jobs.yaml:2: defaults.cron: belongs to a job"),
        (JOB + "    cron: 1 * * * *\n", r"jobs.yaml:6: the key 'cron' occurs twice"),
    ],
)
def test_errors_name_the_file_the_line_and_the_member(text: str, error: str) -> None:
    assert re.search(error, refusal(text))


def test_errors_and_representations_hold_no_value_of_a_request() -> None:
    text = JOB + "    headers: {Authorization: s3cret}\n    body: s3cret\n"
    assert "s3cret" not in refusal(text + "    lane: s3\n")
    assert "s3cret" not in refusal(text.replace("Authorization: s3cret", "Authorization: [s3cret]"))
    assert "s3cret" not in repr(read_apply_file(text.encode()))


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a member without what says that it may be null, its default and its words."""
    if "$ref" in schema:
        return resolved(SCHEMAS[schema["$ref"].rsplit("/", 1)[1]])
    options = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if len(options) == 1:
        return resolved(options[0])
    words = ("default", "description", "examples", "title", "format", "uniqueItems", "anyOf")
    return {name: value for name, value in schema.items() if name not in words}


def own_schema(model: type, name: str) -> dict[str, Any]:
    (found,), parts = msgspec.json.schema_components([model])
    schema = parts[found["$ref"].rsplit("/", 1)[1]]["properties"][name]
    return {key: value for key, value in schema.items() if key not in ("description", "anyOf")}


@pytest.mark.parametrize(
    "model", [(Fields, ("JobIn", "ScheduleIn", "RequestIn")), (Retry, ("RetryIn",)), (Alerts, ("AlertsIn",))]
)
def test_members_and_limits_are_those_of_the_api(model: tuple[type, tuple[str, ...]]) -> None:
    own, names = model
    theirs = {name: schema for part in names for name, schema in SCHEMAS[part]["properties"].items()}
    for left_out in ("schedule", "request", "delay_seconds"):
        theirs.pop(left_out, None)
    assert set(own.__struct_fields__) == set(theirs)  # type: ignore[attr-defined]
    limits = (
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "enum",
        "type",
        "maxProperties",
    )
    for name, schema in theirs.items():
        api, ours = resolved(schema), own_schema(own, name)
        if name in ("headers", "json", "retry", "alerts"):
            continue
        for limit in limits:
            expected, found = api.get(limit), ours.get(limit)
            if limit == "enum" and expected is not None:
                expected, found = sorted(expected), sorted(found or ())
            if "enum" in api and limit == "type":
                continue
            assert found == expected, (name, limit)


def test_members_are_listed_once() -> None:
    assert len(set(MEMBERS)) == len(MEMBERS)
