"""Rows that are broken or gone though no fault of a worker could do it: what the functions are to notice or to mend."""

from typing import Any

from infra.local.clients import REGION
from shared.adapters.dynamodb.codec.keys import execution_key, item_key
from shared.domain.ids import parse_execution_id
from tests.crashes.deployment import Deployment
from tests.crashes.printed import Finding


class Tampering:
    """A hand in the tables, which keeps account of what may or must be found because of it."""

    def __init__(self, deployment: Deployment) -> None:
        self._store = deployment.engines.store.client("dynamodb")
        self._table = deployment.tables.executions
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._must: set[Finding] = set()
        self._may: set[Finding] = set()

    def damage(self, record: dict[str, Any]) -> None:
        """Break the row of an execution."""
        self._store.update_item(**self._row(record), UpdateExpression="REMOVE fp")

    def bereave(self, job_id: str, record: dict[str, Any]) -> None:
        """Take away the only row of an acknowledged one-off job, which nothing can bring back."""
        self._store.delete_item(**self._row(record))
        self._must.add(("missing_executions", job_id))

    def break_off(self, job_id: str, record: dict[str, Any]) -> None:
        """Take away the last row of a chain; whoever mends it may die before it says so."""
        self._store.delete_item(**self._row(record))
        self._may.add(("chains_repaired", job_id))

    def faults(self, found: set[Finding]) -> list[str]:
        """What the reconciler kept to itself or made up."""
        return faults_of(found, must=self._must, may=self._may)

    def _row(self, record: dict[str, Any]) -> dict[str, Any]:
        pk, sk = execution_key(REGION, parse_execution_id(record["id"]))
        return {"TableName": self._table, "Key": item_key(pk, sk)}


def faults_of(found: set[Finding], *, must: set[Finding], may: set[Finding]) -> list[str]:
    """How what was found differs from what must and may be."""
    untold = [f"reconciler: never told of {kind} {identity}" for kind, identity in must - found]
    false = [f"reconciler: {kind} {identity}" for kind, identity in found - must - may]
    return untold + false
