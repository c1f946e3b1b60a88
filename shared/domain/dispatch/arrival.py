"""How a wake-up reached a worker: since when it could be received, and what it waited for on its way."""

from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.callback import CallbackResponse
from shared.domain.executions.stages import AttemptStages, WaitCause, code_of, codes_between


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitSoFar:
    """The wait of a message since its first receive. Messages that are sent anew carry it.

    The instants are UTC in ms, by the clock of the queue.
    """

    visible_at: int
    received_at: int
    cause: WaitCause | None = None
    cause_ms: int = 0
    """How long it waited for this cause; a cause with a longer wait takes its place."""

    def deferred(self, cause: WaitCause, wait_ms: int) -> "WaitSoFar":
        """The wait after another deferral."""
        if cause is self.cause:
            return replace(self, cause_ms=self.cause_ms + wait_ms)
        if self.cause is not None and wait_ms <= self.cause_ms:
            return self
        return replace(self, cause=cause, cause_ms=wait_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A received message whose executions were let through at `admitted_at`."""

    wait: WaitSoFar
    receive_count: int
    admitted_at: int

    def stages(
        self, due_at: int, claimed_at: int, started_at: int, response: CallbackResponse
    ) -> AttemptStages:
        """The stages of an attempt that was due at `due_at`, and whose call began at `started_at`."""
        wait = self.wait
        codes = codes_between(
            due_at, (wait.visible_at, wait.received_at, self.admitted_at, claimed_at, started_at)
        )
        return AttemptStages(
            bytes([*codes, code_of(response.connect_ms), code_of(response.head_ms)]), wait.cause
        )
