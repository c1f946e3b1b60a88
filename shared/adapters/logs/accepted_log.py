"""Reads acknowledged jobs from the API's log in CloudWatch Logs."""

from collections.abc import Iterator
from typing import Any

import orjson

from shared.adapters.dynamodb.codec.errors import translated
from shared.domain.dispatch.sampling import hash_level, sample_tag
from shared.names import ACCEPTED_BATCH_LOG_LINE, ACCEPTED_LOG_LINE
from shared.ports.dispatch import Accepted


class CloudWatchAcceptedLog:
    """An independent record of acknowledged jobs: only the API writes it, and no table is involved."""

    def __init__(self, client: Any, log_group: str) -> None:
        self._client = client
        self._log_group = log_group

    def between(self, from_at: int, until_at: int, sample_level: int = 0) -> Iterator[Accepted]:
        """The pattern leaves most lines outside the sample to CloudWatch; the hash of the id decides."""
        tag = f' "{sample_tag(sample_level)}"' if sample_level else ""
        continuation: dict[str, Any] = {}
        while True:
            with translated():
                page = self._client.filter_log_events(
                    logGroupName=self._log_group,
                    startTime=from_at,
                    endTime=until_at - 1,
                    filterPattern=f'"{ACCEPTED_LOG_LINE}"{tag}',
                    **continuation,
                )
            for event in page["events"]:
                yield from (
                    accepted
                    for accepted in _read(event["message"])
                    if hash_level(accepted.job_id) >= sample_level
                )
            if not page.get("nextToken"):
                return
            continuation = {"nextToken": page["nextToken"]}


def _read(line: str) -> list[Accepted]:
    """The jobs of a log line; none of a line that merely contains the message text."""
    try:
        entry = orjson.loads(line)
        if entry["message"] == ACCEPTED_LOG_LINE:
            return [Accepted(tenant_id=entry["tenant"], job_id=entry["job"])]
        if entry["message"] == ACCEPTED_BATCH_LOG_LINE:
            return [Accepted(tenant_id=entry["tenant"], job_id=job_id) for job_id, *_ in entry["jobs"]]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        pass
    return []
