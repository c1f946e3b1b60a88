"""Tenants whose deletion was asked for, beside the one that orders jobs."""

import itertools
from collections.abc import Callable
from dataclasses import replace

from infra.local.clients import REGION
from shared.adapters.clock import SystemEntropy, pause
from shared.adapters.dynamodb.batch_reads import Backoff
from shared.adapters.dynamodb.executions.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.tenancy.tenant_deletions import DynamoTenantDeletions
from shared.adapters.dynamodb.tenancy.tenant_store import DynamoTenantStore
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.domain.tenancy.suspension import Suspension
from shared.domain.tenancy.tenant import Tenant, TenantState
from shared.names import SEARCHES_PREFIX, Env
from tests.crashes.deployment import Deployment
from tests.support.builders import api_key, deletion, in_state, one_off, tenant

HOUR_MS = 3_600_000
EXECUTIONS = 3
KEPT_SECONDS = 14 * 86_400


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
        self._archived: set[str] = set()

    def leave(self) -> None:
        """A tenant that was suspended two hours ago, and whose deletion is due."""
        self._ask(self._create(lambda plain: plain, in_hours=240))

    def live(self) -> Tenant:
        """A tenant that was suspended two hours ago, and whose executions have ended in this hour."""
        created = self._create(lambda plain: in_state(plain, State.SUCCEEDED), in_hours=0)
        self._archived.add(created.id)
        return created

    def ask_for_deletion(self, before: Tenant) -> None:
        """The deletion of such a tenant is due."""
        self._ask(before)

    def _create(self, ended: Callable[[Execution], Execution], in_hours: int) -> Tenant:
        number, now_ms = next(self._numbers), self._clock.now_ms()
        name, key = f"leaver-{number}", api_key(number)
        created = tenant(
            id=name,
            state=TenantState.SUSPENDED,
            suspensions=(Suspension(from_at=now_ms - 2 * HOUR_MS),),
            key_ids=(key.id,),
        )
        self._tenants.create(created, replace(key, tenant_id=name))
        due_at = now_ms + in_hours * HOUR_MS
        executions = [
            ended(one_off(number * EXECUTIONS + each, due_at=due_at, tenant_id=name))
            for each in range(EXECUTIONS)
        ]
        for execution in executions:
            expires_at_s = None if not execution.state.is_terminal else now_ms // 1000 + KEPT_SECONDS
            self._executions.put_if_absent(execution, expires_at_s=expires_at_s)
        for content in (b"first", b"second"):
            self._s3.put_object(Bucket=self._bucket, Key=f"{_files(name)}srh_1/1.ndjson.gz", Body=content)
        self._left[name] = [execution.id for execution in executions]
        return created

    def _ask(self, before: Tenant) -> None:
        now_ms = self._clock.now_ms()
        after = replace(before, is_being_deleted=True, revision=before.revision + 1)
        asked = deletion(tenant_id=before.id, asked_at=now_ms, next_at=now_ms)
        assert self._deletions.begin(before, after, asked)

    def are_forgotten(self) -> bool:
        """Whether the archive has nothing of the tenants whose executions were in it."""
        return not any(name in self._archived for name in self._deletions.forgetting())

    @property
    def archived(self) -> dict[str, int]:
        """The executions of each tenant that were archived."""
        return dict.fromkeys(self._archived, EXECUTIONS)

    def faults(self) -> list[str]:
        """What is left of tenants that are to be gone."""
        faults: list[str] = []
        for name, ids in self._left.items():
            record = self._deletions.get(name)
            if record is None or record.ended_at is None or self._tenants.get(name) is not None:
                faults.append(f"deletion: {name} is still there, its record is {record}")
            elif self._executions.get_many(ids):
                faults.append(f"deletion: {name} is gone, and has executions")
            elif name in self._archived and (record.forgetting is None or record.forgetting.ended_at is None):
                faults.append(f"deletion: {name} is still in the archive: {record.forgetting}")
            if self._s3.list_object_versions(Bucket=self._bucket, Prefix=_files(name)).get("Versions"):
                faults.append(f"deletion: {name} has files of searches")
        return faults


def _files(tenant_id: str) -> str:
    return f"{SEARCHES_PREFIX}{tenant_id}/"
