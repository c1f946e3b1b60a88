"""The facts about BatchExecuteStatement that claims and batches of creations rely on."""

from typing import Any

import pytest

from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.codec.keys import item_key
from tests.support.conformance.aws_facts import expectation_of
from tests.support.conformance.dynamo_lab import DynamoLab

KEYS = [item_key("p", str(number)) for number in range(3)]
ONE: dict[str, Any] = {"N": "1"}


@pytest.fixture
def table(engine_lab: DynamoLab) -> str:
    engine_lab.used.add(engine_lab.names.executions)
    return engine_lab.names.executions


def put(lab: DynamoLab, key: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    item = key | attributes
    lab.client.put_item(TableName=lab.names.executions, Item=item)
    return item


def update(table: str, key: Any, where: str = "", *, returning: str = "") -> dict[str, Any]:
    """A statement that adds 1 to `n`, and asks for the item if its condition is refused."""
    return {
        "Statement": f'UPDATE "{table}" SET n=n+1 WHERE pk=? AND sk=?{where}{returning}',
        "Parameters": [key["pk"], key["sk"]],
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def insert(table: str, key: Any) -> dict[str, Any]:
    return {
        "Statement": f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': ?}}",
        "Parameters": [key["pk"], key["sk"]],
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def run(lab: DynamoLab, *statements: dict[str, Any]) -> list[dict[str, Any]]:
    responses: list[dict[str, Any]] = lab.client.batch_execute_statement(Statements=list(statements))[
        "Responses"
    ]
    return responses


def rejected(lab: DynamoLab, *statements: dict[str, Any]) -> str:
    """The code of a request that is rejected as a whole."""
    with pytest.raises(AwsError) as error:
        run(lab, *statements)
    return error.value.response["Error"]["Code"]


def stored(lab: DynamoLab, key: Any) -> Any:
    answer = lab.client.get_item(TableName=lab.names.executions, Key=key, ConsistentRead=True)
    return answer.get("Item")


def test_b1_refused_condition_shows_the_item(engine_lab: DynamoLab, table: str) -> None:
    item = put(engine_lab, KEYS[0], n=ONE)
    (response,) = run(engine_lab, update(table, KEYS[0], " AND n > 5"))
    assert response["Error"]["Code"] == expectation_of("b1")["responses[i].Error.Code"]
    assert response["Error"]["Item"] == item
    assert response.get("Item") is expectation_of("b1")["responses[i].Item"]


def test_b4_update_of_a_missing_key_is_refused_and_creates_nothing(engine_lab: DynamoLab, table: str) -> None:
    (response,) = run(engine_lab, update(table, KEYS[0]))
    assert response["Error"]["Code"] == expectation_of("b4")["Error.Code"]
    assert (stored(engine_lab, KEYS[0]) is not None) is expectation_of("b4")["item_created"]


def test_b5_insert_of_an_existing_key_is_refused_without_the_item(engine_lab: DynamoLab, table: str) -> None:
    put(engine_lab, KEYS[0])
    (response,) = run(engine_lab, insert(table, KEYS[0]))
    assert response["Error"]["Code"] == expectation_of("b5")["Error.Code"]
    assert response["Error"].get("Item") is expectation_of("b5")["Item"]


@pytest.mark.parametrize("make", [update, insert])
def test_b6_two_statements_of_one_key_reject_the_request(
    engine_lab: DynamoLab, table: str, make: Any
) -> None:
    put(engine_lab, KEYS[0], n=ONE)
    double = make(table, KEYS[1])
    assert rejected(engine_lab, update(table, KEYS[0]), double, double) == expectation_of("b6")["code"]
    assert stored(engine_lab, KEYS[0])["n"] == ONE
    assert (stored(engine_lab, KEYS[1]) is not None) is expectation_of("b6")["anything_ran"]


def test_b7_more_than_twenty_five_statements_reject_the_request(engine_lab: DynamoLab, table: str) -> None:
    limit = expectation_of("b11")["statements"][1]
    statements = [insert(table, item_key("p", str(number))) for number in range(limit + 1)]
    assert rejected(engine_lab, *statements) == expectation_of("b7")["code"]
    assert (stored(engine_lab, KEYS[0]) is not None) is expectation_of("b7")["anything_ran"]


def test_b8_responses_are_in_the_order_of_the_statements(engine_lab: DynamoLab, table: str) -> None:
    put(engine_lab, KEYS[0], n=ONE)
    put(engine_lab, KEYS[2], n=ONE)
    statements = [update(table, key, returning=" RETURNING ALL NEW *") for key in (KEYS[2], KEYS[1], KEYS[0])]
    third, second, first = run(engine_lab, *statements)
    assert (third["Item"]["sk"], first["Item"]["sk"]) == (KEYS[2]["sk"], KEYS[0]["sk"])
    assert "Error" in second


def test_b9_returning_shows_the_item_after_the_write(engine_lab: DynamoLab, table: str) -> None:
    item = put(engine_lab, KEYS[0], n=ONE)
    (shown,) = run(engine_lab, update(table, KEYS[0], returning=" RETURNING ALL NEW *"))
    assert shown["Item"] == item | {"n": {"N": "2"}}
    (bare,) = run(engine_lab, update(table, KEYS[0]))
    assert "Item" not in bare


def test_b12_is_missing_tells_whether_an_attribute_exists(engine_lab: DynamoLab, table: str) -> None:
    put(engine_lab, KEYS[0], n=ONE)
    put(engine_lab, KEYS[1], n=ONE, sr={"BOOL": True})
    absent, present = run(
        engine_lab, *[update(table, key, " AND n < 5 AND sr IS MISSING AND n > 0") for key in KEYS[:2]]
    )
    assert "Error" not in absent
    assert present["Error"]["Code"] == expectation_of("b12")["present_attribute"]


def test_b14_two_attributes_can_be_compared(engine_lab: DynamoLab, table: str) -> None:
    put(engine_lab, KEYS[0], n=ONE, mx={"N": "2"})
    put(engine_lab, KEYS[1], n={"N": "2"}, mx={"N": "2"})
    less, equal = run(engine_lab, *[update(table, key, " AND n < mx") for key in KEYS[:2]])
    assert "Error" not in less
    assert equal["Error"]["Code"] == "ConditionalCheckFailed"
    assert stored(engine_lab, KEYS[0])["n"] == {"N": "2"}
