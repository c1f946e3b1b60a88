"""The entry points: an event in, one use case, its report as metrics and answer."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from shared.adapters.sqs.messages import encode_wakeup
from shared.domain.bucket import ShardRange
from shared.domain.dead_letters.parked_message import park
from shared.domain.errors import InvalidValueError, UnavailableError
from shared.domain.executions.states import State
from shared.domain.schedules.zone_changes import Move
from shared.names import Lane, Metric, QueueName
from shared.observability import metrics
from shared.ports.dispatch import MinuteProgress
from shared.usecases.attempts.batch_report import BatchReport, Delivery, SettledMessage, Verdict
from shared.usecases.bulk.process_bulk_tasks import BulkReport
from shared.usecases.chains.recompute_job import Recomputation
from shared.usecases.dead_letters.handle_dead_messages import DeadMessage, DeadMessageReport
from shared.usecases.ticks.reconcile_report import ReconcileReport
from shared.usecases.ticks.sweep_pass import SweepReport
from shared.usecases.ticks.watch_buckets import WatchReport
from tests.support.api.api_world import Request, logged
from tests.support.api.emitted import flushed
from tests.support.api.environment import DEAD_LETTERS, ENVIRONMENT
from tests.support.builders import DUE_AT, in_state, one_off, wakeup
from tests.support.fakes.clock import VirtualClock

Load = Callable[[str], ModuleType]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Imports an entry point as Lambda does, in an environment that satisfies it."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    loaded: list[str] = []

    def load(function: str) -> ModuleType:
        metrics.clear_metrics()
        loaded.append(f"functions.{function}.handler")
        return importlib.import_module(loaded[-1])

    yield load
    for name in loaded:
        sys.modules.pop(name)


def context(left_ms: int = 60_000) -> Any:
    return SimpleNamespace(
        get_remaining_time_in_millis=lambda: left_ms,
        function_name="f",
        aws_request_id="r",
    )


def test_a_watchers_tick_watches_its_part(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, asked = load("watcher"), []

    def watch(part: ShardRange) -> WatchReport:
        asked.append(part)
        return WatchReport(
            shards_scanned=3, found=25, sent=4, send_failed=1, unreadable=["1#0/2#a", "1#0/3#b"]
        )

    monkeypatch.setattr(module, "watch", SimpleNamespace(execute=watch))
    with logged() as records:
        answer = module.handler({"range": {"index": 1, "of": 2}}, context())
    rows = [vars(record)["row"] for record in records if record.message == "unreadable row"]
    assert rows == ["1#0/2#a", "1#0/3#b"]
    assert asked == [ShardRange(index=1, of=2)]
    assert answer == {"found": 25, "sent": 4}
    assert flushed(capsys.readouterr().out) == {
        Metric.WATCHER_TICK: 1,
        Metric.DUE_FOUND: 25,
        Metric.WAKEUPS_SENT: 4,
        Metric.SEND_FAILED: 1,
        Metric.QUARANTINED: 2,
    }


def test_a_sweepers_tick_sweeps_its_part_by_the_time_of_the_tick(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, asked = load("sweeper"), []

    def sweep(_: object, part: ShardRange, ticked_at: int | None) -> SweepReport:
        asked.append((part, ticked_at))
        return SweepReport()

    monkeypatch.setattr(module, "sweep", SimpleNamespace(execute=sweep))
    part = {"range": {"index": 1, "of": 2}}
    module.handler({"time": "2025-02-19T12:00:07Z"} | part, context())
    module.handler(part, context())
    assert asked == [(ShardRange(index=1, of=2), 1_739_966_407_000), (ShardRange(index=1, of=2), None)]


@pytest.mark.parametrize(
    ("function", "use_case", "report", "tick"),
    [
        ("watcher", "watch", WatchReport(shards_scanned=4), Metric.WATCHER_TICK),
        ("sweeper", "sweep", SweepReport(shards_swept=4), Metric.SWEEPER_TICK),
        ("redriver", "process", BulkReport(), Metric.REDRIVER_TICK),
    ],
)
def test_tick_without_work_reports_that_it_ran_and_nothing_else(
    load: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    function: str,
    use_case: str,
    report: object,
    tick: str,
) -> None:
    """Each metric that is reported in an hour is billed."""
    module = load(function)
    monkeypatch.setattr(module, use_case, SimpleNamespace(execute=lambda *_: report))
    if function == "redriver":
        monkeypatch.setattr(module, "parked_messages", SimpleNamespace(parked=lambda _: []))
    module.handler({"range": {"index": 0, "of": 1}}, context())
    assert flushed(capsys.readouterr().out) == {tick: 1}


def test_reconciler_without_work_reports_how_far_it_has_come_and_nothing_else(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = load("reconciler")
    monkeypatch.setattr(module, "clock", VirtualClock(DUE_AT))
    idle = Covered(ReconcileReport())
    monkeypatch.setattr(
        idle, "checked", lambda: MinuteProgress(through=DUE_AT // 60_000 - 21, sample_level=0)
    )
    for name, event, metric in (
        ("definitions", {"range": {"index": 0, "of": 1}}, Metric.RECONCILER_COVERAGE_SECONDS),
        ("minutes", {}, Metric.RECONCILER_CHECKED_THROUGH_SECONDS),
    ):
        monkeypatch.setattr(module, name, idle)
        module.handler(event, context())
        assert flushed(capsys.readouterr().out).keys() == {metric}


def test_a_tick_that_failed_does_not_look_like_one(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unavailable(*_: object) -> None:
        raise UnavailableError("throttled")

    for function, use_case in (("watcher", "watch"), ("sweeper", "sweep"), ("redriver", "process")):
        module = load(function)
        monkeypatch.setattr(module, use_case, SimpleNamespace(execute=unavailable))
        with pytest.raises(UnavailableError):
            module.handler({"range": {"index": 0, "of": 1}}, context())
    assert flushed(capsys.readouterr().out) == {}


@pytest.mark.parametrize("function", ["watcher", "sweeper"])
@pytest.mark.parametrize("event", [{"range": {"index": 2, "of": 2}}, {"range": {"index": 0, "of": 0}}])
def test_a_tick_for_a_part_that_does_not_exist_is_refused(
    load: Load, function: str, event: dict[str, Any]
) -> None:
    module = load(function)
    with pytest.raises(InvalidValueError):
        module.handler(event, context())


@pytest.mark.parametrize(("left_ms", "has_time"), [(10_001, True), (10_000, False)])
def test_a_sweeper_stops_ten_seconds_before_its_end(
    load: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    left_ms: int,
    has_time: bool,
) -> None:
    module, told = load("sweeper"), []

    def sweep(asked: Callable[[], bool], part: ShardRange, _: int | None) -> SweepReport:
        told.append(asked())
        assert part == ShardRange(index=0, of=2)
        return SweepReport(
            resent=4,
            lost=[in_state(one_off(), State.RUNNING)],
            quarantined=["row"],
            oldest_unclaimed_ms=90_500,
            oldest_waiting_ms=3_600_000,
            open_breakers=2,
        )

    monkeypatch.setattr(module, "sweep", SimpleNamespace(execute=sweep))
    answer = module.handler({"range": {"index": 0, "of": 2}}, context(left_ms))
    assert (told, answer) == ([has_time], {"swept": 0, "closed": 0, "resent": 4})
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output)) == {
        Metric.SWEEPER_TICK: 1,
        Metric.OLDEST_UNCLAIMED_DUE_SECONDS: 90.5,
        Metric.OLDEST_WAITING_DUE_SECONDS: 3_600,
        Metric.RESENT: 4,
        Metric.WORKER_LOST: 1,
        Metric.QUARANTINED: 1,
        Metric.FAILED: 1,
        Metric.OPEN_BREAKERS: 2,
    }


@pytest.mark.parametrize(("left_ms", "has_time"), [(30_001, True), (30_000, False)])
def test_redriver_reports_bulk_tasks_and_parked_messages_and_stops_thirty_seconds_before_its_end(
    load: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    left_ms: int,
    has_time: bool,
) -> None:
    module, told = load("redriver"), []

    def process(asked: Callable[[], bool]) -> BulkReport:
        told.append(asked())
        return BulkReport(
            redriven=5, undone=2, changed=7, found=9, ended=1, unavailable=1, unreadable=["rdr_1"]
        )

    parked = park("m", QueueName.BULK, "?", "no JSON", DUE_AT)
    lot = SimpleNamespace(parked=lambda limit: [parked] * min(limit, 30))
    monkeypatch.setattr(module, "process", SimpleNamespace(execute=process))
    monkeypatch.setattr(module, "parked_messages", lot)
    answer = module.handler({}, context(left_ms))
    assert (told, answer) == ([has_time], {"redriven": 5, "undone": 2, "changed": 7, "found": 9, "ended": 1})
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output)) == {
        Metric.REDRIVER_TICK: 1,
        Metric.REDRIVEN: 5,
        Metric.REDRIVES_UNDONE: 2,
        Metric.BULK_CHANGED: 7,
        Metric.PARKED_WAITING: 10,
    }
    (unreadable,) = (vars(line) for line in caplog.records if line.message == "unreadable bulk task")
    assert unreadable["task"] == "rdr_1"


def test_redriver_run_counts_although_parked_messages_cannot_be_read(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = load("redriver")

    def unavailable(_: int) -> None:
        raise UnavailableError("throttled")

    monkeypatch.setattr(module, "process", SimpleNamespace(execute=lambda _: BulkReport(redriven=3)))
    monkeypatch.setattr(module, "parked_messages", SimpleNamespace(parked=unavailable))
    assert module.handler({}, context())["redriven"] == 3
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output))[Metric.REDRIVER_TICK] == 1


def record(body: str, message_id: str, lane: Lane = Lane.STANDARD) -> dict[str, Any]:
    return {
        "messageId": message_id,
        "receiptHandle": f"handle of {message_id}",
        "body": body,
        "attributes": {"SentTimestamp": str(DUE_AT), "ApproximateReceiveCount": "1"},
        "eventSourceARN": DEAD_LETTERS[lane.value],
    }


def test_dead_letters_are_rescued_and_what_could_not_be_settled_is_listed(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, seen = load("dead_letter"), []

    def rescue(messages: list[DeadMessage]) -> DeadMessageReport:
        seen.extend(messages)
        return DeadMessageReport(rescheduled=1, parked=2, failed=3, returned=["m2"])

    monkeypatch.setattr(module, "rescue", SimpleNamespace(execute=rescue))
    body = encode_wakeup(wakeup())
    answer = module.handler({"Records": [record(body, "m1", Lane.BULK), record("{", "m2")]}, context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m2"}]}
    assert seen[0] == DeadMessage(message_id="m1", lane=QueueName.BULK, body=body, wakeup=wakeup())
    assert (seen[1].lane, seen[1].body, seen[1].wakeup) == (QueueName.STANDARD, "{", None)
    assert seen[1].error
    output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert flushed("\n".join(output)) == {
        Metric.DEAD_MESSAGES: 2,
        Metric.DEAD_LETTER_RESCHEDULED: 1,
        Metric.DEAD_LETTER_PARKED: 2,
        Metric.DEAD_LETTER_FAILED: 3,
    }


class Covered:
    """A use case of the reconciler that makes one report, and then does what the test wants."""

    def __init__(self, report: ReconcileReport, then: Callable[..., None] = lambda *_: None) -> None:
        self._report, self._then = report, then

    def execute(self, _has_time: object, *arguments: Any) -> ReconcileReport:
        on_report = arguments[-2] if len(arguments) > 1 else arguments[0]
        on_report(self._report)
        self._then(*arguments)
        return self._report

    def covered_at(self) -> int:
        return DUE_AT - 1_800_000

    def checked(self) -> MinuteProgress:
        return MinuteProgress(through=DUE_AT // 60_000 - 21, sample_level=2)


def test_a_reconciler_has_written_its_findings_when_it_has_told_them(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = load("reconciler")
    report = ReconcileReport(
        jobs=7,
        missing_executions=["job_1"],
        chains_repaired=["job_2"],
        double_completed=["exe_1"],
        unreadable=["1#0/2#a", "acme|job_3", "acme/job_4"],
    )

    def die(*_: object) -> None:
        raise SystemExit

    for name, event in (("definitions", {"range": {"index": 0, "of": 1}}), ("minutes", {})):
        monkeypatch.setattr(module, name, Covered(report, die))
        with pytest.raises(SystemExit), logged() as records:
            module.handler(event, context())
        rows = [vars(record)["row"] for record in records if record.message == "unreadable row"]
        assert rows == report.unreadable
        output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
        assert flushed("\n".join(output)) == {
            Metric.RECONCILED_JOBS: 7,
            Metric.MISSING_EXECUTIONS: 1,
            Metric.CHAINS_REPAIRED: 1,
            Metric.DOUBLE_COMPLETED: 1,
            Metric.QUARANTINED: 3,
        }


def test_a_reconciler_says_how_far_it_has_come(
    load: Load, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = load("reconciler")
    monkeypatch.setattr(module, "clock", VirtualClock(DUE_AT // 60_000 * 60_000))
    for name, event, told in (
        ("definitions", {"range": {"index": 1, "of": 2}}, {Metric.RECONCILER_COVERAGE_SECONDS: 1_787.655}),
        (
            "minutes",
            {},
            {Metric.RECONCILER_CHECKED_THROUGH_SECONDS: 1_200.0, Metric.RECONCILER_SAMPLE_PERCENT: 25.0},
        ),
    ):
        monkeypatch.setattr(module, name, Covered(ReconcileReport(jobs=7)))
        assert module.handler(event, context())["jobs"] == 7
        output = [line for line in capsys.readouterr().out.splitlines() if "_aws" in line]
        assert told.items() <= flushed(output[-1]).items()


def test_a_reconciler_names_the_jobs_that_newer_tables_have_moved(
    load: Load,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    module = load("reconciler")
    moved = Recomputation(
        job_id="job_1",
        tenant_id="acme",
        timezone="America/New_York",
        old_release="2020a",
        new_release="2026f",
        move=Move(from_at=DUE_AT, to_at=None),
    )

    def recompute(*arguments: Any) -> None:
        on_recomputed: Callable[[Recomputation], None] = arguments[-1]
        on_recomputed(moved)
        on_recomputed(replace(moved, job_id="job_2", old_release=None, move=None))

    report = ReconcileReport(jobs=7, outdated=3, recomputed=2)
    monkeypatch.setattr(module, "definitions", Covered(report, recompute))
    assert module.handler({"range": {"index": 0, "of": 1}}, context())["recomputed"] == 2
    output = capsys.readouterr().out.splitlines()
    assert flushed([line for line in output if "_aws" in line][-1])[Metric.RECOMPUTED] == 2
    lines = [vars(line) for line in caplog.records if line.message == "zone rules changed"]
    told = ("job_id", "tenant", "timezone", "old_release", "new_release", "moves_from", "moves_to")
    assert [tuple(line[name] for name in told) for line in lines] == [
        ("job_1", "acme", "America/New_York", "2020a", "2026f", "2025-02-19T21:20:12.345Z", None),
        ("job_2", "acme", "America/New_York", None, "2026f", None, None),
    ]
    (left,) = (vars(line) for line in caplog.records if line.message == "not recomputed yet")
    assert left["jobs"] == 1


def test_an_executor_puts_back_and_lists_what_must_come_back(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, put_back = load("executor"), []
    module.ports.clock = VirtualClock(1_000)

    async def run(batch: list[Delivery], deadline_at: int) -> BatchReport:
        assert deadline_at == 61_000, "the time that Lambda leaves to the function"
        verdicts = (Verdict.DONE, Verdict.RETURN)
        return BatchReport(
            settled=[
                SettledMessage(delivery=each, verdict=verdict, visible_after_seconds=17)
                for each, verdict in zip(batch, verdicts, strict=True)
            ]
        )

    monkeypatch.setattr(module, "run_attempts", SimpleNamespace(execute=run))
    monkeypatch.setattr(module, "put_back", lambda *arguments: put_back.append(arguments))
    body = encode_wakeup(wakeup())
    answer = module.handler({"Records": [record(body, "m1"), record(body, "m2")]}, context())
    assert put_back == [(Lane.STANDARD, "handle of m2", 17)]
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m2"}]}


@pytest.mark.parametrize("broken", ["emit", "emit_limits", "count", "flush"])
def test_executor_whose_metrics_fail_still_answers_for_each_message(
    load: Load, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    """An error would return the whole batch: each of its calls would be due once more."""
    module = load("executor")

    async def run(batch: list[Delivery], deadline_at: int) -> BatchReport:
        verdicts = (Verdict.DONE, Verdict.RETURN)
        pairs = zip(batch, verdicts, strict=True)
        return BatchReport(settled=[SettledMessage(delivery=one, verdict=verdict) for one, verdict in pairs])

    def fail(*_: object, **__: object) -> None:
        raise ValueError("not a metric")

    monkeypatch.setattr(module, "run_attempts", SimpleNamespace(execute=run))
    monkeypatch.setattr(module, "put_back", lambda *_: True)
    if broken == "count":
        monkeypatch.setattr(metrics, "add_metric", fail)
    elif broken == "flush":
        monkeypatch.setattr(metrics, "_document", fail)
    else:
        monkeypatch.setattr(module, broken, fail)
    body = encode_wakeup(wakeup())
    answer = module.handler({"Records": [record(body, "m1"), record(body, "m2")]}, context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m2"}]}
    assert "metrics not emitted" in [line.message for line in caplog.records]
    assert not metrics.metric_set


def test_handler_of_dead_messages_whose_metrics_fail_still_answers(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load("dead_letter")

    def fail(*_: object, **__: object) -> None:
        raise ValueError("not a metric")

    report = DeadMessageReport(rescheduled=1, returned=["m2"])
    monkeypatch.setattr(module, "rescue", SimpleNamespace(execute=lambda _: report))
    monkeypatch.setattr(metrics, "add_metric", fail)
    assert module.handler({"Records": []}, context()) == {"batchItemFailures": [{"itemIdentifier": "m2"}]}


def test_the_api_answers_an_event(load: Load) -> None:
    event = Request(method="GET", path="/v1/health").event()
    assert load("api").handler(event, context())["statusCode"] == 200
