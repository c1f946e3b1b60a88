"""Attempts that go on after their calls, and what receivers report of them."""

from tests.mutants.mutant import Mutant

_ASYNC = "tests/unit/usecases/attempts/test_execute_async.py"
_HEARTBEAT = "tests/unit/usecases/attempts/test_heartbeat.py"
_REPORT = "tests/unit/usecases/attempts/test_report_outcome.py"
_REPORT_FAULTS = "tests/unit/usecases/attempts/test_report_faults.py"
_GONE = "tests/unit/usecases/outcomes/test_gone.py"
_PAYLOADS = "tests/unit/usecases/requests/test_payload_lifetime.py"
_LEASE = "tests/unit/usecases/attempts/test_execute_lease.py"

CALLBACKS = (
    Mutant(
        name="token of another attempt taken for this one's",
        file="shared/domain/executions/callback_token.py",
        old="(execution.attempt, execution.progress.owner) == (self.attempt, self.owner)",
        new="execution.attempt >= self.attempt",
        killer=_HEARTBEAT,
    ),
    Mutant(
        name="token of one execution good for another",
        file="shared/domain/executions/callback_token.py",
        old='mac = make_code(f"{execution_id}|{attempt}|{owner}".encode())',
        new='mac = make_code(f"{attempt}".encode())',
        killer=_HEARTBEAT,
    ),
    Mutant(
        name="token that nobody checks",
        file="shared/domain/executions/callback_token.py",
        old="        return compare_digest(self.code, _code(execution_id, self.attempt, self.owner, make_code))\n",
        new="        return len(self.code) == len(_code(execution_id, self.attempt, self.owner, make_code))\n",
        killer=_HEARTBEAT,
    ),
    Mutant(
        name="heartbeat beyond the deadline",
        file="shared/domain/delivery/async_policy.py",
        old="return min(now_ms + self.heartbeat_seconds * 1000, deadline_at)",
        new="return now_ms + self.heartbeat_seconds * 1000",
        killer=_HEARTBEAT,
    ),
    Mutant(
        name="heartbeat after the deadline",
        file="shared/usecases/attempts/heartbeat_execution.py",
        old="        if now_ms >= deadline_at:\n",
        new="        if now_ms >= deadline_at + 60_000:\n",
        killer=_HEARTBEAT,
    ),
    Mutant(
        name="heartbeat that shortens a lease",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old='f"{own.expression} AND ca <= :ca"',
        new='f"{own.expression} AND (ca <= :ca OR ca > :ca)"',
        killer="tests/conformance/test_extend_lease.py",
    ),
    Mutant(
        name="attempt that goes on by the deadline of an earlier one",
        file="shared/adapters/dynamodb/codec/execution_fields.py",
        old="return until if claims == running else None",
        new="return until if running is not None else None",
        killer="tests/conformance/test_extend_lease.py",
    ),
    Mutant(
        name="message of an attempt that goes on dropped without its successor",
        file="shared/usecases/attempts/settle_refusal.py",
        old="the sweeper monitors the lease.\n            self._ensure_successor(existing)\n",
        new="the sweeper monitors the lease.\n",
        killer=_ASYNC,
    ),
    Mutant(
        name="202 of a worker that was overtaken",
        file="shared/usecases/attempts/settle_attempt.py",
        old="is_same_claim(execution, existing) and existing.progress.async_until is not None",
        new="existing.state is State.RUNNING",
        killer=_ASYNC,
    ),
    Mutant(
        name="second outcome for a repeated report",
        file="shared/usecases/attempts/report_outcome.py",
        old="        if recorded.get(attempt) is not reason:\n",
        new="        if attempt not in recorded:\n",
        killer=_REPORT,
    ),
    Mutant(
        name="retry that nobody wakes when its report is repeated",
        file="shared/usecases/attempts/report_outcome.py",
        old="            self.file.wake_for_retry(existing, existing.not_before)\n",
        new="            return\n",
        killer=_REPORT_FAULTS,
    ),
    Mutant(
        name="report acknowledged though its retry has no message",
        file="shared/usecases/attempts/report_outcome.py",
        old="        if not settlement.is_done:\n",
        new="        if not settlement.end:\n",
        killer=_REPORT_FAULTS,
    ),
    Mutant(
        name="lane that is behind keeps an attempt waiting that has no message",
        file="shared/domain/dispatch/sweep.py",
        old="row.claimable_from > (context.last_resend_at or 0)",
        new="row.claimable_from < 0",
        killer="tests/unit/usecases/ticks/test_sweep_async.py",
    ),
    Mutant(
        name="no look again when the lease of an attempt that goes on ends",
        file="shared/domain/dispatch/sweep.py",
        old="return row.claimable_from if row.state is State.RUNNING else None",
        new="return row.claimable_from if row.state is State.RUNNING and not row.async_accepted else None",
        killer="tests/unit/usecases/ticks/test_sweep_async.py",
    ),
    Mutant(
        name="renewal of a lease that another holds",
        file="shared/usecases/attempts/call_receiver.py",
        old="            return renewed if is_granted else claimed\n",
        new="            return renewed if is_granted or existing else claimed\n",
        killer=_LEASE,
    ),
    Mutant(
        name="renewal that does not ask for the job",
        file="shared/usecases/attempts/call_receiver.py",
        old="execution.progress.claims == 1 and not is_renewed",
        new="execution.progress.claims == 1",
        killer=_LEASE,
    ),
    Mutant(
        name="pause of a job that was resumed since",
        file="shared/usecases/outcomes/finalize_execution.py",
        old="job.state is JobState.ACTIVE and job.chain_revision == ended.revision",
        new="job.state is JobState.ACTIVE",
        killer=_GONE,
    ),
    Mutant(
        name="message done before the job of a gone receiver is paused",
        file="shared/usecases/attempts/settle_attempt.py",
        old="is_done=self._is_finalized(ended),",
        new="is_done=self._is_finalized(ended) or True,",
        killer=_GONE,
    ),
    Mutant(
        name="large request of a one-off that never goes",
        file="shared/usecases/jobs/draft_job.py",
        old="            expires_at_s=expires_at_s,\n",
        new="            expires_at_s=None,\n",
        killer=_PAYLOADS,
    ),
    Mutant(
        name="replay that shortens the life of a large request",
        file="shared/adapters/dynamodb/jobs/payloads.py",
        old=", Item=payload_item(payload), ConditionExpression=ABSENT\n",
        new=", Item=payload_item(payload)\n",
        killer="tests/conformance/test_job_store.py",
    ),
    Mutant(
        name="large request that is read only when its call is due",
        file="shared/usecases/attempts/call_receiver.py",
        old="        ahead = await self._read_ahead(claimed)\n",
        new="        ahead: list[bytes] = []\n",
        killer="tests/unit/usecases/attempts/test_execute_retries.py",
    ),
    Mutant(
        name="jobs of a batch that are filed without their large requests",
        file="shared/usecases/jobs/create_jobs.py",
        old="for draft in self._with_payloads(drafts)]",
        new="for draft in drafts]",
        killer="tests/unit/usecases/jobs/test_create_jobs.py",
    ),
    Mutant(
        name="large request of a batch that fails its job where it was stored before",
        file="shared/adapters/dynamodb/executions/one_off_batches.py",
        old="if failure is None or is_taken(failure) else",
        new="if failure is None else",
        killer="tests/conformance/test_one_off_batches_faults.py",
    ),
    Mutant(
        name="large request that ends before its job, moved to later",
        file="shared/usecases/jobs/update_one_off.py",
        old="        self._keep_payload(after)\n",
        new="",
        killer=_PAYLOADS,
    ),
    Mutant(
        name="large request that ends under an execution that is still open",
        file="shared/usecases/ticks/sweep_shard.py",
        old="            self.keep_late_payload.execute(row, state.context.now_ms)\n",
        new="",
        killer=_PAYLOADS,
    ),
    Mutant(
        name="large request of a change that another process still completes, collected",
        file="shared/usecases/ticks/collect_payloads.py",
        old="        return request.payload_id in (job.call.payload_id, pending)\n",
        new="        return request.payload_id == job.call.payload_id\n",
        killer=_PAYLOADS,
    ),
    Mutant(
        name="large request of a creation that may be replayed, collected",
        file="shared/usecases/ticks/collect_payloads.py",
        old="request.stored_at >= now_ms - MIN_AGE_MS or ",
        new="",
        killer=_PAYLOADS,
    ),
    Mutant(
        name="every 202 goes on",
        file="shared/adapters/http/response.py",
        old='.strip().lower() == "true"',
        new='.strip().lower() != "maybe"',
        killer="tests/delivery/test_async_answers.py",
    ),
)
