"""The audit trail: every route that changes something records it here, last before it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from functions.api.http.request import AuthenticatedRequest
from functions.api.resources.jobs.models import JobOut
from shared.domain.tenancy.audit import Actor, digest
from shared.names import ACCEPTED_LOG_LINE, Metric
from shared.observability import count, logger
from shared.usecases.tenancy.record_audit import RecordAudit, UnrecordedChangeError


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """A change is recorded after it took effect and before it is acknowledged."""

    record_audit: RecordAudit
    one_offs: bool
    """Whether the creation of one-off jobs is recorded in the table too, and not only in the API's log."""

    def record(
        self,
        request: AuthenticatedRequest,
        operation: str,
        target: str,
        before: BaseModel | None,
        after: BaseModel | None,
        *,
        tenant_id: str | None = None,
    ) -> None:
        """Record a change of something that `tenant_id` owns; by default the tenant of the request.

        `before` and `after` are the API's representations; None where there is nothing. UnavailableError where the
        record may not be durable: the answer is then 503, and the client sends the request again.
        """
        actor = _actor(request)
        try:
            self.record_audit.execute(
                actor,
                tenant_id or actor.tenant_id,
                operation=operation,
                target=target,
                before=_document(before),
                after=_document(after),
                request_id=request.request_id,
            )
        except UnrecordedChangeError as error:
            count(Metric.AUDIT_FAILED)
            logger.error(str(error), extra=error.evidence)
            raise

    def job_created(self, request: AuthenticatedRequest, job: JobOut, *, replayed: bool) -> None:
        """Record a created job: always as a line of the API's log, in the table unless it is a one-off job.

        One-off jobs come by the hundred million, and the API's log is append-only too. The deployment's setting
        `audit_one_offs` puts them into the table as well. A backfill is recorded as a change of its job.
        """
        before = job if replayed else None
        if job.backfill is not None:
            self.record(request, "backfillJob", job.backfill.of, before, job)
        elif job.kind != "once" or self.one_offs:
            self.record(request, "createJob", job.id, before, job)
        actor = _actor(request)
        # The reconciler reads these lines and checks that every accepted job has its execution.
        logger.info(
            ACCEPTED_LOG_LINE,
            extra={
                "tenant": actor.tenant_id,
                "job": job.id,
                "key": actor.key_id,
                "request_id": request.request_id,
                "after": digest(job.model_dump(mode="json", by_alias=True)),
            },
        )


def _actor(request: AuthenticatedRequest) -> Actor:
    principal = request.authenticated
    return Actor(tenant_id=principal.tenant.id, key_id=principal.key.id)


def _document(model: BaseModel | None) -> Mapping[str, Any] | None:
    return None if model is None else model.model_dump(mode="json", by_alias=True)
