"""The body of a pause."""

from typing import Annotated

from pydantic import StringConstraints

from functions.api.models import Schema, with_examples
from functions.api.resources.jobs import examples


class PauseIn(Schema):
    """The reason of a pause, shown with the job."""

    model_config = with_examples(examples.PAUSE_IN)

    reason: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
