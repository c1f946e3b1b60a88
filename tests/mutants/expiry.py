"""FILE and COMPLETE: buckets reopened before each put, and records that outlive what they locate."""

from tests.mutants.mutant import Mutant

_RULE = "tests/architecture/test_filing.py"
_COMPLETE = "tests/unit/usecases/attempts/test_complete.py"
_RECORDS = "tests/unit/usecases/chains/test_record_expiry.py"
_DST_SKIPS = "tests/unit/usecases/filing/test_dst_skips.py"
_OUTLIVES = "self.retention.outlives_records_s("
_EXPIRES = "self.retention.expires_at_s("


def _unprepared(site: str, file: str, draft: str) -> Mutant:
    return Mutant(
        name=f"bucket not reopened before the put of {site}",
        file=file,
        old=f"self.file.prepare({draft})",
        new=f"self.file.mark({draft})",
        killer=_RULE,
    )


def _unscanned(site: str, file: str, location: str) -> Mutant:
    return Mutant(
        name=f"bucket not reopened before the put of {site}",
        file=file,
        old=f"        self.file.ensure_scanned({location})\n",
        new="",
        killer=_RULE,
    )


def _short_lived(record: str, file: str, rest: str, killer: str) -> Mutant:
    return Mutant(
        name=f"{record} that expires before the retries that it locates",
        file=file,
        old=_OUTLIVES + rest,
        new=_EXPIRES + rest,
        killer=killer,
    )


def _forgotten(record: str, file: str) -> Mutant:
    return Mutant(
        name=f"{record} that expires before its executions leave the archive",
        file=file,
        old="self.retention.chain_expires_at_s(now_ms, self.archive_days)",
        new="self.retention.outlives_records_s(now_ms)",
        killer=_RECORDS,
    )


def _gone_early(record: str, file: str, old: str, new: str, killer: str) -> Mutant:
    return Mutant(
        name=f"{record} that expires before its due time", file=file, old=old, new=new, killer=killer
    )


EXPIRY = (
    _unprepared("a resumed chain", "shared/usecases/chains/start_chain.py", "in_lane(draft, following)"),
    _unprepared("a repaired chain", "shared/usecases/ticks/reconcile_job.py", "draft"),
    _unprepared("a jump", "shared/usecases/filing/file_successor.py", "target"),
    _unprepared(
        "a backfill",
        "shared/usecases/jobs/backfill_job.py",
        "backfill.occurrence(record.due_at, created_at=now_ms)",
    ),
    _unprepared(
        "a first run",
        "shared/usecases/jobs/create_recurring.py",
        "job.occurrence(job.chain_from, created_at=job.created_at)",
    ),
    _unprepared("a triggered run", "shared/usecases/jobs/file_trigger.py", "execution"),
    _unscanned("a moved job", "shared/usecases/jobs/update_one_off.py", "after.id"),
    Mutant(
        name="overdue head in a closed bucket that the reconciler leaves there",
        file="shared/usecases/ticks/reconcile_job.py",
        old="            self.file.ensure_scanned(head.id)\n",
        new="            pass\n",
        killer="tests/unit/usecases/ticks/test_reconcile_job.py",
    ),
    Mutant(
        name="job completed by the last run of an earlier chain",
        file="shared/usecases/filing/file_successor.py",
        old=" or job.chain_revision != last.revision:\n                return False\n            if any(",
        new=":\n                return False\n            if any(",
        killer=_COMPLETE,
    ),
    _short_lived("completed job", "shared/usecases/filing/file_successor.py", "self.clock", _COMPLETE),
    _short_lived(
        "deleted job",
        "shared/usecases/chains/complete_transition.py",
        "self.clock",
        "tests/unit/usecases/chains/test_delete.py",
    ),
    _forgotten("past chain of a resumed job", "shared/usecases/chains/start_chain.py"),
    _forgotten("past chain of a job updated while paused", "shared/usecases/chains/update_job.py"),
    Mutant(
        name="past chain that expires before the retries that it locates",
        file="shared/domain/executions/retention.py",
        old="self.outlives_records_s(now_ms) + archive_days",
        new="self.expires_at_s(now_ms) + archive_days",
        killer=_RECORDS,
    ),
    Mutant(
        name="completed job that is kept as long as its past chain",
        file="shared/usecases/chains/start_chain.py",
        old="expires_at_s = self.retention.outlives_records_s(self.clock.now_ms())",
        new="expires_at_s = past.expires_at_s",
        killer="tests/unit/usecases/chains/test_update.py",
    ),
    _short_lived(
        "locating record of a redrive",
        "shared/usecases/dead_letters/redrive_execution.py",
        "max(due_at",
        _RECORDS,
    ),
    _short_lived(
        "locating record of a triggered run",
        "shared/usecases/jobs/file_trigger.py",
        "max(now_ms",
        _RECORDS,
    ),
    _short_lived(
        "forwarding record of a moved job",
        "shared/usecases/jobs/update_one_off.py",
        "latest_at",
        _RECORDS,
    ),
    _gone_early(
        "forwarding record of a job that was moved nearer",
        "shared/usecases/jobs/update_one_off.py",
        "max(before.id.dispatch_at, after.id.dispatch_at, ",
        "max(after.id.dispatch_at, ",
        _RECORDS,
    ),
    _gone_early(
        "tombstone",
        "shared/usecases/chains/end_chain.py",
        "max(fresh.id.dispatch_at, now_ms)",
        "now_ms",
        _RECORDS,
    ),
    _gone_early(
        "record of a DST skip",
        "shared/usecases/filing/record_dst_skips.py",
        "record_expires_at_s(record.id.dispatch_at, now_ms)",
        "expires_at_s(now_ms)",
        _DST_SKIPS,
    ),
    _gone_early(
        "record of a DST skip before the first run of a new chain",
        "shared/domain/executions/retention.py",
        "max(due_at, default=now_ms)",
        "now_ms",
        _DST_SKIPS,
    ),
    _gone_early(
        "record of a redrive that was undone",
        "shared/usecases/dead_letters/redrive_execution.py",
        "record_expires_at_s(chosen.dispatch_at, draft.created_at)",
        "expires_at_s(draft.created_at)",
        _RECORDS,
    ),
)
