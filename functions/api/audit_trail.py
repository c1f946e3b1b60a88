"""The audit trail: every route that changes something records the change here, last before it answers."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from functions.api.http.request import AuthenticatedRequest
from functions.api.models import document_of
from shared.bootstrap.reports import report_unrecorded
from shared.dataclass import dataclass
from shared.domain.tenancy.audit import Actor
from shared.names import Metric
from shared.observability import count
from shared.usecases.tenancy.record_audit import RecordAudit, UnrecordedChangeError


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """A change is recorded after it took effect and before it is acknowledged."""

    record_audit: RecordAudit

    def record(
        self,
        request: AuthenticatedRequest,
        operation: str,
        target: str,
        before: BaseModel | Mapping[str, Any] | None,
        after: BaseModel | Mapping[str, Any] | None,
        *,
        tenant_id: str | None = None,
    ) -> None:
        """Record a change of something that `tenant_id` owns; by default the tenant of the request.

        `before` and `after` are the API's representations, or what is recorded of them; None where there is nothing.
        UnavailableError where the record may not be durable: the answer is then 503, and the client sends the request
        again.
        """
        principal = request.authenticated
        try:
            self.record_audit.execute(
                Actor(tenant_id=principal.tenant.id, key_id=principal.key.id),
                tenant_id or principal.tenant.id,
                operation=operation,
                target=target,
                before=_document(before),
                after=_document(after),
                request_id=request.request_id,
            )
        except UnrecordedChangeError as error:
            count(Metric.AUDIT_FAILED)
            report_unrecorded(error.evidence)
            raise


def _document(shown: BaseModel | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return document_of(shown) if isinstance(shown, BaseModel) else shown
