"""Create, replace and delete workflows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from shared.dataclass import dataclass
from shared.domain.delivery.outcome_callbacks import OutcomeCallbacks
from shared.domain.delivery.request import Request, check_alerts, check_callback_target, check_request
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import (
    CallbackUrlNotAllowedError,
    IdempotencyKeyReusedError,
    InvalidStateError,
    InvalidValueError,
    PreconditionFailedError,
    raise_any,
)
from shared.domain.executions.retention import DAY_SECONDS, IDEMPOTENCY_DAYS, Retention
from shared.domain.ids import ENTROPY_BITS
from shared.domain.tenancy.tenant import Tenant
from shared.domain.workflows.identities import new_workflow_id
from shared.domain.workflows.new_workflow import NewWorkflow, encode_new_workflow
from shared.domain.workflows.run import MAX_DEADLINE_SECONDS
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.ports.delivery import Vault
from shared.ports.jobs import IdempotencyRecord, IdempotencyStore, JobStore, Payload
from shared.ports.runtime import Clock, Entropy
from shared.ports.workflows import WorkflowStore
from shared.usecases.requests.seal_request import seal_alerts, seal_callback_target, seal_request
from shared.usecases.tenancy.read_tenant import ReadTenant
from shared.usecases.workflows.find_run import FindRun


@dataclass(frozen=True, slots=True)
class PutWorkflow:
    """Large requests are stored first, so that no revision names a request that is missing."""

    find: FindRun
    read_tenant: ReadTenant
    workflows: WorkflowStore
    jobs: JobStore
    idempotency: IdempotencyStore
    vault: Vault
    clock: Clock
    entropy: Entropy
    policy: TargetPolicy
    retention: Retention
    cell: str

    def create(
        self,
        tenant: Tenant,
        new: NewWorkflow,
        key: str | None = None,
        *,
        admit: Callable[[], None] | None = None,
    ) -> tuple[Workflow, bool]:
        """The workflow, and whether an earlier request with the same idempotency key had created it.

        `admit` raises to refuse a new workflow, which then uses up no key. InvalidValueError with the path of each
        fault; InvalidStateError if that workflow has been deleted.
        """
        self.check(tenant, new)
        record, replayed = self._identify(tenant, new, key, admit)
        workflow, payloads = self._sealed(tenant, new, record.id, 1, record.created_at, record.fingerprint)
        self._store(payloads)
        existing = self.workflows.create(workflow)
        return (workflow, replayed) if existing is None else (self._standing(existing), True)

    def _standing(self, head: WorkflowHead) -> Workflow:
        revision = self.workflows.revision(head.tenant_id, head.id, head.revision)
        if head.is_deleted or revision is None:
            raise InvalidStateError(
                "the workflow that was created with this Idempotency-Key is deleted: create another one with another "
                "key"
            )
        return revision

    def create_keyed(self, tenant: Tenant, new: NewWorkflow, key: str) -> Workflow | None:
        """A workflow with a key; None if another one has the key. The request must have been checked."""
        record, _ = self._identify(tenant, new, None, None)
        workflow, payloads = self._sealed(
            tenant, new, record.id, 1, record.created_at, record.fingerprint, owner_key=key
        )
        self._store(payloads)
        existing = self.workflows.create(workflow)
        # The head of its own id is its own: the answer of the first try was lost.
        return workflow if existing is None or existing.id == workflow.id else None

    def update(
        self, tenant: Tenant, workflow_id: str, new: NewWorkflow, *, revision: int | None = None
    ) -> Workflow:
        """The next revision, which runs that start from now on follow.

        NotFoundError; PreconditionFailedError if the workflow is not at `revision`, or changes meanwhile.
        """
        self.check(tenant, new)
        before = _checked(self.find.head(tenant.id, workflow_id), revision)
        fingerprint = self.vault.fingerprint(tenant, encode_new_workflow(new))
        workflow, payloads = self._sealed(
            tenant,
            new,
            workflow_id,
            before.revision + 1,
            before.created_at,
            fingerprint,
            owner_key=before.key,
        )
        self._store(payloads)
        if not self.workflows.replace(before, workflow, self._expires_at_s()):
            raise PreconditionFailedError("the workflow has changed meanwhile")
        return workflow

    def delete(
        self, tenant_id: str, workflow_id: str, *, revision: int | None = None
    ) -> tuple[WorkflowHead, WorkflowHead]:
        """The workflow before and after. No run starts afterwards; open runs go on.

        A repetition changes nothing. Errors as for `update`.
        """
        before = _checked(self.find.stored_head(tenant_id, workflow_id), revision)
        if not before.is_deleted and not self.workflows.delete(before, self._expires_at_s()):
            raise PreconditionFailedError("the workflow has changed meanwhile")
        return before, replace(before, is_deleted=True)

    def check(self, tenant: Tenant, new: NewWorkflow) -> None:
        """InvalidValueError with the path of each request that must not or cannot be sent. UnavailableError."""
        tenant = self.read_tenant.with_roles(tenant, [task.request for task in new.tasks])
        raise_any(self._request_errors(tenant, new))

    def _check_task(self, tenant: Tenant, request: Request) -> None:
        check_request(request, self.policy)
        if request.needs_role:
            # Imported late: only targets and requests that are signed for AWS need it.
            from shared.domain.tenancy.target_roles import check_role

            check_role(tenant.target_roles, request)

    def _request_errors(self, tenant: Tenant, new: NewWorkflow) -> Iterator[InvalidValueError]:
        for index, task in enumerate(new.tasks):
            try:
                self._check_task(tenant, task.request)
            except InvalidValueError as error:
                for one in error.each():
                    path = ("tasks", str(index), *one.path)
                    is_url = isinstance(one, CallbackUrlNotAllowedError)
                    yield (CallbackUrlNotAllowedError if is_url else InvalidValueError)(str(one), path=path)
        for name in ("on_success", "on_failure"):
            try:
                check_callback_target(name, getattr(new.callbacks, name), self.policy)
            except CallbackUrlNotAllowedError as error:
                yield CallbackUrlNotAllowedError(str(error), path=("callbacks", name))
        try:
            check_alerts(new.alerts, self.policy)
        except CallbackUrlNotAllowedError as error:
            yield error

    def _identify(
        self, tenant: Tenant, new: NewWorkflow, key: str | None, admit: Callable[[], None] | None
    ) -> tuple[IdempotencyRecord[str], bool]:
        now_ms = self.clock.now_ms()
        fingerprint = self.vault.fingerprint(tenant, encode_new_workflow(new))
        known = self.idempotency.find(tenant.id, key, now_ms) if key is not None else None
        if known is not None:
            return _replayed(known, fingerprint), True
        if admit is not None:
            admit()
        chosen = IdempotencyRecord(
            fingerprint=fingerprint,
            id=new_workflow_id(now_ms, self.entropy.bits(ENTROPY_BITS), cell=self.cell),
            created_at=now_ms,
            due_at=now_ms,
            expires_at=now_ms + IDEMPOTENCY_DAYS * DAY_SECONDS * 1000,
        )
        if key is None:
            return chosen, False
        record = self.idempotency.claim(tenant.id, key, chosen, now_ms)
        return _replayed(record, fingerprint), record != chosen

    def _sealed(
        self,
        tenant: Tenant,
        new: NewWorkflow,
        workflow_id: str,
        revision: int,
        created_at: int,
        fingerprint: bytes,
        *,
        owner_key: str | None = None,
    ) -> tuple[Workflow, list[Payload]]:
        now_ms = self.clock.now_ms()
        # Two requests may store other bodies for the same next revision, and a stored body never changes. A replay of
        # a creation stores the same bodies.
        suffix = f".{self.entropy.bits(ENTROPY_BITS):020x}" if revision > 1 else ""
        sealed = [
            seal_request(
                self.vault,
                tenant,
                workflow_id,
                task.request,
                call=task.unsealed_call,
                payload_id=f"{workflow_id}.{revision}.{index}{suffix}",
                now_ms=now_ms,
            )
            for index, task in enumerate(new.tasks)
        ]
        workflow = Workflow(
            id=workflow_id,
            tenant_id=tenant.id,
            revision=revision,
            created_at=created_at,
            graph=new.graph,
            calls=tuple(call for call, _ in sealed),
            deadline_seconds=new.deadline_seconds,
            name=new.name,
            tags=new.tags,
            callbacks=OutcomeCallbacks(
                on_success=seal_callback_target(self.vault, tenant, new.callbacks.on_success),
                on_failure=seal_callback_target(self.vault, tenant, new.callbacks.on_failure),
            ),
            alerts=seal_alerts(self.vault, tenant, new.alerts),
            fingerprint=fingerprint,
            key=owner_key,
            set_name=new.set_name,
        )
        return workflow, [payload for _, payload in sealed if payload is not None]

    def _store(self, payloads: list[Payload]) -> None:
        for payload in payloads:
            self.jobs.put_payload(payload)

    def _expires_at_s(self) -> int:
        """Longer than a run that has just begun, its record, and a redrive of it."""
        return self.retention.payload_expires_at_s(self.clock.now_ms() + MAX_DEADLINE_SECONDS * 1000)


def _replayed(record: IdempotencyRecord[Any], fingerprint: bytes) -> IdempotencyRecord[str]:
    """The record of the request; IdempotencyKeyReusedError for that of another request."""
    if record.fingerprint != fingerprint:
        raise IdempotencyKeyReusedError("the Idempotency-Key was used before with another request")
    return record


def _checked(head: WorkflowHead, revision: int | None) -> WorkflowHead:
    """The head; PreconditionFailedError if it is at another revision. None accepts any revision."""
    if revision is not None and head.revision != revision:
        raise PreconditionFailedError(f"the workflow is at revision {head.revision}", revision=head.revision)
    return head
