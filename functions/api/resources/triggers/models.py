"""Schemas of a tenant's triggers."""

import json
from typing import Annotated, Any

from pydantic import Field

from functions.api.models import InstantOut, Representation, Schema, Seconds, with_examples
from functions.api.resources.triggers import examples
from shared.domain.ids import JOB_ID
from shared.domain.schedules.instants import format_instant
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import MAX_DELAY_SECONDS, Trigger

RecurringId = Annotated[str, Field(json_schema_extra={"pattern": JOB_ID})]


class TriggerIn(Schema):
    """Which events start a run of which job."""

    model_config = with_examples(examples.TRIGGER_IN)

    pattern: dict[str, Any] = Field(
        description="In the pattern language of Amazon EventBridge, against `source`, `type`, `id` and `data`.",
        min_length=1,
    )
    job_id: RecurringId = Field(
        description="A recurring job. It may be paused: its schedule is then no matter."
    )
    delay_seconds: Annotated[Seconds, Field(ge=0, le=MAX_DELAY_SECONDS)] = Field(
        0, description="How long after the event the run is due."
    )

    def trigger(self, name: str) -> Trigger:
        """InvalidValueError for a name, a pattern or a job ID that cannot be."""
        return Trigger(
            name=name,
            version=0,
            changed_at=0,
            pattern=encode_pattern(self.pattern),
            job_id=self.job_id,
            delay_seconds=self.delay_seconds,
        )


class TriggerOut(Representation):
    """A trigger. Its version grows with each change."""

    model_config = with_examples(examples.TRIGGER_OUT)

    name: str
    version: int
    pattern: dict[str, Any]
    job_id: str
    delay_seconds: int
    changed_at: InstantOut


class TriggersOut(Representation):
    """All triggers of the tenant, by name."""

    model_config = with_examples(examples.TRIGGERS_OUT)

    triggers: list[TriggerOut]


def trigger_out(trigger: Trigger) -> TriggerOut:
    return TriggerOut(
        name=trigger.name,
        version=trigger.version,
        pattern=json.loads(trigger.pattern),
        job_id=trigger.job_id,
        delay_seconds=trigger.delay_seconds,
        changed_at=format_instant(trigger.changed_at),
    )
