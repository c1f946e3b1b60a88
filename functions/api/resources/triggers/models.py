"""Schemas of a tenant's triggers."""

import json
from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import (
    LEFT_OUT,
    InstantOut,
    Representation,
    Schema,
    Seconds,
    SetName,
    instant_out,
    is_none,
    with_examples,
)
from functions.api.resources.triggers import examples
from shared.domain.ids import JOB_ID
from shared.domain.schedules.instants import format_instant
from shared.domain.triggers.pattern import encode_pattern
from shared.domain.triggers.trigger import (
    MAX_DEBOUNCE_SECONDS,
    MAX_DEBOUNCED_SECONDS,
    MAX_DELAY_SECONDS,
    MAX_THROTTLE_COUNT,
    MAX_THROTTLE_SECONDS,
    Throttle,
    Trigger,
)

RecurringId = Annotated[str, Field(json_schema_extra={"pattern": JOB_ID})]


class ThrottleIn(Schema):
    """At most so many runs in a window, which the first run behind the window before begins."""

    count: Annotated[int, Field(ge=1, le=MAX_THROTTLE_COUNT, strict=True)] = Field(
        description="How many runs a window has at most."
    )
    per_seconds: Annotated[Seconds, Field(ge=1, le=MAX_THROTTLE_SECONDS)] = Field(
        description="How long a window lasts."
    )

    def throttle(self) -> Throttle:
        return Throttle(count=self.count, per_seconds=self.per_seconds)


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

    debounce_seconds: Annotated[Seconds, Field(ge=0, le=MAX_DEBOUNCE_SECONDS)] = Field(
        0,
        description="One run for several events: it is due once no further event has come for this time, and gets the "
        "latest one. In place of `delay_seconds`.",
    )
    debounce_max_seconds: Annotated[Seconds, Field(ge=1, le=MAX_DEBOUNCED_SECONDS)] | None = Field(
        None,
        description="How long after the first event this run is due at the latest. Ten times `debounce_seconds` by "
        "default.",
    )
    throttle: ThrottleIn | None = Field(
        None, description="How many runs may start in a window. Further events start none, and are not kept."
    )

    set_: SetName | None = Field(
        None, alias="set", description="The set to which the trigger belongs, such as one file."
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
            debounce_seconds=self.debounce_seconds,
            debounce_max_seconds=self.debounce_max_seconds,
            throttle=self.throttle.throttle() if self.throttle is not None else None,
            set_name=self.set_,
        )


class ThrottleOut(Representation):
    """At most so many runs in a window."""

    count: int
    per_seconds: int


class TriggerOut(Representation):
    """A trigger. Its version grows with each change."""

    model_config = with_examples(examples.TRIGGER_OUT, populate_by_name=True)

    name: str
    version: int
    pattern: dict[str, Any]
    job_id: str
    delay_seconds: int
    debounce_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    debounce_max_seconds: int | SkipJsonSchema[None] = LEFT_OUT
    throttle: ThrottleOut | SkipJsonSchema[None] = LEFT_OUT
    set_: SetName | SkipJsonSchema[None] = Field(None, alias="set", exclude_if=is_none)
    latest_run: str | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description="With `debounce_seconds`: the latest run of this version. Events share it until it has begun.",
    )
    throttled_until: InstantOut | SkipJsonSchema[None] = Field(
        None,
        exclude_if=is_none,
        description="The end of the window of the throttle, if it has all its runs.",
    )
    changed_at: InstantOut


class TriggersOut(Representation):
    """All triggers of the tenant, by name."""

    model_config = with_examples(examples.TRIGGERS_OUT)

    triggers: list[TriggerOut]


def trigger_out(trigger: Trigger, now_ms: int) -> TriggerOut:
    throttle, started = trigger.throttle, trigger.started
    return TriggerOut(
        name=trigger.name,
        version=trigger.version,
        pattern=json.loads(trigger.pattern),
        job_id=trigger.job_id,
        delay_seconds=trigger.delay_seconds,
        debounce_seconds=trigger.debounce_seconds or None,
        debounce_max_seconds=trigger.longest_debounce_seconds or None,
        throttle=throttle and ThrottleOut(count=throttle.count, per_seconds=throttle.per_seconds),
        set_=trigger.set_name,
        latest_run=str(started.run) if trigger.debounce_seconds and started.run is not None else None,
        throttled_until=instant_out(trigger.throttled_until(now_ms)),
        changed_at=format_instant(trigger.changed_at),
    )
