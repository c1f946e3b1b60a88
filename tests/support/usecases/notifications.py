"""Executions with outcome callbacks, and the calls of notifications."""

from dataclasses import replace
from typing import Any

import orjson

from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.outcome_callbacks import CallbackTarget, OutcomeCallbacks
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.usecases.requests.seal_request import seal_callback_target
from tests.support.builders import DUE_AT, TENANT
from tests.support.fakes.sender import Call
from tests.support.usecases.world import World

WON, LOST = "https://told.example/won?key=k1", "https://told.example/lost?key=k2"
OK = CallbackResponse(reason=Reason.OK, duration_ms=5, status=200)
DOWN = CallbackResponse(reason=Reason.HTTP_STATUS, duration_ms=5, status=500, body=b"down")


def answering(answer: CallbackResponse, told: CallbackResponse = OK) -> World:
    """A deployment with one response for jobs and one response for notifications."""

    def answer_to(callback: Callback) -> CallbackResponse:
        return told if is_telling(callback) else answer

    return World(DUE_AT, answer_to=answer_to)


def is_telling(callback: Callback) -> bool:
    """Whether a call delivers an outcome."""
    return callback.url in (WON, LOST)


def listener(world: World, url: str | None) -> CallbackTarget | None:
    """The stored target of a URL; `none` for the explicit absence."""
    return seal_callback_target(world.vault, world.tenant, url)


def both(world: World) -> OutcomeCallbacks:
    """A target for each outcome."""
    return OutcomeCallbacks(on_success=listener(world, WON), on_failure=listener(world, LOST))


def tell_by_default(world: World, callbacks: OutcomeCallbacks) -> None:
    """Set the tenant's default targets."""
    world.tenants.tenants[TENANT] = replace(world.tenants.tenants[TENANT], callbacks=callbacks)


def told_one_off(world: World, **fields: Any) -> Execution:
    """A job that runs once, now."""
    fields = {"callbacks": both(world)} | fields
    return world.put(world.one_off(**fields))


def notifications(world: World) -> dict[ExecutionId, list[Execution]]:
    """All stored notifications by their original execution."""
    found: dict[ExecutionId, list[Execution]] = {}
    for row in world.table.executions.values():
        told_of = row.execution.notification_of
        if told_of is not None:
            found.setdefault(told_of, []).append(row.execution)
    return found


def telling(world: World) -> list[Call]:
    """The calls of notifications."""
    return [call for call in world.sender.calls if is_telling(call.callback)]


def body_of(call: Call) -> Any:
    """The JSON body of a call."""
    return orjson.loads(call.callback.body)


def ended(world: World, execution: Execution, *, receives: int = 1) -> Execution:
    """An execution after its only attempt."""
    assert world.attempt(execution, receives=receives).returned() == []
    standing = world.standing(execution.id)
    assert standing.state.is_terminal
    return standing
