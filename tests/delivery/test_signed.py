"""No unsigned call, on any path that leads to one; and none at all where it could not be signed."""

import hmac
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.delivery.signing import new_secret
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.jobs.job import Job
from shared.domain.schedules.timing import After, Every
from shared.domain.tenancy.tenant import SIGNING_CONTEXT, Tenant
from shared.usecases.tenancy.manage_tenants import TenantChange
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.builders import DUE_AT, TENANT, in_state
from tests.support.fakes.sender import in_turn
from tests.support.sources import ROOT, modules
from tests.support.usecases.backfills import hourly
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.messages import dead
from tests.support.usecases.redrives import dead as failed_through
from tests.support.usecases.reports import working
from tests.support.usecases.world import REQUEST, World

DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500)
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
MINUTES = 60_000


def _first(world: World) -> None:
    world.file.execute(world.one_off())


def _large(world: World) -> None:
    world.accept_one_off(After(1), request=replace(REQUEST, body=b"x" * 10_000))


def _recurring(world: World) -> None:
    world.recurring(first_state=State.QUEUED)
    world.clock.time_ms += 5 * MINUTES
    world.sweep.execute()


def _triggered(world: World) -> None:
    world.trigger_job.execute(world.tenant, world.recurring().id)


def _rescued(world: World) -> None:
    world.rescue.execute([dead(world.put(world.one_off(state=State.QUEUED)))])


def _lost(world: World) -> None:
    """Its worker died, and a message comes back."""
    running = world.put(in_state(world.one_off(), State.RUNNING))
    world.clock.time_ms += 10 * MINUTES
    world.attempt(running)


def _redriven(world: World) -> None:
    world.redrive.execute(TENANT, str(failed_through(world).id))


PATHS: dict[str, Callable[[World], None]] = {
    "a one-off job": _first,
    "a request that stands apart": _large,
    "an occurrence of a recurring job": _recurring,
    "a run beside the schedule": _triggered,
    "a dead letter that is scheduled again": _rescued,
    "an attempt after a worker died": _lost,
    "a redrive of what has failed": _redriven,
}


@pytest.mark.parametrize("path", PATHS)
def test_every_attempt_is_signed(path: str) -> None:
    """Each is failed once, so that its retry is looked at too."""
    world = World(DUE_AT, answer_to=in_turn(DOWN, OK))
    PATHS[path](world)
    Lanes(world).until(world.clock.time_ms + 10 * MINUTES)
    attempts = {dict(call.callback.headers)["X-Attempt"] for call in world.sender.calls}
    assert len(attempts) >= 2
    for call in world.sender.calls:
        assert verifies(world.credentials.signing_secret, call.callback)


def test_every_run_of_a_backfill_is_signed() -> None:
    made = hourly()
    made.ask()
    made.until(3_600)
    assert len(made.world.sender.calls) >= 4
    for call in made.world.sender.calls:
        assert verifies(made.world.credentials.signing_secret, call.callback)


def test_a_call_whose_receiver_works_on_was_signed_too() -> None:
    world, _, _ = working()
    assert all(verifies(world.credentials.signing_secret, call.callback) for call in world.sender.calls)
    assert world.sender.calls


def test_old_and_new_secret_sign_during_a_rotation_and_then_the_new_secret_alone() -> None:
    world = World(DUE_AT)
    old = world.credentials.signing_secret
    new = world.cases.tenancy.signing_secrets.rotate(TENANT, overlap_seconds=600).text
    for number, elapsed_ms, signers in ((1, 0, [new, old]), (2, 601_000, [new])):
        world.clock.time_ms = DUE_AT + elapsed_ms
        world.attempt(world.put(world.one_off(number)))
        callback = world.sender.calls[-1].callback
        assert dict(callback.headers)["webhook-signature"] == " ".join(
            signature_of(secret, callback) for secret in signers
        )


# --- secrets by name


def _by_name(world: World, name: str = "billing") -> str:
    """A new secret of this name."""
    return world.cases.tenancy.signing_secrets.rotate(TENANT, overlap_seconds=600, name=name).text


def _named_one_off(world: World) -> None:
    world.accept_one_off(After(0), signing_secret="billing")


def _named_retry(world: World) -> None:
    world.sender.answer_to = in_turn(DOWN, OK)
    _named_one_off(world)


def _named_large(world: World) -> None:
    world.accept_one_off(After(0), signing_secret="billing", request=replace(REQUEST, body=b"x" * 10_000))


def _named_recurring(world: World) -> None:
    world.accept(Every(60), signing_secret="billing")


def _named_trigger(world: World) -> None:
    job = world.accept(Every(86_400), signing_secret="billing")
    assert isinstance(job, Job)
    world.trigger_job.execute(world.tenant, job.id)


def _named_notification(world: World) -> None:
    world.accept_one_off(After(0), signing_secret="billing", request=replace(REQUEST, on_success=REQUEST.url))


def _named_redrive(world: World) -> None:
    execution = failed_through(world, signing_secret="billing")
    world.redrive.execute(TENANT, str(execution.id))


NAMED: dict[str, tuple[Callable[[World], None], int]] = {
    "a one-off job": (_named_one_off, 1),
    "a retry": (_named_retry, 2),
    "a request that stands apart": (_named_large, 1),
    "runs of a recurring job": (_named_recurring, 3),
    "a run beside the schedule": (_named_trigger, 1),
    "an outcome callback": (_named_notification, 2),
    "a redrive": (_named_redrive, 1),
}


@pytest.mark.parametrize("path", NAMED)
def test_calls_of_a_job_that_names_a_secret_are_signed_with_that_secret_alone(path: str) -> None:
    world = World(DUE_AT)
    secret, _ = _by_name(world), _by_name(world, "crm")
    act, calls = NAMED[path]
    act(world)
    Lanes(world).until(world.clock.time_ms + 5 * MINUTES)
    assert len(world.sender.calls) >= calls
    for call in world.sender.calls:
        assert signers(call.callback) == (
            [signature_of(secret, call.callback)],
            compact_of(secret, call.callback),
        )


@pytest.mark.parametrize("listener", ["on_success", "on_failure"])
def test_call_to_the_default_url_of_the_tenant_is_signed_without_the_secret_of_the_job(listener: str) -> None:
    world = World(DUE_AT)
    named = _by_name(world)
    change = TenantChange(listeners={listener: "https://alerts.example/hook"})
    world.cases.tenancy.change_tenant.execute(TENANT, change)
    world.clock.time_ms += REMEMBER_MS
    if listener == "on_failure":
        world.sender.answer_to = in_turn(DOWN, OK)
    world.accept_one_off(After(0), signing_secret="billing", retry=RetryPolicy(max_attempts=1))
    Lanes(world).until(world.clock.time_ms + 5 * MINUTES)
    job, outcome = (call.callback for call in world.sender.calls)
    assert signers(job)[0] == [signature_of(named, job)]
    assert signers(outcome)[0] == [signature_of(world.credentials.signing_secret, outcome)]


def test_calls_of_a_job_without_a_name_are_signed_with_no_named_secret() -> None:
    world = World(DUE_AT)
    _by_name(world)
    world.attempt(world.put(world.one_off()))
    callback, secret = world.sender.calls[-1].callback, world.credentials.signing_secret
    assert signers(callback) == ([signature_of(secret, callback)], compact_of(secret, callback))


def test_old_and_new_secret_of_a_name_sign_during_its_rotation_and_then_the_new_secret_alone() -> None:
    world = World(DUE_AT)
    old, new = _by_name(world), _by_name(world)
    for number, elapsed_ms, expected in ((1, 0, [new, old]), (2, 601_000, [new])):
        world.clock.time_ms = DUE_AT + elapsed_ms
        world.attempt(world.put(world.one_off(number, signing_secret="billing")))
        callback = world.sender.calls[-1].callback
        assert signers(callback) == (
            [signature_of(secret, callback) for secret in expected],
            compact_of(new, callback),
        )


def test_secret_that_is_younger_than_the_cached_tenant_signs() -> None:
    world = World(DUE_AT)
    world.attempt(world.put(world.one_off(1)))
    secret = _by_name(world)
    world.attempt(world.put(world.one_off(2, signing_secret="billing")))
    assert verifies(secret, world.sender.calls[-1].callback)
    assert len(world.sender.calls) == 2


def test_call_fails_for_a_name_that_is_gone_and_is_made_once_the_name_is_there_again() -> None:
    """A restored table may lack a name that a job has."""
    world = World(DUE_AT)
    execution = world.put(world.one_off(signing_secret="billing", retry=RetryPolicy(max_attempts=2)))
    report = world.attempt(execution)
    assert world.sender.calls == []
    standing: Execution = world.standing(execution.id)
    assert [outcome.reason for outcome in standing.progress.outcomes] == [Reason.SIGNING_SECRET_GONE]
    assert (standing.state, standing.attempt) == (State.WAITING, 1)
    assert report.returned() == []
    secret = _by_name(world)
    Lanes(world).until(world.clock.time_ms + 10 * MINUTES)
    (call,) = world.sender.calls
    assert verifies(secret, call.callback)
    assert world.standing(execution.id).state is State.SUCCEEDED


def test_attempt_whose_named_secret_cannot_be_read_for_now_is_refunded() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(signing_secret="billing", retry=RetryPolicy(max_attempts=1)))
    world.attempt(world.put(world.one_off(2)))
    world.tenants.get = _unavailable  # type: ignore[method-assign]
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.attempt, len(world.sender.calls)) == (State.WAITING, 0, 1)


def _unavailable(tenant_id: str) -> Tenant | None:
    raise UnavailableError("no table")


# --- where nothing can be signed, nothing is sent


def _unseals_to(text: str) -> Callable[[World], None]:
    def act(world: World) -> None:
        tenant = world.tenants.tenants[TENANT]
        sealed = world.vault.seal(tenant, SIGNING_CONTEXT, text.encode("latin-1"))
        (secret,) = tenant.signing_secrets
        _replace_secrets(world, (replace(secret, sealed=sealed),))

    return act


def _replace_secrets(world: World, secrets: Any) -> None:
    changed = replace(world.tenants.tenants[TENANT])
    object.__setattr__(changed, "signing_secrets", secrets)  # what the tenant itself would refuse
    world.tenants.tenants[TENANT] = changed


def _sealed_for_another_context(world: World) -> None:
    tenant = world.tenants.tenants[TENANT]
    (secret,) = tenant.signing_secrets
    sealed = world.vault.seal(tenant, "another", new_secret(b"k" * 32).encode())
    _replace_secrets(world, (replace(secret, sealed=sealed),))


def _no_key(world: World) -> None:
    def unseal(tenant: Tenant, context: str, sealed: bytes) -> bytes:
        raise UnavailableError("no key service")

    world.vault.unseal = unseal  # type: ignore[method-assign]


UNSIGNABLE: dict[str, Callable[[World], None]] = {
    "no secret": lambda world: _replace_secrets(world, ()),
    "an empty secret": _unseals_to(""),
    "a secret without a prefix": _unseals_to("c2VjcmV0"),
    "a secret of nothing": _unseals_to("whsec_"),
    "a secret that is no base64": _unseals_to("whsec_hunter2!"),
    "a secret that is no text": _unseals_to("\xff\xfe"),
    "a secret of another context": _sealed_for_another_context,
    "a tenant that is gone": lambda world: world.tenants.tenants.clear(),
}


@pytest.mark.parametrize("fault", UNSIGNABLE)
def test_no_call_is_made_where_it_cannot_be_signed(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(retry=RetryPolicy(max_attempts=1)))
    UNSIGNABLE[fault](world)
    world.clock.time_ms += REMEMBER_MS
    report = world.attempt(execution)
    assert world.sender.calls == []
    standing: Execution = world.standing(execution.id)
    assert [outcome.reason for outcome in standing.progress.outcomes] == [Reason.REQUEST_UNREADABLE]
    assert standing.state is State.FAILED
    assert report.returned() == [], "one tenant's fault is no fault of the batch"
    assert "hunter2" not in repr(report) + caplog.text


def test_attempt_that_cannot_be_signed_without_the_key_service_is_refunded() -> None:
    world = World(DUE_AT)
    execution = world.put(world.one_off(retry=RetryPolicy(max_attempts=1)))
    _no_key(world)
    world.clock.time_ms += REMEMBER_MS
    world.attempt(execution)
    standing = world.standing(execution.id)
    assert (standing.state, standing.attempt, world.sender.calls) == (State.WAITING, 0, [])


@pytest.mark.parametrize("headers", [(), (("X-A", "1"),), (("webhook-signature", ""),)])
def test_callback_without_a_signature_cannot_be_constructed(headers: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(InvalidValueError, match="signature"):
        Callback(tenant_id="acme", method="POST", url="https://receiver.example/", headers=headers)


@pytest.mark.parametrize(
    ("used", "only_in"),
    [
        (r"(?<![\w.])Callback\(", ["shared/usecases/attempts/compose_callback.py"]),
        # The first one signs callbacks for AWS, too, and makes none.
        (
            r"sender\.send\(",
            ["shared/adapters/targets/signed_sender.py", "shared/usecases/attempts/call_receiver.py"],
        ),
        (r"encode_request\(callback\)", ["shared/adapters/http/sender.py"]),
    ],
)
def test_callbacks_are_made_in_one_place_and_sent_from_known_ones(used: str, only_in: list[str]) -> None:
    users = sorted(str(module) for module in modules() if re.search(used, (ROOT / module).read_text()))
    assert users == only_in


def verifies(secret: str, callback: Callback) -> bool:
    """Whether a receiver that holds this secret takes it for genuine."""
    return signature_of(secret, callback) in dict(callback.headers)["webhook-signature"].split(" ")


def signers(callback: Callback) -> tuple[list[str], str]:
    """The signatures of both schemes."""
    headers = dict(callback.headers)
    return headers["webhook-signature"].split(" "), headers["X-Scheduler-Signature"]


def compact_of(secret: str, callback: Callback) -> str:
    """The value of X-Scheduler-Signature, by its documentation."""
    signed_at = dict(callback.headers)["webhook-timestamp"]
    digest = hmac.digest(secret.encode(), f"{signed_at}.".encode() + callback.body, "sha256")
    return f"t={signed_at},v1={digest.hex()}"


def signature_of(secret: str, callback: Callback) -> str:
    """What the library of the standard signs it with."""
    headers = dict(callback.headers)
    signed_at = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    signature: str = Webhook(secret).sign(headers["webhook-id"], signed_at, callback.body.decode())
    return signature
