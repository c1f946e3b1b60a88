"""The judge of calendars: each job begins at the instants of its line on the days of its calendar, and at no other."""

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.bounds import CALM_LAG_MS
from tests.simulation.calendar_clients import CalendarJob
from tests.simulation.calendar_days import DAY_MINUTES, MINUTE_MS
from tests.simulation.calendar_evidence import SLACK_MS, CalendarEvidence
from tests.simulation.evidence import Arrival, Record
from tests.simulation.verdicts import Fault, Verdict

MOVED = "zone_rules_changed"
CAUGHT_UP = ("coalesced", "catch_up_window")
MENDED_MS = 40 * MINUTE_MS
"""So long after the storm no chain is behind any more."""
DRAINED_MS = 5 * MINUTE_MS
"""An instant before the end has been called by the end."""
SEARCHED_MS = 70 * DAY_MINUTES * MINUTE_MS


def judge(evidence: CalendarEvidence) -> Iterator[Fault]:
    """Every broken promise."""
    calls = defaultdict[str, list[Arrival]](list)
    for call in evidence.calls:
        calls[call.execution_id].append(call)
    for job in evidence.jobs:
        of_job = _JobJudge(evidence, job, calls)
        yield from of_job.faults()
    known = {record.execution_id for records in evidence.records.values() for record in records}
    jobs = {job.job_id for job in evidence.jobs}
    for call in evidence.calls:
        if call.job_id in jobs and call.execution_id not in known:
            yield Fault(verdict=Verdict.HISTORY, text="a call has no record", execution_id=call.execution_id)


class _JobJudge:
    """The promises to one job."""

    def __init__(self, evidence: CalendarEvidence, job: CalendarJob, calls: dict[str, list[Arrival]]) -> None:
        assert job.job_id is not None
        self._evidence, self._job, self._id, self._calls = evidence, job, job.job_id, calls
        self._records = evidence.records[job.job_id]
        self._force = evidence.in_force(job)
        self._reports = [report.at for report in evidence.reports if report.job_id == job.job_id]
        self._until_ms = min(evidence.ended_at, job.delete_asked_at or evidence.ended_at)

    def faults(self) -> Iterator[Fault]:
        yield from self._begun()
        for instant in self._owed():
            yield from self._told(instant)
        if self._job.delete_asked_at is None:
            yield from self._goes_on()
        if self._evidence.revisions[self._id] - 1 > len(self._reports) + (
            self._job.delete_asked_at is not None
        ):
            yield self._fault(
                Verdict.RECONCILER, f"it has moved, and {len(self._reports)} reports tell of it"
            )

    def _begun(self) -> Iterator[Fault]:
        """Each run is one of the days that the job may have had at its instant, or after a move before its call:
        changed days may have one before now. It is the only one of that instant."""
        seen = set[int]()
        for record in (each for each in self._records if each.has_begun):
            instant = record.nominal_at
            if instant in seen:
                yield _of(Verdict.DOUBLED, record, f"{instant} has begun twice")
            seen.add(instant)
            called_at = min((call.began_at for call in self._calls[record.execution_id]), default=instant)
            moved_at = max((at for at in self._reports if at <= called_at), default=instant)
            contents = self._force.possible(instant - SLACK_MS, max(instant, moved_at) + SLACK_MS)
            if not any(self._job.line.has(content, instant) for content in contents):
                yield _of(Verdict.INSTANTS, record, f"{instant} is on no day that the job may have had then")
            ends = ("succeeded",) if self._is_prompt(instant) else ("succeeded", "failed")
            if instant <= self._evidence.ended_at - DRAINED_MS and record.state not in ends:
                yield _of(Verdict.LOST, record, f"{record.state} as {record.reason}")
            yield from self._called(record)

    def _called(self, record: Record) -> Iterator[Fault]:
        calls = self._calls[record.execution_id]
        if record.state == "succeeded" and not any(call.status == 200 for call in calls):
            yield _of(Verdict.HISTORY, record, "succeeded without a call")
        for call in calls:
            if call.due_clock_at < record.nominal_at:
                yield _of(Verdict.EARLY, record, f"called {record.nominal_at - call.due_clock_at} ms early")
        first_at = min((call.began_at for call in calls), default=0)
        moved_at = max((at for at in self._reports if at <= first_at), default=0)
        if self._is_prompt(record.nominal_at) and first_at - max(record.nominal_at, moved_at) > CALM_LAG_MS:
            yield _of(Verdict.LATE, record, f"called {first_at - record.nominal_at} ms late")

    def _owed(self) -> Iterator[int]:
        """The instants of whatever days the job may have had then."""
        first_at = (self._job.acked_at or 0) + SLACK_MS
        until_ms = min(self._until_ms - SLACK_MS, self._evidence.ended_at - DRAINED_MS)
        some = next(iter(self._force.possible(first_at, first_at)))
        contents = self._force.possible(first_at, until_ms) | {some}
        instants = {at for content in contents for at in self._job.line.instants(content, first_at, until_ms)}
        for instant in sorted(instants):
            possible = self._force.possible(instant - SLACK_MS, instant + SLACK_MS)
            if all(self._job.line.has(content, instant) for content in possible):
                yield instant

    def _told(self, instant: int) -> Iterator[Fault]:
        """It has begun, or a record says for a good reason why it has not."""
        own = [each for each in self._records if each.nominal_at == instant or _covers(each, instant)]
        if any(each.nominal_at == instant and each.has_begun for each in own):
            return
        if not own:
            yield self._fault(Verdict.LOST, f"nothing tells of {instant}")
        elif not any(self._is_excused(each, instant) for each in own):
            reasons = [f"{each.state} as {each.reason}" for each in own]
            yield self._fault(Verdict.LOST, f"{instant} has not begun: {reasons}")

    def _is_excused(self, record: Record, instant: int) -> bool:
        """A move ends what waits then and is on no changed day. Where faults held a chain up, late instants are left
        out, and a deletion ends them."""
        if record.reason in (*CAUGHT_UP, "job_deleted"):
            return not self._is_prompt(instant)
        if record.reason != MOVED:
            return False
        latest = instant + SLACK_MS if self._is_prompt(instant) else self._evidence.ended_at
        moves = [at for at in self._reports if instant - SLACK_MS <= at <= latest]
        return any(self._may_leave_out(instant, moved_at) for moved_at in moves)

    def _may_leave_out(self, instant: int, moved_at: int) -> bool:
        """Whether the days after a move may lack the instant: one that they have is not dropped."""
        contents = self._force.possible(instant - SLACK_MS, moved_at + SLACK_MS)
        return not all(self._job.line.has(content, instant) for content in contents)

    def _goes_on(self) -> Iterator[Fault]:
        """One run waits: the next one of the days that the job has at the end."""
        waiting = self._evidence.waiting[self._id]
        now_ms = self._evidence.ended_at
        line = self._job.line
        horizon = now_ms + SEARCHED_MS
        nexts = {next(line.instants(days, now_ms - SLACK_MS, horizon), None) for days in self._force.last}
        if len(waiting) != 1:
            yield self._fault(Verdict.LOST, f"{len(waiting)} runs wait")
        elif not any(at == waiting[0] or (at is None and waiting[0] > horizon) for at in nexts):
            yield self._fault(Verdict.INSTANTS, f"{waiting[0]} waits, and not one of {nexts}")

    def _is_prompt(self, instant: int) -> bool:
        return self._evidence.is_calm or instant > self._evidence.healed_at + MENDED_MS

    def _fault(self, verdict: Verdict, text: str) -> Fault:
        return Fault(verdict=verdict, text=text, job_id=self._id)


def _covers(record: Record, instant: int) -> bool:
    return record.missed is not None and record.missed[0] <= instant <= record.missed[1]


def _of(verdict: Verdict, record: Record, text: str) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
