"""Mutants of the sweeper's leases, of the open rows that it remembers, and of late puts."""

from tests.mutants.mutant import Mutant

_OPEN_ROWS = "tests/unit/usecases/ticks/test_sweep_open_rows.py"
_PARTS = "tests/unit/usecases/ticks/test_sweep_parts.py"
_OPEN_SHARDS = "tests/unit/usecases/filing/test_open_shards.py"
_LEDGER = "tests/conformance/test_shard_ledger.py"
_SWEEP = "shared/usecases/ticks/sweep_shard.py"

SWEEPS = (
    Mutant(
        name="open rows of a scan that began too early taken for all",
        file=_SWEEP,
        old="full_scan_at = None if has_all else",
        new="full_scan_at = None if has_all or state.began_at else",
        killer=_OPEN_ROWS,
    ),
    Mutant(
        name="shard closed by open rows that are not complete",
        file=_SWEEP,
        old="if is_scan else shard.full_scan_at is None",
        new="if is_scan else True",
        killer=_OPEN_ROWS,
    ),
    Mutant(
        name="shard closed by a scan that began while writers relied on it",
        file=_SWEEP,
        old="may_close = state.began_at >= kept_until if is_scan",
        new="may_close = bool(kept_until) if is_scan",
        killer=_OPEN_ROWS,
    ),
    Mutant(
        name="writers' life not waited for before open rows are complete",
        file="shared/domain/bucket.py",
        old="kept_open_until(bucket, open_until) + WRITER_LIFE_MS",
        new="kept_open_until(bucket, open_until)",
        killer=_OPEN_ROWS,
    ),
    Mutant(
        name="pass that is cut loses its progress",
        file=_SWEEP,
        old="            self.ledger.suspend_pass(lease, saved)\n            report.suspended += 1\n",
        new="            self.ledger.suspend_pass(lease, None)\n            report.suspended += 1\n",
        killer=_OPEN_ROWS,
    ),
    Mutant(
        name="shards closed by a clock that is ahead",
        file="shared/usecases/ticks/sweep_pass.py",
        old="began_at=now_ms if ticked_at is None else min(now_ms, ticked_at)",
        new="began_at=now_ms",
        killer="tests/unit/usecases/ticks/test_sweep_ledger.py",
    ),
    Mutant(
        name="repeated passes before first passes",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="key=lambda each: (each.passes > 0, each.bucket, each.shard)",
        new="key=lambda each: (each.bucket, each.shard)",
        killer=_PARTS,
    ),
    Mutant(
        name="version of a closed shard used again",
        file="shared/adapters/dynamodb/dispatch/ledger.py",
        old="vn = if_not_exists(vn, :base) + :one",
        new="vn = if_not_exists(vn, :zero) + :one",
        killer=_LEDGER,
    ),
    Mutant(
        name="first sweep delayed by a late put",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="            if shard.passes or shard.next_pass_at <= _first_pass_at(shard.bucket)\n",
        new="",
        killer="tests/unit/usecases/ticks/test_sweep_ledger.py",
    ),
    Mutant(
        name="listing that keeps the first pass of a late put",
        file="shared/adapters/dynamodb/dispatch/ledger.py",
        old='"ps = :zero AND np > :np"',
        new='"ps < :zero AND np > :np"',
        killer=_LEDGER,
    ),
    Mutant(
        name="listing that changes the schedule of a swept shard",
        file="shared/adapters/dynamodb/dispatch/ledger.py",
        old='"ps = :zero AND np > :np"',
        new='"ps >= :zero AND np > :np"',
        killer=_LEDGER,
    ),
    Mutant(
        name="reopening that keeps the list of open rows",
        file="shared/adapters/dynamodb/dispatch/ledger.py",
        old='f"{_LISTED}, ou = :ou REMOVE op"',
        new='f"{_LISTED}, ou = :ou"',
        killer=_LEDGER,
    ),
    Mutant(
        name="reopening trusted to its last millisecond",
        file="shared/usecases/filing/open_shards.py",
        old="KEPT_OPEN_MARGIN_MS < until - now_ms",
        new="0 < until - now_ms",
        killer=_OPEN_SHARDS,
    ),
    Mutant(
        name="reopening of a wrong clock trusted",
        file="shared/usecases/filing/open_shards.py",
        old="until - now_ms <= KEPT_OPEN_MS",
        new="until - now_ms",
        killer=_OPEN_SHARDS,
    ),
    Mutant(
        name="reminders of a minute in one shard",
        file="shared/usecases/filing/file_execution.py",
        old="shard=execution.id.entropy % self.scanned.plan.counts_at(bucket).of(bucket)",
        new="shard=0",
        killer="tests/unit/usecases/filing/test_file_reminder.py",
    ),
)
