"""Faults that the suites must find: each is one small change of the source, and the suite that has to die of it."""

from dataclasses import dataclass

SIMULATION = "simulation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """`old` stands exactly once in `file`. `killer` is the simulation, or the tests to run."""

    name: str
    file: str
    old: str
    new: str
    killer: str = SIMULATION


_CONFORMANCE = "tests/conformance"
_UNIT = "tests/unit/usecases"
_ATTEMPT_MODEL = "tests/models/test_attempts.py"
_FILING_MODEL = "tests/models/test_filing.py"
_CHAIN_MODEL = "tests/models/test_chain.py"

MUTANTS = (
    Mutant(
        name="mark before send",
        file="shared/usecases/watch_buckets.py",
        old="if lease is not None and self._scan(lease, report) and self.ledger.finish(lease):",
        new="if lease is not None and self.ledger.finish(lease) and self._scan(lease, report):",
    ),
    Mutant(
        name="no claim",
        file="shared/usecases/run_attempts.py",
        old="            if isinstance(answer, Refused):\n",
        new="            if isinstance(answer, Refused) and answer.existing and answer.existing.owner:\n"
        "                return await self.make_attempt(answer.existing)\n"
        "            if isinstance(answer, Refused):\n",
    ),
    Mutant(
        name="no fence at completion",
        file="shared/adapters/dynamodb/conditions.py",
        old=" AND a = :attempt AND ow = :owner",
        new=" AND (a = :attempt OR a <> :attempt) AND (ow = :owner OR ow <> :owner)",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="attempt counted after the call",
        file="shared/adapters/dynamodb/claims.py",
        old="a = a + :one",
        new="a = a + :one - :one",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="cursor moved before send",
        file="shared/usecases/watch_buckets.py",
        old="            report.unreadable += len(page.unreadable)\n",
        new="            report.unreadable += len(page.unreadable)\n"
        "            if page.next_after is not None and not self.ledger.advance(lease, page.next_after):\n"
        "                return False\n",
    ),
    Mutant(
        name="no second look at the clock after the put",
        file="shared/usecases/file_execution.py",
        old="        self.ensure_sent(existing or filed)\n",
        new="        if state is State.QUEUED:\n            self.send([wakeup_for(existing or filed)])\n",
    ),
    Mutant(
        name="acknowledge before send",
        file="shared/usecases/file_execution.py",
        old="        if self.queue.send(wakeups, self.clock.now_ms()):\n",
        new="        if self.queue.send(wakeups, self.clock.now_ms()) and not wakeups:\n",
    ),
    Mutant(
        name="eventually consistent index instead of strong reads",
        file="tests/simulation/world.py",
        old="STALE_MS = 0",
        new="STALE_MS = 15_000",
    ),
    Mutant(
        name="ignore Failed[]",
        file="shared/adapters/sqs/wakeup_queue.py",
        old="if number not in accepted]",
        new="if number not in accepted and not accepted]",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="ignore messages that the queue gave back",
        file="shared/usecases/watch_buckets.py",
        old="        return not waiting\n",
        new="        return True\n",
    ),
    Mutant(
        name="ignore unprocessed keys",
        file="shared/adapters/dynamodb/execution_store.py",
        old='keys = unprocessed.get(self._table, {}).get("Keys", [])',
        new="keys = unprocessed.get('', [])",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="drop LastEvaluatedKey in the watch",
        file="shared/usecases/watch_buckets.py",
        old="            if page.next_after is None:\n",
        new="            if page.rows or page.next_after is None:\n",
    ),
    Mutant(
        name="drop LastEvaluatedKey in the sweep",
        file="shared/usecases/sweep_buckets.py",
        old="            after = page.next_after\n",
        new="            after = None\n",
    ),
    Mutant(
        name="drop the message while another's lease lives",
        file="shared/usecases/settle_refusal.py",
        old="kind=Refusal.HELD, is_done=False",
        new="kind=Refusal.HELD, is_done=True",
        killer=_UNIT,
    ),
    Mutant(
        name="next instant from now",
        file="shared/domain/misfire.py",
        old="immediate_at = first_after(schedule, nominal_at)",
        new="immediate_at = first_after(schedule, max(nominal_at, now_ms))",
    ),
    Mutant(
        name="TTL row treated as absent",
        file="shared/adapters/dynamodb/conditions.py",
        old='ABSENT = "attribute_not_exists(pk)"',
        new='ABSENT = "attribute_not_exists(pk) OR attribute_exists(rs)"',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="shard taken modulo the current count while the count grows",
        file="tests/simulation/world.py",
        old="FROZEN = True",
        new="FROZEN = False",
    ),
    Mutant(
        name="claim without the attempt limit",
        file="shared/adapters/dynamodb/conditions.py",
        old="a < mx AND attribute_not_exists(sr)",
        new="attribute_not_exists(sr)",
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="own lost claim read as another's",
        file="shared/adapters/dynamodb/claims.py",
        old="existing.owner == owner else",
        new='existing.owner == "" else',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="retry message refused as not due and dropped",
        file="shared/usecases/settle_refusal.py",
        old="            self.file.wake_for_retry(existing, existing.starts_at)\n",
        new="",
    ),
    Mutant(
        name="dead-letter handler that fails what has attempts left",
        file="shared/usecases/rescue_dead_letters.py",
        old="        if execution.has_attempts_left:\n",
        new="        if not execution.retry.max_attempts:\n",
        killer=_UNIT,
    ),
    Mutant(
        name="early put-back not listed as failed",
        file="shared/usecases/run_attempts.py",
        old="                report.settled.append(_return(delivery, -(-early_ms // 1000)))\n",
        new="                report.settled.append(Settled(delivery=delivery, verdict=Verdict.DONE))\n",
    ),
    Mutant(
        name="delete the message before completion",
        file="shared/usecases/make_attempt.py",
        old="is_done=successor.result() and is_settled,",
        new="is_done=True,",
    ),
    Mutant(
        name="successor from a tombstone",
        file="shared/usecases/file_successor.py",
        old="if execution.recurrence is None or execution.ends_chain:",
        new="if execution.recurrence is None:",
    ),
    Mutant(
        name="deletion that tombstones one instant only",
        file="shared/usecases/delete_recurring_job.py",
        old="            if stuck and (far_enough_at is None or nominal_at >= far_enough_at):\n",
        new="            if True:\n",
    ),
    Mutant(
        name="call before the time",
        file="shared/usecases/make_attempt.py",
        old="        while (early_ms := execution.starts_at - self.clock.now_ms()) > 0:\n",
        new="        while (early_ms := execution.starts_at - self.clock.now_ms() - 1_000) > 0:\n",
    ),
    Mutant(
        name="call though the lease does not cover the timeout",
        file="shared/usecases/make_attempt.py",
        old="        if lease_left_ms < execution.timeout_ms:\n",
        new="        if lease_left_ms < -3_600_000:\n",
        killer=_UNIT,
    ),
    Mutant(
        name="closed bucket not reopened",
        file="shared/usecases/file_execution.py",
        old="        if not may_be_closed(location.bucket, now_ms):\n",
        new="        if location.bucket:\n",
    ),
    Mutant(
        name="sweep closes what is unfinished",
        file="shared/usecases/sweep_buckets.py",
        old="        if state.unfinished == 0:\n",
        new="        if state.unfinished <= 1:\n",
    ),
    Mutant(
        name="cancel while an attempt runs",
        file="shared/domain/execution.py",
        old='CANCEL = ("cancel", NOT_STARTED | {State.WAITING}, State.CANCELLED)',
        new='CANCEL = ("cancel", NOT_STARTED | {State.WAITING, State.RUNNING}, State.CANCELLED)',
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="no claim of what a dead worker left behind",
        file="shared/domain/execution.py",
        old='CLAIM = ("claim", NOT_STARTED | {State.WAITING, State.RUNNING}, State.RUNNING)',
        new='CLAIM = ("claim", NOT_STARTED | {State.WAITING}, State.RUNNING)',
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="one attempt more than the policy has",
        file="shared/domain/execution.py",
        old="return self.attempt < self.retry.max_attempts and not self.stop_retries",
        new="return self.attempt <= self.retry.max_attempts and not self.stop_retries",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="attempts left though retries were stopped",
        file="shared/domain/execution.py",
        old="return self.attempt < self.retry.max_attempts and not self.stop_retries",
        new="return self.attempt < self.retry.max_attempts",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="claim under a live lease",
        file="shared/domain/execution.py",
        old="return self.lease_until + 1 if self.lease_until is not None else None",
        new="return 0 if self.lease_until is not None else None",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="live leases taken for dead ones",
        file="shared/domain/execution.py",
        old="return self.lease_until is not None and self.lease_until < now_ms",
        new="return self.lease_until is not None and self.lease_until > now_ms",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="sweep that leaves retries whose message was lost",
        file="shared/domain/sweep.py",
        old="row.next_attempt_at + RETRY_GRACE_MS <= context.now_ms",
        new="row.next_attempt_at + RETRY_GRACE_MS > context.now_ms",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="sweep that leaves what a dead worker left behind",
        file="shared/domain/sweep.py",
        old="if row.claimable_from is not None and row.claimable_from <= context.now_ms:",
        new="if row.claimable_from is not None and row.claimable_from > context.now_ms:",
        killer=_ATTEMPT_MODEL,
    ),
    Mutant(
        name="writers without a guard against the clocks of watchers",
        file="shared/domain/bucket.py",
        old="return now_ms >= bucket_start_ms(bucket) - LOOK_AHEAD_MS - GUARD_MS",
        new="return now_ms >= bucket_start_ms(bucket) - LOOK_AHEAD_MS",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="writers without a guard against the clocks of sweepers",
        file="shared/domain/bucket.py",
        old="return now_ms >= bucket_end_ms(bucket) + FIRST_SWEEP_MS - GUARD_MS",
        new="return now_ms >= bucket_end_ms(bucket) + FIRST_SWEEP_MS",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="watch of a bucket before the look-ahead",
        file="shared/domain/bucket.py",
        old="return range(bucket_of(now_ms), bucket_of(now_ms + LOOK_AHEAD_MS) + 1)",
        new="return range(bucket_of(now_ms), bucket_of(now_ms + LOOK_AHEAD_MS) + 2)",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="later passes that leave what a first pass leaves",
        file="shared/domain/sweep.py",
        old="if not context.is_first_pass or row.state is State.QUEUED or context.scan_began_at is None:",
        new="if row.state is State.QUEUED or context.scan_began_at is None:",
        killer=_FILING_MODEL,
    ),
    Mutant(
        name="tombstone that what was sent for does not take",
        file="shared/domain/execution.py",
        old='END_CHAIN = ("end_chain", NOT_STARTED, State.CANCELLED)',
        new='END_CHAIN = ("end_chain", frozenset({State.PENDING}), State.CANCELLED)',
        killer=_CHAIN_MODEL,
    ),
    Mutant(
        name="record of a jump that leaves out what was missed",
        file="shared/domain/misfire.py",
        old="last_at = latest_at_or_before(self.schedule, until_ms, self.immediate_at) or self.immediate_at",
        new="last_at = self.immediate_at",
        killer=_CHAIN_MODEL,
    ),
    Mutant(
        name="jump that goes on at an instant that it passed over",
        file="shared/domain/misfire.py",
        old="            nominal_at=goes_on_at,\n",
        new="            nominal_at=last_at,\n",
        killer=_CHAIN_MODEL,
    ),
)
