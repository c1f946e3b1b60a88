"""What both transports to AWS repeat, and what they tell of an error."""

from typing import Any

import pytest

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.retries import CONFLICT_TRIES, TRIES
from tests.support.aws_server import (
    AwsServer,
    answer,
    chunked,
    error,
    half,
    hang_up,
    then_close,
)

PUT = {"TableName": "executions", "Item": {"pk": {"S": "p"}}}
TRANSACTION = [{"Put": PUT}, {"Put": PUT}]
CONFLICT = error("TransactionConflictException")


def cancelled(*codes: str) -> Any:
    return error(
        "TransactionCanceledException", fields={"CancellationReasons": [{"Code": code} for code in codes]}
    )


def test_single_write_that_met_a_transaction_is_repeated_with_jittered_pauses(
    dynamodb: AwsClient, server: AwsServer, pauses: list[float]
) -> None:
    server.script.extend([CONFLICT] * 3 + [answer({})])
    dynamodb.put_item(**PUT)
    assert len(server.received) == 4
    assert 0.02 <= min(pauses) < max(pauses) <= 0.2


@pytest.mark.parametrize("others", [[], ["None"], ["ConditionalCheckFailed"]])
def test_transaction_that_met_another_is_repeated_with_the_same_token(
    dynamodb: AwsClient, server: AwsServer, others: list[str]
) -> None:
    server.script.extend([cancelled("TransactionConflict", *others), answer({})])
    dynamodb.transact_write_items(TransactItems=TRANSACTION)
    first, second = (request.body for request in server.received)
    assert first == second
    assert first["ClientRequestToken"]


def test_transactions_have_tokens_of_their_own(dynamodb: AwsClient, server: AwsServer) -> None:
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len({request.body["ClientRequestToken"] for request in server.received}) == 2


@pytest.mark.parametrize("operation", ["put", "transaction"])
def test_conflict_that_lasts_is_reported_in_the_end(
    dynamodb: AwsClient, server: AwsServer, operation: str
) -> None:
    server.script.extend([CONFLICT if operation == "put" else cancelled("TransactionConflict")] * 9)
    with pytest.raises(AwsError):
        if operation == "put":
            dynamodb.put_item(**PUT)
        else:
            dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert len(server.received) == CONFLICT_TRIES


@pytest.mark.parametrize("codes", [["ConditionalCheckFailed", "None"], ["ValidationError"], ["None"]])
def test_refused_or_rejected_transaction_is_sent_once(
    dynamodb: AwsClient, server: AwsServer, codes: list[str]
) -> None:
    server.script.append(cancelled(*codes))
    with pytest.raises(AwsError) as refused:
        dynamodb.transact_write_items(TransactItems=TRANSACTION)
    assert [reason["Code"] for reason in refused.value.response["CancellationReasons"]] == codes
    assert len(server.received) == 1


def test_refused_condition_is_sent_once_and_shows_the_item(dynamodb: AwsClient, server: AwsServer) -> None:
    server.script.append(error("ConditionalCheckFailedException", fields={"Item": {"pk": {"S": "p"}}}))
    with pytest.raises(AwsError) as refused:
        dynamodb.put_item(**PUT)
    assert (refused.value.code, refused.value.response["Item"]) == (
        "ConditionalCheckFailedException",
        {"pk": {"S": "p"}},
    )
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "fault",
    [
        error("ThrottlingException"),
        error("ProvisionedThroughputExceededException"),
        error("RequestLimitExceeded"),
        error("InternalServerError", 500),
        answer(b"<html>bad gateway</html>", 502),
        answer(b"", 503),
    ],
)
def test_throttle_or_fault_of_the_service_is_tried_three_times(
    dynamodb: AwsClient, server: AwsServer, pauses: list[float], fault: Any
) -> None:
    server.script.extend([fault] * 9)
    with pytest.raises(AwsError):
        dynamodb.put_item(**PUT)
    assert (len(server.received), len(pauses)) == (TRIES, TRIES - 1)


@pytest.mark.parametrize("fault", [half, hang_up])
def test_lost_answer_is_asked_for_again_and_then_reported_as_none(
    dynamodb: AwsClient, server: AwsServer, fault: Any
) -> None:
    server.script.extend([fault, answer({"Attributes": {}})])
    assert "Attributes" in dynamodb.put_item(**PUT)
    server.script.extend([fault] * 9)
    with pytest.raises(NoAnswerError):
        dynamodb.put_item(**PUT)
    assert len(server.received) == 2 + TRIES


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
    ],
)
@pytest.mark.parametrize(("of", "times"), [("Index", 1), ("Table", 3)])
def test_update_that_an_index_throttles_is_sent_once_so_that_it_can_be_written_without_its_entry(
    dynamodb: AwsClient, server: AwsServer, code: str, field: str, of: str, times: int
) -> None:
    reason = {"reason": f"{of}WriteKeyRangeThroughputExceeded", "resource": "arn"}
    server.script.extend([error(code, fields={field: [reason]})] * 9)
    with pytest.raises(AwsError) as throttled:
        dynamodb.update_item(TableName="executions", Key={"pk": {"S": "p"}})
    assert throttled.value.response[field] == [reason]
    assert len(server.received) == times


def test_kept_alive_connection_is_used_again(dynamodb: AwsClient, server: AwsServer) -> None:
    for _ in range(5):
        dynamodb.put_item(**PUT)
    assert {request.connection for request in server.received} == {0}


def test_connection_that_the_server_closed_while_idle_costs_no_error(
    dynamodb: AwsClient, server: AwsServer
) -> None:
    for _ in range(3):
        server.script.append(then_close(answer({})))
        dynamodb.put_item(**PUT)
    assert len({request.connection for request in server.received}) == 3


def test_chunked_answer_is_read(dynamodb: AwsClient, server: AwsServer) -> None:
    server.script.append(chunked({"Item": {"pk": {"S": "x"}}}))
    assert dynamodb.get_item(TableName="executions", Key={"pk": {"S": "x"}})["Item"] == {"pk": {"S": "x"}}
