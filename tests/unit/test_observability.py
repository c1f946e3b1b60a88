"""Log lines and metrics; the metrics are compared with those of Powertools for the same values."""

import io
import json
import logging
import re
from contextlib import redirect_stdout
from typing import Any

import pytest
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider
from hypothesis import given
from hypothesis import strategies as st

from shared import observability
from shared.adapters.aws.errors import AwsError
from shared.domain.errors import RequestRejectedError
from shared.names import METRICS_NAMESPACE, WHOLE_STAGE, Metric
from shared.observability import MOST_FRAMES, JsonLines, Metrics, count, logger
from tests.support.api.emitted import emitted

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
NAMES = ("Claimed", "Lag", "Age", "Sample")
ADDED = st.tuples(st.sampled_from(NAMES), st.integers(0, 10**9) | st.floats(0, 1e9))
EXTRA = st.dictionaries(
    st.sampled_from(["tenant", "execution", "id", "status"]),
    st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()),
)


def ours_of(added: list[tuple[str, float]]) -> list[dict[str, Any]]:
    """The lines that these metrics make, without their time."""
    metrics = Metrics("watcher", "prod")
    printed = io.StringIO()
    with redirect_stdout(printed):
        for name, value in added:
            metrics.add_metric(name=name, value=value)
        metrics.flush_metrics()
    return parsed(printed.getvalue())


def theirs_of(added: list[tuple[str, float]]) -> list[dict[str, Any]]:
    """The lines of Powertools, with what the lines of Punctual leave out taken away."""
    powertools = AmazonCloudWatchEMFProvider(
        namespace=METRICS_NAMESPACE, service="watcher", default_dimensions={"stage": "prod"}
    )
    printed = io.StringIO()
    with redirect_stdout(printed):
        for name, value in added:
            powertools.add_metric(name=name, unit="Count", value=value)
        if powertools.metric_set:
            powertools.flush_metrics()
    lines = parsed(printed.getvalue())
    for line in lines:
        for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]:
            del metric["Unit"]
            values = line[metric["Name"]]
            line[metric["Name"]] = values if len(values) > 1 else values[0]
    return lines


def parsed(output: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in output.splitlines()]
    assert all(abs(line["_aws"].pop("Timestamp") / 1000 - line_time()) < 60 for line in lines)
    return lines


def line_time() -> float:
    return logging.makeLogRecord({}).created


@given(added=st.lists(ADDED, max_size=20))
def test_metrics_are_written_as_powertools_writes_them(added: list[tuple[str, float]]) -> None:
    assert ours_of(added) == theirs_of(added)


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 250])
def test_a_line_has_at_most_a_hundred_metrics_and_a_hundred_values_of_each(size: int) -> None:
    for added in (
        [("Lag", float(value)) for value in range(size)],
        [(f"Metric{number}", 0.0) for number in range(size)],
    ):
        assert ours_of(added) == theirs_of(added)
        assert len(ours_of(added)) == -(-size // 100)


def test_count_of_zero_is_not_reported_because_each_reported_metric_is_billed() -> None:
    observability.metrics.clear_metrics()
    count(Metric.RESENT, 0)
    assert emitted() == {}
    count(Metric.RESENT, 2)
    count(Metric.RESENT)
    assert emitted() == {Metric.RESENT: 3}


def test_metrics_of_the_whole_stage_are_reported_without_the_function() -> None:
    """One alarm reads them for all functions, and another stage of the account has its own."""
    (line,) = ours_of([(name, 1) for name in (*sorted(WHOLE_STAGE), "Claimed")])
    parts = line["_aws"]["CloudWatchMetrics"]
    assert {tuple(part["Dimensions"][0]): {each["Name"] for each in part["Metrics"]} for part in parts} == {
        ("stage",): WHOLE_STAGE,
        ("stage", "service"): {"Claimed"},
    }
    assert {part["Namespace"] for part in parts} == {METRICS_NAMESPACE}
    assert (line["stage"], line["service"]) == ("prod", "watcher")


def record(level: str, message: str, extra: dict[str, Any]) -> logging.LogRecord:
    return logging.getLogger("any").makeRecord(
        "any", logging.getLevelName(level), __file__, 7, message, (), None, "function", extra
    )


@given(level=st.sampled_from(["INFO", "WARNING", "ERROR"]), extra=EXTRA)
def test_log_line_has_its_level_its_message_and_every_field_that_is_not_null(
    level: str, extra: dict[str, Any]
) -> None:
    line = json.loads(JsonLines().format(record(level, "swept", extra)))
    known = {name: value for name, value in extra.items() if value is not None}
    assert TIMESTAMP.fullmatch(line.pop("timestamp"))
    assert line == {"level": level, "message": "swept", **known}


@pytest.mark.parametrize(
    ("created", "shown"),
    [(0.0, "1970-01-01T00:00:00.000Z"), (1_795_003_200.0625, "2026-11-18T12:00:00.062Z")],
)
def test_log_line_has_the_time_of_its_record_as_lambda_reads_it(created: float, shown: str) -> None:
    made = record("ERROR", "swept", {})
    made.created, made.msecs = created, created % 1 * 1000
    assert next(iter(json.loads(JsonLines().format(made)).items())) == ("timestamp", shown)


def failed(error: Exception) -> dict[str, Any]:
    try:
        raise RequestRejectedError("s3cr3t") from error
    except RequestRejectedError as rejected:
        made = record("ERROR", "unexpected error", {})
        made.exc_info = (type(rejected), rejected, rejected.__traceback__)
    text = JsonLines().format(made)
    assert "s3cr3t" not in text
    line: dict[str, Any] = json.loads(text)
    return {name: value for name, value in line.items() if name.startswith("aws_")}


def refusal(operation: str, code: str) -> AwsError:
    return AwsError(operation, {"Error": {"Code": code, "Message": "s3cr3t"}})


def test_log_line_of_an_error_has_the_code_and_the_operation_of_the_refusal_that_caused_it() -> None:
    found = failed(refusal("PutItem", "AccessDeniedException"))
    assert found == {"aws_operation": "PutItem", "aws_error": "AccessDeniedException"}
    assert failed(ValueError("PutItem")) == {}


@pytest.mark.parametrize("code", ["not a word", "", "x" * 81, '{"password": "s3cr3t"}', "a\n"])
def test_code_of_another_form_is_in_no_log_line(code: str) -> None:
    assert failed(refusal("PutItem", code)) == {"aws_operation": "PutItem"}


def test_log_line_of_an_error_says_where_it_was_raised_and_never_what_it_quotes() -> None:
    try:
        try:
            raise KeyError("s3cr3t")
        except KeyError as cause:
            raise RuntimeError("s3cr3t too") from cause
    except RuntimeError as error:
        made = logging.getLogger("any").makeRecord(
            "any",
            logging.ERROR,
            __file__,
            7,
            "unexpected error",
            (),
            (type(error), error, error.__traceback__),
        )
    text = JsonLines().format(made)
    line = json.loads(text)
    assert line["exception_name"] == "RuntimeError"
    assert [place.partition(":")[0] for place in line["exception"]] == [
        "RuntimeError",
        "unit/test_observability.py",
        "KeyError",
        "unit/test_observability.py",
    ]
    assert "s3cr3t" not in text


def test_log_line_of_a_deep_error_has_the_calls_next_to_it() -> None:
    def sink(depth: int) -> None:
        if depth == 0:
            raise ValueError
        sink(depth - 1)

    with pytest.raises(ValueError) as caught:
        sink(500)
    made = logging.getLogger("any").makeRecord(
        "any", logging.ERROR, __file__, 7, "deep", (), (ValueError, caught.value, caught.tb)
    )
    line = json.loads(JsonLines().format(made))
    assert len(line["exception"]) == 1 + MOST_FRAMES
    assert line["exception"][-1].endswith(" sink")


def test_a_line_is_one_line_whatever_its_text_contains() -> None:
    line = JsonLines().format(record("INFO", "a\nb\r\u2028", {"of": {1: object}}))
    assert "\n" not in line
    assert json.loads(line)["message"] == "a\nb\r\u2028"


def test_metrics_of_a_handler_that_fails_are_written() -> None:
    metrics = Metrics("watcher", "prod")

    @metrics.log_metrics
    def handler(event: str) -> None:
        metrics.add_metric(name="Claimed", value=len(event))
        raise ValueError("why")

    printed = io.StringIO()
    with redirect_stdout(printed), pytest.raises(ValueError, match="why"):
        handler("abc")
    assert json.loads(printed.getvalue())["Claimed"] == 3
    assert metrics.metric_set == {}


def test_a_line_below_the_level_of_the_function_is_not_written() -> None:
    assert logger.level == logging.INFO
    assert not logger.isEnabledFor(logging.DEBUG)
