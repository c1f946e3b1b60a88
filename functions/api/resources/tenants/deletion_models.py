"""Schemas of the deletion of a tenant."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from functions.api.models import InstantOut, Representation, Schema, with_examples
from functions.api.resources.tenants import examples
from shared.domain.errors import InvalidValueError
from shared.domain.tenancy.deletion import ASKED_BY


class DeletionIn(Schema):
    """The deletion of a tenant, which cannot be undone."""

    model_config = with_examples(examples.DELETION_IN)

    confirm: str = Field(description="The id of the tenant once more, so that no other tenant is deleted.")
    asked_by: Annotated[str, StringConstraints(pattern=ASKED_BY)] = Field(
        description="Who asked for it, such as a ticket. It stays in the record of the deletion."
    )

    def check(self, tenant_id: str) -> None:
        """InvalidValueError for the id of another tenant."""
        if self.confirm != tenant_id:
            raise InvalidValueError("must be the id of the tenant that is to be deleted", path=("confirm",))


class DeletionOut(Representation):
    """How far the deletion of a tenant is, or what it has deleted."""

    model_config = with_examples(examples.DELETION_OUT)

    tenant: str
    state: Literal["waiting", "running", "ended"]
    asked_at: InstantOut
    asked_by: str
    begins_at: InstantOut | None = Field(
        description="When it begins at the earliest; null once it has begun."
    )
    began_at: InstantOut | None
    ended_at: InstantOut | None
    deleted: dict[str, int] = Field(
        description="What was deleted so far, by kind. If a worker crashed, more may have been deleted."
    )
