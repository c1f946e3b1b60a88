"""`runs`, `run`, `next`, `preview`, `stats` and `why`, in front of the API in memory."""

import csv
import io
from collections.abc import Callable

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.worlds import FAILING, OK, create, failed, run_of
from client.tests.sdk.deployment import HOOK
from punctual.cli.exits import Exit
from tests.support.usecases.reports import async_accepted

Act = Callable[[httpx.Request], httpx.Response]


def test_runs_are_listed_newest_first_with_their_outcome() -> None:
    shell, jobs = failed(2, name="report")
    create(shell, delay_seconds=600, name="later")
    lines = shell.ok("runs").out.splitlines()
    assert lines[0].split() == ["RUN", "JOB", "STATE", "DUE", "LAG", "MS", "ATTEMPTS", "OUTCOME"]
    assert [line.split()[1] for line in lines[1:]] == ["later", "report", "report"]
    assert "not_retryable: http_status 410" in lines[1 + 1]
    assert len(shell.ok("runs", "--failed", "--since", "24h").out.splitlines()) == 3
    found = shell.json("runs", jobs[0].id, "--state", "failed")
    assert [(each["job_id"], each["state"]) for each in found] == [(jobs[0].id, "failed")]


def test_last_runs_are_listed_beside_jobs_where_they_are_asked_for() -> None:
    shell = Shell()
    shell.ok("create", "--url", HOOK, "--every", "60s", "--name", "old")
    shell.deployment.sleep(90)
    shell.ok("create", "--url", HOOK, "--every", "60s", "--name", "fresh")
    header, *lines = shell.ok("list", "--last-run").out.splitlines()
    assert header.split()[-5:] == ["LAST", "RUN", "WAS", "LATE", "BY"]
    ended = {line.split()[1]: line[header.index("LAST RUN WAS") :].split() for line in lines}
    assert ended == {"old": ["succeeded", "0", "ms"], "fresh": []}
    assert "LAST" not in shell.ok("list").out


def test_runs_of_a_job_by_its_name_are_limited_with_a_note() -> None:
    shell = Shell()
    create(shell, name="poll", rate_seconds=60)
    shell.deployment.sleep(300)
    ran = shell.ok("runs", "poll", "--limit", "2")
    assert len(ran.out.splitlines()) == 3
    assert "--all shows all" in ran.err
    everything = list(csv.DictReader(io.StringIO(shell.ok("-o", "csv", "runs", "poll", "--all").out)))
    assert len(everything) > 3
    assert {each["job"] for each in everything} == {"poll"}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("runs", "unknown"), Exit.NOT_FOUND, "no job has"),
        (("runs", "--failed", "--state", "running"), Exit.USAGE, "exclude each other"),
        (("runs", "--since", "yesterday"), Exit.REFUSED, "RFC 3339"),
        (("run", "exe_unknown"), Exit.NOT_FOUND, "404"),
        (("next", "unknown"), Exit.NOT_FOUND, "no job has"),
        (("preview",), Exit.USAGE, "give a SCHEDULE"),
        (("preview", "@daily", "--every", "5m"), Exit.USAGE, "give a SCHEDULE"),
        (("preview", "61 * * * *"), Exit.REFUSED, "61 is not from 0 to 59"),
        (("stats", "--by", "year"), Exit.USAGE, "year"),
        (("stats", "--since", "90d"), Exit.REFUSED, "at most"),
        (("why", "exe_unknown"), Exit.NOT_FOUND, "404"),
        (("-o", "csv", "preview", "@daily"), Exit.USAGE, "no CSV"),
    ],
)
def test_refusals_have_a_code_and_say_what_is_wrong(
    arguments: tuple[str, ...], code: Exit, says: str
) -> None:
    ran = Shell().run(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err


def test_a_run_is_shown_with_its_attempts_and_stages() -> None:
    shell, [job] = failed(name="report")
    run = run_of(shell, job)
    ran = shell.ok("run", run)
    for part in (run, "report", "not_retryable", "attempt 1", "http_status 410", "  queue", "gone for good"):
        assert part in ran.out
    assert ran.out == shell.ok("run", "show", run).out
    document = shell.json("run", run)
    assert (document["execution"]["id"], document["explanation"]["id"]) == (run, run)


def test_a_redrive_is_made_once_and_cancelled() -> None:
    shell, [job] = failed()
    run = run_of(shell, job)
    redrive = shell.json("run", "redrive", run)
    assert (redrive["redrive_of"], redrive["state"]) == (run, "queued")
    assert shell.json("run", "redrive", run)["id"] == redrive["id"]
    assert shell.json("run", "cancel", redrive["id"])["state"] == "cancelled"
    refused = shell.run("run", "cancel", run)
    assert (refused.code, refused.out) == (Exit.CONFLICT, "")


def test_next_runs_are_local_to_the_job() -> None:
    shell = Shell()
    job = create(shell, name="nightly", cron="30 2 * * *", timezone="Europe/Berlin")
    lines = shell.ok("next", "nightly", "-n", "20").out.splitlines()
    assert len(lines) == 21
    assert all(" 02:30:00 +0" in line for line in lines[1:])
    assert len(shell.json("next", job.id)) == 10


def test_next_runs_of_a_paused_job_are_none_and_it_says_why() -> None:
    shell = Shell()
    job = create(shell, cron="@daily")
    with shell.deployment.client() as client:
        client.jobs.pause(job, reason="moving")
    ran = shell.ok("next", job.id)
    assert ran.out == ""
    assert "moving" in ran.err
    assert shell.json("next", job.id) == []


def test_next_calls_of_all_jobs() -> None:
    shell = Shell()
    job = create(shell, delay_seconds=600)
    assert "--within" in shell.ok("next").err
    assert job.id in shell.ok("next", "--within", "1h").out
    assert job.id in shell.ok("next", "--from", "2025-02-19T21:20:12.345Z").out
    assert shell.ok("next", "--from", "2025-02-20T21:00:00Z", "--within", "1h").out == ""
    assert shell.run("next", job.id, "--within", "1h").code == Exit.USAGE
    assert shell.run("next", job.id, "--from", "2030-01-01T00:00:00Z").code == Exit.USAGE


def test_upcoming_runs_are_counted_in_steps() -> None:
    shell = Shell()
    create(shell, delay_seconds=600)
    create(shell, delay_seconds=5_000)
    lines = shell.ok("upcoming", "--within", "3h").out.splitlines()
    assert [line.split()[-2:] for line in lines[:3]] == [["1", "█"], ["1", "█"], ["0", "▁"]]
    assert lines[-1].startswith("2 runs before ")
    assert [step["count"] for step in shell.json("upcoming", "--within", "3h")["steps"]][:3] == [1, 1, 0]
    rows = list(csv.DictReader(io.StringIO(shell.ok("upcoming", "--within", "3h", "-o", "csv").out)))
    assert sum(int(row["runs"]) for row in rows) == 2
    assert shell.run("upcoming", "--step", "soon").code == Exit.USAGE


def test_a_preview_has_runs_a_calendar_and_warnings() -> None:
    out = Shell().ok("preview", "30 2 * 3 *", "--tz", "Europe/Berlin").out
    assert "At 02:30 on every day in March, in Europe/Berlin" in out
    assert "The clocks of Europe/Berlin change:" in out
    assert "02:00 -> 03:00  skips    02:30  runs at 03:00 instead" in out
    assert "warning: " in out


@pytest.mark.parametrize(
    ("arguments", "description"),
    [
        (("@hourly",), "Every hour"),
        (("rate(5 minutes)",), "5 minutes"),
        (("cron(0 9 ? * MON-FRI *)",), "09:00"),
        (("--every", "90s"), "90 seconds"),
        (("--at", "2030-01-01T09:00:00Z"), "2030"),
    ],
)
def test_a_preview_takes_every_kind_of_schedule(arguments: tuple[str, ...], description: str) -> None:
    assert description in Shell().ok("preview", *arguments).out


def test_statistics_are_sums_and_bars() -> None:
    shell, [job, _] = failed(2)
    out = shell.ok("stats", job.id, "--by", "minute").out
    assert "by minute" in out
    assert "ended             1" in out
    assert "failed            1" in out
    assert "█" in out
    assert shell.json("stats", job.id)["total"]["failed"] == 1
    rows = list(csv.DictReader(io.StringIO(shell.ok("stats", job.id, "-o", "csv").out)))
    assert sum(int(row["failed"]) for row in rows) == 1


def test_statistics_say_how_far_they_are_complete() -> None:
    shell, [job] = failed()
    over = shell.ok("stats", job.id, "--by", "minute", "--since", "20m", "--until", "10m").out
    assert "Each execution that was due in this range is counted." in over
    assert "Complete until 2025-02-19 22:10:00 +01:00." in shell.ok("stats", job.id, "--by", "minute").out


def test_statistics_of_all_jobs_count_the_last_hours_before_they_are_complete() -> None:
    shell, _ = failed(2)
    out = shell.ok("stats").out
    assert "No step is complete yet." in out
    assert "states    failed 2" in out


def test_the_busiest_jobs_of_a_day_are_listed() -> None:
    shell = Shell()
    ran = shell.ok("busiest", "--day", "2025-02-18")
    assert (ran.out, ran.err.splitlines()[0]) == ("", "no recurring job has run")
    assert "not all counted yet" in ran.err
    shell.deployment.act = _busy(shell.deployment.act)  # type: ignore[method-assign, assignment]
    assert shell.ok("busiest").out.splitlines()[1].split() == ["job_1", "acme", "7", "2"]
    assert shell.json("busiest")["complete"] is True
    assert Shell().run("busiest", "--day", "today").code == Exit.REFUSED


def _busy(act: Act) -> Act:
    """An API in which a job ran seven times on the day."""

    def busy(request: httpx.Request) -> httpx.Response:
        job = {"job_id": "job_1", "tenant_id": "acme", "ended": 7, "failed": 2}
        return httpx.Response(200, json=act(request).json() | {"jobs": [job], "complete": True})

    return busy


def test_why_says_in_words_what_became_of_a_run() -> None:
    shell, [job] = failed(name="report")
    out = shell.ok("why", "report").out
    assert f"{run_of(shell, job)} of report, due at 2025-" in out
    assert "It failed, and no attempt follows." in out
    assert "Attempt 1 ended with http_status 410." in out
    assert "The receiver answered: gone for good" in out
    assert shell.json("why", run_of(shell, job))["state"] == "failed"


def test_why_explains_the_run_that_waits_rather_than_the_one_that_runs() -> None:
    shell = Shell()
    shell.deployment.world.world.sender.answer_to = async_accepted
    job = create(shell, name="sync", rate_seconds=10, overlap_policy="queue_one")
    shell.deployment.sleep(24)
    out = shell.ok("why", "sync").out
    assert "an earlier run of the job had not ended" in out
    assert shell.json("why", job.id)["waiting_for"]["reason"] == "overlap"


def test_why_explains_the_run_that_waits_for_a_retry_rather_than_a_newer_one() -> None:
    shell = Shell()
    answers = iter([FAILING])
    shell.deployment.world.world.sender.answer_to = lambda _: next(answers, OK)
    create(shell, name="poll", rate_seconds=60, retry={"delays_seconds": [3600]})
    shell.deployment.sleep(200)
    assert shell.json("runs", "poll", "--state", "succeeded")
    assert shell.json("why", "poll")["state"] == "waiting"
    assert "Attempt 1 ended with http_status 503." in shell.ok("why", "poll").out


def test_why_of_a_job_that_has_not_run_says_when_it_will() -> None:
    shell = Shell()
    create(shell, name="yearly", cron="0 0 1 1 *")
    assert shell.ok("why", "yearly").out.splitlines() == [
        "yearly has not run yet.",
        "Its next run is due at 2026-01-01 01:00:00 +01:00.",
    ]
