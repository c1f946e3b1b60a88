"""Records of changes."""

from typing import Literal

from pydantic import BaseModel, Field

from functions.api.models.examples.accounts import AUDIT_PAGE
from functions.api.models.schema import InstantOut, shown_by


class AuditRecordOut(BaseModel):
    """One change."""

    id: str
    at: InstantOut
    actor: Literal["tenant", "operator"]
    key_id: str | None = Field(
        description="The key that made the change. Null for an operator's, except to operators."
    )
    operation: str = Field(description="The operation, by its `operationId`.")
    target: str = Field(description="The id of what was changed.")
    before: str | None = Field(
        description="SHA-256 of what stood before, as the API shows it; null for nothing."
    )
    after: str | None
    request_id: str


class AuditPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    model_config = shown_by(AUDIT_PAGE)

    records: list[AuditRecordOut]
    next_cursor: str | None
