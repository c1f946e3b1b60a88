"""Use cases of workflows. Imported late: a process that meets no task loads none of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.settings import CallbackSettings, VaultSettings
from shared.usecases.workflows.advance_run import AdvanceRun
from shared.usecases.workflows.announce_run import AnnounceRun
from shared.usecases.workflows.begin_run import BeginRun
from shared.usecases.workflows.file_tasks import FileTasks
from shared.usecases.workflows.find_run import FindRun
from shared.usecases.workflows.read_revision import ReadRevision
from shared.usecases.workflows.repair_runs import RepairRuns
from shared.usecases.workflows.stop_tasks import StopTasks

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.usecases.attempts.end_parent import EndParent
    from shared.usecases.attempts.follow_run import FollowRun
    from shared.usecases.attempts.join_ends import JoinEnds
    from shared.usecases.attempts.stop_parent import StopParent
    from shared.usecases.workflows.cancel_run import CancelRun
    from shared.usecases.workflows.hand_on_result import HandOnResult
    from shared.usecases.workflows.put_keyed_workflow import PutKeyedWorkflow
    from shared.usecases.workflows.put_workflow import PutWorkflow
    from shared.usecases.workflows.read_results import ReadResults
    from shared.usecases.workflows.read_runs import ReadRuns
    from shared.usecases.workflows.redrive_run import RedriveRun
    from shared.usecases.workflows.run_inputs import AddRunInput, RunInputs
    from shared.usecases.workflows.run_maps import RunMaps
    from shared.usecases.workflows.start_run import StartRun


@dataclass(frozen=True)
class WorkflowUseCases:
    """For every function; those that create workflows need CallbackSettings."""

    core: CoreUseCases

    @cached_property
    def advance_run(self) -> AdvanceRun:
        ports = self.core.ports
        return AdvanceRun(
            runs=ports.runs,
            read_revision=self.read_revision,
            store=ports.executions,
            file_tasks=FileTasks(
                file_batch=self.core.file_batch, read_tenant=self.core.read_tenant, clock=ports.clock
            ),
            stop_tasks=StopTasks(
                store=ports.executions,
                clock=ports.clock,
                retention=self.core.settings.retention,
                spread=ports.spread,
            ),
            maps=lambda: self.run_maps,
            announce=AnnounceRun(
                choose=self.core.notify.choose,
                file=self.core.notify.execute,
                read_tenant=self.core.read_tenant,
            ),
            clock=ports.clock,
            retention=self.core.settings.retention,
            end_parent=lambda run: self.end_parent.execute(run) if run.parent is not None else None,
        )

    def join_ends(self) -> JoinEnds:
        """For the tasks of one batch of an executor."""
        from shared.usecases.attempts.join_ends import JoinEnds

        ports = self.core.ports
        return JoinEnds(advance_run=self.advance_run.join, clock=ports.clock, offload=ports.offload)

    @cached_property
    def run_maps(self) -> RunMaps:
        """Imported late: most workflows have no map."""
        from shared.usecases.workflows.map_results import MapResults
        from shared.usecases.workflows.run_maps import RunMaps

        ports, advance = self.core.ports, self.advance_run
        results = None
        if isinstance(self.core.settings, VaultSettings):
            results = MapResults(
                maps=ports.maps,
                executions=ports.executions,
                read_tenant=self.core.read_tenant,
                vault=ports.vault,
            )
        return RunMaps(
            maps=ports.maps,
            store=ports.executions,
            file_tasks=advance.file_tasks,
            stop_tasks=advance.stop_tasks,
            results=results,
            queue=ports.queue,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def begin_run(self) -> BeginRun:
        ports, settings = self.core.ports, self.core.settings
        return BeginRun(
            workflows=ports.workflows,
            runs=ports.runs,
            advance=self.advance_run,
            inputs=self.run_inputs,
            file=self.core.file,
            read_tenant=self.core.read_tenant,
            clock=ports.clock,
            plan=settings.shard_plan,
            retention=settings.retention,
        )

    @cached_property
    def run_inputs(self) -> RunInputs:
        from shared.usecases.workflows.run_inputs import RunInputs

        return RunInputs(jobs=self.core.ports.jobs, retention=self.core.settings.retention)

    @cached_property
    def add_run_input(self) -> AddRunInput:
        from shared.usecases.workflows.run_inputs import AddRunInput

        return AddRunInput(jobs=self.core.ports.jobs, vault=self.core.ports.vault)

    @cached_property
    def end_parent(self) -> EndParent:
        """Imported late: most runs have no parent."""
        from shared.bootstrap.attempts import AttemptUseCases
        from shared.usecases.attempts.end_parent import EndParent

        attempts = AttemptUseCases(self.core)
        return EndParent(
            store=self.core.ports.executions,
            settle=attempts.settle_attempt,
            wake_waiting=attempts.guard_start.wake_waiting,
            clock=self.core.ports.clock,
        )

    @cached_property
    def follow_run(self) -> FollowRun:
        from shared.usecases.attempts.follow_run import FollowRun

        ports = self.core.ports
        return FollowRun(begin=self.begin_run, end_parent=self.end_parent, jobs=ports.jobs, clock=ports.clock)

    @cached_property
    def stop_parent(self) -> StopParent:
        from shared.usecases.attempts.stop_parent import StopParent

        return StopParent(begin=self.begin_run, cancel_run=self.cancel_run, end_parent=self.end_parent)

    @cached_property
    def repair_runs(self) -> RepairRuns:
        ports = self.core.ports
        return RepairRuns(
            runs=ports.runs,
            executions=ports.executions,
            jobs=ports.jobs,
            advance=self.advance_run,
            cancel_run=self.cancel_run,
        )

    @cached_property
    def find(self) -> FindRun:
        ports = self.core.ports
        return FindRun(workflows=ports.workflows, runs=ports.runs, read_revision=self.read_revision)

    @cached_property
    def read_runs(self) -> ReadRuns:
        from shared.usecases.workflows.read_runs import ReadRuns

        ports = self.core.ports
        return ReadRuns(
            find=self.find,
            runs=ports.runs,
            maps=ports.maps,
            executions=ports.executions,
            jobs=ports.jobs,
            vault=ports.vault,
        )

    @cached_property
    def read_results(self) -> ReadResults:
        from shared.usecases.workflows.read_results import ReadResults

        ports = self.core.ports
        return ReadResults(
            runs=ports.runs,
            maps=ports.maps,
            read_revision=self.read_revision,
            executions=ports.executions,
            vault=ports.vault,
        )

    @cached_property
    def hand_on_result(self) -> HandOnResult:
        from shared.usecases.workflows.hand_on_result import HandOnResult

        return HandOnResult(read_tenant=self.core.read_tenant, vault=self.core.ports.vault)

    @cached_property
    def put_workflow(self) -> PutWorkflow:
        from shared.usecases.workflows.put_workflow import PutWorkflow

        ports, settings = self.core.ports, self.core.settings
        return PutWorkflow(
            find=self.find,
            read_tenant=self.core.read_tenant,
            workflows=ports.workflows,
            jobs=ports.jobs,
            idempotency=ports.idempotency,
            vault=ports.vault,
            clock=ports.clock,
            entropy=ports.entropy,
            policy=require(settings, CallbackSettings).target_policy,
            retention=settings.retention,
            cell=settings.cell,
        )

    @cached_property
    def put_keyed_workflow(self) -> PutKeyedWorkflow:
        from shared.usecases.workflows.put_keyed_workflow import PutKeyedWorkflow

        return PutKeyedWorkflow(find=self.find, workflows=self.core.ports.workflows, put=self.put_workflow)

    @cached_property
    def start_run(self) -> StartRun:
        from shared.usecases.workflows.start_run import StartRun

        ports, settings = self.core.ports, self.core.settings
        return StartRun(
            find=self.find,
            runs=ports.runs,
            advance=self.advance_run,
            inputs=self.run_inputs,
            file=self.core.file,
            idempotency=ports.idempotency,
            vault=ports.vault,
            clock=ports.clock,
            entropy=ports.entropy,
            plan=settings.shard_plan,
            cell=settings.cell,
        )

    @cached_property
    def cancel_run(self) -> CancelRun:
        from shared.usecases.workflows.cancel_run import CancelRun

        ports = self.core.ports
        return CancelRun(
            find=self.find,
            runs=ports.runs,
            advance=self.advance_run,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def redrive_run(self) -> RedriveRun:
        from shared.usecases.workflows.redrive_run import RedriveRun

        ports = self.core.ports
        return RedriveRun(
            find=self.find,
            runs=ports.runs,
            workflows=ports.workflows,
            jobs=ports.jobs,
            executions=ports.executions,
            advance=self.advance_run,
            file=self.core.file,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def read_revision(self) -> ReadRevision:
        return ReadRevision(self.core.ports.workflows)
