"""Logs as JSON lines, and metrics in CloudWatch's embedded metric format: one buffer per function.

Written here, because the start of a tick takes longer with Powertools' logger and metrics than all the rest of
the tick. Tests compare the metrics with those of Powertools.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from traceback import extract_tb
from typing import Any

import orjson

from shared.names import METRICS_NAMESPACE, WHOLE_STAGE, Dimension, Env, Metric

SERVICE = os.environ.get("POWERTOOLS_SERVICE_NAME") or "service_undefined"
STAGE = os.environ.get(Env.STAGE) or "stage_undefined"
MOST_IN_LINE = 100
"""Maximum metrics of one line in the embedded format, and values of one metric."""
MOST_FRAMES, MOST_CAUSES = 12, 3
"""Of an error in a log line."""
_OF_AWS = ("aws_operation", "aws_error")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9.]{0,79}")
"""The form of an operation and of a code of AWS. Whatever has another form is left out."""
_OF_EVERY_RECORD = vars(logging.makeLogRecord({})).keys() | {"message", "asctime"}
_ENCODER = json.JSONEncoder(default=str, separators=(",", ":"), ensure_ascii=False)


class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, message, and the members of `extra` that are not None.

    Lambda takes a line without a time for one of the level INFO, and adds a time itself. CloudWatch has the
    function in the name of its log group. Each byte is billed.
    """

    def format(self, record: logging.LogRecord) -> str:
        extra = {
            name: value
            for name, value in vars(record).items()
            if name not in _OF_EVERY_RECORD and value is not None
        }
        line = {
            "timestamp": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "message": record.getMessage(),
            **extra,
        }
        if record.exc_info and record.exc_info[1]:
            line["exception"] = _frames(record.exc_info[1])
            line["exception_name"] = type(record.exc_info[1]).__name__
            line |= _of_aws(record.exc_info[1])
        return _ENCODER.encode(line)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, the last first."""
    cause: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)


def _of_aws(error: BaseException) -> dict[str, str]:
    """The operation and the code of the refusal of AWS that caused an error; nothing for other causes."""
    for cause in _causes(error):
        if fields := getattr(cause, "log_fields", None):
            return {name: fields[name] for name in _OF_AWS if _WORD.fullmatch(fields[name])}
    return {}


def _frames(error: BaseException) -> list[str]:
    """The calls that led to an error and to its causes. Their texts are left out: a text may quote a payload."""
    found: list[str] = []
    for cause in _causes(error):
        found.append(type(cause).__name__)
        found += [
            f"{'/'.join(frame.filename.split('/')[-2:])}:{frame.lineno} {frame.name}"
            for frame in extract_tb(cause.__traceback__, -MOST_FRAMES)
        ]
    return found


class Metrics:
    """Metrics since the last flush. They have no unit: their names say it, and each byte is billed."""

    def __init__(self, service: str, stage: str) -> None:
        self.dimensions = {Dimension.STAGE: stage, Dimension.SERVICE: service}
        self.metric_set: dict[str, list[float]] = {}
        """The values of each metric, by its name."""

    def add_metric(self, *, name: str, value: float) -> None:
        values = self.metric_set.setdefault(name, [])
        values.append(value)
        if MOST_IN_LINE in (len(self.metric_set), len(values)):
            self.flush_metrics()

    def flush_metrics(self) -> None:
        """Write one line with all metrics, or nothing if there are none."""
        waiting, self.metric_set = self.metric_set, {}
        if waiting:
            print(orjson.dumps(self._document(waiting)).decode())  # noqa: T201 - the agent of Lambda reads the output

    def clear_metrics(self) -> None:
        self.metric_set = {}

    def log_metrics(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Flush the metrics after each event, even if the handler has failed."""

        @wraps(handler)
        def flushing(*arguments: Any) -> Any:
            try:
                return handler(*arguments)
            finally:
                self.flush_metrics()

        return flushing

    def _document(self, metrics: dict[str, list[float]]) -> dict[str, Any]:
        described: dict[bool, list[dict[str, str]]] = {}
        for name in metrics:
            described.setdefault(name in WHOLE_STAGE, []).append({"Name": name})
        parts = [
            {
                "Namespace": METRICS_NAMESPACE,
                "Dimensions": [[Dimension.STAGE] if is_whole else list(self.dimensions)],
                "Metrics": names,
            }
            for is_whole, names in described.items()
        ]
        about = {"Timestamp": time.time_ns() // 1_000_000, "CloudWatchMetrics": parts}
        values = {name: each if len(each) > 1 else each[0] for name, each in metrics.items()}
        return {"_aws": about, **self.dimensions, **values}


def _logger() -> logging.Logger:
    # No line has these members, and each record would look them up.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    made = logging.getLogger(SERVICE)
    made.setLevel((os.environ.get("LOG_LEVEL") or "INFO").upper())
    lines = logging.StreamHandler(sys.stdout)
    lines.setFormatter(JsonLines())
    made.addHandler(lines)
    # In the log format JSON, Lambda's runtime opens the loggers of libraries, which may log URLs.
    logging.root.setLevel(logging.WARNING)
    # Lambda's own handler would write each line once more.
    for handler in logging.root.handlers:
        handler.addFilter(lambda record: record.name != SERVICE)
    return made


logger = _logger()
metrics = Metrics(SERVICE, STAGE)


def count(name: str, value: float = 1) -> None:
    """Add to a count. Zero is not reported: CloudWatch bills each hour of a metric, and alarms take missing
    data for zero."""
    if value:
        metrics.add_metric(name=name, value=value)


def quarantined(rows: Iterable[str]) -> None:
    """Count the rows that cannot be read, and log the key of each."""
    for row in rows:
        count(Metric.QUARANTINED)
        logger.error("unreadable row", extra={"row": row})


def milliseconds(name: str, values: list[int]) -> None:
    """Add individual values, so that CloudWatch can compute percentiles."""
    for value in values:
        metrics.add_metric(name=name, value=value)


def shares(name: str, events: list[bool]) -> None:
    """Add 1 for each event that happened, and 0 for each other one: their average is the share."""
    for event in events:
        metrics.add_metric(name=name, value=int(event))


def seconds(name: str, value: float) -> None:
    metrics.add_metric(name=name, value=value)


def percent(name: str, value: float) -> None:
    metrics.add_metric(name=name, value=value)


def emit_and_flush(*emits: Callable[[], None]) -> None:
    """Run each of `emits`, then flush the metrics. Errors are logged and never raised.

    For functions that SQS invokes: an error would return the whole batch, whose calls have been made.
    """
    for step in (*emits, metrics.flush_metrics):
        try:
            step()
        except Exception:
            logger.exception("metrics not emitted")
