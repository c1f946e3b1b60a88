"""Reading of apply files: what becomes of members and defaults, and errors with file, line and member."""

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punctual.applyfile import ApplyFileError, Job, Source, read_apply_file
from punctual.applyfile.model import KEY, SET
from punctual.applyfile.schema import MEMBERS, Alerts, Auth, Fields, OidcAuth, Retry, SigV4Auth
from shared.domain.jobs.job_key import check_set, is_key
from tests.support.sources import ROOT

OPENAPI = json.loads((ROOT / "docs" / "openapi.json").read_text())
SCHEMAS = OPENAPI["components"]["schemas"]
ONCE = ("at", "delay_seconds", "start_deadline_seconds", "when_suspended")
"""The members of jobs that run once, which have no key."""
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
    assert job.sources() == (Source("HOOK_TOKEN"),)
    assert job.line == 3
    assert job.body({Source("HOOK_TOKEN"): "s3cret"}) == {
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


MESSAGE = "set: s\njobs:\n  nightly:\n    cron: 30 2 * * *\n    sqs: arn:aws:sqs:eu-west-1:111122223333:orders.fifo\n"


def test_job_with_a_queue_becomes_a_target_and_its_message_may_come_from_a_variable() -> None:
    job = read(MESSAGE + "    message_group_id: g\n    body: {env: BODY}\n")
    assert job.body({Source("BODY"): "secret"}) == {
        "schedule": {"cron": "30 2 * * *"},
        "target": {
            "sqs": {
                "arn": "arn:aws:sqs:eu-west-1:111122223333:orders.fifo",
                "body": "secret",
                "message_group_id": "g",
            }
        },
    }


SERVICES = {
    "lambda: arn:aws:lambda:eu-west-1:111122223333:function:f\n    invocation_type: request_response": {
        "lambda": {
            "arn": "arn:aws:lambda:eu-west-1:111122223333:function:f",
            "invocation_type": "request_response",
        }
    },
    "sns: arn:aws:sns:eu-west-1:111122223333:t\n    message_group_id: g": {
        "sns": {"arn": "arn:aws:sns:eu-west-1:111122223333:t", "message_group_id": "g"}
    },
    "eventbridge: arn:aws:events:eu-west-1:111122223333:event-bus/b\n    source: s\n    detail_type: d": {
        "eventbridge": {
            "arn": "arn:aws:events:eu-west-1:111122223333:event-bus/b",
            "source": "s",
            "detail_type": "d",
        }
    },
    "step_functions: arn:aws:states:eu-west-1:111122223333:stateMachine:m": {
        "step_functions": {"arn": "arn:aws:states:eu-west-1:111122223333:stateMachine:m"}
    },
}


@pytest.mark.parametrize(("members", "target"), SERVICES.items())
def test_job_with_another_service_becomes_its_target(members: str, target: dict[str, Any]) -> None:
    text = MESSAGE[: MESSAGE.index("sqs:")] + members + "\n    json: {n: 1}\n"
    [service] = target
    assert read(text).body({})["target"] == {service: {**target[service], "json": {"n": 1}}}
    defaults = "defaults: {sns: 'arn:aws:sns:eu-west-1:111122223333:other', message_group_id: x}\njobs:"
    own = read(text.replace("jobs:", defaults)).body({})["target"][service]
    assert own.get("message_group_id") in (None, "g", "x" if service == "sns" else None)
    assert "sns" not in own


def test_defaults_of_requests_do_not_reach_a_message() -> None:
    defaults = "defaults: {url: https://example.com/, headers: {X-A: b}, timeout_seconds: 9}\n"
    job = read(MESSAGE.replace("jobs:", f"{defaults}jobs:") + "    json: {n: 1}\n")
    body = job.body({})
    assert (body["timeout_seconds"], body["target"]["sqs"]["json"], "request" in body) == (9, {"n": 1}, False)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("", "exactly one of `body` and `json`"),
        ("    body: a\n    json: {}\n", "exactly one of `body` and `json`"),
        ("    body: a\n    url: https://example.com/\n", "url: has no meaning with `sqs`"),
        ("    body: a\n    signing_secret: b\n", "signing_secret: has no meaning with `sqs`"),
        ("    body: a\n    source: b\n", "source: has no meaning with `sqs`"),
        ("    body: a\n    sns: arn:aws:sns:eu-west-1:111122223333:t\n", "`sqs` is another one"),
        ("    body: a\n    lambda: orders\n", "lambda: "),
    ],
)
def test_message_with_the_members_of_a_request_is_refused(more: str, says: str) -> None:
    assert says in refusal(MESSAGE + more)


def test_request_with_an_identity_token_names_its_audience_and_a_message_has_none() -> None:
    text = "set: billing\njobs:\n  nightly:\n    cron: 0 2 * * *\n"
    auth = "    auth: {oidc: {audience: 'https://reports.example.com'}}\n"
    (job,) = read_apply_file(f"{text}    url: https://reports.example.com/\n{auth}".encode()).jobs
    assert job.body({})["request"]["auth"] == {"oidc": {"audience": "https://reports.example.com"}}
    queue = "    sqs: arn:aws:sqs:eu-west-1:111122223333:orders\n    body: x\n"
    for wrong, where in (
        (f"{queue}{auth}", "auth: has no meaning with `sqs`"),
        ("    url: https://x.example/\n    auth: {oidc: {audience: 'a b'}}\n", "auth.oidc.audience"),
        ("    url: https://x.example/\n    auth: {basic: {}}\n", "auth"),
        ("    url: https://x.example/\n    auth: {}\n", "auth"),
    ):
        assert where in refusal(text + wrong)


def test_header_and_body_may_come_from_a_variable_or_a_command() -> None:
    job = read(JOB + "    headers: {X-Token: {command: [pass, show, 'hook token']}}\n    body: {env: BODY}\n")
    command = Source(command=("pass", "show", "hook token"))
    assert job.sources() == (command, Source("BODY"))
    assert job.body({command: "a", Source("BODY"): "b"})["request"] == {
        "url": "https://example.com/",
        "headers": {"X-Token": "a"},
        "body": "b",
    }


URLS = (
    "    url: {env: HOOK}\n"
    "    on_success: {command: [pass, show, chat]}\n"
    "    on_failure: {env: CHAT}\n"
    "    alerts: {url: {env: CHAT}, events: [failed], format: slack}\n"
)
FROM_OUTSIDE = JOB.replace("    url: https://example.com/\n", URLS)
CHAT = "https://chat.example/services/T000/B000/s3cret"


def test_every_url_may_come_from_a_variable_or_a_command() -> None:
    job = read(FROM_OUTSIDE)
    command = Source(command=("pass", "show", "chat"))
    assert job.sources() == (Source("HOOK"), command, Source("CHAT"), Source("CHAT"))
    assert job.hidden() == {"/request/url", "/on_success", "/on_failure", "/alerts/url"}
    values = {Source("HOOK"): "https://example.com/h", command: "none", Source("CHAT"): CHAT}
    body = job.body(values)
    assert body["request"] == {"url": "https://example.com/h"}
    assert (body["on_success"], body["on_failure"]) == ("none", CHAT)
    assert body["alerts"] == {"url": CHAT, "events": ["failed"], "format": "slack"}


def test_url_of_the_defaults_may_come_from_a_variable() -> None:
    file = read_apply_file(
        b"set: s\ndefaults: {url: {env: HOOK}, alerts: {url: {env: CHAT}}}\n"
        b"jobs:\n  a: {cron: '@daily'}\n  b: {cron: '@daily', url: 'https://example.com/', alerts: {url: none}}\n"
    )
    assert [job.hidden() for job in file.jobs] == [{"/request/url", "/alerts/url"}, frozenset()]


@pytest.mark.parametrize(
    "value",
    [
        "s3cret",
        "none",
        "ftp://example.com/s3cret",
        "https://example.com/s3cret\nhttps://example.com/",
        "https://example.com/s3cret\n",
        " https://example.com/s3cret",
        "https://example.com/s3 cret",
        "https://example.com/s3cret\u00e9",
        "https://example.com/s3cret\udcff",
        "https://example.com/s3cret" + "x" * 2048,
    ],
)
def test_value_that_is_no_url_is_refused_and_not_shown(value: str) -> None:
    job = read(JOB.replace("https://example.com/", "{env: HOOK}"))
    with pytest.raises(ApplyFileError) as refused:
        job.body({Source("HOOK"): value})
    assert str(refused.value) == (
        "jobs.nightly.url: the value of HOOK is no URL: one begins with https:// and has at most 2048 characters of "
        "ASCII, without spaces and line breaks"
    )


def test_value_that_is_no_callback_is_refused_and_told_what_to_send() -> None:
    job = read(JOB + "    alerts: {url: {command: [pass, show]}}\n")
    with pytest.raises(ApplyFileError) as refused:
        job.body({Source(command=("pass", "show")): "slack s3cret"})
    assert str(refused.value) == (
        "jobs.nightly.alerts.url: the value of the command 'pass' is no URL: one begins with https:// and has at most "
        "2048 characters of ASCII, without spaces and line breaks, or is 'none'"
    )


@pytest.mark.parametrize("value", ["a\nX-Other: b", "\x00", "é", "\r"])
def test_value_that_is_no_header_is_refused_and_not_shown(value: str) -> None:
    job = read(JOB + "    headers: {X-Token: {env: TOKEN}}\n")
    with pytest.raises(ApplyFileError) as refused:
        job.body({Source("TOKEN"): value})
    assert str(refused.value) == (
        "jobs.nightly.headers.X-Token: the value of TOKEN has characters that no header has"
    )


def test_body_that_is_not_utf_8_is_refused() -> None:
    job = read(JOB + "    body: {env: BODY}\n")
    with pytest.raises(ApplyFileError, match="the value of BODY is not UTF-8"):
        job.body({Source("BODY"): "s3cret \udcff"})


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
    )
    line, rate = file.jobs
    assert line.members["headers"] == {"X-Other": "b", "x-team": "c"}
    assert (line.members["timezone"], line.members["json"]) == ("Europe/Berlin", None)
    assert "body" not in line.members
    assert (rate.members["overlap_policy"], "timezone" in rate.members) == ("skip", False)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "0 YAML documents"),
        ("set: s\n---\nset: t\n", "2 YAML documents"),
        ("- a\n", r"jobs.yaml:1: must be a mapping"),
        ("jobs: {}\n", r"jobs.yaml:1: set: is required"),
        ("set: S!\njobs: {}\n", r"jobs.yaml:1: set: is required: 1 to 64 letters"),
        (f"set: {'s' * 65}\njobs: {{}}\n", r"jobs.yaml:1: set: is required"),
        ("set: s\n", r"jobs: is required"),
        ("set: s\njob: {}\n", r"jobs.yaml:2: job: unknown; a file has set, defaults, jobs"),
        (
            JOB + "    timezon: UTC\n",
            r"jobs.yaml:6: jobs.nightly.timezon: unknown member; did you mean timezone\?",
        ),
        (JOB + "    delay_seconds: 5\n", r"jobs.yaml:6: .*belongs to a job that runs once"),
        (
            JOB.replace("cron: 30 2 * * *", "at: x"),
            r"jobs.yaml:4: jobs.nightly.at: belongs to a job that runs once",
        ),
        (
            JOB.replace("cron: 30 2 * * *", "expression: at(2030-01-01T00:00:00)"),
            r"jobs.yaml:4: jobs.nightly.expression: belongs to a job that runs once",
        ),
        (JOB + "    set: t\n", r"jobs.yaml:6: jobs.nightly.set: stands at the head"),
        (JOB + "    schedule: {cron: x}\n", r"jobs.yaml:6: .*stand beside the others"),
        (
            JOB + "    rate_seconds: 5\n",
            r"jobs.yaml:3: jobs.nightly: exactly one of cron, rate_seconds, expression",
        ),
        ("set: s\njobs:\n  a: {url: https://x.example}\n", r"jobs.yaml:3: jobs.a: exactly one of"),
        ("set: s\njobs:\n  a: {cron: '@daily'}\n", r"jobs.yaml:3: jobs.a.url: is required"),
        ("set: s\njobs:\n  a:\n", r"jobs.yaml:3: jobs.a: is required"),
        (
            JOB.replace("https://example.com/", "{env: A, command: [b]}"),
            r"jobs.yaml:5: jobs.nightly.url: exactly one of env, command is needed",
        ),
        (JOB + "    on_failure: {}\n", r"jobs.yaml:6: jobs.nightly.on_failure: exactly one of env, command"),
        (
            JOB + "    alerts: {url: {}}\n",
            r"jobs.yaml:6: jobs.nightly.alerts.url: exactly one of env, command",
        ),
        (JOB + "    on_success: {env: 1A}\n", r"jobs.yaml:6: jobs.nightly.on_success.env: has a form that"),
        (
            JOB + "    on_success: {file: a}\n",
            r"jobs.yaml:6: jobs.nightly.on_success: .*unknown field `file`",
        ),
        ("set: s\njobs:\n  'a b': {}\n", r"jobs.yaml:3: .*a key has letters, digits"),
        ("set: s\njobs:\n  a/b: {}\n", r"jobs.yaml:3: .*a key has letters, digits"),
        (f"set: s\njobs:\n  {'k' * 127}: {{}}\n", r"jobs.yaml:3: .*more than 128 characters together"),
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
            JOB + "    headers: {A: {env: B, command: [c]}}\n",
            r"jobs.yaml:6: jobs.nightly.headers.A: exactly one of env, command",
        ),
        (JOB + "    body: {}\n", r"jobs.yaml:6: jobs.nightly.body: exactly one of env, command"),
        (JOB + "    body: {command: pass}\n", r"jobs.yaml:6: jobs.nightly.body.command: expected `array`"),
        (
            JOB + "    body: a\n    json: b\n",
            r"jobs.yaml:7: jobs.nightly.json: a request has `body` or `json`",
        ),
        (JOB + "    start_deadline_seconds: 5\n", r"jobs.yaml:6: .*belongs to a job that runs once"),
        (
            JOB.replace("cron: 30 2 * * *", "rate_seconds: 5") + "    timezone: UTC\n",
            r"jobs.yaml:6: .*has no meaning with rate_seconds",
        ),
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
    texts = [each for each in schema.get("anyOf", []) if each.get("type") == "string"]
    schema = texts[0] if len(texts) == 1 else schema
    return {key: value for key, value in schema.items() if key not in ("description", "anyOf")}


@pytest.mark.parametrize(
    "model",
    [
        (Fields, ("KeyedJobIn", "ScheduleIn", "RequestIn")),
        (Retry, ("RetryIn",)),
        (Alerts, ("AlertsIn",)),
        (Auth, ("AuthIn",)),
        (OidcAuth, ("OidcAuthIn",)),
        (SigV4Auth, ("SigV4AuthIn",)),
    ],
)
def test_members_and_limits_are_those_of_the_api(model: tuple[type, tuple[str, ...]]) -> None:
    own, names = model
    theirs = {name: schema for part in names for name, schema in SCHEMAS[part]["properties"].items()}
    for left_out in ("schedule", "request", "set", *ONCE):
        theirs.pop(left_out, None)
    if theirs.pop("target", None) is not None:
        # The file names a target by its ARN, or a queue by its URL; the message stands beside it.
        services = SCHEMAS["AwsTargetIn"]["properties"]
        theirs |= {service: {"maxLength": 256, "type": "string"} for service in services}
        options = [SCHEMAS[name]["properties"] for name in SCHEMAS if name.endswith("TargetIn")]
        theirs |= {
            name: schema
            for members in options
            for name, schema in members.items()
            if name not in (*services, "arn", "queue_url", "body", "json")
        }
        theirs["invocation_type"] = SCHEMAS["InvocationType"]
    assert set(own.__struct_encode_fields__) == set(theirs)  # type: ignore[attr-defined]
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
    for way in ("oidc", "sigv4"):
        theirs.pop(way, None)  # An object, whose members are compared by themselves.
    for name, schema in theirs.items():
        api, ours = resolved(schema), own_schema(own, name)
        if name in ("headers", "body", "json", "retry", "alerts", "auth"):
            continue
        for limit in limits:
            expected, found = api.get(limit), ours.get(limit)
            if limit == "enum" and expected is not None:
                expected, found = sorted(expected), sorted(found or ())
            if "enum" in api and limit == "type":
                continue
            assert found == expected, (name, limit)


def test_sets_and_keys_are_those_of_the_api() -> None:
    (key,) = (
        each["schema"]["pattern"]
        for each in OPENAPI["paths"]["/v1/jobs/by-key/{key}"]["put"]["parameters"]
        if each["name"] == "key"
    )
    (set_name,) = (
        each["pattern"] for each in SCHEMAS["KeyedJobIn"]["properties"]["set"]["anyOf"] if "pattern" in each
    )
    assert (key, set_name) == (f"^{KEY.pattern}$", f"^{SET.pattern}$")


@settings(max_examples=50)
@given(st.from_regex(SET, fullmatch=True), st.from_regex(KEY, fullmatch=True))
def test_key_of_a_job_is_one_of_the_api_and_begins_with_its_set(set_name: str, key: str) -> None:
    text = f"set: '{set_name}'\njobs:\n  '{key}': {{cron: '@daily', url: 'https://example.com/'}}\n"
    if len(set_name) + len(key) > 127:
        assert "more than 128 characters together" in refusal(text)
        return
    file = read_apply_file(text.encode())
    assert file.key_of(file.jobs[0]) == f"{set_name}.{key}"
    assert is_key(f"{set_name}.{key}")
    check_set(file.set)


def test_members_are_listed_once() -> None:
    assert len(set(MEMBERS)) == len(MEMBERS)


PIPELINE = f"wfl_1{27 * '0'}"


def test_job_starts_a_workflow_in_place_of_a_request_and_takes_no_default_of_calls() -> None:
    job = read(
        "set: s\n"
        "defaults: {timezone: Europe/Berlin, retry: {max_attempts: 3}, headers: {X-Team: a}, lane: bulk}\n"
        f"jobs:\n  nightly: {{cron: 30 2 * * *, workflow: {PIPELINE}, overlap_policy: skip}}\n"
    )
    assert job.body({}) == {
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "workflow": PIPELINE,
        "lane": "bulk",
        "overlap_policy": "skip",
    }


@pytest.mark.parametrize(
    ("member", "place"),
    [
        ("url: https://example.com/", "url: belongs to a job that calls a `url`"),
        ("retry: {max_attempts: 2}", "retry: belongs to a job that calls a `url`"),
        ("timeout_seconds: 9", "timeout_seconds: belongs to a job that calls a `url`"),
        ("body: x", "body: belongs to a job that calls a `url`"),
    ],
)
def test_job_with_a_workflow_and_a_member_of_calls_is_refused(member: str, place: str) -> None:
    text = f"set: s\njobs:\n  a:\n    cron: '@daily'\n    workflow: {PIPELINE}\n    {member}\n"
    assert f"jobs.a.{place}" in refusal(text)


def test_workflow_of_the_defaults_is_left_out_where_a_job_calls_a_url() -> None:
    job = read(
        f"set: s\ndefaults: {{workflow: {PIPELINE}}}\njobs:\n  a: {{cron: '@daily', url: 'https://x.example/'}}\n"
    )
    assert job.body({}) == {"schedule": {"cron": "@daily"}, "request": {"url": "https://x.example/"}}


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ("wfl_order", "jobs.a.workflow: begins as an id"),
        (f"wfl_1{26 * '0'}", "jobs.a.workflow: begins as an id"),
        ("the order", "jobs.a.workflow: names a workflow of the file"),
        ("''", "jobs.a.workflow: names a workflow of the file"),
        ("[order]", "jobs.a.workflow: expected `str`"),
    ],
)
def test_text_that_names_no_workflow_is_refused_at_its_line(named: str, error: str) -> None:
    text = f"set: s\njobs:\n  a:\n    cron: '@daily'\n    workflow: {named}\n"
    assert refusal(text).startswith("jobs.yaml:5: " + error)


def test_job_names_a_workflow_of_the_file_another_one_or_an_id() -> None:
    file = read_apply_file(
        b"set: s\njobs:\n"
        b"  own: {cron: '@daily', workflow: order}\n"
        b"  other: {cron: '@daily', workflow: t.order}\n"
        b"  id: {cron: '@daily', workflow: " + PIPELINE.encode() + b"}\n"
        b"  call: {cron: '@daily', url: 'https://x.example/'}\n"
        b"workflows:\n  order:\n    tasks:\n      one: {url: 'https://x.example/'}\n"
    )
    assert [file.workflow_of(job) for job in file.jobs] == ["s.order", "t.order", None, None]


SIGNED = {"role": "arn:aws:iam::111122223333:role/punctual/acme", "service": "s3", "region": "eu-west-1"}


@pytest.mark.parametrize("ways", [{}, {"oidc": {"audience": "a"}, "sigv4": SIGNED}], ids=["none", "both"])
def test_auth_of_a_file_names_one_way(ways: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError, match="names one way"):
        msgspec.convert(ways, Auth)


def test_auth_of_a_file_may_be_a_signature_for_aws() -> None:
    read = msgspec.convert({"sigv4": SIGNED}, Auth)
    assert msgspec.to_builtins(read) == {"sigv4": SIGNED}
