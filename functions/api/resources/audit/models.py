"""Schemas of the audit trail."""

from typing import Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.audit.examples import AUDIT_PAGE


class AuditRecordOut(Representation):
    """One change."""

    id: str
    at: InstantOut
    actor: Literal["tenant", "operator"]
    key_id: str | None = Field(
        description="The key that made the change. Tenants see null for a change by an operator."
    )
    operation: str = Field(description="The operation, by its `operationId`.")
    target: str = Field(description="The id of the changed thing.")
    before: str | None = Field(
        description="SHA-256 of the thing's representation before the change; null where there was none."
    )
    after: str | None
    request_id: str


class AuditPageOut(Representation):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = with_examples(AUDIT_PAGE)

    records: list[AuditRecordOut]
    next_cursor: str | None
