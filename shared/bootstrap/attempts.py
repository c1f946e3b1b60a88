"""The use cases that make callbacks, and those that hear what became of the ones that went on."""

from shared.adapters.clock import ThreadOffload
from shared.adapters.dynamodb.claims import BatchStatementClaimer
from shared.bootstrap.callbacks import CallbackParts
from shared.names import Lane
from shared.ports.runtime import Offload
from shared.ports.sender import Sender
from shared.usecases.call_receiver import CallReceiver
from shared.usecases.check_token import CheckToken
from shared.usecases.compose_callback import ComposeCallback
from shared.usecases.guard_start import GuardStart
from shared.usecases.heartbeat_execution import HeartbeatExecution
from shared.usecases.make_attempt import MakeAttempt
from shared.usecases.report_outcome import ReportOutcome
from shared.usecases.run_attempts import RunAttempts
from shared.usecases.settle_attempt import SettleAttempt
from shared.usecases.settle_refusal import SettleRefusal

OFFLOAD_THREADS = 32


def run_attempts(parts: CallbackParts, lane: Lane, sender: Sender) -> RunAttempts:
    """EXECUTE, for one lane."""
    core = parts.core
    offload = ThreadOffload(OFFLOAD_THREADS)
    return RunAttempts(
        lane=lane,
        claimer=BatchStatementClaimer(core.dynamodb, parts.settings.executions_table, parts.settings.region),
        make_attempt=_make_attempt(parts, sender, offload),
        settle_refusal=SettleRefusal(
            file=core.file,
            file_successor=core.file_successor,
            give_up=core.give_up,
            conclude=core.conclude,
            clock=core.clock,
        ),
        guard_start=_guard_start(parts),
        progress=core.progress,
        clock=core.clock,
        entropy=core.entropy,
        offload=offload,
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
        conclude=core.conclude,
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
        conclude=core.conclude,
        clock=core.clock,
        entropy=core.entropy,
        retention=parts.settings.retention,
    )


def _guard_start(parts: CallbackParts) -> GuardStart:
    core = parts.core
    return GuardStart(
        store=core.store,
        turns=core.turns,
        file=core.file,
        file_successor=core.file_successor,
        clock=core.clock,
        retention=parts.settings.retention,
    )


def _check_token(parts: CallbackParts) -> CheckToken:
    return CheckToken(store=parts.core.store, read_tenant=parts.read_tenant, vault=parts.vault)
