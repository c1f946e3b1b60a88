"""Group commit of an executor's writes: outcomes and successors that are ready together go in one request.

A conditional UpdateItem or PutItem becomes a PartiQL statement with the same condition. A statement that was
written, or refused with the existing item, is answered as the single call would be. A refused INSERT never has
the existing item, so a read of it follows, which costs less than a second refusal. In every other case the single
call follows: its condition finds what the statement may have done.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from shared.adapters.aws.client import AwsCall, Params
from shared.adapters.aws.errors import AwsError
from shared.adapters.dynamodb.codec.conditions import ABSENT
from shared.adapters.dynamodb.codec.statements import ITEM_EXISTS, insert_statement
from shared.adapters.dynamodb.executions.claimer import MAX_STATEMENTS, REFUSED
from shared.adapters.group_commit import GroupCommit
from shared.names import Attr

ItemKey = tuple[str, str]
Statement = dict[str, Any]


class Groups(Protocol):
    """Commits statements in groups."""

    def join(self, key: ItemKey, member: Statement) -> Mapping[str, Any] | None:
        """As `GroupCommit.join`."""
        ...


_UPDATE = re.compile(r"(?:SET (?P<sets>[^()]+?))? ?(?:REMOVE (?P<removes>[^()]+))?")
_OTHER_VERB = re.compile(r"\b(ADD|DELETE) ")
_ABSENT_ATTRIBUTE = re.compile(r"attribute_not_exists\(([^()]+)\)")
_LIST = re.compile(r" IN \(([^()]+)\)")
_PLACEHOLDER = re.compile(r"[:#]\w+")


class GroupedWrites:
    """Calls of DynamoDB, of which the conditional writes of one table go in groups."""

    def __init__(
        self,
        call: AwsCall,
        once: AwsCall,
        table: str,
        failed: Callable[[str], None],
        groups: Callable[..., Groups] = GroupCommit,
    ) -> None:
        """`once` makes the requests of groups. It repeats none, since the single calls follow a failure."""
        self._call = call
        self._once = once
        self._table = table
        self._groups = groups(self._commit, MAX_STATEMENTS, failed)

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        member = self._member(operation, params)
        response = self._groups.join(*member) if member is not None else None
        if response is None:
            return self._call(operation, params)
        error = response.get("Error")
        if error is None:
            return {}
        existing = error.get("Item") if error.get("Code") in REFUSED else None
        if error.get("Code") in ITEM_EXISTS:
            existing = self._existing(params["Item"])
        if existing:
            refusal = {"Code": "ConditionalCheckFailedException", "Message": error.get("Message", "")}
            raise AwsError(operation, {"Error": refusal, "Item": existing})
        return self._call(operation, params)

    def _existing(self, item: Mapping[str, Any]) -> Mapping[str, Any] | None:
        key = {Attr.PK: item[Attr.PK], Attr.SK: item[Attr.SK]}
        answer = self._call("GetItem", {"TableName": self._table, "Key": key, "ConsistentRead": True})
        return answer.get("Item")

    def _commit(self, members: Mapping[ItemKey, Statement]) -> dict[ItemKey, Mapping[str, Any]]:
        answer = self._once("BatchExecuteStatement", {"Statements": list(members.values())})
        return dict(zip(members, answer["Responses"], strict=True))

    def _member(self, operation: str, params: Params) -> tuple[ItemKey, Statement] | None:
        """The key and the statement of a call; None for a call that cannot be in a group."""
        if params.get("TableName") != self._table or "ReturnValues" in params:
            return None
        if operation == "PutItem" and params.get("ConditionExpression") == ABSENT:
            return _key_of(params["Item"]), insert_statement(self._table, params["Item"])
        if operation == "UpdateItem" and "ConditionExpression" in params:
            statement = update_statement(params)
            return None if statement is None else (_key_of(params["Key"]), statement)
        return None


def update_statement(params: Params) -> Statement | None:
    """A conditional UpdateItem as a statement; None if it uses what the translation does not know."""
    names = params.get("ExpressionAttributeNames", {})
    expressions = params["UpdateExpression"], params["ConditionExpression"]
    translated = _translated(*expressions, tuple(names.items()))
    if translated is None:
        return None
    (changes, changed), (where, compared) = translated
    values, key = params["ExpressionAttributeValues"], params["Key"]
    return {
        "Statement": f'UPDATE "{params["TableName"]}" {changes} WHERE pk=? AND sk=? AND ({where})',
        "Parameters": [
            *(values[name] for name in changed),
            key[Attr.PK],
            key[Attr.SK],
            *(values[name] for name in compared),
        ],
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


Clause = tuple[str, tuple[str, ...]]
"""The text of a clause, and the names of its values in order."""


@lru_cache(maxsize=256)
def _translated(
    update: str, condition: str, names: tuple[tuple[str, str], ...]
) -> tuple[Clause, Clause] | None:
    """The changes and the condition; an executor uses a few dozen different ones."""
    parts = _UPDATE.fullmatch(update)
    where = _LIST.sub(r" IN [\1]", _ABSENT_ATTRIBUTE.sub(r"\1 IS MISSING", condition))
    if parts is None or "(" in where or _OTHER_VERB.search(update):
        return None
    changes = [
        f"{verb} {each}"
        for verb, members in (("SET", parts["sets"]), ("REMOVE", parts["removes"]))
        for each in (members.split(", ") if members else ())
    ]
    return _clause(" ".join(changes), dict(names)), _clause(where, dict(names))


def _clause(text: str, names: Mapping[str, str]) -> Clause:
    values = tuple(word for word in _PLACEHOLDER.findall(text) if word.startswith(":"))
    return _PLACEHOLDER.sub(lambda word: _spelt(word[0], names), text), values


def _spelt(placeholder: str, names: Mapping[str, str]) -> str:
    """Names in quotes, since those with a placeholder may be reserved words."""
    return "?" if placeholder.startswith(":") else f'"{names[placeholder]}"'


def _key_of(key: Mapping[str, Any]) -> ItemKey:
    return key[Attr.PK]["S"], key[Attr.SK]["S"]
