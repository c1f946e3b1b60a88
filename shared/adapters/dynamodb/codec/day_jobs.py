"""The busiest jobs of a day as compressed JSON. An entry is id, ended and failed, and of all tenants the tenant, too.

500 jobs with the longest ids take some 60 KB before the compression, which is far below the limit of an item.
"""

import json
import zlib
from typing import Any

from shared.domain.archive.busiest import DayJobs, JobCount
from shared.domain.errors import UnreadableItemError

LARGEST = 300_000
"""Bytes of JSON."""


def encode_day_jobs(jobs: DayJobs) -> bytes:
    document = {
        "n": jobs.ended,
        "j": jobs.job_count,
        "f": jobs.files,
        "t": [
            [each.job_id, each.ended, each.failed, *([] if jobs.tenant_id is not None else [each.tenant_id])]
            for each in jobs.jobs
        ],
    }
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 9)


def read_day_jobs(tenant_id: str | None, day: int, content: bytes) -> DayJobs:
    """UnreadableItemError for anything else."""
    try:
        document: Any = json.loads(zlib.decompressobj().decompress(content, LARGEST))
        return DayJobs(
            day=day,
            tenant_id=tenant_id,
            ended=document["n"],
            job_count=document["j"],
            files=document["f"],
            jobs=tuple(_job(tenant_id, entry) for entry in document["t"]),
        )
    except (zlib.error, KeyError, IndexError, TypeError, ValueError) as error:
        raise UnreadableItemError("an item of the busiest jobs is broken") from error


def _job(tenant_id: str | None, entry: Any) -> JobCount:
    owner = entry[3] if tenant_id is None else tenant_id
    return JobCount(tenant_id=owner, job_id=entry[0], ended=entry[1], failed=entry[2])
