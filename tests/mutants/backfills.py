"""Backfills: what they are for, when they end, and whose they are."""

from tests.mutants.mutant import Mutant

_MADE = "tests/unit/usecases/jobs/test_backfill.py"
_INTERLEAVED = "tests/unit/usecases/jobs/test_backfill_interleaved.py"
_STORE = "tests/conformance/test_backfills.py"

BACKFILLS = (
    Mutant(
        name="run of a backfill that tells another instant than its own",
        file="shared/domain/schedules/backfill.py",
        old="    return instants[backfill.first + backfill.index_at(nominal_at)]\n",
        new="    return instants[backfill.index_at(nominal_at)]\n",
    ),
    Mutant(
        name="backfill that has its end, too",
        file="shared/domain/jobs/new_backfill.py",
        old="count_between(of, self.from_at - 1, self.to_at - 1, MAX_BACKFILLED + 1)",
        new="count_between(of, self.from_at, self.to_at, MAX_BACKFILLED + 1)",
        killer="tests/unit/domain/schedules/test_backfill.py",
    ),
    Mutant(
        name="deletion that forgets the backfills of its job",
        file="shared/usecases/chains/complete_transition.py",
        old="        self.delete_backfills.execute(job, partial(self.execute, stops_at=stops_at))\n",
        new="",
    ),
    Mutant(
        name="deletion that leaves completed backfills with their retries",
        file="shared/usecases/chains/delete_backfills.py",
        old="if backfill is None or backfill.state is JobState.DELETED:",
        new="if backfill is None or backfill.state in (JobState.DELETED, JobState.COMPLETED):",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="resumption of a backfill that leaves out what was held",
        file="shared/usecases/chains/resume_job.py",
        old="            if isinstance(job.schedule, Backfill):\n",
        new="            if isinstance(job.schedule, Backfill) and job.ended_from is None:\n",
    ),
    Mutant(
        name="backfill filed whatever revision its job is at",
        file="shared/adapters/dynamodb/jobs/backfills.py",
        old="f\"v <= :version AND s IN ({', '.join(names)}) AND rv = :revision\"",
        new="f\"v <= :version AND s IN ({', '.join(names)}) AND (rv = :revision OR rv <> :revision)\"",
        killer=_STORE,
    ),
    Mutant(
        name="backfill filed for a job that is being deleted",
        file="shared/adapters/dynamodb/jobs/backfills.py",
        old="            (JobState.ACTIVE, JobState.PAUSED, JobState.COMPLETED),\n",
        new="            tuple(JobState),\n",
        killer=_STORE,
    ),
    Mutant(
        name="late backfill that catches up with one run alone",
        file="shared/domain/jobs/new_backfill.py",
        old="            catch_up=ALL_RUNS,\n",
        new="",
        killer=_MADE,
    ),
    Mutant(
        name="replay of a backfill that sends for nothing",
        file="shared/usecases/jobs/backfill_job.py",
        old="            self.resend_chain_head.execute(existing)\n"
        "            return CreatedBackfill(job=existing, replayed=True)\n",
        new="            return CreatedBackfill(job=existing, replayed=True)\n",
        killer=_INTERLEAVED,
    ),
    Mutant(
        name="backfill under the key of another job",
        file="shared/domain/jobs/new_backfill.py",
        old="    parts = (job_id, new.from_at,",
        new="    parts = (job_id[:0], new.from_at,",
        killer=_MADE,
    ),
)
