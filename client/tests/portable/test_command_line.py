"""The command line on every Python, and with the oldest typer that it takes."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime, timezone
from pathlib import Path

import httpx
import pytest

from punctual import Punctual

pytest.importorskip("typer", reason="the command line has packages of its own")

from punctual.cli.main import run
from punctual.cli.session import Surroundings

JOB_ID = "job_r001jmg0r03szjym089eyz6ab9d1"
JOB = {
    "created_at": "2025-02-19T21:10:12.000Z",
    "id": JOB_ID,
    "kind": "cron",
    "lane": "standard",
    "name": "nightly",
    "next_due_at": "2025-02-21T01:30:00.000Z",
    "revision": 1,
    "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
    "state": "active",
    "tags": ["billing"],
}
PROBLEM = {
    "type": "urn:punctual:problem:not-found",
    "title": "Not found",
    "status": 404,
    "detail": "no such job",
}


def answer(request: httpx.Request) -> httpx.Response:
    if request.url.path == "/v1/jobs":
        return httpx.Response(200, json={"jobs": [JOB], "next_cursor": None})
    return httpx.Response(404, json=PROBLEM, headers={"content-type": "application/problem+json"})


Streams = tuple[io.StringIO, io.StringIO]


@pytest.fixture
def streams() -> Streams:
    return io.StringIO(), io.StringIO()


def punctual(streams: Streams, *arguments: str) -> int:
    out, err = streams

    def never(*_: object) -> int:
        raise AssertionError("no program is run")

    around = Surroundings(
        stdin=io.StringIO(),
        stdout=out,
        stderr=err,
        environ={},
        now=lambda: datetime(2025, 2, 20, tzinfo=timezone.utc),
        monotonic=lambda: 0.0,
        sleep=lambda _: None,
        client=lambda *_: Punctual("https://api.example", "pk_x", transport=httpx.MockTransport(answer)),
        ask_hidden=lambda _: "",
        browse=lambda _: False,
        execute=never,
        directory=Path("/nowhere"),
        zone=timezone.utc,
    )
    with redirect_stdout(out), redirect_stderr(err):
        return run(arguments, around)


def test_help_lists_the_commands(streams: Streams) -> None:
    assert punctual(streams, "--help") == 0
    assert "\n  list " in streams[0].getvalue()


@pytest.mark.parametrize("arguments", [("create", "--help"), ("admin", "keys", "rotate", "--help")])
def test_command_has_a_help(streams: Streams, arguments: tuple[str, ...]) -> None:
    assert punctual(streams, *arguments) == 0
    assert "--profile" in streams[0].getvalue()


@pytest.mark.parametrize("arguments", [("-o", "json", "list"), ("list", "--json"), ("list", "-o", "yaml")])
def test_list_is_written(streams: Streams, arguments: tuple[str, ...]) -> None:
    assert punctual(streams, *arguments) == 0
    assert JOB_ID in streams[0].getvalue()


def test_json_has_the_members_of_the_api(streams: Streams) -> None:
    assert punctual(streams, "list", "--json") == 0
    [found] = json.loads(streams[0].getvalue())
    assert {name: found[name] for name in JOB if name != "schedule"} == {
        name: value for name, value in JOB.items() if name != "schedule"
    }


def test_table_is_drawn(streams: Streams) -> None:
    assert punctual(streams, "list") == 0
    assert "2025-02-21 01:30:00 +00:00" in streams[0].getvalue()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nothing",), 2),
        (("list", "--state", "nothing"), 2),
        (("create", "--url", "https://a.example"), 2),
        (("get", JOB_ID), 3),
    ],
)
def test_errors_end_with_their_codes(streams: Streams, arguments: tuple[str, ...], code: int) -> None:
    assert punctual(streams, *arguments) == code
    assert streams[0].getvalue() == ""
    assert streams[1].getvalue() != ""


def test_completion_has_a_script(streams: Streams) -> None:
    assert punctual(streams, "completion", "zsh") == 0
    assert "_PUNCTUAL_COMPLETE=complete_zsh" in streams[0].getvalue()
