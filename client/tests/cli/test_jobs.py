"""Commands about single jobs."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.worlds import tenant_with_all_scopes
from client.tests.sdk.deployment import HOOK
from punctual.aws_targets import OPTIONS, TARGETS
from punctual.cli.job_members import members_of_job
from punctual.cli.job_options import JOB_OPTIONS
from punctual.cli.session import Session
from punctual.models import AlertsIn, AwsTargetIn, JobIn, RequestIn, RetryIn, ScheduleIn
from shared.domain.delivery.callback import CallbackResponse, Reason

GONE = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=410)
RECURRING = ("create", "--url", HOOK, "--cron", "30 2 * * *", "--tz", "Europe/Berlin")


def made(shell: Shell, *more: str) -> Any:
    return shell.json(*RECURRING, *more)


def sent(shell: Shell) -> Any:
    """The body of the last request that has one."""
    return json.loads(next(each.content for each in reversed(shell.deployment.sent) if each.content))


def test_options_cover_every_member_of_a_job() -> None:
    options = {(each.part, each.member) for each in JOB_OPTIONS}
    parts = {"schedule": ScheduleIn, "request": RequestIn, "retry": RetryIn, "alerts": AlertsIn}
    members = {("", name) for name in JobIn.__struct_fields__ if name not in parts}
    members |= {(part, name) for part, model in parts.items() for name in model.__struct_fields__}
    # The body is that of the request, and a target is given by its ARN, or a queue by its URL.
    members = members - {("", "target")} | {("target", name) for name in (*TARGETS, *OPTIONS)}
    assert {name.rstrip("_") for name in AwsTargetIn.__struct_fields__} == set(TARGETS)
    assert options == members
    flags = [flag for each in JOB_OPTIONS for flag in each.flags]
    assert len(flags) == len(set(flags))


def test_audience_of_an_identity_token_is_created_edited_and_cleared() -> None:
    shell = Shell()
    job = made(shell, "--oidc-audience", "https://reports.example.com")
    auth = {"oidc": {"audience": "https://reports.example.com"}}
    assert sent(shell)["request"] == {"url": HOOK, "auth": auth}
    assert job["request"]["auth"]["oidc"] == auth["oidc"]
    shell.ok("edit", job["id"], "--oidc-audience", "b")
    assert shell.json("get", job["id"])["request"]["auth"]["oidc"] == {"audience": "b"}
    role = "arn:aws:iam::111122223333:role/punctual/acme"
    for wrong in ("a", "a,b", f"{role},execute-api,"):
        ran = shell.run("edit", job["id"], "--sigv4", wrong)
        assert (ran.code, "ROLE,SERVICE,REGION" in ran.err) == (2, True), ran
    both = shell.run("edit", job["id"], "--sigv4", f"{role},s3,eu-west-1", "--oidc-audience", "b")
    assert (both.code, "only one of" in both.err) == (2, True), both
    shell.ok("edit", job["id"], "--clear", "oidc-audience")
    assert shell.json("get", job["id"])["request"].get("auth") is None


def test_create_sends_what_the_options_say() -> None:
    shell = Shell()
    job = made(
        shell,
        *("--name", "nightly", "--tag", "billing", "--tag", "eu", "--lane", "bulk", "--timeout", "20s"),
        *("--method", "PUT", "--json", '{"kind": "x"}', "-H", "X-Team: billing"),
        *("--retry-delays", "10s,1m,1h", "--give-up-after", "2h", "--overlap", "queue_one", "--jitter", "1m"),
        *("--alerts-url", "https://alerts.example/x", "--alert", "failed", "--alert", "recovered"),
    )
    body = sent(shell)
    assert body["request"] == {
        "url": HOOK,
        "method": "PUT",
        "json": {"kind": "x"},
        "headers": {"X-Team": "billing"},
    }
    assert body["retry"] == {"delays_seconds": [10, 60, 3600], "give_up_after_seconds": 7200}
    assert body["alerts"] == {"url": "https://alerts.example/x", "events": ["failed", "recovered"]}
    assert (job["name"], job["tags"], job["lane"]) == ("nightly", ["billing", "eu"], "bulk")
    assert job["schedule"] == {
        **job["schedule"],
        "cron": "30 2 * * *",
        "timezone": "Europe/Berlin",
        "jitter_seconds": 60,
    }


QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"
QUEUE_URL = "https://sqs.eu-west-1.amazonaws.com/111122223333/orders"


def test_message_to_a_queue_is_created_shown_and_changed() -> None:
    shell = Shell()
    job = shell.json("create", "--cron", "30 2 * * *", "--sqs", QUEUE, "--json", '{"n": 1}')
    assert sent(shell)["target"] == {"sqs": {"arn": QUEUE, "json": {"n": 1}}}
    assert "request" not in sent(shell)
    assert job["target"]["sqs"]["arn"] == QUEUE
    assert QUEUE in shell.ok("get", job["id"]).out
    shell.ok("edit", job["id"], "--sqs", f"{QUEUE_URL}2", "--message-group-id", "g")
    assert sent(shell)["target"] == {"sqs": {"queue_url": f"{QUEUE_URL}2", "message_group_id": "g"}}
    shell.ok("edit", job["id"], "--clear", "message-group-id")
    assert sent(shell)["target"] == {"sqs": {"message_group_id": None}}
    assert f"{QUEUE}2" in shell.ok("get", job["id"]).out


FUNCTION = "arn:aws:lambda:eu-west-1:111122223333:function:close"
BUS = "arn:aws:events:eu-west-1:111122223333:event-bus/orders"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:orders"
MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:close"


@pytest.mark.parametrize(
    ("options", "target"),
    [
        (
            ("--lambda", FUNCTION, "--invocation-type", "request_response"),
            {"lambda": {"arn": FUNCTION, "invocation_type": "request_response"}},
        ),
        (("--sns", TOPIC), {"sns": {"arn": TOPIC}}),
        (
            ("--eventbridge", BUS, "--source", "com.example", "--detail-type", "Day closed"),
            {"eventbridge": {"arn": BUS, "source": "com.example", "detail_type": "Day closed"}},
        ),
        (("--step-functions", MACHINE), {"step_functions": {"arn": MACHINE}}),
    ],
)
def test_target_of_each_service_is_created_and_shown(
    options: tuple[str, ...], target: dict[str, dict[str, str]]
) -> None:
    shell = Shell()
    job = shell.json("create", "--delay", "1m", *options, "--json", '{"n": 1}')
    [(service, members)] = target.items()
    assert sent(shell)["target"] == {service: {**members, "json": {"n": 1}}}
    assert {name: job["target"][service][name] for name in members} == members
    shown = shell.ok("get", job["id"]).out
    assert all(text in shown for text in members.values())


def test_group_of_a_topic_is_changed_and_cleared_with_the_topic() -> None:
    shell = Shell()
    job = shell.json("create", "--cron", "30 2 * * *", "--sns", TOPIC, "--json", '{"n": 1}')
    shell.ok("edit", job["id"], "--sns", TOPIC, "--message-group-id", "g")
    assert sent(shell)["target"] == {"sns": {"arn": TOPIC, "message_group_id": "g"}}
    shell.ok("edit", job["id"], "--sns", TOPIC, "--clear", "message-group-id")
    assert sent(shell)["target"] == {"sns": {"arn": TOPIC, "message_group_id": None}}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--sqs", QUEUE, "--url", HOOK, "--body", "x"), "--url has no meaning"),
        (("--sqs", QUEUE, "-H", "X: y", "--body", "x"), "--header has no meaning"),
        (("--message-group-id", "g", "--body", "x"), "Give --url, --workflow, or a target"),
        (("--sqs", QUEUE, "--source", "s", "--body", "x"), "--source has no meaning with --sqs"),
        (("--sqs", QUEUE, "--lambda", FUNCTION, "--body", "x"), "only one of --sqs and --lambda"),
    ],
)
def test_message_with_the_members_of_a_request_is_refused(options: tuple[str, ...], says: str) -> None:
    refused = Shell().run("create", "--delay", "1m", *options)
    assert refused.code == 2
    assert says in refused.err


@pytest.mark.parametrize(
    ("text", "length"),
    [("90", 90), ("90s", 90), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("1w", 604_800)],
)
def test_durations_are_read(text: str, length: int) -> None:
    shell = Shell()
    shell.ok("create", "--url", HOOK, "--delay", text)
    assert sent(shell)["schedule"] == {"delay_seconds": length}


@pytest.mark.parametrize("text", ["1.5h", "-1", "h", "1y", "10 m", "\uff190", "1" * 20])
def test_other_durations_are_refused(text: str) -> None:
    ran = Shell().run("create", "--url", HOOK, f"--delay={text}")
    assert ran.code == 2
    assert "90s, 15m, 24h or 7d" in ran.err


def test_body_comes_from_a_file_from_standard_input_or_from_the_argument(tmp_path: Path) -> None:
    shell = Shell()
    file = tmp_path / "b.json"
    file.write_text('{"from": "a file"}', encoding="utf-8")
    create = ("create", "--url", HOOK, "--delay", "1m")
    shell.ok(*create, "--json", f"@{file}")
    assert sent(shell)["request"]["json"] == {"from": "a file"}
    shell.ok(*create, "--json", "-", stdin='["from standard input"]')
    assert sent(shell)["request"]["json"] == ["from standard input"]
    shell.ok(*create, "--body", "plain")
    assert sent(shell)["request"]["body"] == "plain"
    assert shell.run(*create, "--body", "-", stdin=b"\xff").code == 2
    broken = shell.run(*create, "--json", "-", stdin='{"secret": hunter2}')
    assert broken.code == 2
    assert "line 1" in broken.err
    assert "hunter2" not in broken.err


def test_secret_of_a_header_comes_from_the_environment() -> None:
    shell = Shell(environ={"HOOK_TOKEN": "hunter2"})
    create = ("create", "--url", HOOK, "--delay", "1m")
    ran = shell.ok(*create, "--header", "X-Token: env:HOOK_TOKEN")
    assert sent(shell)["request"]["headers"] == {"X-Token": "hunter2"}
    assert "hunter2" not in ran.out + ran.err
    missing = shell.run(*create, "--header", "X-Token: env:NOTHING")
    assert (missing.code, "'NOTHING' is not set" in missing.err) == (2, True)


@pytest.mark.parametrize("name", ["Authorization", "X-Api_Key", "X-Functions-Key", "cookie", "X-SECRET"])
def test_header_that_may_be_secret_is_no_argument(name: str) -> None:
    shell = Shell()
    ran = shell.run("create", "--url", HOOK, "--delay", "1m", "--header", f"{name}: hunter2")
    assert ran.code == 2
    assert f"{name}: env:VAR" in ran.err
    assert "hunter2" not in ran.err
    assert shell.deployment.sent == []


def test_job_with_a_key_is_created_changed_or_left() -> None:
    shell = Shell()
    line = (*RECURRING, "--key", "billing.nightly", "--set", "billing")
    assert "created: billing.nightly" in shell.ok(*line).err
    assert "unchanged: billing.nightly" in shell.ok(*line).err
    assert "updated: billing.nightly" in shell.ok(*line, "--timeout", "5s").err
    [job] = shell.json("list", "--set", "billing")
    assert job["key"] == "billing.nightly"


def test_same_idempotency_key_creates_one_job() -> None:
    shell = Shell()
    line = ("create", "--url", HOOK, "--delay", "1h", "--idempotency-key", "k")
    assert shell.json(*line)["id"] == shell.json(*line)["id"]
    assert len(shell.json("list")) == 1


def test_job_is_found_by_id_key_and_unique_name() -> None:
    shell = Shell()
    job = shell.json(*RECURRING, "--key", "a.key", "--name", "a name")
    for named in (job["id"], "a.key", "a name"):
        assert shell.json("get", named)["id"] == job["id"]
    assert shell.run("get", "a nam").code == 3
    twin = made(shell, "--name", "a name")
    ran = shell.run("get", "a name")
    assert ran.code == 2
    assert job["id"] in ran.err
    assert twin["id"] in ran.err


SLACK = "https://hooks.slack.com/services/T0/B0/s3cret"


@pytest.mark.parametrize("source", ["env:SLACK_URL", "@{folder}/url", "-"])
@pytest.mark.parametrize("option", ["--alerts-url", "--on-success", "--on-failure"])
def test_url_of_callbacks_and_alerts_needs_no_argument(option: str, source: str, tmp_path: Path) -> None:
    shell = tenant_with_all_scopes()
    shell.environ["SLACK_URL"] = SLACK
    (tmp_path / "url").write_text(f"{SLACK}\n", encoding="utf-8")
    more = ("--alert", "failed") if option == "--alerts-url" else ()
    made(shell, "--name", "nightly")
    for command in (RECURRING, ("edit", "nightly"), ("settings", "set")):
        shell.ok(*command, option, source.format(folder=tmp_path), *more, stdin=f"{SLACK}\n")
        body = sent(shell)
        assert SLACK in (body.get("on_success"), body.get("on_failure"), body.get("alerts", {}).get("url"))


@pytest.mark.parametrize("source", ["env:MISSING", "env:EMPTY", "env:", "-", "@/nowhere/url"])
@pytest.mark.parametrize("option", ["--alerts-url", "--on-success", "--on-failure"])
def test_url_that_is_not_where_it_is_said_to_be_sends_nothing(option: str, source: str) -> None:
    shell = Shell(environ={"EMPTY": " "})
    for command in (("create", "--url", HOOK, "--every", "1h"), ("edit", "job"), ("settings", "set")):
        ran = shell.run(*command, option, source, stdin=" \n")
        assert (ran.code, ran.out, shell.deployment.sent) == (2, "", [])


def test_key_counts_before_the_name_of_another_job() -> None:
    shell = Shell()
    keyed = shell.json(*RECURRING, "--key", "twin")
    made(shell, "--name", "twin")
    assert shell.json("get", "twin")["id"] == keyed["id"]


def test_deleted_key_does_not_hide_a_job_of_that_name() -> None:
    shell = Shell()
    deleted = shell.json(*RECURRING, "--key", "twin")
    shell.ok("delete", "twin")
    assert shell.json("get", "twin")["id"] == deleted["id"]
    job = made(shell, "--name", "twin")
    assert shell.json("get", "twin")["id"] == job["id"]
    shell.ok("pause", "twin")
    made(shell, "--name", "twin")
    assert shell.run("pause", "twin").code == 2


def test_hostile_name_of_a_job_is_found_and_escaped() -> None:
    shell = Shell(is_terminal=True, width=100)
    job = made(shell, "--name", "[red]a\u200b[/red]")
    ran = shell.ok("get", "[red]a\u200b[/red]")
    assert job["id"] in ran.out
    assert "[red]a\\u200b[/red]" in ran.out
    assert "no job has the id, the key or the name '\\x1b[2J'" in shell.run("get", "\x1b[2J").err.replace(
        "\\\\", "\\"
    )


def test_get_shows_the_job_with_local_instants() -> None:
    shell = Shell()
    job = made(shell, "--name", "nightly")
    text = shell.ok("get", job["id"]).out
    for part in ("nightly", "30 2 * * * Europe/Berlin", f"POST {HOOK}", "02:30:00 +01:00"):
        assert part in text
    assert shell.json("get", job["id"])["next_due_at"].endswith("Z")


def test_list_is_limited_and_filtered() -> None:
    shell = Shell()
    for number in range(3):
        made(shell, "--name", f"n{number}", "--tag", f"t{number}")
    ran = shell.ok("list", "--limit", "2", "--json")
    assert len(ran.json) == 2
    assert "only the first 2" in ran.err
    assert len(shell.json("list", "--all")) == 3
    assert [each["name"] for each in shell.json("list", "--tag", "t1")] == ["n1"]
    assert [
        each["name"] for each in shell.json("list", "--name", "n2", "--kind", "cron", "--state", "active")
    ] == ["n2"]


def test_edit_shows_what_has_changed() -> None:
    shell = Shell(environ={"T": "hunter2"})
    job = made(shell, "--name", "old", "--tag", "a")
    line = ("edit", job["id"], "--cron", "0 3 * * *", "--name", "new", "--header", "X-Token: env:T")
    text = shell.ok(*line).out
    assert "schedule.cron: 30 2 * * * → 0 3 * * *" in text
    assert "name: old → new" in text
    assert "next_due_at: " in text
    assert "request.headers: sent (its value is never shown)" in text
    assert "hunter2" not in text
    assert "unchanged" in shell.ok("edit", job["id"], "--name", "new").out
    data = shell.json("edit", job["id"], "--clear", "name", "--clear", "tag")
    assert {each["pointer"]: each["after"] for each in data["changes"]} == {"/name": None, "/tags": []}
    assert data["job"]["revision"] == 4


def test_edit_sets_and_removes_single_headers() -> None:
    shell = Shell()
    job = made(shell, "-H", "X-A: 1", "-H", "X-B: 2")
    shell.ok("edit", job["id"], "-H", "X-A: 3", "--remove-header", "X-B")
    assert sent(shell) == {"request": {"headers": {"X-A": "3", "X-B": None}}}
    assert shell.run("edit", job["id"], "-H", "X-A: 3", "--remove-header", "X-A").code == 2
    assert shell.run("edit", job["id"], "--name", "x", "--clear", "name").code == 2


def test_edit_of_a_changed_job_explains_what_to_do() -> None:
    shell = Shell()
    job = made(shell)
    shell.ok("edit", job["id"], "--name", "first")
    ran = shell.run("edit", job["id"], "--name", "second", "--if-match", "1")
    assert ran.code == 5
    assert "revision 2" in ran.err
    assert "read it again" in ran.err
    assert shell.json("get", job["id"])["name"] == "first"


def test_pause_resume_and_delete_of_named_jobs() -> None:
    shell = Shell()
    jobs = [made(shell, "--name", name)["id"] for name in ("a", "b")]
    paused = shell.json("pause", "a", "b", "--reason", "moving")
    assert [each["state"] for each in paused] == ["paused", "paused"]
    assert "moving" in shell.ok("get", "a").out
    assert shell.json("resume", jobs[0])[0]["state"] == "active"
    assert shell.json("delete", jobs[0])[0]["state"] in ("deleted", "deleting")
    assert shell.run("get", "a").code == 3


def test_misspelt_name_changes_nothing() -> None:
    shell = Shell()
    made(shell, "--name", "a")
    assert shell.run("pause", "a", "nothing").code == 3
    assert shell.json("get", "a")["state"] == "active"


def test_job_that_was_changed_is_shown_although_the_next_one_fails() -> None:
    shell = Shell()
    recurring = made(shell, "--name", "a")["id"]
    once = shell.json("create", "--url", HOOK, "--delay", "1h")["id"]
    ran = shell.run("pause", recurring, once)
    assert ran.code == 5
    assert recurring in ran.out


def test_trigger_waits_for_the_end() -> None:
    shell = Shell()
    job = made(shell)["id"]
    assert shell.json("trigger", job)[0]["job_id"] == job
    [run] = shell.json("trigger", job, "--wait")
    assert run["state"] == "succeeded"
    shell.deployment.world.world.sender.answer_to = lambda _: GONE
    ran = shell.run("trigger", job, "--wait", "--json")
    assert ran.code == 1
    assert ran.json[0]["state"] == "failed"
    assert "punctual why exe_" in ran.err


def test_wait_that_takes_too_long_ends_with_1() -> None:
    shell = Shell()
    job = made(shell)["id"]
    shell.deployment.world.world.sender.answer_to = lambda _: CallbackResponse(
        reason=Reason.HTTP_STATUS, duration_ms=5, status=500
    )
    ran = shell.run("trigger", job, "--wait", "--timeout", "2s")
    assert (ran.code, "after 2 s" in ran.err) == (1, True)


def test_backfill_is_shown_before_it_is_made() -> None:
    shell = Shell()
    job = shell.json("create", "--url", HOOK, "--every", "1h", "--start-at", "2025-02-01T00:00:00Z")["id"]
    line = ("backfill", job, "--from", "2025-02-02T00:00:00Z", "--to", "2025-02-02T15:00:00Z")
    plan = shell.ok(*line, "--dry-run", "--json")
    assert plan.json["count"] == 15
    assert "and 5 more" in plan.err
    assert len(shell.json("list")) == 1
    assert shell.json(*line, "--every", "30s", "--lane", "critical")["backfill"]["every_seconds"] == 30
    assert len(shell.json("list", "--backfill-of", job)) == 1


def test_raw_calls_send_bodies_queries_and_conditions(tmp_path: Path) -> None:
    shell = Shell()
    assert shell.json("api", "GET", "/v1/health") == {"status": "ok"}
    body = json.dumps({"schedule": {"cron": "@daily"}, "request": {"url": HOOK}})
    job = shell.json("api", "post", "/v1/jobs", "--data", "-", "--idempotency-key", "k", stdin=body)
    assert shell.json("api", "GET", "/v1/jobs?limit=1&kind=cron")["jobs"][0]["id"] == job["id"]
    patch = tmp_path / "patch.json"
    patch.write_text('{"name": "x"}', encoding="utf-8")
    line = ("api", "PATCH", f"/v1/jobs/{job['id']}", "--data", f"@{patch}", "--if-match")
    assert shell.json(*line, "1")["name"] == "x"
    assert shell.run(*line, "1").code == 5
    assert shell.run("api", "GET", "/v1/nothing").code == 3


def test_values_that_are_not_given_are_not_sent() -> None:
    session = Session(around=None)  # type: ignore[arg-type]
    assert members_of_job(session, {each.name: None for each in JOB_OPTIONS}) == {}


def test_create_with_a_key_and_a_revision_changes_that_revision_alone() -> None:
    shell = Shell()
    made(shell, "--key", "billing.nightly")
    later = ("create", "--url", HOOK, "--cron", "0 3 * * *", "--key", "billing.nightly")
    refused = shell.run(*later, "--if-match", "2")
    assert refused.code == 5
    assert "the job is at revision 1" in refused.err
    assert shell.json(*later, "--if-match", "1")["revision"] == 2
    assert shell.json(*later, "--if-match", "1")["revision"] == 2


def test_create_with_a_revision_needs_a_key() -> None:
    ran = Shell().run(*RECURRING, "--if-match", "1")
    assert (ran.code, ran.err.strip()) == (2, "punctual: --if-match needs --key")


def test_job_takes_a_calendar_and_a_business_day() -> None:
    shell = tenant_with_all_scopes()
    shell.ok("calendars", "put", "plant", "--country", "DE", "--out", "2030-12-24", "--weekend", "sunday")
    shell.ok(
        "create",
        "--name",
        "books",
        "--cron",
        "0 18 * * *",
        "--calendar",
        "plant",
        "--business-day",
        "-1",
        "--url",
        "https://example.com/hook",
    )
    schedule = shell.json("get", "books")["schedule"]
    assert {name: value for name, value in schedule.items() if value is not None} == {
        "cron": "0 18 * * *",
        "timezone": "UTC",
        "calendar": "plant",
        "business_day": -1,
    }
    preview = shell.ok("preview", "0 9 1 * *", "--calendar", "US-CA", "--when-excluded", "next").out
    assert "moved to the next business day of the calendar US-CA" in preview
