"""The facts about AWS that the product relies on: the engines show them, or the table of deviations names them."""

import re
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.codec.keys import item_key
from shared.domain.dispatch.wakeup import single_wakeup
from shared.names import Lane
from tests.support.builders import DUE_AT, TENANT, execution_id
from tests.support.conformance.aws_facts import FACTS, PROVED_ELSEWHERE, expectation_of, functions_of
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.lanes import SqsLanes
from tests.support.http_path import raw_path

DOCUMENT = Path(__file__).parents[2] / "docs" / "design" / "deviations.md"
MODULES = ("test_aws_facts", "test_aws_facts_of_batches")
FIRST, SECOND, THIRD = (item_key("p", str(number)) for number in range(3))


@pytest.fixture
def table(engine_lab: DynamoLab) -> str:
    engine_lab.used.add(engine_lab.names.executions)
    return engine_lab.names.executions


def code_of(error: pytest.ExceptionInfo[AwsError]) -> str:
    return error.value.response["Error"]["Code"]


@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_has_a_check_or_a_row_of_deviations(fact: str) -> None:
    checks = {name for module in MODULES for name in functions_of(module) if name.startswith(f"test_{fact}_")}
    module, _, function = PROVED_ELSEWHERE.get(fact, "").partition("::")
    if module:
        assert function in functions_of(module)
    rows = [
        line for line in DOCUMENT.read_text().splitlines() if line.startswith("|") and f"[{fact}]" in line
    ]
    assert checks or module or rows


def test_no_check_and_no_row_names_an_unknown_fact() -> None:
    named = set(re.findall(r"\[([a-z]\d+)\]", DOCUMENT.read_text()))
    checks = {name.split("_")[1] for module in MODULES for name in functions_of(module)}
    checks = {name for name in checks if re.fullmatch(r"[a-z]\d+", name)}
    assert (named | checks | set(PROVED_ELSEWHERE)) - set(FACTS) == set()


@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_names_its_source_and_whether_it_was_captured(fact: str) -> None:
    assert set(FACTS[fact]) == {"id", "service", "behaviour", "expectation", "source", "captured"}
    assert all(FACTS[fact].values())


def test_t1_reasons_of_a_cancelled_transaction_are_in_order_and_show_the_item(
    engine_lab: DynamoLab, table: str
) -> None:
    stands: dict[str, Any] = {**SECOND, "n": {"N": "1"}}
    engine_lab.client.put_item(TableName=table, Item=stands)
    put = {
        "TableName": table,
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(AwsError) as cancelled:
        engine_lab.client.transact_write_items(
            TransactItems=[{"Put": put | {"Item": FIRST}}, {"Put": put | {"Item": SECOND}}]
        )
    first, second = cancelled.value.response["CancellationReasons"]
    assert first["Code"] == expectation_of("t1")["no_fault"]["Code"]
    assert (second["Code"], second["Item"]) == ("ConditionalCheckFailed", stands)


def test_t2_transaction_with_two_actions_on_one_item_is_rejected_as_a_whole(
    engine_lab: DynamoLab, table: str
) -> None:
    put = {"Put": {"TableName": table, "Item": FIRST}}
    with pytest.raises(AwsError) as rejected:
        engine_lab.client.transact_write_items(TransactItems=[put, put])
    assert code_of(rejected) == expectation_of("t2")["two_actions_one_item"]


def test_t2_empty_key_is_rejected(engine_lab: DynamoLab, table: str) -> None:
    put = {"Put": {"TableName": table, "Item": item_key("", "k")}}
    with pytest.raises(AwsError) as rejected:
        engine_lab.client.transact_write_items(TransactItems=[put])
    assert code_of(rejected) == expectation_of("t2")["empty_key"]


def test_c1_refused_condition_of_a_single_write_shows_the_item(engine_lab: DynamoLab, table: str) -> None:
    stands: dict[str, Any] = {**FIRST, "n": {"N": "1"}}
    engine_lab.client.put_item(TableName=table, Item=stands)
    with pytest.raises(AwsError) as refused:
        engine_lab.client.update_item(
            TableName=table,
            Key=FIRST,
            UpdateExpression="SET n = :n",
            ConditionExpression="attribute_not_exists(pk)",
            ExpressionAttributeValues={":n": {"N": "2"}},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert code_of(refused) == expectation_of("c1")["code"]
    assert refused.value.response["Item"] == stands


def test_q1_limit_counts_examined_items_and_the_last_page_has_no_key(
    engine_lab: DynamoLab, table: str
) -> None:
    for key in (FIRST, SECOND, THIRD):
        engine_lab.client.put_item(TableName=table, Item=key)
    query = {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "FilterExpression": "attribute_exists(absent)",
        "ExpressionAttributeValues": {":pk": {"S": "p"}},
    }
    page = engine_lab.client.query(**query, Limit=2)
    assert (page["ScannedCount"], page["Items"], page["LastEvaluatedKey"]) == (2, [], SECOND)
    whole = engine_lab.client.query(**query)
    assert whole.get("LastEvaluatedKey") is expectation_of("q1")["key_when_all_fits"]


def test_q3_batch_of_reads_names_each_key_once_and_its_end(engine_lab: DynamoLab, table: str) -> None:
    with pytest.raises(AwsError) as rejected:
        engine_lab.client.batch_get_item(RequestItems={table: {"Keys": [FIRST, FIRST]}})
    assert code_of(rejected) == expectation_of("q3")["duplicate_key"]
    answer = engine_lab.client.batch_get_item(RequestItems={table: {"Keys": [FIRST]}})
    assert answer["UnprocessedKeys"] == expectation_of("q3")["done"]["UnprocessedKeys"]


def test_q3_batch_of_reads_names_a_hundred_keys_at_most(engine_lab: DynamoLab, table: str) -> None:
    keys = [item_key("p", str(number)) for number in range(expectation_of("q3")["keys_max"] + 1)]
    engine_lab.client.batch_get_item(RequestItems={table: {"Keys": keys[:-1]}})
    with pytest.raises(AwsError):
        engine_lab.client.batch_get_item(RequestItems={table: {"Keys": keys}})


def test_m3_message_group_of_a_standard_queue_is_accepted_and_returned(sqs: SqsLanes) -> None:
    wakeup = single_wakeup(Lane.STANDARD, TENANT, execution_id(), DUE_AT)
    assert sqs.queue.send([wakeup], DUE_AT) == []
    (message,) = sqs.receive_raw(Lane.STANDARD)
    assert message.group == TENANT


def test_m4_message_may_have_a_group_and_a_delay(sqs: SqsLanes) -> None:
    wakeup = single_wakeup(Lane.STANDARD, TENANT, execution_id(), DUE_AT + 60_000)
    assert sqs.queue.send([wakeup], DUE_AT) == []
    assert sqs.receive_raw(Lane.STANDARD) == []


@pytest.mark.parametrize("target", expectation_of("g1"))
def test_g1_path_is_decoded_and_cut(target: str) -> None:
    """The gateways of the suites deliver paths by this function."""
    assert raw_path(target) == expectation_of("g1")[target]
