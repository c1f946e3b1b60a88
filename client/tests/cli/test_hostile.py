"""No text of the API reaches the terminal with characters that it obeys, or as markup."""

import json
import re
from typing import Any

import httpx
import pytest

from client.tests.cli.shell import Shell
from client.tests.cli.test_tail import tailing
from client.tests.cli.worlds import create, failed, operator, run_of

HOSTILE = "\x1b[2J\x07\u202e\n\r[bold red]x[/bold red] :smile: \x9b31m"
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
MAPS = ("quotas", "states", "end_reasons", "statuses", "refused", "deleted")
"""Members that have names of the API as names."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT")


def poisoned(value: Any, *kept: str) -> Any:
    """A document in which every text but instants and the members `kept` has a hostile end."""
    if isinstance(value, dict):
        return {
            name: each if name in kept else _poisoned_names(each) if name in MAPS else poisoned(each, *kept)
            for name, each in value.items()
            if name != "next_cursor"
        }
    if isinstance(value, list):
        return [poisoned(each, *kept) for each in value]
    return value + HOSTILE if isinstance(value, str) and not _INSTANT.match(value) else value


def _poisoned_names(value: Any) -> Any:
    return {name + HOSTILE: poisoned(each) for name, each in value.items()} if value else value


def poison(shell: Shell, *kept: str) -> None:
    """Let the API answer with hostile texts from now on."""
    real = shell.deployment.act

    def act(request: httpx.Request) -> httpx.Response:
        answer = real(request)
        content = json.dumps(poisoned(answer.json(), *kept)).encode()
        return httpx.Response(
            answer.status_code, content=content, headers={"content-type": answer.headers["content-type"]}
        )

    shell.deployment.act = act  # type: ignore[method-assign]


def check(written: str) -> None:
    assert not _UNSAFE.search(written), written
    assert "\\n\\r[bold red]x[/bold red] :smile:" in written


FORMATS = ("table", "json", "yaml", "csv")
LISTS = (
    ("runs",),
    ("dead", "list"),
    ("searches", "list"),
    ("bulk", "list"),
    ("audit",),
    ("usage",),
    ("stats",),
)


def world() -> tuple[Shell, str, str]:
    """A deployment with something in every list; its failed run, and its job."""
    shell, [job] = failed(name="report", tags=["t"])
    create(shell, cron="30 2 * * *", timezone="Europe/Berlin", tags=["t"])
    with shell.deployment.client() as client:
        client.jobs.bulk(action="pause", filter={"tag": "t"})
        client.executions.search(since="1h")
    return shell, run_of(shell, job), job.id


@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_lists_escape_what_they_show(arguments: tuple[str, ...]) -> None:
    shell, _, _ = world()
    poison(shell)
    for form in FORMATS:
        ran = shell.ok("-o", form, *arguments)
        assert not _UNSAFE.search(ran.out + ran.err)
        if arguments != ("stats",):
            assert ":smile:" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "RUN"),
        ("why", "RUN"),
        ("why", "JOB"),
        ("dead", "get", "RUN"),
        ("preview", "30 2 * * *", "--tz", "Europe/Berlin"),
        ("run", "redrive", "RUN"),
    ],
    ids=" ".join,
)
def test_single_objects_escape_what_they_show(arguments: tuple[str, ...]) -> None:
    shell, run, job = world()
    poison(shell, *(["id"] if "JOB" in arguments else []))
    check(shell.ok(*({"RUN": run, "JOB": job}.get(each, each) for each in arguments)).out)


def test_a_terminal_gets_no_markup_of_the_api() -> None:
    shell, _, _ = world()
    poison(shell)
    shell.is_terminal, shell.width = True, 500
    out = shell.ok("runs").out
    assert "[bold red]x[/bold red]" in out
    assert not _UNSAFE.search(re.sub(r"\x1b\[[0-9;]*m", "", out))


def test_tail_escapes_what_it_shows() -> None:
    shell, _, _ = world()
    poison(shell, "state")
    check(tailing(shell, 5, "tail", "--since", "1h").out)


def test_errors_escape_what_the_api_says() -> None:
    shell = Shell()
    poison(shell)
    ran = shell.run("run", "exe_unknown")
    assert ran.code != 0
    assert not _UNSAFE.search(ran.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("tenants", "list"),
        ("tenants", "get", "acme"),
        ("keys", "list", "acme"),
        ("audit", "acme"),
        ("due", "--within", "1h"),
    ],
    ids=" ".join,
)
def test_commands_of_operators_escape_what_they_show(arguments: tuple[str, ...]) -> None:
    shell = operator()
    create(Shell(shell.deployment), delay_seconds=600)
    shell.ok("admin", "keys", "create", "acme", "--scope", "read")
    poison(shell)
    check(shell.ok("admin", *arguments).out)
