"""Production's composition over the fakes, with the names that tests use for its use cases."""

from typing import Any

from shared.bootstrap.use_cases import use_cases
from shared.domain.bucket import ShardCounts
from shared.names import QueueName
from shared.usecases.ticks.reconcile_job import ReconcileJob
from tests.support.builders import ONE_SHARD
from tests.support.fakes.sender import AnswerTo, succeeds
from tests.support.settings import settings_of
from tests.support.usecases.ports import EARLY, FakePorts


class UseCases(FakePorts):
    """One deployment in memory."""

    def __init__(
        self,
        now_ms: int = EARLY,
        *,
        counts: ShardCounts = ONE_SHARD,
        answer_to: AnswerTo = succeeds,
        **settings: Any,
    ) -> None:
        """`settings` are those in which the deployment differs from a usual one."""
        super().__init__(now_ms, counts=counts, answer_to=answer_to)
        own = {
            "default_quotas": self.defaults,
            "archive_reader": "archive-reader:live",
            "archive_bucket": "archive",
        }
        self.settings = settings_of(self.plan, self.retention, **(own | settings))
        self.cases = use_cases(self.ports(), self.settings)
        self._name_core()
        self._name_groups()

    def _name_core(self) -> None:
        core = self.cases.core
        self.file = core.file
        self.file_successor = core.file_successor
        self.lifecycle = core.lifecycle
        self.delete_job = core.lifecycle.delete
        self.read_tenant = core.read_tenant
        self.notify = core.notify
        self.finalize = core.finalize
        self.give_up = core.give_up
        self.open_request = core.open_request
        self.find_job = core.find_job
        self.find_execution = core.find_execution
        self.cancel_job = core.cancel_job
        self.reconcile_job = ReconcileJob(
            store=core.ports.executions,
            jobs=core.ports.jobs,
            find_head=core.find_head,
            file=core.file,
            file_successor=core.file_successor,
            settle=core.lifecycle.settle,
            clock=self.clock,
        )

    def _name_groups(self) -> None:
        cases = self.cases
        self.watch = cases.ticks.watch_buckets
        self.sweep = cases.ticks.sweep_buckets
        self.run_attempts = cases.attempts.run_attempts(QueueName.STANDARD)
        self.guard_start = cases.attempts.guard_start
        self.settle_attempt = cases.attempts.settle_attempt
        self.settle_refusal = self.run_attempts.settle_refusal
        self.heartbeat = cases.attempts.heartbeat_execution
        self.report_outcome = cases.attempts.report_outcome
        self.create_tenant = cases.tenancy.create_tenant
        self.authenticate = cases.tenancy.authenticate
        self.check_quota = cases.tenancy.check_quota
        self.create_job = cases.jobs.create_job
        self.create_jobs = cases.jobs.create_jobs
        self.revise_job = cases.jobs.revise_job
        self.trigger_job = cases.jobs.trigger_job
        self.backfill_job = cases.jobs.backfill_job
        self.plan_backfill = cases.jobs.plan_backfill
        self.rescue = cases.dead_letters.handle_dead_messages
        self.list_dead_letters = cases.dead_letters.list_dead_letters
        self.redrive = cases.dead_letters.redrive_execution
        self.start_redrive = cases.dead_letters.start_redrive
        self.undo_redrive = cases.dead_letters.undo_redrive
        self.process_bulk_redrives = cases.dead_letters.process_bulk_redrives
        self.process_bulk_tasks = cases.bulk.process_bulk_tasks
        self.process_job_tasks = cases.bulk.process_job_tasks
        self.start_job_task = cases.bulk.start_job_task
        self.change_job_task = cases.bulk.change_job_task
        self.cancel_redrive = cases.dead_letters.cancel_redrive
        self.list_executions = cases.listings.list_executions
        self.list_by_time = cases.listings.list_by_time
        self.list_jobs = cases.listings.list_jobs
        self.list_upcoming = cases.listings.list_upcoming
        self.list_due = cases.listings.list_due
        self.next_runs = cases.listings.next_runs
        self.preview_schedule = cases.listings.preview_schedule
        self.explain_wait = cases.listings.explain_wait
        self.run_archive = cases.archive.run
