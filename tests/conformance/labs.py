"""One set of empty stores for each implementation, with a window into what they hold."""

import copy
from functools import cached_property
from typing import Any, Protocol

from shared.adapters.dynamodb.boards import DynamoParkingLot, DynamoProgressBoard
from shared.adapters.dynamodb.claims import BatchStatementClaimer, UpdateItemClaimer
from shared.adapters.dynamodb.execution_store import DynamoExecutionStore
from shared.adapters.dynamodb.idempotency_store import DynamoIdempotencyStore
from shared.adapters.dynamodb.job_store import DynamoJobStore
from shared.adapters.dynamodb.keys import execution_key, item_key, job_key, payload_key, pointer_key
from shared.adapters.dynamodb.ledger import DynamoShardLedger
from shared.adapters.dynamodb.tenant_store import DynamoTenantStore
from shared.domain.execution import Pointer
from shared.domain.ids import ExecutionId
from shared.names import Attr
from shared.ports import (
    Claimer,
    ExecutionStore,
    IdempotencyStore,
    JobStore,
    ParkingLot,
    ProgressBoard,
    ShardLedger,
    TenantStore,
)
from tests.conformance.tables import TableNames, read_all
from tests.fakes.boards import FakeParkingLot, FakeProgressBoard
from tests.fakes.claimer import FakeClaimer
from tests.fakes.execution_store import FakeExecutionStore
from tests.fakes.idempotency_store import FakeIdempotencyStore
from tests.fakes.job_store import FakeJobStore
from tests.fakes.ledger import FakeShardLedger
from tests.fakes.table import Damage, FakeTable
from tests.fakes.tenant_store import FakeTenantStore

REGION = "us-east-1"


class Lab(Protocol):
    """The stores of one implementation. What is no part of a port is here for the assertions alone."""

    executions: ExecutionStore
    claimer: Claimer
    jobs: JobStore
    idempotency: IdempotencyStore
    ledger: ShardLedger
    progress: ProgressBoard
    parking: ParkingLot
    tenants: TenantStore

    def contents(self) -> object:
        """All that is stored of executions and jobs, to be compared with itself later."""
        ...

    def expiry(self, execution_id: ExecutionId) -> int | None:
        """When the record of an execution may be dropped."""
        ...

    def pointer_expiry(self, pointer: Pointer) -> int | None:
        """When a pointer may be dropped."""
        ...

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """When a definition may be dropped."""
        ...

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """When a payload may be dropped."""
        ...

    def damage(self, execution_id: ExecutionId) -> None:
        """Break an item, so that it has a version that is known and cannot be read."""
        ...

    def make_newer(self, execution_id: ExecutionId) -> None:
        """Let an item be of a version that is yet to come."""
        ...


class FakeLab:
    """The fakes."""

    def __init__(self) -> None:
        self.table = FakeTable()
        self.executions = FakeExecutionStore(self.table)
        self.claimer = FakeClaimer(self.table)
        self.jobs = FakeJobStore(self.table)
        self.idempotency = FakeIdempotencyStore()
        self.ledger = FakeShardLedger()
        self.progress = FakeProgressBoard()
        self.parking = FakeParkingLot()
        self.tenants = FakeTenantStore()

    def contents(self) -> object:
        """See the protocol."""
        return copy.deepcopy(self.table)

    def expiry(self, execution_id: ExecutionId) -> int | None:
        """See the protocol."""
        return self.table.executions[execution_id].expires_at_s

    def pointer_expiry(self, pointer: Pointer) -> int | None:
        """See the protocol."""
        return self.table.pointers[pointer.location, pointer.target, pointer.attempt].expires_at_s

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """See the protocol."""
        return self.table.job_expires_at_s.get((tenant_id, job_id))

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """See the protocol."""
        return self.table.payload_expires_at_s.get((tenant_id, job_id))

    def damage(self, execution_id: ExecutionId) -> None:
        """See the protocol."""
        self.table.executions[execution_id].damage = Damage.BROKEN

    def make_newer(self, execution_id: ExecutionId) -> None:
        """See the protocol."""
        self.table.executions[execution_id].damage = Damage.NEWER


class DynamoLab:
    """The adapters over one engine."""

    def __init__(self, client: Any, names: TableNames) -> None:
        self.client = client
        self.names = names
        self.used: set[str] = set()
        """The tables that may hold something."""

    def _use(self, *tables: str) -> Any:
        self.used.update(tables)
        return self.client

    @cached_property
    def executions(self) -> ExecutionStore:
        """See the protocol."""
        return DynamoExecutionStore(self._use(self.names.executions), self.names.executions, REGION)

    @cached_property
    def claimer(self) -> Claimer:
        """See the protocol."""
        return UpdateItemClaimer(self._use(self.names.executions), self.names.executions, REGION)

    @cached_property
    def batch_claimer(self) -> Claimer:
        """The other way to claim."""
        return BatchStatementClaimer(self._use(self.names.executions), self.names.executions, REGION)

    @cached_property
    def jobs(self) -> JobStore:
        """See the protocol."""
        client = self._use(self.names.jobs, self.names.executions)
        return DynamoJobStore(client, self.names.jobs, self.names.executions, REGION)

    @cached_property
    def idempotency(self) -> IdempotencyStore:
        """See the protocol."""
        return DynamoIdempotencyStore(self._use(self.names.jobs), self.names.jobs)

    @cached_property
    def ledger(self) -> ShardLedger:
        """See the protocol."""
        return DynamoShardLedger(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def progress(self) -> ProgressBoard:
        """See the protocol."""
        return DynamoProgressBoard(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def parking(self) -> ParkingLot:
        """See the protocol."""
        return DynamoParkingLot(self._use(self.names.leases), self.names.leases, REGION)

    @cached_property
    def tenants(self) -> TenantStore:
        """See the protocol."""
        return DynamoTenantStore(self._use(self.names.tenants), self.names.tenants)

    def contents(self) -> object:
        """See the protocol."""
        stored = {name: read_all(self.client, name) for name in sorted(self.used)}
        return {name: items for name, items in stored.items() if items}

    def expiry(self, execution_id: ExecutionId) -> int | None:
        """See the protocol."""
        return self._expiry(self.names.executions, execution_key(REGION, execution_id))

    def pointer_expiry(self, pointer: Pointer) -> int | None:
        """See the protocol."""
        key = pointer_key(REGION, pointer.location, pointer.target, pointer.attempt)
        return self._expiry(self.names.executions, key)

    def job_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """See the protocol."""
        return self._expiry(self.names.jobs, job_key(tenant_id, job_id))

    def payload_expiry(self, tenant_id: str, job_id: str) -> int | None:
        """See the protocol."""
        return self._expiry(self.names.jobs, payload_key(tenant_id, job_id))

    def damage(self, execution_id: ExecutionId) -> None:
        """See the protocol. Without its tenant neither the item nor its row in a scan can be read."""
        self.rewrite(execution_id, {"t": None})

    def make_newer(self, execution_id: ExecutionId) -> None:
        """See the protocol."""
        self.rewrite(execution_id, {"v": {"N": "2"}})

    def item(self, execution_id: ExecutionId) -> dict[str, Any]:
        """The whole item of an execution."""
        return self._item(self.names.executions, execution_key(REGION, execution_id))

    def rewrite(self, execution_id: ExecutionId, changes: dict[str, dict[str, Any] | None]) -> None:
        """Change attributes behind the adapters' back; None removes one."""
        item = self.item(execution_id) | changes
        kept = {name: value for name, value in item.items() if value is not None}
        self.client.put_item(TableName=self.names.executions, Item=kept)

    def _item(self, table: str, key: tuple[str, str]) -> dict[str, Any]:
        answer = self.client.get_item(TableName=table, Key=item_key(*key), ConsistentRead=True)
        found: dict[str, Any] = answer["Item"]
        return found

    def _expiry(self, table: str, key: tuple[str, str]) -> int | None:
        item = self._item(table, key)
        return int(item[Attr.TTL]["N"]) if Attr.TTL in item else None
