import json
from pathlib import Path

from shared.names import METRICS_NAMESPACE
from shared.observability import Metrics as Printed
from tests.drills.metrics import LogTail, Metrics, embedded, failed_batches
from tests.support.cloudwatch import Key

TICK: Key = (METRICS_NAMESPACE, "WatcherTick", (("service", "watcher"), ("stage", "local")))


def test_metrics_of_a_printed_line_have_the_names_and_dimensions_that_alarms_read(capsys) -> None:
    printed = Printed("watcher", "local")
    printed.add_metric(name="WatcherTick", value=1)
    printed.add_metric(name="LateStarts", value=0)
    printed.flush_metrics()
    line = f"2026-01-01 lambda INFO {capsys.readouterr().out}"
    assert dict(embedded(line)) == {
        TICK: [1.0],
        (METRICS_NAMESPACE, "LateStarts", (("stage", "local"),)): [0.0],
    }


def test_lines_of_other_kinds_have_no_metrics() -> None:
    assert list(embedded(json.dumps({"message": "swept", "resent": 3}))) == []


def test_failed_batch_of_an_event_source_is_an_error_of_its_function() -> None:
    line = "2026-01-01 WARNING [lambda] ESM: Lambda punctual-executor failed processing SQS batch from q (errorType=X)"
    assert dict(failed_batches(line)) == {
        ("AWS/Lambda", "Errors", (("FunctionName", "punctual-executor"),)): [1.0]
    }
    assert (
        list(failed_batches("INFO [lambda] ESM: Lambda punctual-executor processed 1 SQS messages from q"))
        == []
    )


def test_line_that_is_not_complete_is_returned_when_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("old\n")
    tail = LogTail(log)
    with log.open("a") as file:
        file.write("first\nsec")
        file.flush()
        assert list(tail.lines()) == ["first"]
        file.write("ond\n")
        file.flush()
    assert list(tail.lines()) == ["second"]
    assert list(tail.lines()) == []


def test_minutes_before_the_drill_have_ticks_and_no_other_values() -> None:
    metrics = Metrics()
    assert metrics.feed(TICK, -1) == [1.0]
    assert metrics.feed((METRICS_NAMESPACE, "DeadMessages", ()), -1) == []
    assert metrics.feed(TICK, 0) == []
    metrics.add(TICK, [1, 1])
    assert metrics.feed(TICK, 0) == [1, 1]
    metrics.minute = 1
    assert metrics.feed(TICK, 1) == []
    assert metrics.collected() == {}
