"""Recurring jobs that are paused, resumed, updated, completed: where a chain ends, and where the next one begins."""

from tests.mutants.mutant import Mutant

_PAUSE = "tests/unit/usecases/test_pause.py"
_UPDATE = "tests/unit/usecases/test_update.py"
_COMPLETE = "tests/unit/usecases/test_complete.py"
_RECONCILE = "tests/unit/usecases/test_reconcile_job.py"

CHANGES = (
    Mutant(
        name="pause that tombstones only what is due",
        file="shared/usecases/end_chain.py",
        old="        while nominal_at is not None:\n",
        new="        while nominal_at is not None and nominal_at <= now_ms:\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="run that waits for another left behind by the end of its chain",
        file="shared/usecases/end_chain.py",
        old="        waiting = self.end_waiting(job)\n",
        new="        waiting: list[int] = []\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="run that waits for another left behind by the deletion of a job that has ended",
        file="shared/usecases/settle_change.py",
        old="            self.end_chain.end_waiting(job)\n",
        new="            pass\n",
        killer="tests/unit/usecases/test_complete.py",
    ),
    Mutant(
        name="run that waited and never began counted",
        file="shared/usecases/end_chain.py",
        old="runs=first.run - 1 - never_began",
        new="runs=first.run - 1",
        killer="tests/unit/usecases/test_update.py",
    ),
    Mutant(
        name="update made from what another one is about to replace",
        file="shared/usecases/find_job.py",
        old="else found.described",
        new="else found",
        killer="tests/unit/usecases/test_update.py",
    ),
    Mutant(
        name="update that finds itself made and sends for nothing",
        file="shared/usecases/update_job.py",
        old="                self.send_head(renamed)\n",
        new="                pass\n",
        killer="tests/unit/usecases/test_changes_repeated.py",
    ),
    Mutant(
        name="run dropped in a gap without a record",
        file="shared/usecases/file_successor.py",
        old="        self._record_dropped(execution, following)\n",
        new="",
        killer="tests/unit/usecases/test_dropped_runs.py",
    ),
    Mutant(
        name="tombstone that goes before whoever may ask for it",
        file="shared/usecases/end_chain.py",
        old="self.retention.outlives_records_s(now_ms)",
        new="self.retention.expires_at_s(now_ms)",
        killer=_PAUSE,
    ),
    Mutant(
        name="tombstones behind the record of a pause",
        file="shared/usecases/end_chain.py",
        old="            is_over = tombstone is not None and tombstone.missed is not None\n",
        new="            is_over = False\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="record of a pause in one place alone",
        file="shared/usecases/passed_over.py",
        old="            if self.store.get(paused.id_at(nominal_at)) is None:\n",
        new="            if nominal_at:\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="resumption that repeats an instant",
        file="shared/usecases/resume_job.py",
        old="            after_at = max((job.ended_from or job.began_at) - 1, self.clock.now_ms())\n",
        new="            after_at = self.clock.now_ms()\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="resumption that forgets what the pause passed over",
        file="shared/usecases/start_chain.py",
        old="        passed = self.passed_over(before, after_at, now_ms)\n",
        new="        passed = self.passed_over(before, 0, now_ms)\n",
        killer=_PAUSE,
    ),
    Mutant(
        name="shard counts that a new chain takes over from the old one",
        file="shared/usecases/start_chain.py",
        old="            counts=self.plan.counts_at(bucket_of(now_ms)),\n",
        new="",
        killer=_PAUSE,
    ),
    Mutant(
        name="edit without If-Match",
        file="shared/usecases/update_job.py",
        old="            check_revision(job, revision)\n",
        new="",
        killer=_UPDATE,
    ),
    Mutant(
        name="new schedule that waits for the head of the old one",
        file="shared/usecases/end_chain.py",
        old="        after_at = job.began_at - 1 if started_at is None else started_at\n",
        new="        after_at = first.nominal_at - 1 if started_at != 0 else 0\n",
        killer=_UPDATE,
    ),
    Mutant(
        name="update that forgets what was late",
        file="shared/usecases/settle_change.py",
        old="        if change.schedule != job.schedule:\n",
        new="        if change.schedule:\n",
        killer=_UPDATE,
    ),
    Mutant(
        name="new name that begins a new chain",
        file="shared/domain/job.py",
        old="        return replace(self, name=None, tags=()) != replace(other, name=None, tags=())\n",
        new="        return replace(self, name=None) != replace(other, name=None)\n",
        killer=_UPDATE,
    ),
    Mutant(
        name="job of which others change the name never completed",
        file="shared/usecases/file_successor.py",
        old="        for _ in range(COMPLETION_TRIES):\n",
        new="        for _ in range(1):\n",
        killer=_COMPLETE,
    ),
    Mutant(
        name="target looked for behind the record that ends a chain",
        file="shared/usecases/file_successor.py",
        old="        if filed.missed is not None and not filed.ends_chain:\n",
        new="        if filed.missed is not None:\n",
        killer=_COMPLETE,
    ),
    Mutant(
        name="change that was left and that nobody finishes",
        file="shared/usecases/reconcile_job.py",
        old="        elif job.state in CHANGING and",
        new="        elif job.state not in CHANGING and",
        killer=_RECONCILE,
    ),
    Mutant(
        name="audit of the present chain alone",
        file="shared/usecases/reconcile_job.py",
        old="        if job.began_at > max(from_at, job.created_at + 1):\n",
        new="        if job.began_at < 0:\n",
        killer=_RECONCILE,
    ),
    Mutant(
        name="audit that files without checking the revision of the chain",
        file="shared/adapters/dynamodb/job_store.py",
        old='"ConditionExpression": "v = :version AND s = :active AND cr = :revision",',
        new='"ConditionExpression": "v = :version AND s = :active AND (cr = :revision OR cr <> :revision)",',
        killer="tests/conformance/test_job_store.py",
    ),
    Mutant(
        name="jump without checking the revision of the chain",
        file="shared/adapters/dynamodb/job_store.py",
        old="s = :active AND cr = :revision AND cf < :target",
        new="s = :active AND (cr = :revision OR cr <> :revision) AND cf < :target",
        killer="tests/conformance/test_jump.py",
    ),
    Mutant(
        name="change of whatever revision stands",
        file="shared/adapters/dynamodb/job_store.py",
        old="s = :state AND rv = :revision AND cf = :chain_from",
        new="s = :state AND (rv = :revision OR rv <> :revision) AND cf = :chain_from",
        killer="tests/conformance/test_job_changes.py",
    ),
)
