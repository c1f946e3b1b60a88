"""The clients of AWS: what the SDK repeats, and what we add to that."""

import io
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ClientError

from shared.adapters.clients import CONFLICT_TRIES, client

CONFLICT = {"__type": "com.amazonaws.dynamodb.v20120810#TransactionConflictException", "message": "injected"}
PUT = {"TableName": "executions", "Item": {"pk": {"S": "p"}}}
TRANSACTION = [{"Put": PUT}, {"Put": PUT}]


def cancelled(*codes: str) -> dict[str, Any]:
    return {
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": "injected",
        "CancellationReasons": [{"Code": code} for code in codes],
    }


class Wire:
    """Answers requests in place of the network, and records them with the pauses between them."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.pauses: list[float] = []

    def send(self, request: Any, **_event: Any) -> AWSResponse:
        self.bodies.append(json.loads(request.body))
        answer = self.answers.pop(0)
        status = 400 if "__type" in answer else 200
        return AWSResponse(request.url, status, HTTPHeaders(), _Raw(json.dumps(answer).encode()))


class _Raw(io.BytesIO):
    def stream(self, **_options: Any) -> Iterator[bytes]:
        yield self.read()


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    made = Wire()
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=made.pauses.append))
    return made


@pytest.fixture
def dynamodb(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    made = client("dynamodb", "eu-central-1")
    made.meta.events.register_first("before-send.dynamodb", wire.send)
    return made


def test_single_write_that_met_a_transaction_is_repeated_with_jittered_pauses(
    dynamodb: Any, wire: Wire
) -> None:
    wire.answers = [CONFLICT, CONFLICT, {}]
    dynamodb.put_item(**PUT)
    assert len(wire.bodies) == 3
    assert 0.02 <= min(wire.pauses) < max(wire.pauses) <= 0.2


@pytest.mark.parametrize("others", [[], ["None"], ["ConditionalCheckFailed"]])
def test_transaction_that_met_another_is_repeated_with_the_same_token(
    dynamodb: Any, wire: Wire, others: list[str]
) -> None:
    wire.answers = [cancelled("TransactionConflict", *others), {}]
    dynamodb.transact_write_items(TransactItems=TRANSACTION)
    first, second = wire.bodies
    assert first == second
    assert first["ClientRequestToken"]


@pytest.mark.parametrize("operation", ["put", "transaction"])
def test_conflict_that_lasts_is_reported_in_the_end(dynamodb: Any, wire: Wire, operation: str) -> None:
    wire.answers = [CONFLICT if operation == "put" else cancelled("TransactionConflict")] * 9
    with pytest.raises(ClientError):
        if operation == "put":
            dynamodb.put_item(**PUT)
        else:
            dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len(wire.bodies) == CONFLICT_TRIES


@pytest.mark.parametrize("codes", [["ConditionalCheckFailed", "None"], ["ValidationError"], ["None"]])
def test_refused_or_rejected_transaction_is_sent_once(dynamodb: Any, wire: Wire, codes: list[str]) -> None:
    wire.answers = [cancelled(*codes), {}]
    with pytest.raises(ClientError):
        dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len(wire.bodies) == 1


def test_refused_condition_is_sent_once(dynamodb: Any, wire: Wire) -> None:
    wire.answers = [{"__type": "#ConditionalCheckFailedException", "message": ""}, {}]
    with pytest.raises(ClientError):
        dynamodb.put_item(**PUT)
    assert len(wire.bodies) == 1


def test_throttled_write_is_repeated_by_the_sdk_itself(dynamodb: Any, wire: Wire) -> None:
    wire.answers = [{"__type": "#ThrottlingException", "message": ""}] * 9
    with pytest.raises(ClientError):
        dynamodb.put_item(**PUT)
    assert len(wire.bodies) == 3


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
    ],
)
@pytest.mark.parametrize(("of", "times"), [("Index", 1), ("Table", 3)])
def test_update_that_an_index_throttles_is_sent_once_so_that_it_can_be_written_without_its_entry(
    dynamodb: Any, wire: Wire, code: str, field: str, of: str, times: int
) -> None:
    reason = {"reason": f"{of}WriteKeyRangeThroughputExceeded", "resource": "arn"}
    wire.answers = [{"__type": f"#{code}", "message": "", field: [reason]}] * 9
    with pytest.raises(ClientError):
        dynamodb.update_item(TableName="executions", Key={"pk": {"S": "p"}})
    assert len(wire.bodies) == times


def test_fields_of_throttling_errors_keep_their_two_spellings(dynamodb: Any, wire: Wire) -> None:
    """The SDK's model names the field differently in two errors; the translation reads both names."""
    reason = {"reason": "TableWriteKeyRangeThroughputExceeded", "resource": "arn"}
    for code, field in (
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
    ):
        wire.answers = [{"__type": f"#{code}", "message": "", field: [reason]}] * 3
        with pytest.raises(ClientError) as error:
            dynamodb.put_item(**PUT)
        assert error.value.response[field] == [reason]  # type: ignore[literal-required]
