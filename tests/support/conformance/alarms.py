"""The alarms of each implementation, with a way to declare them and to set their states."""

from typing import Any, Protocol
from uuid import uuid4

from shared.adapters.cloudwatch.alarms import CloudWatchAlarms
from shared.names import RUNBOOK_MARK, alarm_prefix
from shared.ports.alarms import Alarm, Alarms, AlarmState
from tests.support.fakes.alarms import FakeAlarms

TOPIC = "arn:aws:sns:eu-west-1:000000000000:pagers"


class AlarmLab(Protocol):
    """The operations that the suite needs beyond the port."""

    @property
    def alarms(self) -> Alarms: ...

    def declare(self, name: str, meaning: str, runbook: str | None, *, notifies: bool = True) -> None: ...

    def set_state(self, name: str, state: AlarmState, reason: str) -> None: ...


class FakeAlarmLab:
    """The fake."""

    def __init__(self) -> None:
        self.alarms = FakeAlarms()

    def declare(self, name: str, meaning: str, runbook: str | None, *, notifies: bool = True) -> None:
        self.alarms.alarms.append(
            Alarm(
                name=name,
                state=AlarmState.INSUFFICIENT_DATA,
                since=0,
                meaning=meaning,
                reason="new",
                runbook=runbook,
                notifies=notifies,
            )
        )

    def set_state(self, name: str, state: AlarmState, reason: str) -> None:
        (index,) = (index for index, alarm in enumerate(self.alarms.alarms) if alarm.name == name)
        known = self.alarms.alarms[index]
        self.alarms.alarms[index] = Alarm(
            name=name,
            state=state,
            since=known.since + 1,
            meaning=known.meaning,
            reason=reason,
            runbook=known.runbook,
            notifies=known.notifies,
        )


class CloudWatchAlarmLab:
    """The adapter over one engine, with alarms of a stage of its own."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.prefix = alarm_prefix(f"t{uuid4().hex[:12]}")
        self.alarms = CloudWatchAlarms(client, self.prefix)

    def declare(self, name: str, meaning: str, runbook: str | None, *, notifies: bool = True) -> None:
        self.client.put_metric_alarm(
            AlarmName=f"{self.prefix}{name}",
            AlarmDescription=meaning if runbook is None else f"{meaning}{RUNBOOK_MARK}{runbook}",
            Namespace="Test",
            MetricName="Test",
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=0.0,
            ComparisonOperator="GreaterThanThreshold",
            AlarmActions=[TOPIC] if notifies else [],
        )

    def set_state(self, name: str, state: AlarmState, reason: str) -> None:
        self.client.set_alarm_state(
            AlarmName=f"{self.prefix}{name}", StateValue=state.name, StateReason=reason
        )
