"""Log lines for jobs whose runs moved because of a new time zone database, or new days of a calendar."""

from shared.domain.schedules.schedule import format_instant
from shared.observability import logger
from shared.usecases.chains.recompute_job import Recomputation


def log_recomputed(job: Recomputation) -> None:
    """`moves_from` and `moves_to` are the first instants that differ in the near future; null without any."""
    logger.warning(
        "zone rules changed",
        extra={
            "job_id": job.job_id,
            "tenant": job.tenant_id,
            "timezone": job.timezone,
            "old_release": job.old_release,
            "new_release": job.new_release,
            "calendar": job.calendar,
            "old_calendar_release": job.old_calendar_release,
            "new_calendar_release": job.new_calendar_release,
            "moves_from": _instant(job.move.from_at) if job.move else None,
            "moves_to": _instant(job.move.to_at) if job.move else None,
        },
    )


def _instant(at: int | None) -> str | None:
    return format_instant(at) if at is not None else None
