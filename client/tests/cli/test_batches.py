"""`punctual batch`: many jobs from a file."""

import json
import re
from pathlib import Path

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.sdk.deployment import HOOK

JOB = {"schedule": {"delay_seconds": 60}, "request": {"url": HOOK}}


def lines(*jobs: object) -> str:
    return "\n".join(map(json.dumps, jobs))


@pytest.mark.parametrize(
    "text", [lines(JOB, JOB) + "\n\n", json.dumps([JOB, JOB]), f"  [{json.dumps(JOB)},\n{json.dumps(JOB)}]"]
)
def test_file_has_a_job_in_each_line_or_a_list(text: str, tmp_path: Path) -> None:
    shell = Shell()
    file = tmp_path / "jobs.json"
    file.write_text(text, encoding="utf-8")
    assert [each["status"] for each in shell.json("batch", str(file))] == [201, 201]
    assert len(shell.json("list")) == 2


def test_refused_jobs_are_named_and_the_others_are_created() -> None:
    shell = Shell()
    ran = shell.run("batch", "-", stdin=lines(JOB, {"schedule": {"delay_seconds": 60}, "request": {}}, JOB))
    assert ran.code == 6
    assert "1 of 3 jobs were not created" in ran.err
    [heads, *rows] = ran.out.splitlines()
    assert heads.split() == ["JOB", "STATUS", "ID", "REFUSED", "FOR"]
    assert [row.split()[:2] for row in rows] == [["0", "201"], ["1", "422"], ["2", "201"]]
    assert len(shell.json("list")) == 2


def test_batch_with_a_key_creates_each_job_once() -> None:
    shell = Shell()
    many = lines(*({**JOB, "name": f"n{number}"} for number in range(101)))
    refused = shell.run("batch", "-", stdin=many)
    assert refused.code == 2
    assert "idempotency" in refused.err
    for _ in range(2):
        shell.ok("batch", "-", "--idempotency-key", "import-7", stdin=many)
    assert len(shell.json("list", "--all")) == 101


@pytest.mark.parametrize("text", ["7", "[7]", "null", '{"a": hunter2}', "[", b"\xff", '"a"', "[[]]"])
def test_file_of_something_else_sends_nothing(text: str | bytes) -> None:
    shell = Shell()
    ran = shell.run("batch", "-", stdin=text)
    assert (ran.code, ran.out) == (2, "")
    assert "one job in each line" in ran.err
    assert "hunter2" not in ran.err
    assert shell.deployment.sent == []


def test_empty_file_creates_nothing() -> None:
    assert Shell().json("batch", "-") == []


def test_job_of_unknown_result_can_be_repeated_by_the_option_that_is_shown() -> None:
    shell = Shell()
    plain, problem = shell.deployment.answer, {"type": "urn:punctual:problem:service-unavailable"}
    unknown = {
        "status": 503,
        "problem": {**problem, "title": "", "status": 503, "detail": "", "instance": ""},
    }

    def answer(request: httpx.Request) -> httpx.Response:
        plain(request)
        return httpx.Response(200, json={"results": [unknown]})

    shell.deployment.answer = answer  # type: ignore[method-assign]
    ran = shell.run("batch", "-", stdin=lines(JOB))
    assert ran.code == 8
    [option] = re.findall(r"creates each job once: (--idempotency-key \S+)\n", ran.err)
    shell.deployment.answer = plain  # type: ignore[method-assign]
    shell.ok("batch", "-", *option.split(), stdin=lines(JOB))
    assert len(shell.json("list")) == 1
