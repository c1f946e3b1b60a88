"""The chains of recurring jobs: successors, jumps, tombstones, the audit."""

from tests.mutants.mutant import Mutant

_MESSAGES = "tests/unit/usecases/attempts/test_messages_of_chains.py"

CHAINS = (
    Mutant(
        name="second message of a run that makes one of each later run",
        file="shared/usecases/attempts/settle_refusal.py",
        old="        if not existing.progress.successor_sent:\n",
        new="        if existing is not None:\n",
        killer=_MESSAGES,
    ),
    Mutant(
        name="retry that sends the message of the next run again",
        file="shared/usecases/attempts/make_attempt.py",
        old="        if execution.recurrence is None or execution.progress.successor_sent:\n",
        new="        if execution.recurrence is None:\n",
        killer=_MESSAGES,
    ),
    Mutant(
        name="note of a successor that was not sent",
        file="shared/usecases/attempts/make_attempt.py",
        old=" and successor.exception() is None and successor.result()\n",
        new="\n",
        killer=_MESSAGES,
    ),
    Mutant(
        name="outcome of a quick call that does not wait for the note of its successor",
        file="shared/usecases/attempts/make_attempt.py",
        old="            await asyncio.wait([successor], timeout=NOTE_WAIT_SECONDS)\n",
        new="            pass\n",
        killer=_MESSAGES,
    ),
    Mutant(
        name="note of a sent successor that is not stored with an outcome",
        file="shared/adapters/dynamodb/executions/execution_store.py",
        old="        sets[SUCCESSOR_SENT] = finish.successor_sent or None\n",
        new="",
        killer="tests/conformance/test_execution_attempts.py",
    ),
    Mutant(
        name="next instant from now",
        file="shared/domain/jobs/misfire.py",
        old="immediate_at = first_after(schedule, nominal_at)",
        new="immediate_at = first_after(schedule, max(nominal_at, now_ms))",
        killer="tests/unit/domain/jobs/test_misfire.py",
    ),
    Mutant(
        name="successor from a tombstone",
        file="shared/usecases/filing/file_successor.py",
        old="if execution.recurrence is None or execution.progress.ends_chain:",
        new="if execution.recurrence is None:",
        killer="tests/unit/usecases/chains/test_delete.py",
    ),
    Mutant(
        name="no successor from a message met while waiting",
        file="shared/usecases/attempts/settle_refusal.py",
        old="            # The previous attempt may have filed no successor, and the retry may be hours away.\n"
        "            self._ensure_successor(existing)\n",
        new="            # The previous attempt may have filed no successor, and the retry may be hours away.\n",
        killer="tests/unit/usecases/attempts/test_execute_refused.py",
    ),
    Mutant(
        name="deletion acknowledged before its chain has ended",
        file="shared/usecases/chains/complete_transition.py",
        old="ended, records = self._recorded(job, self.end_chain.execute(job))",
        new="ended, records = job, []",
        killer="tests/unit/usecases/chains/test_delete.py",
    ),
    Mutant(
        name="tombstone that is no end of the chain",
        file="shared/usecases/chains/end_chain.py",
        old="end_reason=reason, ends_chain=True)\n",
        new="end_reason=reason, ends_chain=False)\n",
        killer="tests/unit/usecases/chains/test_delete.py",
    ),
    Mutant(
        name="jump without competing for the immediate key",
        file="tests/support/fakes/job_store.py",
        old="        is_filed = skipped.id in self._table.executions or target.id in self._table.executions\n",
        new="        is_filed = target.id in self._table.executions\n",
        killer="tests/unit/usecases/filing/test_jump.py",
    ),
    Mutant(
        name="audit without a guard",
        file="shared/usecases/ticks/reconcile_job.py",
        old="        if not self.jobs.file_if_active(filed):\n",
        new="        if self.file.store.put_if_absent(filed) is not None:\n",
        killer="tests/unit/usecases/ticks/test_reconcile_definitions.py",
    ),
)
