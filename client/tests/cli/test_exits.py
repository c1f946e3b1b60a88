"""Exit codes and the texts of errors."""

import re

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK, Deployment, Fate, script
from punctual.cli.exits import CommandError, Exit, code_of, lines_of
from punctual.errors import (
    BatchRefusedError,
    ConfigurationError,
    ExecutionFailedError,
    NoAnswerError,
    UnexpectedAnswerError,
    WaitTimeoutError,
)
from punctual.problems import PROBLEMS, ApiError
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope

STATUS = {
    "already-exists": (412, 5),
    "callback-url-not-allowed": (422, 6),
    "forbidden": (403, 4),
    "idempotency-key-invalid": (400, 6),
    "idempotency-key-reused": (422, 5),
    "internal-error": (500, 8),
    "invalid-cursor": (400, 6),
    "invalid-state": (409, 5),
    "malformed-request": (400, 6),
    "method-not-allowed": (405, 6),
    "not-found": (404, 3),
    "payload-too-large": (413, 6),
    "precondition-failed": (412, 5),
    "precondition-required": (428, 5),
    "quota-exceeded": (429, 7),
    "rate-limited": (429, 7),
    "schedule-in-past": (422, 6),
    "schedule-never-fires": (422, 6),
    "schedule-too-far": (422, 6),
    "service-unavailable": (503, 8),
    "unauthenticated": (401, 4),
    "unsupported-media-type": (415, 6),
    "validation-failed": (422, 6),
}


def problem(status: int, slug: str | None, **members: object) -> ApiError:
    kind = PROBLEMS.get(slug or "", ApiError)
    return kind(status=status, type=slug, title="Title", **{"detail": "the detail", **members})  # type: ignore[arg-type]


@pytest.mark.parametrize("slug", sorted(PROBLEMS))
def test_each_problem_type_has_its_exit_code(slug: str) -> None:
    status, code = STATUS[slug]
    assert code_of(problem(status, slug)) == code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (problem(429, None), 8),
        (problem(502, None), 8),
        (problem(418, "new-type"), 6),
        (NoAnswerError("x", operation="getJob"), 8),
        (UnexpectedAnswerError("x", operation="getJob"), 8),
        (ConfigurationError("x"), 2),
        (ValueError("x"), 2),
        (WaitTimeoutError("job_1", "running", 3), 1),
        (ExecutionFailedError("x", None, None), 1),
        (BatchRefusedError([(0, problem(422, "validation-failed"))], total=1), 6),
        (CommandError("x"), 1),
        (CommandError("x", Exit.CHANGES), 9),
        (KeyError("x"), 1),
    ],
)
def test_each_error_has_its_exit_code(error: Exception, code: int) -> None:
    assert code_of(error) == code


def test_error_is_told_with_pointer_quota_and_request() -> None:
    error = problem(
        429,
        "quota-exceeded",
        quota="recurring_jobs",
        instance="urn:punctual:request:7",
        retry_after=2.0,
        errors=[("/schedule/cron", "minute: 61 is not from 0 to 59")],
    )
    text = "\n".join(lines_of(error))
    assert text.splitlines()[0] == "punctual: the detail (429 quota-exceeded)"
    for part in (
        "/schedule/cron: minute",
        "recurring_jobs",
        "urn:punctual:request:7",
        "2 s",
        "punctual usage",
    ):
        assert part in text


def test_error_whose_answer_was_lost_says_that_it_may_have_taken_effect() -> None:
    assert "may have taken effect" in "\n".join(
        lines_of(NoAnswerError("no answer", operation="createKey", maybe_applied=True))
    )


ONE_JOB = f'{{"schedule": {{"delay_seconds": 60}}, "request": {{"url": "{HOOK}"}}}}'


@pytest.mark.parametrize("line", ["create --url {hook} --delay 1h", "trigger {job}", "batch -"])
@pytest.mark.parametrize("fate", [Fate.ANSWER_LOST, Fate.TIMED_OUT])
def test_creation_without_an_answer_can_be_repeated_by_the_option_that_is_shown(
    line: str, fate: Fate
) -> None:
    shell = Shell()
    job = shell.json("create", "--url", HOOK, "--cron", "@daily")["id"]
    words = [word.format(hook=HOOK, job=job) for word in line.split()]
    shell.deployment.fate = lambda request: fate if request.method == "POST" else Fate.ANSWERED
    lost = shell.run(*words, stdin=ONE_JOB)
    assert lost.code == 8
    [option] = re.findall(r"takes effect once: (--idempotency-key \S+)\n", lost.err)
    shell.deployment.fate = lambda _: Fate.ANSWERED
    before = len(shell.json("list")), len(shell.json("runs"))
    shell.ok(*words, *option.split(), stdin=ONE_JOB)
    assert (len(shell.json("list")), len(shell.json("runs"))) == before


def test_key_is_shown_only_after_a_lost_answer() -> None:
    lost = NoAnswerError("no answer", operation="createJob", idempotency_key="k 'x", maybe_applied=True)
    assert """--idempotency-key 'k '"'"'x'""" in "\n".join(lines_of(lost))
    refused = problem(422, "validation-failed", operation="createJob", idempotency_key="k")
    assert "--idempotency-key" not in "\n".join(lines_of(refused))


def test_trigger_of_several_jobs_says_which_one_failed() -> None:
    shell = Shell()
    for name in ("a", "b"):
        shell.ok("create", "--url", HOOK, "--cron", "@daily", "--name", name)
    sent = len(shell.deployment.sent)
    shell.deployment.fate = lambda request: (
        Fate.ANSWER_LOST
        if request.method == "POST"
        and len([e for e in shell.deployment.sent[sent:] if e.method == "POST"]) > 1
        else Fate.ANSWERED
    )
    ran = shell.run("trigger", "a", "b", "a")
    assert ran.code == 8
    assert "b failed, and the jobs after it were not triggered" in ran.err


def test_hostile_detail_reaches_no_terminal() -> None:
    error = problem(422, "validation-failed", detail="\x1b[2J\u202e", errors=[("/a\x1b", "\x9b")])
    assert not set("\x1b\x9b\u202e") & set("".join(lines_of(error)))


def test_error_without_a_text_has_its_name() -> None:
    assert list(lines_of(AssertionError())) == ["punctual: AssertionError"]


def test_answers_of_the_api_end_with_their_codes() -> None:
    shell = Shell()
    missing = shell.run("get", "job_r001jmg0r03szjym089eyz6ab9d1")
    assert (missing.code, missing.out) == (3, "")
    assert "Traceback" not in missing.err
    refused = shell.run("create", "--url", HOOK, "--cron", "61 * * * *")
    assert refused.code == 6
    assert "minute: 61 is not from 0 to 59 (422 validation-failed)\n  at /schedule/cron\n" in refused.err
    assert Shell(key="pk_0000000000000000_wrong").run("list").code == 4


def test_missing_scope_ends_with_4() -> None:
    shell = Shell()
    shell.deployment.world.limit_to(Scope.READ)
    assert shell.run("create", "--url", HOOK, "--delay", "1m").code == 4


def test_used_up_quota_ends_with_7() -> None:
    shell = Shell()
    shell.deployment.world.allow(Quota.RECURRING_JOBS, 1)
    shell.ok("create", "--url", HOOK, "--cron", "@daily")
    ran = shell.run("create", "--url", HOOK, "--cron", "@daily")
    assert ran.code == 7
    assert "recurring_jobs" in ran.err


def test_lost_connections_end_with_8_and_without_a_traceback() -> None:
    shell = Shell(Deployment(fate=lambda _: Fate.UNCONNECTED))
    ran = shell.run("list")
    assert (ran.code, ran.out) == (8, "")
    assert "connection refused" in ran.err
    assert "Traceback" not in ran.err


def test_lost_answer_is_retried_and_nothing_is_made_twice() -> None:
    shell = Shell(Deployment(fate=script(Fate.ANSWER_LOST)))
    shell.ok("create", "--url", HOOK, "--delay", "10m")
    assert len(shell.json("list")) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["list", "--nothing"],
        ["list", "--state", "nothing"],
        ["list", "-o", "xml"],
        ["get"],
        ["get", "a", "b"],
        ["create", "--url", HOOK],
        ["create", "--delay", "1m"],
        ["create", "--url", HOOK, "--delay", "1m", "--cron", "@daily"],
        ["create", "--url", HOOK, "--delay", "soon"],
        ["create", "--url", HOOK, "--delay", "1m", "--json", "{"],
        ["create", "--url", HOOK, "--delay", "1m", "--json", "@/nowhere/file"],
        ["create", "--url", HOOK, "--delay", "1m", "--set", "s"],
        ["edit", "job_r001jmg0r03szjym089eyz6ab9d1"],
        ["edit", "job_r001jmg0r03szjym089eyz6ab9d1", "--clear", "nothing"],
        ["pause"],
        ["pause", "a", "--tag", "t"],
        ["pause", "a", "--yes"],
        ["pause", "--all", "--tag", "t"],
        ["delete", "a", "--grace", "1"],
        ["trigger", "a", "b", "--idempotency-key", "k"],
        ["api", "GET", "v1/usage"],
        ["api", "GET", "https://other.example/v1/usage"],
        ["api", "BREW", "/v1/usage"],
        ["api", "POST", "/v1/jobs", "--data", "@/nowhere/file"],
        ["completion", "csh"],
    ],
)
def test_usage_that_cannot_be_meant_ends_with_2_and_sends_nothing(arguments: list[str]) -> None:
    shell = Shell()
    ran = shell.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err
    assert not [each for each in shell.deployment.sent if each.method != "GET"]


def test_unforeseen_error_ends_with_1_and_without_a_traceback() -> None:
    def fail(_: httpx.Request) -> Fate:
        raise RuntimeError("a defect")

    ran = Shell(Deployment(fate=fail)).run("list")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "punctual: a defect\n"
