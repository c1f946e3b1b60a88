"""FILE, WATCH and SWEEP: what is accepted is found and sent for."""

from tests.mutants.mutant import Mutant

FILING = (
    Mutant(
        name="mark before send",
        file="shared/usecases/ticks/watch_buckets.py",
        old="if lease is not None and self._scan(lease, report) and self.ledger.finish(lease):",
        new="if lease is not None and self.ledger.finish(lease) and self._scan(lease, report):",
        killer="tests/unit/usecases/ticks/test_watch_cursor.py",
    ),
    Mutant(
        name="cursor moved before send",
        file="shared/usecases/ticks/watch_buckets.py",
        old="            report.unreadable += len(page.unreadable)\n",
        new="            report.unreadable += len(page.unreadable)\n"
        "            if page.next_after is not None and not self.ledger.advance(lease, page.next_after):\n"
        "                return False\n",
        killer="tests/unit/usecases/ticks/test_watch_cursor.py",
    ),
    Mutant(
        name="no second look at the clock after the put",
        file="shared/usecases/filing/file_execution.py",
        old="        self.ensure_sent(existing or filed)\n",
        new="        if filed.state is State.QUEUED:\n            self.send([wakeup_for(existing or filed)])\n",
        killer="tests/unit/usecases/filing/test_file_execution.py",
    ),
    Mutant(
        name="acknowledge before send",
        file="shared/usecases/filing/file_execution.py",
        old="        if self.queue.send(wakeups, self.clock.now_ms()):\n",
        new="        if self.queue.send(wakeups, self.clock.now_ms()) and not wakeups:\n",
    ),
    Mutant(
        name="eventually consistent index instead of strong reads",
        file="tests/simulation/planted.py",
        old="STALE_MS = 0",
        new="STALE_MS = 15_000",
    ),
    Mutant(
        name="ignore Failed[]",
        file="shared/adapters/sqs/wakeup_queue.py",
        old="if number not in accepted]",
        new="if number not in accepted and not accepted]",
        killer="tests/conformance/test_sqs_requests.py",
    ),
    Mutant(
        name="ignore messages that the queue gave back",
        file="shared/usecases/ticks/watch_buckets.py",
        old="        return not unsent\n",
        new="        return True\n",
        killer="tests/unit/usecases/ticks/test_watch_cursor.py",
    ),
    Mutant(
        name="ignore unprocessed keys",
        file="shared/adapters/dynamodb/batch_reads.py",
        old='left = unprocessed.get(self.table, {}).get("Keys", [])',
        new="left = unprocessed.get('', [])",
        killer="tests/conformance/test_dynamodb_faults.py",
    ),
    Mutant(
        name="drop LastEvaluatedKey in the watch",
        file="shared/usecases/ticks/watch_buckets.py",
        old="            if page.next_after is None:\n",
        new="            if page.rows or page.next_after is None:\n",
    ),
    Mutant(
        name="drop LastEvaluatedKey in the sweep",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="            after = page.next_after\n",
        new="            after = None\n",
    ),
    Mutant(
        name="watch without a second try",
        file="shared/usecases/ticks/watch_buckets.py",
        old="        failed = [scan for scan in failed if not self._try(scan, report)]\n",
        new="        failed = list(failed)\n",
        killer="tests/unit/usecases/ticks/test_watch.py",
    ),
    Mutant(
        name="sweep that an unanswered list stops",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="            report.unavailable += 1\n            return shards\n",
        new="            return []\n",
        killer="tests/unit/usecases/ticks/test_sweep_faults.py",
    ),
    Mutant(
        name="TTL row treated as absent",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old='ABSENT = "attribute_not_exists(pk)"',
        new='ABSENT = "attribute_not_exists(pk) OR attribute_exists(rs)"',
        killer="tests/conformance/test_execution_filing.py",
    ),
    Mutant(
        name="shard taken modulo the current count while the count grows",
        file="tests/simulation/planted.py",
        old="FROZEN = True",
        new="FROZEN = False",
    ),
    Mutant(
        name="closed bucket not reopened",
        file="shared/usecases/filing/file_execution.py",
        old="        if not may_be_closed(location.bucket, now_ms):\n",
        new="        if location.bucket:\n",
        killer="tests/unit/usecases/filing/test_file_into_closed_bucket.py",
    ),
    Mutant(
        name="sweep closes what is unfinished",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="        if state.unfinished == 0:\n",
        new="        if state.unfinished <= 1:\n",
        killer="tests/unit/usecases/ticks/test_sweep.py",
    ),
    Mutant(
        name="shard not recorded before the put",
        file="shared/usecases/filing/file_execution.py",
        old="        self.scanned.ensure(location)\n",
        new="",
        killer="tests/unit/usecases/filing/test_scanned_shards.py",
    ),
    Mutant(
        name="watch by the plan of one's own release alone",
        file="shared/usecases/ticks/watch_buckets.py",
        old="            return self.scanned.scan_plan(), None\n",
        new="            return self.scanned.plan, None\n",
        killer="tests/unit/usecases/filing/test_scanned_shards.py",
    ),
    Mutant(
        name="scans by the plan of one's own release alone",
        file="shared/domain/bucket.py",
        old="replace(epoch, counts=epoch.counts.grown_to(recorded))",
        new="epoch",
    ),
    Mutant(
        name="upper shards of swept buckets not listed after a growth",
        file="shared/usecases/ticks/sweep_buckets.py",
        old="        has_grown = not mark.recorded.covers(recorded)\n",
        new="        has_grown = False\n",
        killer="tests/unit/usecases/filing/test_scanned_shards.py",
    ),
)
