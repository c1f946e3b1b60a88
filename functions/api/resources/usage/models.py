"""Schemas of usage."""

from pydantic import Field

from functions.api.models import Representation, with_examples
from functions.api.resources.usage.examples import USAGE_OUT


class QuotaOut(Representation):
    """The limit of a quota, and how much of it is in use now."""

    limit: int
    used: int | None = Field(description="Null where usage is not counted.")
    is_lower_bound: bool = Field(description="Whether `used` was not counted to its end, and may be more.")
    is_enforced: bool = Field(description="False where the limit is the maximum, which means no limit.")


class UsageOut(Representation):
    """A tenant's quotas and their present usage."""

    model_config = with_examples(USAGE_OUT)

    tenant: str
    weight: int
    quotas: dict[str, QuotaOut]
