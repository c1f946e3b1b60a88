"""Use cases of attempts: callbacks, heartbeats and reported outcomes.

Those of heartbeats and reports are imported on first access: executors make neither.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.core import CoreUseCases
from shared.bootstrap.settings import require
from shared.dataclass import dataclass
from shared.domain.ids import encode_base32
from shared.names import QueueName
from shared.settings import QuotaSettings
from shared.usecases.attempts.call_receiver import CallReceiver
from shared.usecases.attempts.claim_keys import ClaimKeys
from shared.usecases.attempts.compose_callback import ComposeCallback
from shared.usecases.attempts.due_clock import DueClock
from shared.usecases.attempts.guard_start import GuardStart
from shared.usecases.attempts.hold_suspended import HoldSuspended
from shared.usecases.attempts.make_attempt import MakeAttempt
from shared.usecases.attempts.run_attempts import RunAttempts
from shared.usecases.attempts.settle_attempt import SettleAttempt
from shared.usecases.attempts.settle_refusal import SettleRefusal
from shared.usecases.limits.admit_calls import AdmitCalls
from shared.usecases.limits.apply_backpressure import ApplyBackpressure
from shared.usecases.limits.defer_keys import DeferKeys
from shared.usecases.limits.limit_cache import LimitCache
from shared.usecases.limits.settle_limits import SettleLimits
from shared.usecases.limits.throttle_batch import ThrottleBatch
from shared.usecases.tenancy.spend_budget import SpendBudget

if TYPE_CHECKING:
    from shared.usecases.attempts.check_token import CheckToken
    from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution
    from shared.usecases.attempts.report_outcome import ReportOutcome

OWNER_BITS = 40
"""Size of the random name under which a process leases concurrency slots."""


@dataclass(frozen=True)
class AttemptUseCases:
    """For functions with CallbackSettings; `run_attempts` also needs QuotaSettings."""

    core: CoreUseCases

    def run_attempts(self, lane: QueueName) -> RunAttempts:
        """The executor of one queue. Caches limits and leases: make one per process."""
        ports, gate = self.core.ports, self.throttle(lane)
        return RunAttempts(
            lane=lane,
            queue=ports.queue,
            claim_keys=ClaimKeys(
                claimer=ports.claimer,
                store=ports.executions,
                clock=ports.clock,
                entropy=ports.entropy,
                offload=ports.offload,
            ),
            hold_suspended=HoldSuspended(
                read_tenant=self.core.read_tenant,
                store=ports.executions,
                guard_start=self.guard_start,
                defer_keys=gate.defer_keys,
                hot_scopes=gate.admit.limits.hot_scopes,
                clock=ports.clock,
                due_clock=self._due_clock,
                spread=ports.spread,
            ),
            gate=gate,
            make_attempt=self._make_attempt,
            settle_refusal=SettleRefusal(
                file=self.core.file,
                file_successor=self.core.file_successor,
                give_up=self.core.give_up,
                finalize=self.core.finalize,
                clock=ports.clock,
            ),
            guard_start=self.guard_start,
            progress=ports.progress,
            clock=ports.clock,
            entropy=ports.entropy,
            due_clock=self._due_clock,
            offload=ports.offload,
            join_ends=lambda: self.core.workflows.join_ends(),
        )

    def throttle(self, lane: QueueName) -> ThrottleBatch:
        """Backpressure, limits and circuit breakers in front of the claims of one queue."""
        ports = self.core.ports
        owner = encode_base32(ports.entropy.bits(OWNER_BITS), OWNER_BITS // 5)
        limits = LimitCache.over(ports.limits, ports.clock, owner, ports.entropy, ports.pause)
        return ThrottleBatch(
            queue=lane,
            backpressure=ApplyBackpressure(
                progress=ports.progress, clock=self._due_clock, entropy=ports.entropy
            ),
            admit=AdmitCalls(
                limits=limits,
                spend=SpendBudget(budgets=ports.budgets, clock=ports.clock),
                read_tenant=self.core.read_tenant,
                defaults=require(self.core.settings, QuotaSettings).default_quotas,
                clock=ports.clock,
                entropy=ports.entropy,
                spread=ports.spread,
            ),
            settle_limits=SettleLimits(limits=limits, clock=ports.clock),
            defer_keys=DeferKeys(queue=ports.queue, clock=ports.clock),
            file_limit_alert=self.core.file_limit_alert,
        )

    @cached_property
    def heartbeat_execution(self) -> HeartbeatExecution:
        from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution

        ports = self.core.ports
        return HeartbeatExecution(check_token=self._check_token, store=ports.executions, clock=ports.clock)

    @cached_property
    def report_outcome(self) -> ReportOutcome:
        from shared.usecases.attempts.report_outcome import ReportOutcome

        return ReportOutcome(
            check_token=self._check_token,
            settle=self.settle_attempt,
            store=self.core.ports.executions,
            file=self.core.file,
            finalize=self.core.finalize,
            wake_waiting=self.guard_start.wake_waiting,
            clock=self.core.ports.clock,
        )

    @cached_property
    def _due_clock(self) -> DueClock:
        return DueClock(self.core.ports.clock)

    @cached_property
    def _make_attempt(self) -> MakeAttempt:
        ports = self.core.ports
        return MakeAttempt(
            call_receiver=CallReceiver(
                store=ports.executions,
                jobs=ports.jobs,
                compose=ComposeCallback(
                    read_tenant=self.core.read_tenant,
                    open_request=self.core.open_request,
                    vault=ports.vault,
                    add_results=lambda *task: self.core.workflows.read_results.execute(*task),
                    add_input=lambda *task: self.core.workflows.add_run_input.execute(*task),
                    identity_token=lambda *asked: ports.identity_tokens.token(*asked),
                ),
                begin_run=lambda *begun: self.core.workflows.begin_run.execute(*begun),
                withdraw_run=lambda *ended: self.core.workflows.begin_run.withdraw(*ended),
                sender=ports.sender,
                targets=lambda: ports.targets,
                signed=lambda: ports.signed_sender,
                clock=ports.clock,
                due_clock=self._due_clock,
                offload=ports.offload,
            ),
            settle_attempt=replace(self.settle_attempt, joins_ends=True),
            file_successor=self.core.file_successor,
            clock=ports.clock,
            entropy=ports.entropy,
            offload=ports.offload,
        )

    @cached_property
    def settle_attempt(self) -> SettleAttempt:
        ports = self.core.ports
        return SettleAttempt(
            store=ports.executions,
            file=self.core.file,
            finalize=self.core.finalize,
            notify=self.core.notify,
            hand_on=lambda *ended: self.core.workflows.hand_on_result.execute(*ended),
            clock=ports.clock,
            entropy=ports.entropy,
            retention=self.core.settings.retention,
        )

    @cached_property
    def guard_start(self) -> GuardStart:
        ports = self.core.ports
        return GuardStart(
            store=ports.executions,
            run_locks=ports.run_locks,
            file=self.core.file,
            file_successor=self.core.file_successor,
            notify=self.core.notify,
            clock=ports.clock,
            retention=self.core.settings.retention,
        )

    @cached_property
    def _check_token(self) -> CheckToken:
        from shared.usecases.attempts.check_token import CheckToken
        from shared.usecases.tenancy.limit_requests import LimitUnknown

        ports = self.core.ports
        return CheckToken(
            store=ports.executions,
            read_tenant=self.core.read_tenant,
            vault=ports.vault,
            limit=self.core.limit_requests,
            unknown=LimitUnknown(ports.clock),
        )
