"""How long messages, records, audit records and the archive are kept, in days, and what each must outlive."""

IDEMPOTENCY_DAYS = 7
"""Lifetime of an Idempotency-Key; the record that it refers to must live longer."""
SEALED_DAYS = 12
"""The archive takes an hour after this time, while its records still exist: two daily passes may fail."""


def check_retention(*, queue: int, dead_letters: int, records: int, audit: int, archive: int) -> None:
    """Raise ValueError if a message or an idempotency key outlives the record that it refers to, or if records expire
    before they are archived. Messages name the keys of a stage file."""
    if not 1 <= queue < dead_letters <= 14:
        raise ValueError(
            "dead_letter_retention_days is more than queue_retention_days and at most 14, not "
            f"{dead_letters} beside {queue}"
        )
    least = max(IDEMPOTENCY_DAYS, dead_letters) + 1
    if records < least:
        raise ValueError(
            f"retention_days is at least {least}, not {records}: records outlive idempotency keys "
            f"({IDEMPOTENCY_DAYS} days) and every message that names them (dead_letter_retention_days)"
        )
    if audit < records:
        raise ValueError(f"audit_retention_days is at least retention_days, {records}, not {audit}")
    if archive and records < SEALED_DAYS + 2:
        raise ValueError(
            f"retention_days is at least {SEALED_DAYS + 2} with an archive, not {records}: an hour is sealed after "
            f"{SEALED_DAYS} days; or write archive_days = 0"
        )
    if archive and archive <= records:
        raise ValueError(f"archive_days is 0, or more than retention_days, {records}, not {archive}")
