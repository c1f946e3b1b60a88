"""Schemas of alarms."""

from pydantic import Field

from functions.api.models import InstantOut, Representation, with_examples
from functions.api.resources.alarms.examples import ALARM_PAGE
from shared.ports.alarms import AlarmState


class AlarmOut(Representation):
    """An alarm of the deployment."""

    name: str = Field(description="The name in CloudWatch is `punctual-<stage>-<name>`.")
    state: AlarmState = Field(
        description="`insufficient_data`: CloudWatch cannot judge it, as before its first data."
    )
    since: InstantOut = Field(description="When it got this state.")
    meaning: str = Field(description="What is wrong while it is in alarm.")
    reason: str = Field(
        description="The values and the threshold behind the state, in the words of CloudWatch."
    )
    runbook: str | None = Field(description="What to do: a page, from the root of the repository.")
    notifies: bool = Field(
        description="Whether it notifies the operators. False without a target, and while its actions are disabled."
    )


class AlarmPageOut(Representation):
    """Alarms in the state `alarm` first, then `insufficient_data`, then `ok`."""

    model_config = with_examples(ALARM_PAGE)

    alarms: list[AlarmOut]
    next_cursor: str | None
