"""Enforces the grants of a function's role on its AWS clients, since the emulators enforce none."""

from collections.abc import Collection, Mapping
from typing import Any

from shared.adapters.aws.errors import AwsError
from shared.names import Env
from tests.support.aws_calls import needs
from tests.support.function_grants import FunctionGrants, kinds_of_grants, spec_of

_LISTS = "lists; scenarios read one record at a time"
_ACCOUNTS = "keys and quotas, which a scenario's tenant gets from the operator's command"
USED_IN_INTEGRATION = {
    "api dynamodb:Query executions": _LISTS,
    "api dynamodb:Query tenant_index": _LISTS,
    "api dynamodb:Query leases": _LISTS,
    "api dynamodb:GetItem leases": "usage of quotas, and the hot scopes behind `waiting_for`",
    "api dynamodb:BatchGetItem tenants": _ACCOUNTS,
    "api dynamodb:PutItem tenants": _ACCOUNTS,
    "api dynamodb:Query tenants": _ACCOUNTS,
    "api dynamodb:UpdateItem tenants": _ACCOUNTS,
    "api sqs:GetQueueAttributes lane": "operators ask how much waits in the lanes",
    "api kms:GenerateDataKeyWithoutPlaintext key": _ACCOUNTS,
}
"""Grants that no scenario uses, but `tests/integration/test_accounts.py`."""
_COMPLETES = "an event finishes a change of its job that another process began"
_FINISHES = "an outcome finishes a deletion of its job that another process began"
_CLOSED = "a page that is redriven so late that its bucket may be closed"
_STATISTICS = "tests/unit/api/test_statistics.py reads statistics, and no scenario does"
_READER = "the archive is read long after a scenario: tests/integration/test_archived_executions.py"
UNUSED = {
    "api cloudwatch:DescribeAlarms alarms": "operators list the alarms: tests/integration/test_accounts.py",
    "api lambda:InvokeFunction function": _READER,
    "redriver lambda:InvokeFunction function": _READER,
    "redriver dynamodb:Query history": _READER,
    "redriver dynamodb:BatchGetItem jobs": "the names of recurring jobs, whose executions a search finds",
    "api s3:GetObject searched": "it signs URLs with this grant, and makes no such call",
    "archive_reader s3:GetObject archived": _READER,
    "archive_reader s3:ListBucket archive": _READER,
    "api dynamodb:GetItem history": _STATISTICS,
    "api dynamodb:Query history": _STATISTICS,
    "archiver s3:ListBucket archive": "without it, S3 denies to read an object that does not exist",
    "auditor s3:ListBucket audit-trail": "as with the archive",
    "redriver dynamodb:ConditionCheckItem jobs": "a bulk operation triggers jobs",
    "redriver dynamodb:GetItem leases": _CLOSED,
    "redriver dynamodb:UpdateItem leases": _CLOSED,
    "redriver dynamodb:Query tenant_index": "a bulk operation cancels one-off jobs",
    "redriver dynamodb:PutItem executions": "a redrive that was chosen before a crash is filed or cancelled",
    "redriver dynamodb:UpdateItem jobs": "a large request is kept for longer; the record of the shard counts grows",
    "sweeper dynamodb:PutItem jobs": _FINISHES,
    "sweeper dynamodb:Query jobs": _FINISHES,
    "executor dynamodb:Query jobs": _FINISHES,
    "executor sqs:ChangeMessageVisibility slow-path": "a message that comes early, as in a lane",
    "dead_letter dynamodb:Query jobs": _FINISHES,
    "event_receiver dynamodb:BatchGetItem executions": _COMPLETES,
    "event_receiver dynamodb:Query executions": _COMPLETES,
    "event_receiver dynamodb:UpdateItem executions": _COMPLETES,
    "dead_letter dynamodb:UpdateItem jobs": "a late successor jumps over missed instants",
    "dead_letter dynamodb:UpdateItem leases": "an outcome callback is filed into a bucket that may be closed",
    "dead_letter sqs:SendMessage slow-path": "a message from a slow path that only a newer release can read",
}
"""Grants that no scenario and no integration test is sure to use, each with the reason for the grant."""


def unused_grants(used: Collection[str]) -> list[str]:
    """The grants of all functions that none of the calls used, apart from those that are listed here."""
    return sorted(kinds_of_grants() - set(used) - USED_IN_INTEGRATION.keys() - UNUSED.keys())


class GrantCheck:
    """Refuses each call of a process that the role of its function does not allow."""

    def __init__(self, package: str, environment: Mapping[str, str]) -> None:
        self._grants = FunctionGrants(spec_of(package, environment.get(Env.LANE)), environment)
        self._used: set[str] = set()
        self._denied: list[str] = []

    def check(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        """Note what the call needs; AwsError where the role does not allow it."""
        for need in needs(service, operation, params):
            self._used.add(self._grants.kind(need))
            denied = self._grants.missing(need)
            if denied is not None:
                self._denied.append(denied)
                raise AwsError(operation, {"Error": {"Code": "AccessDeniedException", "Message": denied}})

    def take(self) -> dict[str, list[str]]:
        """What was used and denied since the last call."""
        taken = {"used": sorted(self._used), "denied": [*self._denied]}
        self._used, self._denied = set(), []
        return taken
