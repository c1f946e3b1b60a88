"""What every operation may answer."""

from typing import Literal

from pydantic import BaseModel, Field


class HealthOut(BaseModel):
    """The API answers."""

    status: Literal["ok"]


class FieldErrorOut(BaseModel):
    """One thing that is wrong with a body."""

    pointer: str
    detail: str


class ProblemOut(BaseModel):
    """Every error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FieldErrorOut] | None = None
    quota: str | None = Field(None, description="Which quota or rate is used up.")
