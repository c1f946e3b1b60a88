"""`punctual tail` in front of the API in memory: it shows ends, survives outages, and Ctrl-C ends it with 0."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from client.tests.cli.shell import Ran, Shell
from client.tests.cli.worlds import GONE, ago, create
from client.tests.sdk.deployment import Fate
from punctual.cli.exits import Exit
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.contract.gateway import Got, Sent, got, serving
from tests.support.sources import ROOT


def tailing(shell: Shell, seconds: float, *arguments: str, meanwhile: Callable[[], Any] | None = None) -> Ran:
    """Run `tail` for this time, and then press Ctrl-C. `meanwhile` is done after its first wait."""
    deployment = shell.deployment
    end, real, waits = deployment.elapsed + seconds, deployment.sleep, []

    def sleep(wait: float) -> None:
        real(wait)
        waits.append(wait)
        if len(waits) == 1 and meanwhile is not None:
            meanwhile()
        if deployment.elapsed >= end:
            raise KeyboardInterrupt

    deployment.sleep = sleep  # type: ignore[method-assign, assignment]
    try:
        return shell.run(*arguments)
    finally:
        deployment.sleep = real  # type: ignore[method-assign]


def names(ran: Ran) -> list[str]:
    return [re.split("  +", line)[2] for line in ran.out.splitlines()]


def test_each_run_is_shown_once_when_it_has_ended() -> None:
    shell = Shell()
    for place in range(3):
        create(shell, name=f"job {place}", delay_seconds=20 * (place + 1))
    ran = tailing(shell, 200, "tail")
    assert ran.code == Exit.OK
    assert ran.err == ""
    assert names(ran) == ["job 0", "job 1", "job 2"]
    assert "  succeeded  job 0  exe_" in ran.out


def test_runs_are_those_from_now_on_or_from_an_instant_on() -> None:
    shell = Shell()
    create(shell, name="before", delay_seconds=0)
    shell.deployment.sleep(60)
    create(shell, name="after", delay_seconds=10)
    start = ago(shell, seconds=90)
    assert names(tailing(shell, 60, "tail")) == ["after"]
    assert names(tailing(shell, 10, "tail", "--since", start)) == ["before", "after"]
    assert names(tailing(shell, 10, "tail", "--since", "1h")) == ["before", "after"]


def test_filters_choose_jobs_tags_and_failures() -> None:
    shell = Shell()
    shell.deployment.world.world.sender.answer_to = lambda _: GONE
    create(shell, name="ours", delay_seconds=10, tags=["billing"])
    job = create(shell, name="theirs", delay_seconds=10)
    assert names(tailing(shell, 60, "tail", "--tag", "billing")) == ["ours"]
    assert names(tailing(shell, 10, "tail", "theirs", "--since", "1h")) == ["theirs"]
    assert names(tailing(shell, 10, "tail", job.id, "--since", "1h", "--failed")) == ["theirs"]
    assert names(tailing(shell, 10, "tail", "--since", "1h", "--tag", "absent")) == []


def test_json_has_one_document_a_line() -> None:
    shell = Shell()
    for place in range(2):
        create(shell, name=f"job {place}", delay_seconds=5)
    ran = tailing(shell, 60, "tail", "--json")
    assert {json.loads(line)["name"] for line in ran.out.splitlines()} == {"job 0", "job 1"}


def test_failed_attempts_are_shown_where_they_are_wanted() -> None:
    shell = Shell()
    answers = iter([httpx.codes.SERVICE_UNAVAILABLE] * 2)
    shell.deployment.world.world.sender.answer_to = lambda _: _answer(next(answers, httpx.codes.OK))
    create(shell, name="flaky", delay_seconds=5, retry={"delays_seconds": [60, 60]})
    ran = tailing(shell, 400, "tail", "--attempts")
    assert [line.split()[3] for line in ran.out.splitlines()] == ["waiting", "waiting", "succeeded"]


def _answer(status: int) -> CallbackResponse:
    reason = Reason.OK if status == httpx.codes.OK else Reason.HTTP_STATUS
    return CallbackResponse(reason=reason, duration_ms=5, status=status)


def test_an_outage_is_told_once_and_nothing_is_lost() -> None:
    shell = Shell()
    deployment = shell.deployment
    for place in range(5):
        create(shell, name=f"job {place}", delay_seconds=30 + 60 * place)

    def breaks() -> None:
        began = deployment.elapsed
        deployment.fate = lambda _: Fate.UNCONNECTED if deployment.elapsed - began < 240 else Fate.ANSWERED

    ran = tailing(shell, 900, "tail", meanwhile=breaks)
    assert ran.code == Exit.OK
    assert names(ran) == [f"job {place}" for place in range(5)]
    assert ran.err.count("nothing is lost") == 1


def test_a_cursor_that_another_release_made_begins_the_list_again() -> None:
    shell = Shell()
    create(shell, name="once", delay_seconds=0)
    real = shell.deployment.act
    refused: list[httpx.Request] = []

    def act(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/executions" and not refused:
            refused.append(request)
            stale = request.url.copy_merge_params({"cursor": "of-another-release"})
            return real(httpx.Request("GET", stale, headers=request.headers))
        return real(request)

    shell.deployment.act = act  # type: ignore[method-assign]
    ran = tailing(shell, 60, "tail", "--since", "1m")
    assert (ran.code, names(ran)) == (Exit.OK, ["once"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--failed", "--attempts"), "exclude each other"),
        (("--since", "yesterday"), "is no instant"),
        (("--since", "2030-01-01"), "is no instant"),
        (("-o", "yaml"), "lines of text"),
    ],
)
def test_arguments_that_cannot_be_used_end_it_at_once(arguments: tuple[str, ...], says: str) -> None:
    ran = Shell().run("tail", *arguments)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert says in ran.err


def test_a_key_that_is_revoked_ends_it() -> None:
    shell = Shell()
    ran = tailing(shell, 3_600, "tail", meanwhile=lambda: shell.deployment.world.suspend())
    assert ran.code == Exit.AUTH


def test_an_interrupt_ends_the_process_with_success() -> None:
    shell = Shell()
    create(shell, name="once", delay_seconds=0)
    shell.deployment.sleep(5)

    def answer(sent: Sent) -> Got:
        return got(shell.deployment.world.api(sent.event(), SimpleNamespace(aws_request_id="tail")))

    # A process that began in the background of a shell ignores interrupts, and so do its children.
    heeds = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    script = f"{heeds}; from punctual.cli.main import main; main()"
    program = [sys.executable, "-c", script, "tail", "--since"]
    with serving(answer) as url:
        environ = os.environ | {
            "PUNCTUAL_URL": url,
            "PUNCTUAL_KEY": shell.deployment.key,
            "PYTHONPATH": str(ROOT / "client" / "src"),
        }
        with subprocess.Popen(
            [*program, "2025-02-19T21:00:00Z"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            try:
                shown = process.stdout.readline()
                process.send_signal(signal.SIGINT)
                assert (process.wait(timeout=60), process.stderr.read()) == (0, "")
            finally:
                process.kill()
    assert "succeeded  once" in shown
