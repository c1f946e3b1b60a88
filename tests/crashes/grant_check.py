"""Enforces the grants of a function's role on its AWS clients, since the emulators enforce none."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any

from botocore.exceptions import ClientError

from infra.components.grant_table import GRANTS, Grants
from shared.names import Env, Index

_TABLES = {
    Env.EXECUTIONS_TABLE: "executions",
    Env.JOBS_TABLE: "jobs",
    Env.TENANTS_TABLE: "tenants",
    Env.LEASES_TABLE: "leases",
    Env.AUDIT_TABLE: "audit",
}
_INDEXES = {Index.FAILED: "failed_index", Index.BY_TENANT: "tenant_index"}
_PARTS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
_STATEMENT = re.compile(r'\s*(UPDATE|INSERT INTO|DELETE FROM|SELECT .* FROM)\s+"([^"]+)"', re.DOTALL)
_FLAGS = {
    "GetQueueAttributes": "reads_queue_depth",
    "Decrypt": "decrypts",
    "GenerateDataKeyWithoutPlaintext": "makes_data_keys",
}
"""Actions that a function has or has not, whatever the resource."""


_LISTS = "lists; scenarios read one record at a time"
_ACCOUNTS = "keys and quotas, which a scenario's tenant gets from the operator's command"
_PAUSES = "a 410 pauses the job, or finishes a change of it that another process began"
_REOPENS = "an outcome callback is filed into a bucket that may be closed"
UNPLAYED = {
    "api executions Query": _LISTS,
    "api tenant_index Query": _LISTS,
    "api leases Query": _LISTS,
    "api leases GetItem": "usage of quotas, and the hot scopes behind `waiting_for`",
    "api tenants BatchGetItem": _ACCOUNTS,
    "api tenants PutItem": _ACCOUNTS,
    "api tenants Query": _ACCOUNTS,
    "api tenants UpdateItem": _ACCOUNTS,
    "api makes_data_keys": _ACCOUNTS,
    "sweeper jobs Query": _PAUSES,
    "executor jobs Query": _PAUSES,
    "executor executions BatchGetItem": _PAUSES,
    "dead_letter executions BatchGetItem": _PAUSES,
    "dead_letter jobs Query": _PAUSES,
    "dead_letter jobs GetItem": _PAUSES,
    "dead_letter jobs PutItem": _PAUSES,
    "dead_letter jobs UpdateItem": "a late successor jumps over missed instants",
    "dead_letter leases UpdateItem": _REOPENS,
}
"""Grants that no scenario uses, each with the reason why its function needs it."""


def granted(package: str, grants: Grants) -> set[str]:
    """Each grant of a function, such as `sweeper jobs Query`."""
    found = set()
    for each in fields(grants):
        value = getattr(grants, each.name)
        if isinstance(value, bool):
            found |= {f"{package} {each.name}"} if value else set()
        else:
            found |= {f"{package} {each.name} {action}" for action in value}
    return found


def unused_grants(used: Collection[str]) -> list[str]:
    """The grants of all functions that none of the calls used, apart from those of `UNPLAYED`."""
    every = set().union(*(granted(package, grants) for package, grants in GRANTS.items()))
    return sorted(every - set(used) - UNPLAYED.keys())


class GrantCheck:
    """Refuses each call of a process that the role of its function does not allow."""

    def __init__(self, package: str, environment: Mapping[str, str]) -> None:
        self._package = package
        self._granted = granted(package, GRANTS[package])
        self._tables = {environment[variable]: table for variable, table in _TABLES.items()}
        self._used: set[str] = set()
        self._denied: list[str] = []

    def watch(self, events: Any) -> None:
        """Hook into a session before its clients are made."""
        for service in ("dynamodb", "sqs", "kms"):
            events.register_first(f"provide-client-params.{service}", self._check)

    def take(self) -> dict[str, list[str]]:
        """What was used and denied since the last call."""
        taken = {"used": sorted(self._used), "denied": [*self._denied]}
        self._used, self._denied = set(), []
        return taken

    def _check(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        for need in self.needs(model.name, params):
            name = f"{self._package} {need}"
            self._used.add(name)
            if name not in self._granted:
                self._denied.append(name)
                error: Any = {"Error": {"Code": "AccessDeniedException", "Message": name}}
                raise ClientError(error, model.name)

    def needs(self, operation: str, params: dict[str, Any]) -> Iterator[str]:
        """The grants that one call needs, without the function."""
        if operation in _FLAGS:
            yield _FLAGS[operation]
        elif operation == "BatchGetItem":
            yield from (f"{self._tables[name]} {operation}" for name in params["RequestItems"])
        elif operation == "TransactWriteItems":
            for part in params["TransactItems"]:
                ((kind, request),) = part.items()
                yield f"{self._tables[request['TableName']]} {_PARTS[kind]}"
        elif operation == "BatchExecuteStatement":
            for member in params["Statements"]:
                yield self._statement(member["Statement"])
        elif "TableName" in params:
            index = params.get("IndexName")
            yield f"{_INDEXES[index] if index else self._tables[params['TableName']]} {operation}"

    def _statement(self, text: str) -> str:
        matched = _STATEMENT.match(text)
        if matched is None:
            raise ValueError(f"a statement of an unknown kind: {text}")
        return f"{self._tables[matched[2]]} PartiQL{matched[1].split()[0].title()}"
