"""Whether each instant of a recurring job is called in time, or told of, once and with the right reason."""

from dataclasses import dataclass, field
from typing import Any

from tests.api_machine.chains import PromisedChain
from tests.api_machine.changes import GUARD_MS
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.instants import milliseconds
from tests.api_machine.receiver import LATE_MS, Receiver
from tests.api_machine.sightings import SEEN


@dataclass(slots=True)
class Told:
    """What the history says of the instants of one chain."""

    records: dict[int, dict[str, Any]] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)
    """Missed, and told of by one record for many."""
    paused: set[int] = field(default_factory=set)
    """Passed over by a pause, and told of alike."""

    @property
    def accounted(self) -> set[int]:
        """All of them."""
        return set(self.records) | self.late | self.paused


def check_instants(job: PromisedJob, records: list[dict[str, Any]], receiver: Receiver) -> None:
    """Of all chains, from the first to the present one."""
    planned = [record for record in records if not _is_beside(job, record)]
    by_instant = {milliseconds(record["scheduled_at"]): record for record in planned}
    assert len(by_instant) == len(planned), "an instant has one record"
    begun = set(job.planned)
    for chain in job.chains:
        told = _told(chain, by_instant)
        assert not told.late & begun, "missed, and called nevertheless"
        assert not told.paused & begun, "passed over, and called nevertheless"
        _check_accounted(job, chain, told, receiver)
        _check_called(job, chain, told, begun, receiver)
        if chain is job.chain:
            _check_the_next(job, told, begun)


def _is_beside(job: PromisedJob, record: dict[str, Any]) -> bool:
    execution = job.executions.get(record["id"])
    return execution is not None and execution.is_beside


def _told(chain: PromisedChain, by_instant: dict[int, dict[str, Any]]) -> Told:
    told = Told({due_at: record for due_at, record in by_instant.items() if chain.has(due_at)})
    for record in told.records.values():
        if record["state"] == "skipped" and record["end_reason"] == "job_paused":
            assert not told.paused, "one record for all that a pause passed over"
            assert chain.until_at is not None or chain.stopped_at is not None
            told.paused = set(chain.missed(record))
        elif record["state"] == "skipped":
            told.late |= set(chain.missed(record))
    skipped = {due_at for due_at, record in told.records.items() if record["state"] == "skipped"}
    assert not (told.late | told.paused) & (set(told.records) - skipped), "told of twice"
    SEEN["instants missed"] += len(told.late)
    SEEN["instants passed over"] += len(told.paused)
    return told


def _check_accounted(job: PromisedJob, chain: PromisedChain, told: Told, receiver: Receiver) -> None:
    """What has ended is accounted for to its end; what goes on, as far as it was due a while ago."""
    now_ms = receiver.clock.now_ms()
    if chain.until_at is not None:
        until_ms = chain.until_at
    elif job.ended_at is not None:
        until_ms = job.ended_at
    elif receiver.is_excused(job):
        return
    else:
        until_ms = (chain.stopped_at or now_ms) - LATE_MS
    if chain is job.chain and (job.is_completed or job.is_used_up):
        until_ms = min(until_ms, max(job.planned))
    due = set(chain.up_to(until_ms))
    if chain.stop_reason == "job_paused" and chain.until_at is None and job.ended_at is None:
        # The end of the pause records what lies behind the tombstones.
        due = {instant for instant in due if instant <= max(told.records, default=until_ms)}
    assert due <= told.accounted, "instants without a record"


def _check_called(
    job: PromisedJob, chain: PromisedChain, told: Told, begun: set[int], receiver: Receiver
) -> None:
    """What was due while the chain went on was called, but for what was late when nothing ran."""
    assert all(receiver.was_excused(job, due_at) for due_at in told.late), "missed without need"
    stopped_at = receiver.clock.now_ms() if chain.stopped_at is None else chain.stopped_at
    if receiver.was_excused(job, stopped_at):
        return
    due = set(chain.up_to(stopped_at - LATE_MS))
    assert due & told.accounted <= begun | told.late, "never called"


def _check_the_next(job: PromisedJob, told: Told, begun: set[int]) -> None:
    """Exactly the next instant is filed while the job goes on; nothing is while it does not."""
    chain = job.chain
    filed = {due_at for due_at, record in told.records.items() if record["state"] in ("pending", "queued")}
    past = max([chain.after_at, *(begun & set(told.records)), *told.late])
    assert filed == ({chain.next_after(past)} if job.is_active else set())
    ended = {due_at for due_at, record in told.records.items() if record["state"] == "cancelled"}
    if ended - begun:
        assert chain.stopped_at is not None
        assert max(ended) <= chain.next_after(max(past, chain.stopped_at + GUARD_MS)), "a tombstone too far"
