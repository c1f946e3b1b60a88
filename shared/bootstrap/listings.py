"""Use cases that list executions, jobs and future runs."""

from functools import cached_property

from shared.bootstrap.core import CoreUseCases
from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import QuotaSettings
from shared.usecases.limits.explain_wait import ExplainWait
from shared.usecases.listings.count_upcoming import CountUpcoming
from shared.usecases.listings.export_tenant import ExportTenant
from shared.usecases.listings.job_history import WalkHistory
from shared.usecases.listings.last_run import LastRun
from shared.usecases.listings.limited_runs import LimitedRuns
from shared.usecases.listings.list_alarms import ListAlarms
from shared.usecases.listings.list_by_time import ListByTime
from shared.usecases.listings.list_due import ListDue
from shared.usecases.listings.list_executions import ListExecutions
from shared.usecases.listings.list_jobs import ListJobs
from shared.usecases.listings.list_lanes import ListLanes
from shared.usecases.listings.list_upcoming import ListUpcoming
from shared.usecases.listings.name_executions import NameExecutions
from shared.usecases.listings.next_runs import NextRuns
from shared.usecases.listings.preview_schedule import PreviewSchedule
from shared.usecases.listings.upcoming_sources import UpcomingSources
from shared.usecases.reading.find_shown import FindShown


@dataclass(frozen=True)
class ListingUseCases:
    """For every function; `explain_wait` needs QuotaSettings."""

    core: CoreUseCases

    @cached_property
    def list_executions(self) -> ListExecutions:
        ports = self.core.ports
        walk = WalkHistory(jobs=ports.jobs, clock=ports.clock)
        return ListExecutions(find=self.core.find_job, kept=self.core.kept, walk=walk)

    @cached_property
    def list_by_time(self) -> ListByTime:
        return ListByTime(queries=self.core.ports.queries, kept=self.core.kept)

    @cached_property
    def find_shown(self) -> FindShown:
        return FindShown(find=self.core.find_execution, kept=self.core.kept)

    @cached_property
    def export_tenant(self) -> ExportTenant:
        ports = self.core.ports
        return ExportTenant(
            calendars=self.core.ports.calendars,
            triggers=self.core.ports.triggers,
            tenants=ports.tenants,
            queries=ports.queries,
            store=ports.executions,
            open_request=self.core.open_request,
            clock=ports.clock,
        )

    @cached_property
    def list_jobs(self) -> ListJobs:
        return ListJobs(queries=self.core.ports.queries, store=self.core.ports.executions)

    @cached_property
    def _limited_runs(self) -> LimitedRuns:
        return LimitedRuns(store=self.core.ports.executions)

    @cached_property
    def _upcoming_sources(self) -> UpcomingSources:
        ports = self.core.ports
        return UpcomingSources(queries=ports.queries, store=ports.executions, limited_runs=self._limited_runs)

    @cached_property
    def list_upcoming(self) -> ListUpcoming:
        ports = self.core.ports
        return ListUpcoming(sources=self._upcoming_sources, store=ports.executions, clock=ports.clock)

    @cached_property
    def count_upcoming(self) -> CountUpcoming:
        ports = self.core.ports
        return CountUpcoming(
            sources=self._upcoming_sources, store=ports.executions, clock=ports.clock, spread=ports.spread
        )

    @cached_property
    def list_due(self) -> ListDue:
        ports = self.core.ports
        return ListDue(queries=ports.queries, clock=ports.clock, scanned=self.core.scanned_shards)

    @cached_property
    def next_runs(self) -> NextRuns:
        return NextRuns(find=self.core.find_job, limited_runs=self._limited_runs, clock=self.core.ports.clock)

    @cached_property
    def last_run(self) -> LastRun:
        return LastRun(store=self.core.ports.executions, clock=self.core.ports.clock)

    @cached_property
    def name_executions(self) -> NameExecutions:
        return NameExecutions(self.core.ports.job_names)

    @cached_property
    def preview_schedule(self) -> PreviewSchedule:
        return PreviewSchedule(clock=self.core.ports.clock)

    @cached_property
    def list_lanes(self) -> ListLanes:
        """Caches what it has read: one instance per process."""
        ports = self.core.ports
        return ListLanes(
            throttle_status=ports.throttle_status,
            progress=ports.progress,
            backlog=ports.backlog,
            clock=ports.clock,
        )

    @cached_property
    def list_alarms(self) -> ListAlarms:
        """Caches what it has read: one instance per process."""
        return ListAlarms(alarms=self.core.ports.alarms, clock=self.core.ports.clock)

    @cached_property
    def explain_wait(self) -> ExplainWait:
        """Caches hot scopes and store errors: one instance per process."""
        ports = self.core.ports
        return ExplainWait(
            throttle_status=ports.throttle_status,
            run_locks=ports.run_locks,
            defaults=require(self.core.settings, QuotaSettings).default_quotas,
            clock=ports.clock,
        )
