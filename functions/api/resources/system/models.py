"""Schemas of the API itself."""

from typing import Literal

from pydantic import BaseModel

from functions.api.models import with_examples


class HealthOut(BaseModel):
    """The API answers."""

    model_config = with_examples({"healthy": {"status": "ok"}})

    status: Literal["ok"]
