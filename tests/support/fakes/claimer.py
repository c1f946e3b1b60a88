"""Claims on the fake table."""

from collections.abc import Sequence

from shared.domain.errors import UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import GUARDED_FROM, LEASE_MARGIN_MS, Execution
from shared.domain.executions.states import Transition
from shared.ports.executions import Claim, ClaimRejected, WriteUnknown
from tests.support.builders import with_changes
from tests.support.fakes.table import FakeTable, Row


class FakeClaimer:
    """Grants every claim that the port allows."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def claim(self, claims: Sequence[Claim], now_ms: int) -> list[Execution | ClaimRejected | WriteUnknown]:
        if len({claim.execution_id for claim in claims}) != len(claims):
            # DynamoDB rejects a request with two statements of one key, and carries none of them out.
            return [WriteUnknown("ValidationException", is_permanent=True) for _ in claims]
        return [self._claim(claim, now_ms) for claim in claims]

    def _claim(self, claim: Claim, now_ms: int) -> Execution | ClaimRejected | WriteUnknown:
        row = self._table.executions.get(claim.execution_id)
        if row is None:
            return ClaimRejected(None)
        if _is_claimable(row, claim, now_ms):
            row.execution = with_changes(
                row.execution,
                state=Transition.CLAIM.target,
                claims=row.execution.progress.claims + 1,
                owner=claim.owner,
                async_until=None,
                lease_until=now_ms + row.execution.call.timeout_ms + LEASE_MARGIN_MS,
            )
        try:
            standing = row.read()
        except UnknownVersionError as fault:
            return WriteUnknown(str(fault), is_newer=True)
        except UnreadableItemError as fault:
            return WriteUnknown(str(fault), is_permanent=True)
        # Granted just now, or by an earlier try whose answer was lost.
        return standing if standing.progress.owner == claim.owner else ClaimRejected(standing)


def _is_claimable(row: Row, claim: Claim, now_ms: int) -> bool:
    execution = row.execution
    if claim.admitted and execution.claimable_from != GUARDED_FROM:
        return False
    return (
        row.matches(Transition.CLAIM)
        and execution.has_attempts_left
        and execution.claimable_from is not None
        and (claim.admitted or execution.claimable_from <= now_ms)
    )
