"""The production port of the alarms."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.reports import reported_denials
from shared.bootstrap.table_access import TableAccess
from shared.names import alarm_prefix

if TYPE_CHECKING:
    from shared.ports.alarms import Alarms

ALARM_SECONDS = 5
"""An operator waits for the answer, and the API has 25 seconds for a request."""


class AlarmPorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def alarms(self) -> Alarms:
        from shared.adapters.aws.late_sdk_call import LateSdkCall
        from shared.adapters.cloudwatch.alarms import CloudWatchAlarms

        call = LateSdkCall("cloudwatch", self._region, answer_seconds=ALARM_SECONDS, tries=2)
        return CloudWatchAlarms(reported_denials(call), alarm_prefix(self._settings.stage))
