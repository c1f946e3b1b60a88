"""Executions that were read in batches, so that many small questions cost few requests."""

from collections.abc import Sequence
from dataclasses import field

from shared.dataclass import dataclass
from shared.domain.errors import PunctualError
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import ExecutionReader
from shared.ports.runtime import Spread

BATCH = 100


@dataclass(frozen=True, slots=True)
class PrefetchedExecutions:
    """Answers from what was prefetched, and reads everything else from the store. An answer is as old as the
    prefetch."""

    store: ExecutionReader
    known: dict[ExecutionId, Execution | None] = field(default_factory=dict)

    def prefetch(self, ids: Sequence[ExecutionId], spread: Spread) -> None:
        """Read these executions, batches side by side. A batch that fails is read again by those who ask."""
        distinct = list(dict.fromkeys(ids))
        for part in spread(self._read, [distinct[n : n + BATCH] for n in range(0, len(distinct), BATCH)]):
            self.known.update(part)

    def get(self, execution_id: ExecutionId) -> Execution | None:
        if execution_id in self.known:
            return self.known[execution_id]
        return self.store.get(execution_id)

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        unknown = [each for each in execution_ids if each not in self.known]
        found = self.store.get_many(unknown) if unknown else {}
        known = {each: self.known.get(each) for each in execution_ids}
        return found | {each: execution for each, execution in known.items() if execution is not None}

    def _read(self, ids: list[ExecutionId]) -> dict[ExecutionId, Execution | None]:
        try:
            found = self.store.get_many(ids)
        except PunctualError:
            return {}
        return {each: found.get(each) for each in ids}
