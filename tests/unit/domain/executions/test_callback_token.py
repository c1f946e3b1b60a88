"""The token of an attempt: made for one attempt of one execution by one key, and read in its one form alone."""

import hmac
from dataclasses import replace
from functools import partial

import pytest

from shared.domain.executions.callback_token import CallbackToken, parse_token, token_for
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from tests.support.builders import DUE_AT, execution_id, in_state, one_off, with_changes

RUNNING = in_state(one_off(), State.RUNNING)


def code(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


ours = partial(code, b"ours")


def issued(execution: Execution = RUNNING) -> CallbackToken:
    token = parse_token(token_for(execution, ours))
    assert token is not None
    return token


def test_a_token_is_genuine_for_its_own_execution_and_key_alone() -> None:
    token = issued()
    assert token.is_genuine(RUNNING.id, ours)
    assert not token.is_genuine(execution_id(2), ours)
    assert not token.is_genuine(replace(RUNNING.id, dispatch_at=DUE_AT + 1), ours)
    assert not token.is_genuine(RUNNING.id, partial(code, b"theirs"))


@pytest.mark.parametrize("field", [{"attempt": 2}, {"owner": "f" * 16}, {"code": "A" * 43}])
def test_an_altered_token_is_not(field: dict[str, object]) -> None:
    assert not replace(issued(), **field).is_genuine(RUNNING.id, ours)  # type: ignore[arg-type]


def test_token_is_valid_only_for_the_running_attempt() -> None:
    token = issued()
    assert token.is_of_running(RUNNING)
    assert not token.is_of_running(with_changes(RUNNING, attempt=2))
    assert not token.is_of_running(with_changes(RUNNING, owner="f" * 16))
    assert not token.is_of_running(in_state(one_off(), State.WAITING))
    assert not token.is_of_running(in_state(one_off(), State.SUCCEEDED, attempt=1))


def test_callback_token_takes_a_two_digit_attempt() -> None:
    assert (
        issued(with_changes(RUNNING, retry=replace(RUNNING.call.retry, max_attempts=20), attempt=20)).attempt
        == 20
    )


GOOD = token_for(RUNNING, ours)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ct1",
        GOOD[:-1],
        GOOD + "A",
        GOOD + "\n",
        " " + GOOD,
        GOOD.upper(),
        GOOD.replace("ct1_1_", "ct1_01_"),
        GOOD.replace("ct1_1_", "ct1_0_"),
        GOOD.replace("ct1_1_", "ct1_-1_"),
        GOOD.replace("ct1_1_", "ct1_\u0661_"),
        GOOD.replace("ct1_", "ct2_"),
        GOOD[:-1] + "=",
        "A" * 100_000,
        "\ud800",
    ],
)
def test_malformed_callback_token_is_not_parsed(text: str) -> None:
    assert parse_token(text) is None
