"""Claims whose refusal shows no item: the result is unknown until a strong read of the key has decided."""

from typing import Any

import pytest

from shared.adapters.dynamodb.codec.items import execution_item
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.ports.executions import Claim, Claimer, ClaimRejected, WriteUnknown
from tests.support.builders import DUE_AT, execution_id, in_state, one_off
from tests.support.conformance.aws_facts import expectation_of
from tests.support.conformance.clients import Clients
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.interference import Parsed, answering, failure, watching
from tests.support.conformance.tables import TableNames

MINE = in_state(one_off(1), State.RUNNING, owner="mine")
OTHERS = in_state(one_off(2), State.RUNNING)
CLAIMS = [Claim(execution_id=execution_id(number), owner="mine") for number in (1, 2, 3)]
REFUSED = {"Error": {"Code": "ConditionalCheckFailed", "Message": ""}}
REFUSED_UPDATE = failure("ConditionalCheckFailedException")


@pytest.fixture
def unplugged(clients: Clients) -> DynamoLab:
    """The adapters without an engine: every request must be answered by a hook."""
    names = TableNames(
        executions="executions",
        jobs="jobs",
        tenants="tenants",
        leases="leases",
        audit="audit",
        history="history",
    )
    return DynamoLab(clients("dynamodb", "http://127.0.0.1:1"), names)


def stored(*executions: Execution, unprocessed: list[Any] | None = None) -> Parsed:
    items = [execution_item(execution, REGION) for execution in executions]
    left = {"executions": {"Keys": unprocessed}} if unprocessed else {}
    return {"Responses": {"executions": items}, "UnprocessedKeys": left}


def key_of(execution: Execution) -> dict[str, Any]:
    item = execution_item(execution, REGION)
    return {name: item[name] for name in ("pk", "sk")}


def claimers(lab: DynamoLab) -> list[tuple[Claimer, Parsed]]:
    return [(lab.batch_claimer, {"Responses": [REFUSED]}), (lab.claimer, REFUSED_UPDATE)]


def test_refused_claims_of_a_batch_are_read_strongly_in_one_request(unplugged: DynamoLab) -> None:
    answers = [{"Responses": [REFUSED] * 3}, stored(OTHERS, MINE)]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        results = unplugged.batch_claimer.claim(CLAIMS, DUE_AT)
    assert results == [MINE, ClaimRejected(OTHERS), ClaimRejected(None)]
    (read,) = calls.of("BatchGetItem")
    assert read["RequestItems"]["executions"]["ConsistentRead"] is True
    assert len(read["RequestItems"]["executions"]["Keys"]) == 3
    assert len(calls.made) == 2


def test_shown_items_are_not_read(unplugged: DynamoLab) -> None:
    shown = {"Error": {"Code": "ConditionalCheckFailed", "Item": execution_item(OTHERS, REGION)}}
    answers = [{"Responses": [{"Item": execution_item(MINE, REGION)}, shown]}]
    with watching(unplugged.client) as calls, answering(unplugged.client, "*", *answers):
        assert unplugged.batch_claimer.claim(CLAIMS[:2], DUE_AT) == [MINE, ClaimRejected(OTHERS)]
    assert len(calls.made) == 1


def test_unprocessed_key_is_read_again_after_a_pause(unplugged: DynamoLab) -> None:
    for claimer, refusal in claimers(unplugged):
        unplugged.pauses_ms.clear()
        answers = [refusal, stored(unprocessed=[key_of(MINE)]), stored(MINE)]
        with answering(unplugged.client, "*", *answers):
            assert claimer.claim(CLAIMS[:1], DUE_AT) == [MINE]
        (pause_ms,) = unplugged.pauses_ms
        assert 20 <= pause_ms <= 200


def test_key_that_stays_unprocessed_is_unknown_and_not_gone(unplugged: DynamoLab) -> None:
    for claimer, refusal in claimers(unplugged):
        answers = [refusal, *[stored(unprocessed=[key_of(MINE)])] * 5]
        with answering(unplugged.client, "*", *answers):
            (result,) = claimer.claim(CLAIMS[:1], DUE_AT)
        assert isinstance(result, WriteUnknown)
        assert not result.is_permanent


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_refusal_that_cannot_be_read_is_unknown_and_not_gone(unplugged: DynamoLab, code: str) -> None:
    for claimer, refusal in claimers(unplugged):
        with answering(unplugged.client, "*", refusal, failure(code)):
            (result,) = claimer.claim(CLAIMS[:1], DUE_AT)
        assert isinstance(result, WriteUnknown)


PERMANENT = {
    "ResourceNotFound",
    "ValidationError",
    "ItemCollectionSizeLimitExceeded",
    "AccessDenied",
}
THROTTLED = {"ProvisionedThroughputExceeded", "RequestLimitExceeded", "ThrottlingError"}


def test_every_code_of_a_statement_is_told_from_every_other(unplugged: DynamoLab) -> None:
    """Only a refused condition says something about the item; only permanent codes are not repeated."""
    facts = expectation_of("b2")
    for code in (*facts["captured_codes"], *facts["documented_codes"]):
        error = {"Error": {"Code": code, "Message": ""}}
        with answering(unplugged.client, "*", {"Responses": [error]}, stored(OTHERS)):
            (result,) = unplugged.batch_claimer.claim([CLAIMS[1]], DUE_AT)
        if code == "ConditionalCheckFailed":
            assert result == ClaimRejected(OTHERS)
        else:
            assert isinstance(result, WriteUnknown)
            assert result.is_permanent is (code in PERMANENT), code
            assert result.is_throttled is (code in THROTTLED), code


@pytest.mark.parametrize("code", ["ThrottlingException", "ProvisionedThroughputExceededException"])
def test_throttled_request_throttles_each_of_its_claims(unplugged: DynamoLab, code: str) -> None:
    for claimer in (unplugged.batch_claimer, unplugged.claimer):
        with answering(unplugged.client, "*", *[failure(code)] * 3):
            results = claimer.claim(CLAIMS, DUE_AT)
        assert [getattr(result, "is_throttled", None) for result in results] == [True] * 3


def test_claim_that_the_store_rejects_is_permanently_unknown(unplugged: DynamoLab) -> None:
    """The text names the code, because the message ends in the dead-letter queue for operators."""
    statement = {"Responses": [{"Error": {"Code": "ValidationError", "Message": "why"}}]}
    whole = failure("ValidationException")
    for claimer, answer in ((unplugged.batch_claimer, statement), (unplugged.batch_claimer, whole)):
        with answering(unplugged.client, "*", answer):
            (result,) = claimer.claim(CLAIMS[:1], DUE_AT)
        assert isinstance(result, WriteUnknown)
        assert result.is_permanent
        assert "Validation" in result.reason
