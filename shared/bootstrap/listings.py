"""The use cases that list: what was, what is and what will be."""

from dataclasses import dataclass
from functools import cached_property

from shared.adapters.dynamodb.listings.queries import DynamoQueries
from shared.bootstrap.callbacks import CallbackParts
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.listings.list_due import ListDue
from shared.usecases.listings.list_executions import ListExecutions
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.listings.list_upcoming import ListUpcoming
from shared.usecases.listings.next_runs import NextRuns
from shared.usecases.listings.preview_schedule import PreviewSchedule
from shared.usecases.reading.find_execution import FindExecution


@dataclass(frozen=True)
class Listings:
    """Each part is made when it is first asked for."""

    parts: CallbackParts

    @cached_property
    def queries(self) -> DynamoQueries:
        """Questions about many things at once."""
        settings = self.parts.settings
        return DynamoQueries(
            self.parts.core.dynamodb, settings.jobs_table, settings.executions_table, settings.region
        )

    def find_execution(self) -> FindExecution:
        """GET /v1/executions/{id}."""
        return FindExecution(store=self.parts.core.store)

    def list_executions(self) -> ListExecutions:
        """GET /v1/jobs/{id}/executions."""
        core = self.parts.core
        return ListExecutions(
            find=self.parts.find_job, store=core.store, walk=WalkHistory(jobs=core.jobs, clock=core.clock)
        )

    def list_by_time(self) -> ListByTime:
        """GET /v1/executions."""
        return ListByTime(queries=self.queries, store=self.parts.core.store)

    def list_jobs(self) -> ListJobs:
        """GET /v1/jobs."""
        return ListJobs(queries=self.queries, store=self.parts.core.store)

    def list_upcoming(self) -> ListUpcoming:
        """GET /v1/upcoming."""
        core = self.parts.core
        limited_runs = LimitedRuns(store=core.store)
        return ListUpcoming(
            queries=self.queries, store=core.store, limited_runs=limited_runs, clock=core.clock
        )

    def list_due(self) -> ListDue:
        """GET /v1/admin/upcoming."""
        plan = self.parts.settings.shard_plan
        return ListDue(queries=self.queries, clock=self.parts.core.clock, plan=plan)

    def next_runs(self) -> NextRuns:
        """GET /v1/jobs/{id}/upcoming."""
        core = self.parts.core
        limited_runs = LimitedRuns(store=core.store)
        return NextRuns(find=self.parts.find_job, limited_runs=limited_runs, clock=core.clock)

    def preview_schedule(self) -> PreviewSchedule:
        """POST /v1/schedules/preview."""
        return PreviewSchedule(clock=self.parts.core.clock)
