"""Log lines and metrics, compared with those of Powertools for the same records and values."""

import io
import json
import logging
import sys
from contextlib import redirect_stdout
from typing import Any

import pytest
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider
from hypothesis import given
from hypothesis import strategies as st

from shared import observability
from shared.names import METRICS_NAMESPACE, WHOLE_STAGE, Metric
from shared.observability import SERVICE, JsonLines, Metrics, count, logger
from tests.support.api.emitted import emitted

UNITS = {"Claimed": "Count", "Lag": "Milliseconds", "Age": "Seconds", "Sample": "Percent"}
ADDED = st.tuples(st.sampled_from(sorted(UNITS)), st.integers(0, 10**9) | st.floats(0, 1e9))
EXTRA = st.dictionaries(
    st.sampled_from(["tenant", "execution", "id", "status"]),
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()),
)


def lines_of(added: list[tuple[str, str, float]], metrics: Any) -> list[dict[str, Any]]:
    """The lines that these metrics make, without their time."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        for name, unit, value in added:
            metrics.add_metric(name=name, unit=unit, value=value)
        if metrics.metric_set:
            metrics.flush_metrics()
    lines = [json.loads(line) for line in printed.getvalue().splitlines()]
    assert all(abs(line["_aws"].pop("Timestamp") / 1000 - line_time()) < 60 for line in lines)
    return lines


def line_time() -> float:
    return logging.makeLogRecord({}).created


def both(added: list[tuple[str, str, float]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    powertools = AmazonCloudWatchEMFProvider(
        namespace=METRICS_NAMESPACE, service="watcher", default_dimensions={"stage": "prod"}
    )
    return lines_of(added, Metrics("watcher", "prod")), lines_of(added, powertools)


@given(added=st.lists(ADDED, max_size=20))
def test_metrics_are_written_as_powertools_writes_them(added: list[tuple[str, float]]) -> None:
    ours, theirs = both([(name, UNITS[name], value) for name, value in added])
    assert ours == theirs


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 250])
def test_a_line_has_at_most_a_hundred_metrics_and_a_hundred_values_of_each(size: int) -> None:
    for added in (
        [("Lag", "Milliseconds", float(value)) for value in range(size)],
        [(f"Metric{number}", "Count", 0.0) for number in range(size)],
    ):
        ours, theirs = both(added)
        assert ours == theirs
        assert len(ours) == -(-size // 100)


def test_count_of_zero_is_not_reported_because_each_reported_metric_is_billed() -> None:
    observability.metrics.clear_metrics()
    count(Metric.RESENT, 0)
    assert emitted() == {}
    count(Metric.RESENT, 2)
    count(Metric.RESENT)
    assert emitted() == {Metric.RESENT: 3}


def test_metrics_of_the_whole_stage_are_reported_without_the_function() -> None:
    """One alarm reads them for all functions, and another stage of the account has its own."""
    (line,) = lines_of(
        [(name, "Count", 1) for name in (*sorted(WHOLE_STAGE), "Claimed")], Metrics("watcher", "prod")
    )
    parts = line["_aws"]["CloudWatchMetrics"]
    assert {tuple(part["Dimensions"][0]): {each["Name"] for each in part["Metrics"]} for part in parts} == {
        ("stage",): WHOLE_STAGE,
        ("stage", "service"): {"Claimed"},
    }
    assert {part["Namespace"] for part in parts} == {METRICS_NAMESPACE}
    assert (line["stage"], line["service"]) == ("prod", "watcher")


def record(
    level: str, message: str, extra: dict[str, Any], error: ValueError | None = None
) -> logging.LogRecord:
    info = None
    if error is not None:
        try:
            raise error
        except ValueError:
            info = sys.exc_info()
    return logging.getLogger("any").makeRecord(
        "any", logging.getLevelName(level), __file__, 7, message, (), info, "function", extra
    )


def their_line(made: logging.LogRecord) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(LambdaPowertoolsFormatter(service=SERVICE).format(made))
    # The traceback in `exception` says the same.
    line.pop("stack_trace", None)
    return line


@given(level=st.sampled_from(["INFO", "WARNING", "ERROR"]), extra=EXTRA)
def test_a_log_line_has_what_that_of_powertools_has(level: str, extra: dict[str, Any]) -> None:
    made = record(level, "swept", extra)
    # Powertools leaves out what is null.
    ours = {name: value for name, value in json.loads(JsonLines().format(made)).items() if value is not None}
    assert ours == their_line(made)
    assert list(ours)[:5] == ["level", "location", "message", "timestamp", "service"]


@pytest.mark.parametrize("trace", ["", "Root=1-5759e988;Parent=53995c3f;Sampled=1"])
def test_a_log_line_of_an_error_has_its_traceback_and_the_trace(
    monkeypatch: pytest.MonkeyPatch, trace: str
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", trace)
    made = record("ERROR", "unexpected error", {"request_id": "r"}, ValueError("why"))
    line = json.loads(JsonLines().format(made))
    assert line == their_line(made)
    assert (line["exception_name"], line.get("xray_trace_id")) == (
        "ValueError",
        "1-5759e988" if trace else None,
    )
    assert "ValueError: why" in line["exception"]


def test_a_line_is_one_line_whatever_its_text_contains() -> None:
    line = JsonLines().format(record("INFO", "a\nb\r\u2028", {"of": {1: object}}))
    assert "\n" not in line
    assert json.loads(line)["message"] == "a\nb\r\u2028"


def test_metrics_of_a_handler_that_fails_are_written() -> None:
    metrics = Metrics("watcher", "prod")

    @metrics.log_metrics
    def handler(event: str) -> None:
        metrics.add_metric(name="Claimed", unit="Count", value=len(event))
        raise ValueError("why")

    printed = io.StringIO()
    with redirect_stdout(printed), pytest.raises(ValueError, match="why"):
        handler("abc")
    assert json.loads(printed.getvalue())["Claimed"] == [3.0]
    assert metrics.metric_set == {}


def test_a_line_below_the_level_of_the_function_is_not_written() -> None:
    assert logger.level == logging.INFO
    assert not logger.isEnabledFor(logging.DEBUG)
