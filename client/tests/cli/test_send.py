"""`punctual send`: what arrives at the receiver, what is shown, and where the secret comes from."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.tests.cli.shell import Shell
from client.tests.support.calls import FOREIGN, NEW, OLD
from infra.local.receiver import Receiver, Reply
from punctual.hooks.composing import USER_AGENT

ENVIRON = {"PUNCTUAL_SIGNING_SECRET": NEW}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that judges signatures by the secret NEW."""
    with Receiver(secret=NEW) as running:
        yield running


def shell_of(tmp_path: Path, environ: dict[str, str] | None = None) -> Shell:
    return Shell(environ={"XDG_CONFIG_HOME": str(tmp_path), **(ENVIRON if environ is None else environ)})


def test_call_has_the_method_and_the_id_of_the_job_and_is_genuine(tmp_path: Path, receiver: Receiver) -> None:
    shell = shell_of(tmp_path)
    job = shell.deployment.client().jobs.create(
        url="https://example.com/hooks/report", method="PUT", delay_seconds=600, name="nightly"
    )
    sent = shell.json("send", "--job", "nightly", "--to", f"{receiver.url}/hooks?a=1", "--json", '{"n": 1}')
    [call] = receiver.calls()
    assert (call.method, call.path, call.body) == ("PUT", "/hooks", b'{"n":1}')
    assert (call.job_id, call.attempt, call.genuine) == (job.id, 1, True)
    assert call.scheduled_at == shell.deployment.runtime.now().replace(
        microsecond=shell.deployment.runtime.now().microsecond // 1000 * 1000
    )
    assert call.headers["content-type"] == "application/json"
    assert call.headers["user-agent"] == USER_AGENT
    assert sent["job_id"] == job.id and sent["call_id"] == call.execution_id
    assert (sent["status"], sent["meaning"], sent["answer"]) == (200, "succeeded", "ok")


def test_deployment_has_no_part_in_a_call_without_a_job(tmp_path: Path, receiver: Receiver) -> None:
    shell = shell_of(tmp_path)
    ran = shell.ok("send", "--to", receiver.url)
    assert shell.opened == []
    [call] = receiver.calls()
    assert (call.method, call.path, call.body, call.job_id, call.genuine) == (
        "POST",
        "/",
        b"",
        "job_local",
        True,
    )
    assert "status   200" in ran.out and ran.err == ""


def test_user_is_told_what_the_api_does_not_show(tmp_path: Path, receiver: Receiver) -> None:
    shell = shell_of(tmp_path)
    job = shell.deployment.client().jobs.create(url="https://example.com/", delay_seconds=600)
    assert (
        "--header, --json and --body give them" in shell.ok("send", "--job", job.id, "--to", receiver.url).err
    )
    given = shell.ok("send", "--job", job.id, "--to", receiver.url, "--body", "text")
    assert given.err == ""


def test_attempt_id_method_headers_and_body_are_those_that_are_given(
    tmp_path: Path, receiver: Receiver
) -> None:
    (tmp_path / "body.txt").write_text("first\nsecond\n")
    shell = shell_of(tmp_path, {**ENVIRON, "TOKEN": "hunter2"})
    options = [
        "--attempt",
        "3",
        "--id",
        "exe_again",
        "-X",
        "patch",
        "-H",
        "X-Shop: berlin",
        "-H",
        "X-Token: env:TOKEN",
    ]
    shell.ok("send", "--to", receiver.url, *options, "--body", f"@{tmp_path}/body.txt")
    shell.ok("send", "--to", receiver.url, *options, "--body", "-", stdin="piped")
    first, second = receiver.calls()
    assert (first.attempt, first.execution_id, first.method, first.body) == (
        3,
        "exe_again",
        "PATCH",
        b"first\nsecond\n",
    )
    assert (first.headers["x-shop"], first.headers["x-token"]) == ("berlin", "hunter2")
    assert "content-type" not in first.headers
    assert (second.execution_id, second.body, second.genuine) == ("exe_again", b"piped", True)


def test_each_call_has_an_id_of_its_own(tmp_path: Path, receiver: Receiver) -> None:
    shell = shell_of(tmp_path)
    for _ in range(2):
        shell.ok("send", "--to", receiver.url)
    first, second = receiver.calls()
    assert first.execution_id != second.execution_id


def test_secret_that_is_made_is_shown_once_on_standard_error(tmp_path: Path, receiver: Receiver) -> None:
    ran = shell_of(tmp_path, {}).ok("-q", "send", "--to", receiver.url)
    [line] = [line for line in ran.err.splitlines() if line.startswith("export ")]
    secret = line.partition("=")[2]
    receiver.secret = secret
    shell_of(tmp_path, {"PUNCTUAL_SIGNING_SECRET": secret}).ok("send", "--to", receiver.url)
    first, second = receiver.calls()
    assert (first.genuine, second.genuine) == (False, True)
    assert secret not in ran.out


def profile(tmp_path: Path, *lines: str) -> None:
    path = tmp_path / "punctual" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.touch(0o600)
    path.write_text("\n".join(["[profiles.default]", 'url = "https://api.example"', *lines, ""]))


@pytest.mark.parametrize("line", [f'signing_secret = "{NEW}"', f'signing_secret_command = ["echo", "{NEW}"]'])
def test_secret_comes_from_the_profile(tmp_path: Path, receiver: Receiver, line: str) -> None:
    profile(tmp_path, line)
    shell_of(tmp_path, {}).ok("send", "--to", receiver.url)
    assert receiver.calls()[0].genuine


def test_file_goes_before_the_environment_and_that_before_the_profile(
    tmp_path: Path, receiver: Receiver
) -> None:
    profile(tmp_path, f'signing_secret = "{FOREIGN}"')
    (tmp_path / "secret").write_text(f"{NEW}\n{OLD}\n")
    shell_of(tmp_path).ok("send", "--to", receiver.url)
    shell_of(tmp_path, {"PUNCTUAL_SIGNING_SECRET": FOREIGN}).ok(
        "send", "--to", receiver.url, "--secret-file", str(tmp_path / "secret")
    )
    shell_of(tmp_path).ok("--profile", "default", "send", "--to", receiver.url)
    assert [call.genuine for call in receiver.calls()] == [True, True, False]
    assert len(receiver.calls()[1].headers["webhook-signature"].split(" ")) == 2


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        (503, {}, "would be retried"),
        (410, {}, "paused"),
        (422, {"X-Punctual-No-Retry": "true"}, "without a retry"),
    ],
)
def test_answer_that_fails_ends_with_1_and_its_meaning(
    tmp_path: Path, receiver: Receiver, status: int, headers: dict[str, str], expected: str
) -> None:
    receiver.respond = lambda _: Reply(status=status, headers=headers, body=b"no")
    ran = shell_of(tmp_path).run("send", "--to", receiver.url)
    assert ran.code == 1
    assert f"status   {status}" in ran.out and expected in ran.out and "answer   no" in ran.out


def test_202_means_that_the_receiver_reports_later(tmp_path: Path, receiver: Receiver) -> None:
    receiver.respond = lambda _: Reply(status=202, headers={"X-Punctual-Async": "true"})
    assert "reports its outcome" in shell_of(tmp_path).ok("send", "--to", receiver.url).out


def test_answer_cannot_steer_the_terminal(tmp_path: Path, receiver: Receiver) -> None:
    receiver.respond = lambda _: Reply(body=b"\x1b]0;owned\x07\x1b[2J" + b"x" * 1_000)
    ran = shell_of(tmp_path).ok("send", "--to", receiver.url)
    assert "\\x1b]0;owned\\x07" in ran.out and "\x1b" not in ran.out
    assert ran.out.count("x" * 10) < 30
    assert "\x1b" not in shell_of(tmp_path).ok("send", "--to", receiver.url, "-o", "json").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "https://example.com/"], "add --allow-remote"),
        (["--to", "localhost:3000"], "such as http://localhost:3000/hooks"),
        (["--json", "{}", "--body", "a"], "exclude each other"),
        (["--json", "{"], "no JSON"),
        (["--body", "x" * 204_801], "204800 bytes"),
        (["-H", "X-Attempt: 2"], "makes the header X-Attempt"),
        (["-H", "nothing"], "'X-Team: billing'"),
        (["-H", "X-Token: hunter2"], "env:VAR"),
        (["-X", "CONNECT"], "one of the methods"),
        (["--id", "a b"], "letters, digits"),
        (["--attempt", "0"], "--attempt"),
        (["--timeout", "long"], "no duration"),
        (["--secret-file", "/nowhere/secret"], "/nowhere/secret"),
        (["--secret-file", "/dev/null"], "empty"),
    ],
)
def test_wrong_usage_ends_with_2_and_calls_nothing(
    tmp_path: Path, receiver: Receiver, arguments: list[str], message: str
) -> None:
    ran = shell_of(tmp_path).run("send", "--to", receiver.url, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert receiver.calls() == []


@pytest.mark.parametrize("secret", ["whsec_hunter2", "hunter2", f"{NEW} hunter2"])
def test_secret_that_is_none_ends_with_2_and_is_not_quoted(
    tmp_path: Path, receiver: Receiver, secret: str
) -> None:
    ran = shell_of(tmp_path, {"PUNCTUAL_SIGNING_SECRET": secret}).run("send", "--to", receiver.url)
    assert ran.code == 2 and receiver.calls() == []
    assert "hunter2" not in ran.err + ran.out and NEW not in ran.err


def test_unknown_job_ends_with_3(tmp_path: Path, receiver: Receiver) -> None:
    assert shell_of(tmp_path).run("send", "--job", "nothing", "--to", receiver.url).code == 3
    assert receiver.calls() == []


def test_receiver_that_is_not_there_ends_with_1(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ran = shell_of(tmp_path).run("send", "--to", f"http://127.0.0.1:{port}")
    assert (ran.code, ran.out) == (1, "")
    assert f"no connection to 127.0.0.1:{port}" in ran.err


def test_output_for_programs_is_one_document(tmp_path: Path, receiver: Receiver) -> None:
    shell = shell_of(tmp_path)
    sent = json.loads(shell.ok("send", "--to", receiver.url, "-o", "json").out)
    assert set(sent) == {"call_id", "job_id", "attempt", "url", "status", "meaning", "duration_ms", "answer"}
