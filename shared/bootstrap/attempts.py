"""The use cases that make callbacks, and those that hear what became of the ones that went on."""

from shared.adapters.clock import ThreadOffload, pause
from shared.adapters.dynamodb.executions.claimer import BatchStatementClaimer
from shared.adapters.dynamodb.tenancy.budget_store import DynamoBudgetStore
from shared.bootstrap.callbacks import CallbackParts
from shared.domain.ids import encode_base32
from shared.domain.tenancy.quota import Quotas
from shared.names import QueueName
from shared.ports.delivery import Sender
from shared.ports.runtime import Offload
from shared.usecases.attempts.call_receiver import CallReceiver
from shared.usecases.attempts.check_token import CheckToken
from shared.usecases.attempts.compose_callback import ComposeCallback
from shared.usecases.attempts.guard_start import GuardStart
from shared.usecases.attempts.heartbeat_execution import HeartbeatExecution
from shared.usecases.attempts.make_attempt import MakeAttempt
from shared.usecases.attempts.report_outcome import ReportOutcome
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

OFFLOAD_THREADS = 32
OWNER_BITS = 40
"""Of the name by which a process leases slots."""


def run_attempts(parts: CallbackParts, lane: QueueName, sender: Sender, defaults: Quotas) -> RunAttempts:
    """EXECUTE, for one queue."""
    core = parts.core
    offload = ThreadOffload(OFFLOAD_THREADS)
    return RunAttempts(
        lane=lane,
        claimer=BatchStatementClaimer(core.dynamodb, parts.settings.executions_table, parts.settings.region),
        gate=_gate_calls(parts, lane, defaults),
        make_attempt=_make_attempt(parts, sender, offload),
        settle_refusal=SettleRefusal(
            file=core.file,
            file_successor=core.file_successor,
            give_up=core.give_up,
            finalize=core.finalize,
            clock=core.clock,
        ),
        guard_start=_guard_start(parts),
        progress=core.progress,
        clock=core.clock,
        entropy=core.entropy,
        offload=offload,
    )


def _gate_calls(parts: CallbackParts, queue: QueueName, defaults: Quotas) -> ThrottleBatch:
    core = parts.core
    owner = encode_base32(core.entropy.bits(OWNER_BITS), OWNER_BITS // 5)
    limits = LimitCache.over(core.limits, core.clock, owner, core.entropy, pause)
    return ThrottleBatch(
        queue=queue,
        backpressure=ApplyBackpressure(progress=core.progress, clock=core.clock, entropy=core.entropy),
        admit=AdmitCalls(
            limits=limits,
            spend=SpendBudget(
                budgets=DynamoBudgetStore(core.dynamodb, parts.settings.leases_table), clock=core.clock
            ),
            read_tenant=parts.read_tenant,
            defaults=defaults,
            clock=core.clock,
            entropy=core.entropy,
        ),
        settle_limits=SettleLimits(limits=limits, clock=core.clock),
        defer_keys=DeferKeys(queue=core.queue, clock=core.clock),
    )


def heartbeat_execution(parts: CallbackParts) -> HeartbeatExecution:
    """POST /v1/executions/{id}/heartbeat."""
    return HeartbeatExecution(check_token=_check_token(parts), store=parts.core.store, clock=parts.core.clock)


def report_outcome(parts: CallbackParts) -> ReportOutcome:
    """POST /v1/executions/{id}/complete and fail."""
    core = parts.core
    return ReportOutcome(
        check_token=_check_token(parts),
        settle=_settle_attempt(parts),
        store=core.store,
        file=core.file,
        finalize=core.finalize,
        hand_over=_guard_start(parts).hand_over,
        clock=core.clock,
    )


def _make_attempt(parts: CallbackParts, sender: Sender, offload: Offload) -> MakeAttempt:
    core = parts.core
    return MakeAttempt(
        call_receiver=CallReceiver(
            store=core.store,
            jobs=core.jobs,
            compose=ComposeCallback(
                read_tenant=parts.read_tenant, open_request=parts.open_request, vault=parts.vault
            ),
            sender=sender,
            clock=core.clock,
            offload=offload,
        ),
        settle_attempt=_settle_attempt(parts),
        file_successor=core.file_successor,
        offload=offload,
    )


def _settle_attempt(parts: CallbackParts) -> SettleAttempt:
    core = parts.core
    return SettleAttempt(
        store=core.store,
        file=core.file,
        finalize=core.finalize,
        notify=core.notify,
        clock=core.clock,
        entropy=core.entropy,
        retention=parts.settings.retention,
    )


def _guard_start(parts: CallbackParts) -> GuardStart:
    core = parts.core
    return GuardStart(
        store=core.store,
        run_locks=core.run_locks,
        file=core.file,
        file_successor=core.file_successor,
        clock=core.clock,
        retention=parts.settings.retention,
    )


def _check_token(parts: CallbackParts) -> CheckToken:
    return CheckToken(store=parts.core.store, read_tenant=parts.read_tenant, vault=parts.vault)
