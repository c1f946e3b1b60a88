"""The log of acknowledgements of each implementation, with a way to write into it."""

import json
import time
from typing import Any, Protocol

from shared.adapters.logs.accepted_log import CloudWatchAcceptedLog
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE
from shared.ports.dispatch import AcceptedLog
from tests.support.fakes.accepted_log import FakeAcceptedLog

STREAM = "api"


class Acceptance(Protocol):
    """The operations that the suite needs beyond the port."""

    @property
    def log(self) -> AcceptedLog: ...

    def accept(self, at: int, job_id: str) -> None:
        """Log the acknowledgement of a job as the API does."""
        ...

    def accept_batch(self, at: int, *job_ids: str) -> None:
        """Log the acknowledgement of a batch as the API does."""
        ...

    def say(self, at: int, line: str) -> None:
        """Log another line of the API."""
        ...


class FakeAcceptance:
    """The fake."""

    def __init__(self) -> None:
        self.log = FakeAcceptedLog()

    def accept(self, at: int, job_id: str) -> None:
        self.log.note(at, "acme", job_id)

    def accept_batch(self, at: int, *job_ids: str) -> None:
        for job_id in job_ids:
            self.accept(at, job_id)

    def say(self, at: int, line: str) -> None:
        """The fake stores acknowledgements only."""


class LoggedAcceptance:
    """The adapter over one engine, with a log group of its own."""

    def __init__(self, client: Any, group: str, *, settle_seconds: float = 0.0) -> None:
        """`group` exists. CloudWatch shows a line some seconds after it was accepted: `settle_seconds` bounds the
        wait for it."""
        self.client = client
        self.log = CloudWatchAcceptedLog(client, group)
        self._group = group
        self._settle_seconds = settle_seconds
        client.create_log_stream(logGroupName=group, logStreamName=STREAM)

    def accept(self, at: int, job_id: str) -> None:
        entry = {"level": "INFO", "message": ACCEPTED_LOG_LINE, "tenant": "acme", "job": job_id}
        self.say(at, json.dumps(entry))

    def accept_batch(self, at: int, *job_ids: str) -> None:
        jobs = [(job_id, "trace", "digest") for job_id in job_ids]
        entry = {"level": "INFO", "message": ACCEPTED_BATCH_LOG_LINE, "tenant": "acme", "jobs": jobs}
        self.say(at, json.dumps(entry))

    def say(self, at: int, line: str) -> None:
        events = [{"timestamp": at, "message": line}]
        self.client.put_log_events(logGroupName=self._group, logStreamName=STREAM, logEvents=events)
        self._await(at, line)

    def _await(self, at: int, line: str) -> None:
        deadline = time.monotonic() + self._settle_seconds
        while time.monotonic() < deadline:
            found = self.client.filter_log_events(logGroupName=self._group, startTime=at, endTime=at + 1)
            if line in [event["message"] for event in found["events"]]:
                return
            time.sleep(1.0)


def this_minute() -> int:
    """A time that engines accept for log lines: they refuse old lines."""
    return time.time_ns() // 60_000_000_000 * 60_000
