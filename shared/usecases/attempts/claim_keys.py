"""Claim executions, and find out which claims were granted although their responses were lost."""

from collections.abc import AsyncIterator, Sequence

from shared.dataclass import dataclass
from shared.domain.backoff import retry_pause_ms
from shared.domain.errors import PunctualError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import State
from shared.domain.ids import ExecutionId
from shared.ports.executions import Claim, Claimer, ClaimRejected, ExecutionStore, WriteUnknown
from shared.ports.runtime import Clock, Entropy, Offload

OWNER_BITS = 64
CLAIM_TRIES = 3
RESOLVE_TRIES = 15
"""Strong reads of claims that stayed unknown. A granted claim that is not found costs the customer an attempt."""
MAX_READ = 100
ClaimResult = Execution | ClaimRejected | WriteUnknown


@dataclass(frozen=True, slots=True)
class ClaimKeys:
    claimer: Claimer
    store: ExecutionStore
    clock: Clock
    entropy: Entropy
    offload: Offload

    async def execute(
        self, keys: Sequence[ExecutionId], *, admitted: bool = False
    ) -> AsyncIterator[tuple[ExecutionId, ClaimResult]]:
        """Yield each result as soon as it is known, so that a throttled claim delays no granted one.

        A claim with an unknown result is repeated with the same owner token, so that a claim whose response
        was lost is recognised as this worker's own. The SDK repeats no single statement of a batch, so the
        pauses between the tries are made here.
        """
        undecided = [
            Claim(execution_id=key, owner=f"{self.entropy.bits(OWNER_BITS):016x}", admitted=admitted)
            for key in keys
        ]
        unknown: dict[ExecutionId, WriteUnknown] = {}
        for number in range(CLAIM_TRIES):
            if not undecided:
                return
            if number:
                await self._pause()
            results = await self.offload(self.claimer.claim, undecided, self.clock.now_ms())
            again = []
            for claim, result in zip(undecided, results, strict=True):
                if isinstance(result, WriteUnknown) and not (result.is_permanent or result.is_newer):
                    again.append(claim)
                    unknown[claim.execution_id] = result
                else:
                    yield claim.execution_id, result
            undecided = again
        granted = await self._granted(undecided)
        for claim in undecided:
            yield claim.execution_id, granted.get(claim.execution_id) or unknown[claim.execution_id]

    async def _granted(self, claims: list[Claim]) -> dict[ExecutionId, Execution]:
        """The executions that run under these claims, by strong reads."""
        owners = {claim.execution_id: claim.owner for claim in claims}
        found: dict[ExecutionId, Execution] = {}
        for start in range(0, len(claims), MAX_READ):
            found |= await self._read(list(owners)[start : start + MAX_READ])
        return {
            key: execution
            for key, execution in found.items()
            if execution.state is State.RUNNING and execution.progress.owner == owners[key]
        }

    async def _read(self, keys: list[ExecutionId]) -> dict[ExecutionId, Execution]:
        for _ in range(RESOLVE_TRIES):
            await self._pause()
            try:
                return await self.offload(self.store.get_many, keys)
            except UnavailableError:
                continue
            except PunctualError:
                break
        return {}

    async def _pause(self) -> None:
        await self.clock.sleep_ms(retry_pause_ms(self.entropy.draw()))
