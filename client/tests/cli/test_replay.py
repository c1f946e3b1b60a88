"""`punctual replay`: a dead letter, repeated to a receiver of this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.tests.cli.shell import Shell
from client.tests.support.calls import NEW
from infra.local.receiver import Receiver, Reply
from punctual.cli.exits import CommandError
from punctual.cli.local_calls import _revealed_body
from punctual.models import DeadLetter, FailedRequest
from tests.support.api.failed_jobs import FAILING
from tests.support.api.request_factory import ALL_SCOPES

HOOK = "https://receiver.example/hook?x=1"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that judges signatures by the secret NEW."""
    with Receiver(secret=NEW) as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The terminal of a tenant's administrator."""
    made = Shell(environ={"XDG_CONFIG_HOME": str(tmp_path), "PUNCTUAL_SIGNING_SECRET": NEW})
    made.key = str(made.deployment.world.world.create_tenant.execute("shop", ALL_SCOPES).api_key)
    return made


def dead_letter(shell: Shell) -> DeadLetter:
    """A job of the tenant that has failed for good."""
    sender = shell.deployment.world.world.sender
    sender.answer_to = lambda _: FAILING
    client = shell.deployment.client(shell.key)
    client.jobs.create(
        url=HOOK, method="PUT", headers={"X-Shop": "berlin"}, json={"ü": [1, None]}, delay_seconds=0
    )
    shell.deployment.sleep(30)
    [found] = client.dead_letters.list().executions
    return found


def test_receiver_gets_the_request_as_one_more_attempt(shell: Shell, receiver: Receiver) -> None:
    letter = dead_letter(shell)
    original = shell.deployment.world.world.sender.calls[-1].callback
    sent = shell.json("replay", letter.id, "--to", f"{receiver.url}/again")
    [call] = receiver.calls()
    assert (call.method, call.path, call.body) == ("PUT", "/again", original.body)
    assert (call.execution_id, call.job_id, call.attempt, call.genuine) == (letter.id, letter.job_id, 2, True)
    assert call.scheduled_at == letter.scheduled_at
    headers = {name.lower(): value for name, value in original.headers}
    same = ("x-shop", "content-type", "webhook-id", "idempotency-key", "x-job-id", "x-scheduled-at")
    assert {name: call.headers[name] for name in same} == {name: headers[name] for name in same}
    assert (sent["call_id"], sent["attempt"], sent["status"]) == (letter.id, 2, 200)


def test_audit_trail_has_the_revelation_and_the_dead_letter_stays(shell: Shell, receiver: Receiver) -> None:
    letter = dead_letter(shell)
    ran = shell.ok("replay", letter.id, "--to", receiver.url)
    assert "a record that the request was revealed" in ran.err
    client = shell.deployment.client(shell.key)
    records = [each.operation for each in client.audit.list(target=letter.id).records]
    assert records == ["revealRequest"]
    found = client.executions.get(letter.id)
    assert (found.state, found.redriven_by, found.attempts_begun) == ("failed", None, 1)


def test_failing_answer_ends_with_1(shell: Shell, receiver: Receiver) -> None:
    receiver.respond = lambda _: Reply(status=500, body=b"still broken")
    ran = shell.run("replay", dead_letter(shell).id, "--to", receiver.url)
    assert ran.code == 1 and "still broken" in ran.out


def test_key_without_admin_ends_with_4_and_calls_nothing(shell: Shell, receiver: Receiver) -> None:
    letter = dead_letter(shell)
    made = shell.deployment.client(shell.key).keys.create(scopes=["read", "write"])
    shell.key = made.api_key
    ran = shell.run("replay", letter.id, "--to", receiver.url)
    assert ran.code == 4 and "admin" in ran.err
    assert receiver.calls() == []


def test_run_that_has_not_failed_ends_with_3(shell: Shell, receiver: Receiver) -> None:
    job = shell.deployment.client(shell.key).jobs.create(url=HOOK, delay_seconds=600)
    ran = shell.run("replay", job.id.replace("job_", "exe_"), "--to", receiver.url)
    assert ran.code == 3 and receiver.calls() == []


def test_other_machine_is_refused_before_anything_is_revealed(shell: Shell) -> None:
    letter = dead_letter(shell)
    assert shell.run("replay", letter.id, "--to", "https://example.com/").code == 2
    assert shell.deployment.client(shell.key).audit.list(target=letter.id).records == ()


def test_body_that_the_api_cannot_show_as_it_is_is_not_repeated() -> None:
    shown = FailedRequest(body="\ufffd", body_bytes=1, headers=(), method="POST", revealed=True, url=HOOK)
    with pytest.raises(CommandError, match="3 bytes in place of 1"):
        _revealed_body(shown)
