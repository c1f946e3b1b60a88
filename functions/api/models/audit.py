"""Records of changes."""

from typing import Literal

from pydantic import BaseModel, Field


class AuditRecordOut(BaseModel):
    """One change."""

    id: str
    at: str
    actor: Literal["tenant", "operator"]
    key_id: str | None = Field(
        description="The key that made the change. Null for an operator's, except to operators."
    )
    operation: str
    target: str
    before: str | None = Field(
        description="SHA-256 of what stood before, as the API shows it; null for nothing."
    )
    after: str | None
    request_id: str


class AuditPageOut(BaseModel):
    """Newest first. A page may be short while `next_cursor` is there."""

    records: list[AuditRecordOut]
    next_cursor: str | None
