"""Reads the alarms of a stage in CloudWatch."""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.adapters.dynamodb.codec.errors import translated
from shared.names import RUNBOOK_MARK
from shared.ports.alarms import Alarm, AlarmState

_STATES = {state.name: state for state in AlarmState}
_PAGE = 100
"""The most alarms of one answer."""


class CloudWatchAlarms:
    """Metric alarms alone: a role that may list composite alarms as well must be allowed every resource."""

    def __init__(self, client: Any, prefix: str) -> None:
        """`prefix` begins the names of the stage's alarms, and of no other stage's."""
        self._client = client
        self._prefix = prefix

    def read(self) -> list[Alarm]:
        return [self._alarm(described) for described in self._described()]

    def _described(self) -> Iterator[Mapping[str, Any]]:
        continuation: dict[str, Any] = {}
        while True:
            with translated():
                page = self._client.describe_alarms(
                    AlarmNamePrefix=self._prefix,
                    AlarmTypes=["MetricAlarm"],
                    MaxRecords=_PAGE,
                    **continuation,
                )
            yield from page.get("MetricAlarms", ())
            if not page.get("NextToken"):
                return
            continuation = {"NextToken": page["NextToken"]}

    def _alarm(self, described: Mapping[str, Any]) -> Alarm:
        meaning, _, runbook = described.get("AlarmDescription", "").partition(RUNBOOK_MARK)
        # An alarm that never changed its state may have the second timestamp alone.
        since = described.get("StateTransitionedTimestamp") or described["StateUpdatedTimestamp"]
        return Alarm(
            name=described["AlarmName"].removeprefix(self._prefix),
            state=_STATES[described["StateValue"]],
            since=int(since.timestamp() * 1000),
            meaning=meaning,
            reason=described.get("StateReason", ""),
            runbook=runbook or None,
            notifies=bool(described.get("ActionsEnabled") and described.get("AlarmActions")),
        )
