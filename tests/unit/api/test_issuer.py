"""The public documents of the issuer of identity tokens, as a receiver without an API key reads them."""

from typing import Any

import pytest

from shared.domain.executions.states import State
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.delivery.tokens import verified
from tests.support.settings import ISSUER

CONFIGURATION, KEYS = "/.well-known/openid-configuration", "/.well-known/jwks.json"
paths = pytest.mark.parametrize("path", [CONFIGURATION, KEYS])


def ask(made: ApiWorld, path: str, method: str = "GET", **headers: str) -> Answer:
    return made.handle(Request(method=method, path=path, headers=headers))


def test_receiver_finds_the_keys_by_the_issuer_and_verifies_the_token_of_a_call() -> None:
    made = ApiWorld()
    auth = {"oidc": {"audience": "https://receiver.example"}}
    created = made.post(
        {
            "schedule": {"delay_seconds": 60},
            "request": {"url": "https://receiver.example/hook", "auth": auth},
        }
    )
    world = made.world
    (row,) = [row for row in world.table.executions.values() if row.execution.job_id == created.json["id"]]
    world.clock.time_ms = row.execution.id.dispatch_at
    world.attempt(row.execution)
    assert world.standing(row.execution.id).state is State.SUCCEEDED
    headers = dict(world.sender.calls[0].callback.headers)
    document = ask(made, CONFIGURATION).json
    assert document["issuer"] == ISSUER
    key_set = ask(made, document["jwks_uri"].removeprefix(ISSUER)).json
    claims = verified(headers["Authorization"].removeprefix("Bearer "), key_set)
    assert (claims["iss"], claims["sub"]) == (document["issuer"], world.tenant.id)


@paths
def test_document_may_be_kept_for_minutes_and_is_not_sent_again_to_those_who_know_it(path: str) -> None:
    made = ApiWorld()
    answer = ask(made, path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.headers["Cache-Control"] == "public, max-age=900"
    known = ask(made, path, **{"if-none-match": answer.headers["ETag"]})
    assert (known.status, known.text) == (304, "")
    assert ask(made, path, "HEAD").status == 200


@paths
@pytest.mark.parametrize("settings", [{"token_keys": ()}, {"token_issuer": None}], ids=["keys", "issuer"])
def test_stage_that_issues_no_tokens_has_no_document(path: str, settings: dict[str, Any]) -> None:
    answer = ask(ApiWorld(**settings), path)
    assert (answer.status, answer.problem) == (404, "not-found")


def test_keys_that_kms_does_not_show_are_unavailable_and_the_configuration_is_not() -> None:
    made = ApiWorld()
    made.world.identity_tokens.is_down = True
    answer = ask(made, KEYS)
    assert (answer.status, answer.problem) == (503, "service-unavailable")
    assert "max-age" not in answer.headers.get("Cache-Control", "")
    assert int(answer.headers["Retry-After"]) > 0
    assert ask(made, CONFIGURATION).status == 200


def test_set_that_lacks_a_key_is_kept_by_caches_for_seconds_only() -> None:
    made = ApiWorld()
    made.world.identity_tokens.lacks_a_key = True
    answer = ask(made, KEYS)
    assert (answer.status, len(answer.json["keys"])) == (200, 1)
    assert answer.headers["Cache-Control"] == "public, max-age=10"
    known = ask(made, KEYS, **{"if-none-match": answer.headers["ETag"]})
    assert (known.status, known.headers["Cache-Control"]) == (304, "public, max-age=10")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@paths
def test_document_is_only_read(path: str, method: str) -> None:
    assert ask(ApiWorld(), path, method).status in (401, 405)


@pytest.mark.parametrize(
    "path",
    ["/.well-known/", "/.well-known", "/.well-known/jwks.json/", "/.well-known/JWKS.json", "/.well-known/x"],
)
def test_path_beside_the_documents_needs_a_key_and_is_none(path: str) -> None:
    made = ApiWorld()
    assert ask(made, path).status == 401
    assert made.get(path).status == 404
