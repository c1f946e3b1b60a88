"""An executor's conditional writes as statements of a group, and what each single call learns."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites, update_statement
from shared.adapters.greenlets import in_greenlet, run

TABLE = "executions"
ITEM = {"s": {"N": "3"}}


class Table:
    """Answers the statements of a group, in order; single calls have effect at once."""

    def __init__(self, *responses: dict[str, Any] | Exception) -> None:
        self.responses = list(responses)
        self.existing: dict[str, Any] = {}
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, operation: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, params))
        if operation == "GetItem":
            return {"Item": self.existing} if self.existing else {}
        if operation != "BatchExecuteStatement":
            return {}
        if isinstance(self.responses[0], Exception):
            raise self.responses[0]
        return {"Responses": self.responses}

    def singles(self) -> list[str]:
        """The keys of the single calls."""
        return [
            (params.get("Key") or params["Item"])["sk"]["S"]
            for operation, params in self.calls
            if operation not in ("BatchExecuteStatement", "GetItem")
        ]


def update(sk: str, **changes: Any) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Key": {"pk": {"S": "p"}, "sk": {"S": sk}},
        "UpdateExpression": "SET #s = :to, oc = :oc REMOVE ow, ca",
        "ConditionExpression": "#s IN (:from2, :from3) AND a = :claims AND attribute_not_exists(sr)",
        "ExpressionAttributeNames": {"#s": "s"},
        "ExpressionAttributeValues": {
            ":claims": {"N": "1"},
            ":from2": {"N": "2"},
            ":from3": {"N": "3"},
            ":oc": {"S": "o"},
            ":to": {"N": "4"},
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    } | changes


def put(sk: str) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Item": {"pk": {"S": "p"}, "sk": {"S": sk}, "ttl": {"N": "9"}},
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def side_by_side(table: Table, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any] | BaseException]:
    """The answer or the error of each call; all of them are made at the same time."""
    client = AwsClient(GroupedWrites(table, table, TABLE, lambda fault: None))

    async def all_of_them() -> list[dict[str, Any] | BaseException]:
        made = (in_greenlet(partial(getattr(client, method), **params)) for method, params in calls)
        return await asyncio.gather(*made, return_exceptions=True)

    return run(all_of_them())


def test_outcome_and_successor_go_in_one_request() -> None:
    table = Table({}, {})
    answers = side_by_side(table, ("update_item", update("a")), ("put_item", put("b")))
    assert answers == [{}, {}]
    assert table.calls == [
        (
            "BatchExecuteStatement",
            {
                "Statements": [
                    {
                        "Statement": 'UPDATE "executions" SET "s" = ? SET oc = ? REMOVE ow REMOVE ca '
                        'WHERE pk=? AND sk=? AND ("s" IN [?, ?] AND a = ? AND sr IS MISSING)',
                        "Parameters": [
                            {"N": "4"},
                            {"S": "o"},
                            {"S": "p"},
                            {"S": "a"},
                            {"N": "2"},
                            {"N": "3"},
                            {"N": "1"},
                        ],
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    },
                    {
                        "Statement": "INSERT INTO \"executions\" VALUE {'pk': ?, 'sk': ?, 'ttl': ?}",
                        "Parameters": [{"S": "p"}, {"S": "b"}, {"N": "9"}],
                    },
                ]
            },
        )
    ]


def test_a_refusal_with_its_item_is_the_refusal_of_the_call() -> None:
    refusal = {"Error": {"Code": "ConditionalCheckFailed", "Message": "refused", "Item": ITEM}}
    table = Table(refusal, {})
    refused, written = side_by_side(table, ("update_item", update("a")), ("update_item", update("b")))
    assert isinstance(refused, AwsError)
    assert refused.code == "ConditionalCheckFailedException"
    assert refused.response["Item"] == ITEM
    assert written == {}
    assert table.singles() == []


@pytest.mark.parametrize(
    "error",
    [
        {"Code": "ConditionalCheckFailed"},
        {"Code": "ThrottlingError"},
        {"Code": "TransactionConflict"},
        {"Code": "InternalServerError"},
    ],
    ids=lambda error: str(error["Code"]),
)
def test_a_statement_without_a_certain_answer_is_followed_by_its_own_call(error: dict[str, Any]) -> None:
    table = Table({"Error": error}, {})
    answers = side_by_side(table, ("update_item", update("a")), ("put_item", put("b")))
    assert answers == [{}, {}]
    assert table.singles() == ["a"]


def test_refused_insert_reads_the_item_in_place_of_a_second_refusal() -> None:
    table = Table({"Error": {"Code": "DuplicateItem"}}, {})
    table.existing = ITEM
    refused, written = side_by_side(table, ("put_item", put("a")), ("put_item", put("b")))
    assert isinstance(refused, AwsError)
    assert (refused.code, refused.response["Item"]) == ("ConditionalCheckFailedException", ITEM)
    assert (written, table.singles()) == ({}, [])
    read = {"TableName": TABLE, "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}, "ConsistentRead": True}
    assert table.calls[1:] == [("GetItem", read)]


def test_refused_insert_whose_item_has_gone_is_followed_by_its_own_call() -> None:
    table = Table({"Error": {"Code": "DuplicateItem"}}, {})
    answers = side_by_side(table, ("put_item", put("a")), ("put_item", put("b")))
    assert (answers, table.singles()) == ([{}, {}], ["a"])


@pytest.mark.parametrize(
    "error", [NoAnswerError("lost"), AwsError("B", {"Error": {"Code": "ValidationException"}})]
)
def test_a_group_that_failed_as_a_whole_is_followed_by_every_call(error: Exception) -> None:
    table = Table(error)
    answers = side_by_side(table, ("update_item", update("a")), ("put_item", put("b")))
    assert answers == [{}, {}]
    assert sorted(table.singles()) == ["a", "b"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("update_item", update("a", TableName="leases")),
        ("update_item", update("a", ReturnValues="ALL_NEW")),
        ("update_item", update("a", UpdateExpression="SET oc = if_not_exists(oc, :oc)")),
        ("update_item", update("a", UpdateExpression="SET oc = :oc ADD a :to")),
        ("update_item", update("a", UpdateExpression="SET oc = :oc DELETE a :to")),
        ("update_item", update("a", ConditionExpression="attribute_exists(sr)")),
        ("update_item", update("a", ConditionExpression="size(oc) < :claims")),
        ("put_item", put("a") | {"ConditionExpression": "attribute_not_exists(pk) OR rv = :r"}),
        ("get_item", {"TableName": TABLE, "Key": {"pk": {"S": "p"}, "sk": {"S": "a"}}}),
    ],
    ids=["table", "values", "function", "add", "delete", "exists", "size", "put", "read"],
)
def test_calls_that_no_statement_stands_for_are_made_alone(method: str, params: dict[str, Any]) -> None:
    table = Table()
    assert side_by_side(table, (method, params), (method, params)) == [{}, {}]
    assert len(table.calls) == 2
    assert {operation for operation, _ in table.calls} == {"".join(map(str.capitalize, method.split("_")))}


def test_values_follow_the_order_of_the_statement_even_where_a_name_occurs_twice() -> None:
    statement = update_statement(
        update("a", UpdateExpression="SET ca = tm + :oc", ConditionExpression="ca <= :to AND a = :oc")
    )
    assert statement is not None
    assert statement["Statement"].endswith("SET ca = tm + ? WHERE pk=? AND sk=? AND (ca <= ? AND a = ?)")
    assert statement["Parameters"] == [{"S": "o"}, {"S": "p"}, {"S": "a"}, {"N": "4"}, {"S": "o"}]


def test_alternatives_of_a_condition_stay_bound_to_the_key() -> None:
    statement = update_statement(update("a", ConditionExpression="a = :claims OR a = :to"))
    assert statement is not None
    assert statement["Statement"].endswith("WHERE pk=? AND sk=? AND (a = ? OR a = ?)")
