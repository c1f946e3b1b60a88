"""Handle a key whose claim was refused. A message is dropped only if nothing depends on it."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.dispatch.wakeup import Wakeup
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.ports.runtime import Clock
from shared.usecases.filing.file_execution import FileExecution, wakeup_for
from shared.usecases.filing.file_successor import FileSuccessor
from shared.usecases.outcomes.finalize_execution import FinalizeExecution
from shared.usecases.outcomes.give_up_lost import GiveUpLost

RACE_WAIT_SECONDS = 2
"""Delay before another look at a row that changed between the refusal and the read."""


class Refusal(StrEnum):
    """What a refused key led to; the values are metric dimensions."""

    DROPPED = "dropped"
    SENT_LATER = "sent_later"
    WORKER_LOST = "worker_lost"
    HELD = "held"
    OUT_OF_TIME = "out_of_time"
    UNSETTLED = "unsettled"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalResult:
    """`is_done`: the message is no longer needed for this key. Otherwise it returns after `wait_seconds`."""

    kind: Refusal
    is_done: bool = True
    wait_seconds: int | None = None
    lost: Execution | None = None
    """The execution that failed, because its last attempt was lost with its worker."""


@dataclass(frozen=True, slots=True)
class SettleRefusal:
    file: FileExecution
    file_successor: FileSuccessor
    give_up: GiveUpLost
    finalize: FinalizeExecution
    clock: Clock

    def execute(self, existing: Execution | None, receive_count: int) -> RefusalResult:
        """Decide by the item stored under the key. An unreadable item stays unsettled; UnavailableError."""
        try:
            return self._settle(existing, receive_count)
        except UnreadableItemError:
            return RefusalResult(kind=Refusal.UNSETTLED, is_done=False)

    def _settle(self, existing: Execution | None, receive_count: int) -> RefusalResult:
        if existing is None or existing.state is State.MOVED:
            return RefusalResult(kind=Refusal.DROPPED)
        if existing.state.is_terminal:
            self._ensure_successor(existing)
            self.finalize.execute(existing)
            return RefusalResult(kind=Refusal.DROPPED)
        if existing.state is State.WAITING:
            # The previous attempt may have filed no successor, and the retry may be hours away.
            self._ensure_successor(existing)
            self.file.wake_for_retry(existing, existing.not_before)
            return RefusalResult(kind=Refusal.SENT_LATER)
        if existing.state is State.RUNNING:
            return self._running(existing, receive_count)
        return RefusalResult(kind=Refusal.UNSETTLED, is_done=False, wait_seconds=RACE_WAIT_SECONDS)

    def _ensure_successor(self, existing: Execution) -> None:
        """Unless it was sent: each message of a run would send one of the next run, and so on down the chain."""
        if not existing.progress.successor_sent:
            self.file_successor.execute(existing)

    def _running(self, existing: Execution, receive_count: int) -> RefusalResult:
        now_ms = self.clock.now_ms()
        if existing.lease_expired(now_ms):
            if existing.has_attempts_left:
                return RefusalResult(kind=Refusal.UNSETTLED, is_done=False, wait_seconds=RACE_WAIT_SECONDS)
            if not self.give_up.execute(existing):
                # Another was first, or the write happened without its answer: its notification may be missing.
                return RefusalResult(kind=Refusal.UNSETTLED, is_done=False, wait_seconds=RACE_WAIT_SECONDS)
            return RefusalResult(kind=Refusal.WORKER_LOST, lost=existing)
        if existing.progress.async_until is not None:
            # The call has ended, so the message is not needed: the sweeper monitors the lease.
            self._ensure_successor(existing)
            return RefusalResult(kind=Refusal.DROPPED)
        wait_seconds = ((existing.progress.lease_until or now_ms) - now_ms) // 1000 + RACE_WAIT_SECONDS
        if receive_count < 2:
            return RefusalResult(kind=Refusal.HELD, is_done=False, wait_seconds=wait_seconds)
        # An expected wait must not use up receives, so a new message replaces a message received twice.
        later = replace(wakeup_for(existing), not_before=now_ms + wait_seconds * 1000)
        self.file.send([later])
        return RefusalResult(kind=Refusal.SENT_LATER)

    def send_again(self, wakeup: Wakeup, waits: Mapping[ExecutionId, int]) -> bool:
        """Send the unfinished keys of a message one by one, each after its delay in seconds.

        A key is left to the sweeper if its copy would begin after `ends_at`: copies would add up. False if a
        message was not accepted; the original message must then be kept.
        """
        now_ms = self.clock.now_ms()
        later = [
            replace(single, not_before=now_ms + waits[single.keys[0]] * 1000)
            for single in wakeup.singles()
            if single.keys[0] in waits
        ]
        try:
            self.file.send([each for each in later if each.ends_at is None or each.not_before < each.ends_at])
        except UnavailableError:
            return False
        return True
