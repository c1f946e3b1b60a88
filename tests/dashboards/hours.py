"""A quiet and a bad hour of a small stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from infra.components.construct_ids import construct_id
from infra.sizing import figures
from shared.bootstrap.use_cases import UseCases
from shared.domain.bucket import MINUTE_MS
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.names import CANARY_CYCLE_MINUTES, METRICS_NAMESPACE, Lane, Metric, QueueName
from tests.dashboards.cell import Cell, idle_functions
from tests.dashboards.recorder import STAGE
from tests.scale.loads import Load, Mix
from tests.scale.receivers import DEAD, QUICK
from tests.scale.stage import START_MS
from tests.scale.steady import WARM_UP_MS

JOBS_PER_SECOND = 3
MINUTES = 60
RECEIVER_DOWN = range(8, 26)
EXECUTORS_FAIL = range(20, 25)
TICKS_STOP = range(36, 41)
HERD_AT, HERD = 50, 5_000
"""The minute of a herd, and its jobs, which are due in one second and belong to one tenant."""
MIX = Mix(minutely=0.4, failing=0.002, long=0)
FAULTS = {
    "receiver": f"From minute {RECEIVER_DOWN.start} to {RECEIVER_DOWN.stop}, the receiver of one tenant refuses "
    "connections.",
    "executors": f"From minute {EXECUTORS_FAIL.start} to {EXECUTORS_FAIL.stop}, each executor of the lane `standard` "
    "fails at once.",
    "ticks": f"From minute {TICKS_STOP.start} to {TICKS_STOP.stop}, watchers get no ticks.",
    "herd": f"In minute {HERD_AT}, {HERD:,} jobs of one tenant are due in the same second.",
}
CANARY = "https://canary.example.com"
CANARY_DUE_MINUTES = ((2,), (5,), (2, 3))
"""When the jobs that the canary creates are due, in full minutes, by the minute of its cycle."""
_TABLES = {"executions": "Executions", "jobs": "Jobs", "tenants": "Tenants", "leases": "Leases"}
_GROUPS = {"executions": "executions", "by_tenant": "executions", "failed": "executions"}


class RecordedLoad(Load):
    """Counts requests as the gateway and the API do; the clients are those of the scale model."""

    world: Cell

    def request(self, act: Callable[[UseCases], None], after_ms: int = 0) -> None:
        cell = self.world

        def recorded(cases: UseCases) -> None:
            began_ms, created = cell.hub.now_ms, self.created
            act(cases)
            duration_ms, created = cell.hub.now_ms - began_ms, self.created - created
            for name, value in (("Count", 1), ("Latency", duration_ms)):
                cell.recorder.add("AWS/ApiGateway", name, value, ApiId="Api")
            cell.invoked("api", duration_ms, created * figures.ACCEPTED_LOG_BYTES.value)
            cell.recorder.add(
                "AWS/Logs", "IncomingBytes", figures.ACCESS_LOG_BYTES.value, LogGroupName="AccessLog"
            )
            if created:
                cell.recorder.add(METRICS_NAMESPACE, Metric.JOBS_CREATED, created, stage=STAGE, service="api")

        super().request(recorded, after_ms)

    def file_one(self, cases: UseCases, draft: Execution) -> None:
        super().file_one(cases, draft)
        self.world.recorder.count_tenant("creators", draft.tenant_id)

    def _file_batch(self, cases: UseCases, drafts: list[Execution]) -> None:
        super()._file_batch(cases, drafts)
        for draft in drafts:
            self.world.recorder.count_tenant("creators", draft.tenant_id)


def run_hour(*, is_bad: bool, seed: int = 1, rate: float = JOBS_PER_SECOND, minutes: int = MINUTES) -> Cell:
    """Run to the end of the hour; minute 0 follows the warm-up."""
    cell = Cell(seed)
    with cell.recorder.capturing():
        _run(cell, is_bad, rate, minutes)
    _count_units(cell)
    return cell


def _run(cell: Cell, is_bad: bool, rate: float, minutes: int) -> None:
    load = RecordedLoad(cell, lambda _: rate, MIX)
    load.start()
    _probe(cell, load)
    cell.sqs.start()
    cell.ticks.start()
    cell.hub.run_until(START_MS + WARM_UP_MS)
    cell.begin()
    cell.recorder.begin()
    _sample(cell, load)
    for minute in range(minutes):
        if is_bad:
            _break(cell, load, minute)
        cell.hub.run_until(START_MS + WARM_UP_MS + (minute + 1) * MINUTE_MS)


def _break(cell: Cell, load: RecordedLoad, minute: int) -> None:
    """Faults begin and end with a minute."""
    now_ms = int(cell.hub.now_ms)
    cell.is_broken, cell.is_stopped = minute in EXECUTORS_FAIL, minute in TICKS_STOP
    cell.receivers.dead_until_ms = now_ms + MINUTE_MS if minute in RECEIVER_DOWN else 0
    victim, noisy = cell.names[7], cell.names[11]
    if minute in RECEIVER_DOWN or minute == RECEIVER_DOWN.stop:
        for second in range(2, 62, 2):
            load.request(partial(load.file_one, draft=load.draft(victim, now_ms + second * 1_000, DEAD)))
    if minute == HERD_AT - 4:
        due_at = (now_ms // 1_000 + 240) * 1_000
        drafts = [load.draft(noisy, due_at, QUICK) for _ in range(HERD)]
        in_lane = [replace(draft, call=replace(draft.call, lane=Lane.STANDARD)) for draft in drafts]
        for start in range(0, HERD, 25):
            batch = partial(load._file_batch, drafts=in_lane[start : start + 25])
            load.request(batch, start * 2)


def _probe(cell: Cell, load: RecordedLoad) -> None:
    """Create the jobs of the canary, each minute."""

    def send(cases: UseCases, minutes: Sequence[int]) -> None:
        began_ms = cell.hub.now_ms
        for ahead in minutes:
            due_at = (int(began_ms) // MINUTE_MS + ahead) * MINUTE_MS
            load.file_one(cases, _probing(load.draft(cell.names[0], due_at, CANARY)))
        own = {"stage": STAGE, "service": "canary-prober"}
        cell.recorder.add(METRICS_NAMESPACE, Metric.CANARY_REQUEST_MS, cell.hub.now_ms - began_ms, **own)

    def each_minute() -> None:
        now_ms = int(cell.hub.now_ms)
        minutes = CANARY_DUE_MINUTES[now_ms // MINUTE_MS % CANARY_CYCLE_MINUTES]
        load.request(partial(send, minutes=minutes))
        cell.hub.spawn(each_minute, now_ms + MINUTE_MS)

    cell.hub.spawn(each_minute)


def _probing(draft: Execution) -> Execution:
    """One attempt, in the lane that jobs have by default."""
    return replace(draft, call=replace(draft.call, lane=Lane.STANDARD, retry=RetryPolicy(max_attempts=1)))


def _sample(cell: Cell, load: RecordedLoad) -> None:
    """Once a second: what is waiting and running. Once a minute: idle functions."""
    refused: dict[str, int] = {}
    probes = cell.receivers.lags["", CANARY]

    def each_second() -> None:
        record, now_ms = cell.recorder.add, cell.hub.now_ms
        while probes:
            own = {"stage": STAGE, "service": "canary-receiver"}
            record(METRICS_NAMESPACE, Metric.CANARY_LAG_MS, probes.pop(0), **own)
        busy = 0
        for queue, lane in cell.sqs.lanes.items():
            name = construct_id(queue)
            record("AWS/SQS", "ApproximateNumberOfMessagesVisible", lane.visible, QueueName=name)
            record("AWS/SQS", "ApproximateNumberOfMessagesNotVisible", lane.in_flight, QueueName=name)
            oldest = lane.oldest_wait_ms(now_ms) / 1_000
            record("AWS/SQS", "ApproximateAgeOfOldestMessage", oldest, QueueName=name)
            record(
                "AWS/Lambda",
                "ConcurrentExecutions",
                lane.busy,
                FunctionName=construct_id(f"executor-{queue}"),
            )
            busy += lane.busy
        record("AWS/Lambda", "ConcurrentExecutions", load.api_busy, FunctionName="Api")
        reserved = cell.slice.stage.config.reserved
        record("AWS/Lambda", "ClaimedAccountConcurrency", busy + (reserved.total if reserved else 0))
        _record_throttles(cell, refused)
        cell.hub.spawn(each_second, int(now_ms) + 1_000)

    def each_minute() -> None:
        idle_functions(cell)
        for queue in QueueName:
            for name in (construct_id(queue), f"{construct_id(queue)}Dead"):
                polls = figures.IDLE_POLLS_PER_MINUTE.value
                cell.recorder.add("AWS/SQS", "NumberOfEmptyReceives", polls, QueueName=name)
        cell.hub.spawn(each_minute, int(cell.hub.now_ms) + MINUTE_MS)

    cell.hub.spawn(each_second)
    cell.hub.spawn(each_minute)


def _record_throttles(cell: Cell, refused: dict[str, int]) -> None:
    """Of the last second. The model does not tell reads from writes: both count as writes."""
    for group, count in cell.meters.throttled.items():
        new = count - refused.get(group, 0)
        refused[group] = count
        if new:
            cell.recorder.add(METRICS_NAMESPACE, Metric.THROTTLED_REQUESTS, new, stage=STAGE)
            cell.recorder.add(
                "AWS/DynamoDB", "WriteThrottleEvents", new, **_place(_GROUPS.get(group, "leases"), group)
            )


def _place(table: str, index: str = "") -> Mapping[str, str]:
    found = {"TableName": _TABLES[table]}
    return found | ({"GlobalSecondaryIndexName": index} if index in ("by_tenant", "failed") else {})


def _count_units(cell: Cell) -> None:
    """The units and messages of each second of the hour."""
    from_s = (START_MS + WARM_UP_MS) // 1_000
    for name, load in cell.meters.tables.items():
        kind, _, place = name.partition(" ")
        table, _, index = place.partition(", index ")
        metric = f"Consumed{kind[:-1].capitalize()}CapacityUnits"
        key = ("AWS/DynamoDB", metric, tuple(sorted(_place(table, index).items())))
        for second, units in load.by_second.items():
            if second >= from_s:
                cell.recorder.values[key][(second - from_s) // 60].append(units)
    for queue in QueueName:
        key = ("AWS/SQS", "NumberOfMessagesSent", (("QueueName", construct_id(queue)),))
        for second, count in cell.meters.counts[f"messages {queue}"].by_second.items():
            if second >= from_s:
                cell.recorder.values[key][(second - from_s) // 60].append(count)
