"""The right to run executions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.domain.execution import Execution
from shared.domain.ids import ExecutionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A request to run one execution. `owner` is a fresh random token of this very try."""

    execution_id: ExecutionId
    owner: str
    admitted: bool = False
    """Whether a guard has let a guarded execution in; such a claim is granted to its first attempt alone."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A claim that was not granted, and what stands there (None: nothing)."""

    existing: Execution | None


@dataclass(frozen=True, slots=True)
class Undecided:
    """A write of which nothing is known: throttled or failed on the way. It is retried, never read as a refusal."""

    reason: str


class Claimer(Protocol):
    """Takes the right to run executions: at most one live owner each, the attempt counted before the call."""

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | Refused | Undecided]:
        """One answer for each claim, in order. The claimed execution is returned as it stands after the claim.

        A refusal that shows the claim's own owner token is returned as the success that it was. Raises nothing.
        """
        ...
