"""Values that a file leaves to the environment and to commands: all of them before anything is sent."""

from collections.abc import Sequence

import pytest

from punctual.applyfile import ApplyFileError, MissingVariablesError, read_apply_file
from punctual.applying import wanted_jobs

FILE = read_apply_file(
    b"set: billing\n"
    b"jobs:\n"
    b"  nightly:\n"
    b"    cron: '@daily'\n"
    b"    url: https://example.com/\n"
    b"    headers: {X-Token: {env: TOKEN}, X-Other: {env: OTHER}, X-Same: {env: TOKEN}}\n"
    b"  hourly:\n"
    b"    cron: '@hourly'\n"
    b"    url: https://example.com/\n"
    b"    headers: {X-Token: {command: [pass, show, hook]}}\n"
    b"    body: {command: [pass, show, hook]}\n"
)


class Commands:
    """Runs no command, and notes what was asked for."""

    def __init__(self) -> None:
        self.ran: list[Sequence[str]] = []

    def __call__(self, words: Sequence[str]) -> str:
        self.ran.append(words)
        return "s3cret\r\n"


def test_jobs_have_their_keys_their_set_and_all_values() -> None:
    commands = Commands()
    nightly, hourly = wanted_jobs(FILE, {"TOKEN": "t", "OTHER": "o"}, commands)
    assert (nightly.key, nightly.line, nightly.body["set"]) == ("billing.nightly", 3, "billing")
    assert nightly.body["request"]["headers"] == {"X-Token": "t", "X-Other": "o", "X-Same": "t"}
    assert (hourly.body["request"]["headers"], hourly.body["request"]["body"]) == (
        {"X-Token": "s3cret"},
        "s3cret",
    )
    assert commands.ran == [("pass", "show", "hook")]
    assert "s3cret" not in repr(hourly)


def test_all_missing_variables_are_named_and_no_command_runs() -> None:
    commands = Commands()
    with pytest.raises(MissingVariablesError) as missing:
        wanted_jobs(FILE, {}, commands)
    assert missing.value.names == ("TOKEN", "OTHER")
    assert commands.ran == []


@pytest.mark.parametrize("value", ["", " ", "\n"])
def test_empty_variable_counts_as_missing(value: str) -> None:
    commands = Commands()
    with pytest.raises(MissingVariablesError, match=r"not set, or empty: OTHER$"):
        wanted_jobs(FILE, {"TOKEN": "t", "OTHER": value}, commands)
    assert commands.ran == []


@pytest.mark.parametrize("printed", ["", "\n", " \r\n"])
def test_command_that_prints_nothing_gives_no_value(printed: str) -> None:
    with pytest.raises(ApplyFileError, match="the command 'pass' has printed nothing"):
        wanted_jobs(FILE, {"TOKEN": "t", "OTHER": "o"}, lambda _: printed)


def test_commands_run_only_if_they_are_allowed() -> None:
    with pytest.raises(ApplyFileError, match="runs the command 'pass': allow it with --allow-commands"):
        wanted_jobs(FILE, {"TOKEN": "t", "OTHER": "o"}, None)
