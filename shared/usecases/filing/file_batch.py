"""File many executions at once. Each step of filing is completed for all of them before the next step."""

from collections.abc import Iterable, Sequence

from shared.dataclass import dataclass
from shared.domain.dispatch.wakeup import pack
from shared.domain.errors import (
    IdentityConflictError,
    PunctualError,
    RequestRejectedError,
    ServiceError,
    UnavailableError,
)
from shared.domain.executions.execution import Execution
from shared.domain.ids import ExecutionId
from shared.ports.executions import OneOffBatches, WriteUnknown
from shared.usecases.filing.file_execution import FileExecution, wakeup_for

Filed = Execution | PunctualError


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files executions with distinct IDs; safe to repeat with the same executions in any batches."""

    file: FileExecution
    batches: OneOffBatches

    def execute(self, drafts: Sequence[Execution]) -> list[Filed]:
        """For each draft, in order: the stored execution, or the error that filing it alone would have
        raised.

        A failed execution does not affect the others.
        """
        ready = self._scanned(drafts)
        marked = [self.file.mark(draft) for draft in ready if isinstance(draft, Execution)]
        answers = zip(marked, self.batches.put_all_if_absent(marked) if marked else (), strict=True)
        stored = iter([_stored(draft, answer) for draft, answer in answers])
        filed = self._scanned([next(stored) if isinstance(each, Execution) else each for each in ready])
        unsent = self._send([each for each in filed if isinstance(each, Execution)])
        return [
            UnavailableError("the lane did not accept the message")
            if isinstance(each, Execution) and each.id in unsent
            else each
            for each in filed
        ]

    def _scanned(self, executions: Sequence[Filed]) -> list[Filed]:
        """Make sure that each bucket shard is scanned, once for each shard. An error is the result of every
        execution in that shard."""
        open_ones = [
            each for each in executions if isinstance(each, Execution) and not each.state.is_terminal
        ]
        errors = self._ensure_scanned(each.id for each in open_ones)
        return [
            errors.get(_bucket_shard(each.id), each)
            if isinstance(each, Execution) and not each.state.is_terminal
            else each
            for each in executions
        ]

    def _ensure_scanned(self, ids: Iterable[ExecutionId]) -> dict[tuple[int, int], PunctualError]:
        errors: dict[tuple[int, int], PunctualError] = {}
        for shard, location in {_bucket_shard(each): each for each in ids}.items():
            try:
                self.file.ensure_scanned(location)
            except ServiceError as error:
                errors[shard] = error
        return errors

    def _send(self, executions: Sequence[Execution]) -> set[ExecutionId]:
        """Read the clock again after all puts have returned, and send wake-ups; the IDs that were not
        accepted."""
        near = [wakeup_for(each) for each in executions if self.file.needs_wakeup(each)]
        if not near:
            return set()
        refused = self.file.queue.send(pack(near), self.file.clock.now_ms())
        return {key for wakeup in refused for key in wakeup.keys}


def _bucket_shard(location: ExecutionId) -> tuple[int, int]:
    return location.bucket, location.shard


def _stored(draft: Execution, answer: Execution | WriteUnknown | None) -> Filed:
    if isinstance(answer, WriteUnknown):
        return error_of(answer)
    if answer is not None and answer.fingerprint != draft.fingerprint:
        return IdentityConflictError(f"{draft.id} stands for another request")
    return answer or draft


def error_of(unknown: WriteUnknown) -> PunctualError:
    """The error that the write alone would have raised."""
    return (RequestRejectedError if unknown.is_permanent else UnavailableError)(unknown.reason)
