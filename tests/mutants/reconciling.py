"""Lines of the reconciler that decide whether everything is looked at, and whether silence is told from proof."""

from tests.mutants.mutant import Mutant

_DEFINITIONS = "shared/usecases/ticks/reconcile_definitions.py"
_MINUTES = "shared/usecases/ticks/reconcile_minutes.py"
_BY_DEFINITIONS = "tests/unit/usecases/ticks/test_reconcile_definitions.py"
_BY_MINUTES = "tests/unit/usecases/ticks/test_reconcile_minutes.py"

RECONCILING = (
    Mutant(
        name="reconciler that begins each run with the first definition",
        file=_DEFINITIONS,
        old="        cycle = stored.cycle or ReconcileCycle(",
        new="        cycle = ReconcileCycle(",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="cycle with failed checks that counts as coverage",
        file=_DEFINITIONS,
        old="        elif cycle.unavailable:\n",
        new="        elif cycle.unavailable > 1_000:\n",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="coverage of the parts alone that run",
        file=_DEFINITIONS,
        old="        for segment in set(range(LIVE_SEGMENTS)) - stored.keys():\n",
        new="        for segment in set(part.shards(LIVE_SEGMENTS)) - stored.keys():\n",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="coverage that forgets the instants of a long gap",
        file=_DEFINITIONS,
        old="min(segment.covered_at, segment.checked_until + SETTLE_MINUTES * MINUTE_MS)",
        new="segment.covered_at",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="cycle that passes over the instants of a long gap",
        file=_DEFINITIONS,
        old="        until_at = max(stored.checked_until, min(settled_at, stored.checked_until + LONGEST_WINDOW_MS))\n",
        new="        until_at = settled_at\n",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="check that fails once and is not repeated",
        file=_DEFINITIONS,
        old="        for _ in range(TRIES):\n",
        new="        for _ in range(1):\n",
        killer=_BY_DEFINITIONS,
    ),
    Mutant(
        name="cursor moved behind a group whose jobs are not all recomputed",
        file=_DEFINITIONS,
        old="            if not self._recompute(group, walk.report, has_time, on_recomputed):\n"
        "                return\n",
        new="            self._recompute(group, walk.report, has_time, on_recomputed)\n",
        killer="tests/unit/usecases/ticks/test_reconcile_zones.py",
    ),
    Mutant(
        name="minute with a failed check that counts as compared",
        file=_MINUTES,
        old="            if not failures:\n",
        new="            if is_whole:\n",
        killer=_BY_MINUTES,
    ),
    Mutant(
        name="minute that was cut and counts as compared",
        file=_MINUTES,
        old="            if not is_whole:\n                # With",
        new="            if not report:\n                # With",
        killer=_BY_MINUTES,
    ),
    Mutant(
        name="log that failed and ends the comparison of rows",
        file=_MINUTES,
        old="        except UnavailableError:\n            report.unavailable += 1\n\n    def _check_batch",
        new="        except ValueError:\n            report.unavailable += 1\n\n    def _check_batch",
        killer=_BY_MINUTES,
    ),
    Mutant(
        name="large request that ages in the index of live items",
        file="shared/adapters/dynamodb/jobs/payloads.py",
        old='UpdateExpression="SET #ttl = :ttl REMOVE lp"',
        new='UpdateExpression="SET #ttl = :ttl"',
        killer="tests/conformance/test_live_items.py",
    ),
    Mutant(
        name="progress of a segment that any run may overwrite",
        file="shared/adapters/dynamodb/dispatch/reconcile_progress.py",
        old='                "ConditionExpression": "vn = :before",\n',
        new='                "ConditionExpression": "vn <= :before OR vn > :before",\n',
        killer="tests/conformance/test_reconcile_progress.py",
    ),
)
