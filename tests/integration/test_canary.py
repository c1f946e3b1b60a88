"""The canary on the deployed stack: its command, its prober and its receiver, with real HTTP on both ends."""

import importlib
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from types import ModuleType

import pytest

from infra.local.calls import Call
from infra.local.receiver import Receiver, Reply
from infra.local.stack import LocalStack
from shared.domain import canary
from shared.domain.canary import Probe
from shared.domain.tenancy.tenant import CANARY
from shared.names import Env
from shared.usecases.canary import send_probe
from tests.support.usecases.canary_world import url_event

pytestmark = pytest.mark.integration
_NUMBERS = count()
_PROCESSES: list[ModuleType] = []
_THREAD = ThreadPoolExecutor(1)
"""Both outlive the test, because a process of Lambda keeps the connections of its entry point."""


def due_now(now_ms: int, receiver_url: str) -> Probe:
    """A job like that of this minute, without the wait for its time."""
    probe = canary.probe_at(now_ms, receiver_url)
    key = f"{probe.idempotency_key}-{next(_NUMBERS)}"
    return replace(probe, idempotency_key=key, document={**probe.document, "schedule": {"delay_seconds": 1}})


@contextmanager
def entry(name: str) -> Iterator[ModuleType]:
    module = f"functions.{name}.handler"
    _PROCESSES.append(importlib.import_module(module))
    yield _PROCESSES[-1]
    sys.modules.pop(module)


@pytest.fixture
def listener(stack: LocalStack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """The receiver's entry point behind a listener on loopback, in place of a function URL."""
    for name, value in stack.environment().items():
        monkeypatch.setenv(name, value)
    with entry("canary_receiver") as module:

        def answer(call: Call) -> Reply:
            event = url_event(call.headers, call.body.decode(), method=call.method)
            # Lambda calls an entry point without an event loop.
            return Reply(status=_THREAD.submit(module.handler, event, None).result()["statusCode"])

        with Receiver(respond=answer) as receiver:
            yield receiver


def probe(stack: LocalStack, listener: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """One tick in a new process."""
    monkeypatch.setenv(Env.API_URL, stack.api_url)
    monkeypatch.setenv(Env.CANARY_RECEIVER_URL, f"{listener.url}/")
    monkeypatch.setattr(send_probe, "probe_at", due_now)
    with entry("canary_prober") as module:
        module.handler({}, None)


def test_job_of_the_canary_arrives_signed_before_and_after_a_rotation(
    stack: LocalStack,
    listener: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    exists = CANARY in {each["id"] for each in stack.admin("list-tenants")["tenants"]}
    for runs, revoked in ((1, int(exists)), (2, 1)):
        shown = stack.admin("create-canary")
        assert len(shown["revoked_key_ids"]) == revoked
        assert not [secret for secret in ("pk_", "whsec_") if secret in json.dumps(shown)]
        probe(stack, listener, monkeypatch)
        calls = listener.wait_for(runs)
    # An executor that is warm still signs with the old secret alone, which the receiver still knows.
    assert [call.headers["webhook-signature"][:3] for call in calls] == ["v1,"] * 2
    output, ends = "", time.monotonic() + 60
    # The listener counts a call before the entry point has answered it.
    while output.count('"CanaryLagMs":') < 2 and time.monotonic() < ends:
        output += capsys.readouterr().out
        time.sleep(0.1)
    assert output.count('"CanaryRequestMs":') == 2
    assert output.count('"CanaryLagMs":') == 2
