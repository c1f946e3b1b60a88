"""Tenants whose deletion was asked for, beside the one that orders jobs."""

import itertools
from dataclasses import replace

from infra.local.clients import REGION
from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.tenancy.tenant_deletions import DynamoTenantDeletions
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import TenantState
from shared.names import SEARCHES_PREFIX, Env
from tests.crashes.deployment import Deployment
from tests.support.builders import api_key, deletion, one_off, tenant

HOUR_MS = 3_600_000
EXECUTIONS = 3


class Leavers:
    """Each has a key, some executions that are far from due, and two versions of a file of a search."""

    _numbers = itertools.count(1_000)

    def __init__(self, deployment: Deployment) -> None:
        client, tables = deployment.engines.store.client("dynamodb"), deployment.tables
        backoff = Backoff(pause, SystemEntropy())
        self._clock = deployment.engines.clock
        self._s3 = deployment.engines.others.client("s3")
        self._bucket = deployment.environment[Env.ARCHIVE_BUCKET]
        self._tenants = DynamoTenantStore(client, tables.tenants, backoff)
        self._deletions = DynamoTenantDeletions(client, tables.tenants)
        self._executions = DynamoExecutionStore(client, tables.executions, REGION, backoff)
        self.forget()

    def forget(self) -> None:
        """A new run."""
        self._left: dict[str, list[ExecutionId]] = {}

    def leave(self) -> None:
        """A tenant that was suspended two hours ago, and whose deletion is due."""
        number, now_ms = next(self._numbers), self._clock.now_ms()
        name, key = f"leaver-{number}", api_key(number)
        before = tenant(
            id=name,
            state=TenantState.SUSPENDED,
            suspensions=(Suspension(from_at=now_ms - 2 * HOUR_MS),),
            key_ids=(key.id,),
        )
        self._tenants.create(before, replace(key, tenant_id=name))
        executions = [
            one_off(number * EXECUTIONS + each, due_at=now_ms + 240 * HOUR_MS, tenant_id=name)
            for each in range(EXECUTIONS)
        ]
        for execution in executions:
            self._executions.put_if_absent(execution)
        for content in (b"first", b"second"):
            self._s3.put_object(Bucket=self._bucket, Key=f"{_files(name)}srh_1/1.ndjson.gz", Body=content)
        after = replace(before, is_being_deleted=True, revision=before.revision + 1)
        asked = deletion(tenant_id=name, asked_at=now_ms, next_at=now_ms)
        assert self._deletions.begin(before, after, asked)
        self._left[name] = [execution.id for execution in executions]

    def faults(self) -> list[str]:
        """What is left of tenants that are to be gone."""
        faults: list[str] = []
        for name, ids in self._left.items():
            record = self._deletions.get(name)
            if record is None or record.ended_at is None or self._tenants.get(name) is not None:
                faults.append(f"deletion: {name} is still there, its record is {record}")
            elif self._executions.get_many(ids):
                faults.append(f"deletion: {name} is gone, and has executions")
            if self._s3.list_object_versions(Bucket=self._bucket, Prefix=_files(name)).get("Versions"):
                faults.append(f"deletion: {name} has files of searches")
        return faults


def _files(tenant_id: str) -> str:
    return f"{SEARCHES_PREFIX}{tenant_id}/"
