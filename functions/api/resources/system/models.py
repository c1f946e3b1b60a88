"""Schemas of the API itself."""

from typing import Literal

from functions.api.models import Representation, with_examples


class HealthOut(Representation):
    """The API answers."""

    model_config = with_examples({"healthy": {"status": "ok"}})

    status: Literal["ok"]
