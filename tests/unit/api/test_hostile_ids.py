"""Ids that are none, in every place of every path: answered as unknown ones are, and nothing is looked up by them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from functions.api.http.admission import OPERATORS_PATH
from tests.support.api.api_world import ApiWorld
from tests.support.api.request_factory import (
    Party,
    ask,
    document_for,
    is_by_id,
    parts_of,
    path_of,
    routes,
    settle,
)

BY_ID = routes(is_by_id)
KEY_BYTES = 1_024
"""DynamoDB takes no longer sort key: it answers a longer one with an error, which to the client is an outage."""
HOSTILE = {
    "one character": "x",
    "300 characters": "x" * 300,
    "3,000 characters": "x" * 3_000,
    "100,000 characters": "x" * 100_000,
    "a prefix": "{prefix}",
    "a prefix and 3,000 characters": "{prefix}" + "x" * 3_000,
    "a prefix and 3,000 digits": "{prefix}1" + "0" * 3_000,
    "twice": "{id}{id}",
    "in capitals": "{ID}",
    "a space": "{id} ",
    "an encoded space": "{id}%20",
    "a line's end": "{id}\n",
    "a line's end in front": "\n{id}",
    "a null": "{id}\x00",
    "an encoded null": "{id}%00",
    "an escape": "\x1b[2J{id}",
    "an encoded slash": "{id}%2F",
    "encoded steps upwards": "%2e%2e%2f%2e%2e%2fadmin",
    "a step upwards": "..",
    "a separator of keys": "redrive#{id}",
    "an encoded separator": "{id}%23meta",
    "a pipe": "{id}|{id}",
    "an encoded question mark": "{id}%3Fx=1",
    "umlauts": "ü" * 26,
    "digits of another script": "\N{ARABIC-INDIC DIGIT ONE}" * 26,
    "beyond the basic plane": "\N{PILE OF POO}" * 300,
    "a lone surrogate": "\ud800",
    "angle brackets": "<{id}>",
    "its own name in brackets": "<{part}>",
    "null": "null",
    "a star": "*",
    "a percent sign": "%",
    "no hexadecimals": "%zz",
}
"""What comes in the place of an id, made of one that is right."""


@cache
def settled() -> tuple[ApiWorld, Party, str]:
    """A tenant that has some of everything, and an operator's key. Nothing that is refused changes any of it."""
    api = ApiWorld()
    return api, settle(api, "ours"), api.world.create_tenant.operator().api_key


def spoilt(kind: str, real: str) -> str:
    prefix = real[:4] if real[3] == "_" else ""
    criteria = HOSTILE[kind].replace("{ID}", real.upper())
    return criteria.replace("{id}", real).replace("{prefix}", prefix)


@pytest.mark.parametrize("kind", HOSTILE)
def test_malformed_id_is_answered_like_an_unknown_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    api, party, operator = settled()
    looked_up = _keys_of(api, monkeypatch)
    for route in BY_ID:
        key = operator if route.path.startswith(OPERATORS_PATH) else party.key
        for part in parts_of(route):
            ids = {name: party.ids[name][0] for name in parts_of(route)}
            real, ids[part] = ids[part], spoilt(kind, ids[part]).replace("{part}", part)
            if ids[part] == real:
                continue  # An account has digits alone, and no capitals.
            answer = ask(api, key, route.method, path_of(route, ids), document_for(route))
            assert (answer.status, answer.problem) == (404, "not-found"), f"{route.operation}, {part}"
    assert [key[:50] for key in looked_up if len(key.encode()) > KEY_BYTES] == []


def _keys_of(api: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All text that the ports are given from now on."""
    given: list[str] = []
    take = api.world.steps.take

    def noting(name: str, call: Callable[[], Any]) -> Any:
        given.extend(one for one in getattr(call, "args", ()) if isinstance(one, str))
        return take(name, call)

    monkeypatch.setattr(api.world.steps, "take", noting)
    return given


def test_the_ids_that_are_spoilt_are_right() -> None:
    api, party, operator = settled()
    for route in BY_ID:
        if route.method == "GET":
            key = operator if route.path.startswith(OPERATORS_PATH) else party.key
            ids = {name: party.ids[name][0] for name in parts_of(route)}
            answer = ask(api, key, route.method, path_of(route, ids))
            is_right = answer.status == 200 or route.operation in ("inspectDeadLetter", "getTenantDeletion")
            assert is_right, f"{route.operation}: {answer.text}"
