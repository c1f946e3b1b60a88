"""Choose the id of a new task, once for each Idempotency-Key, and create the task once."""

from collections.abc import Callable
from typing import TypeVar

from shared.dataclass import dataclass
from shared.domain.bulk.task import PagedTask
from shared.domain.errors import IdempotencyKeyReusedError, UnavailableError
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS
from shared.domain.ids import ENTROPY_BITS
from shared.domain.tenancy.tenant import Tenant
from shared.ports.bulk import ListedTasks
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore
from shared.ports.runtime import Clock, Entropy

T = TypeVar("T", bound=PagedTask)


@dataclass(frozen=True, slots=True)
class IdentifyTask:
    idempotency: IdempotencyStore
    vault: Vault
    clock: Clock
    entropy: Entropy

    def execute(
        self, tenant: Tenant, canonical: bytes, make_id: Callable[[int, int], str], key: str | None
    ) -> tuple[IdempotencyRecord[str], bool]:
        """The record that names the task, and whether the task may already exist.

        `canonical` is the request in a form for its fingerprint. IdempotencyKeyReusedError.
        """
        now_ms = self.clock.now_ms()
        chosen = IdempotencyRecord(
            fingerprint=self.vault.fingerprint(tenant, canonical),
            id=make_id(now_ms, self.entropy.bits(ENTROPY_BITS)),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )
        if key is None:
            return chosen, False
        record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        if record.fingerprint != chosen.fingerprint:
            raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
        return record, record != chosen


def create_once(tasks: ListedTasks[T], task: T) -> T:
    """The stored task, which an earlier try of the same request may have created. UnavailableError."""
    if tasks.create(task) is None:
        return task
    existing = tasks.get(task.tenant_id, task.id)
    if existing is None:
        raise UnavailableError("the task is on the list and nowhere else")
    return existing
