"""The machine without its rules: the deployment, what was promised, and what must hold after every step."""

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition

from tests.api_machine.accounting import check_instants
from tests.api_machine.changes import come_to_rest
from tests.api_machine.deployment import TENANTS, Deployment
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.history import check_history, check_once
from tests.api_machine.instants import instant
from tests.api_machine.model_state import Kept
from tests.api_machine.observing import shown
from tests.api_machine.pages import DEAD_LETTERS, listed
from tests.api_machine.sightings import SEEN

HOUR_MS = 3_600_000
LONGEST_MS = 2 * HOUR_MS
MOST_CALLS = 25
MOST_RECORDS = 500
"""Where a job has more, time passes slowly: to read its history would take all of the machine's."""
picks = st.integers(0, 7)
"""Which of the jobs that a rule may choose from."""
some_job = precondition(lambda self: self.jobs)
some_job_goes_on = precondition(lambda self: self.going_on)
tenants = st.sampled_from(TENANTS)
MOST_JOBS = 8
some_room = precondition(lambda self: len(self.jobs) < MOST_JOBS)
K = TypeVar("K", bound=Kept)


def is_series(job: PromisedJob) -> bool:
    """Whether it recurs, and may go on to do so."""
    return job.is_recurring and job.ended_at is None and not job.is_completed


def some_key(kind: type[Kept]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Only where something of that kind is kept under a key."""
    return precondition(lambda self: self.kept(kind))


class ApiMachine(RuleBasedStateMachine):
    """Rules ask the deployment and write down what was promised; the invariants hold the two together."""

    def __init__(self) -> None:
        super().__init__()
        self.deployment = Deployment()
        self.jobs: list[PromisedJob] = []
        self.keys: dict[tuple[str, str], Kept] = {}
        """What was accepted under an Idempotency-Key, by tenant and key."""
        self.keyed: dict[tuple[str, str], PromisedJob] = {}
        """The latest job with a key of its owner, by tenant and key."""
        self._moment: object = None
        self._turn = 0

    @initialize(later_ms=st.integers(0, 4 * HOUR_MS))
    def begin(self, later_ms: int) -> None:
        """At any moment of a few hours around midnight."""
        self.deployment.begin_later(later_ms)

    @property
    def now_ms(self) -> int:
        """The time."""
        return self.deployment.now_ms

    @property
    def going_on(self) -> list[PromisedJob]:
        """The jobs that will call again."""
        return [job for job in self.jobs if job.goes_on]

    def choose(
        self, pick: int, is_wanted: Callable[[PromisedJob], bool], among: list[PromisedJob]
    ) -> PromisedJob:
        """One of those that are wanted, or any other, which is to be refused."""
        wanted = [job for job in among if is_wanted(job)]
        others = [job for job in among if job not in wanted]
        choice = wanted + others[pick % max(1, len(others)) :][:1]
        return choice[pick % len(choice)]

    def kept(self, kind: type[K]) -> list[K]:
        """What is kept under Idempotency-Keys, of one kind."""
        return [kept for kept in self.keys.values() if isinstance(kept, kind)]

    def promise(self, job: PromisedJob) -> None:
        """A job was accepted."""
        self.jobs.append(job)
        self.deployment.receiver.jobs[job.id] = job

    @invariant()
    def every_promise_holds(self) -> None:
        """After each step; where it let no time pass and ended nothing, one job in turn stands for all."""
        self._check_the_receiver()
        for job in self.jobs:
            come_to_rest(job)
        assert self.deployment.stored_jobs() == {job.id for job in self.jobs}, "no more and no fewer jobs"
        moment = (self.now_ms, [(job.state, job.revisions[-1], len(job.executions)) for job in self.jobs])
        if moment == self._moment:
            self._turn += 1
            for job in self.jobs[self._turn % len(self.jobs) :][:1] if self.jobs else []:
                self._check_job(job)
            return
        self._moment = moment
        records = [record for job in self.jobs for record in self._check_job(job)]
        for tenant in TENANTS:
            self._check_dead_letters(tenant, records)

    def _check_the_receiver(self) -> None:
        """Early, late, doubled, cancelled or unknown calls were noted as they came."""
        broken = self.deployment.receiver.broken
        for fault in broken:
            if isinstance(fault, Exception):
                raise fault
        assert not broken

    def _check_job(self, job: PromisedJob) -> list[dict[str, Any]]:
        """It is shown as it is, and its past is told as it was; all its records."""
        records = listed(self.deployment, job.tenant, job.history_path)
        job.records = len(records)
        as_shown = shown(self.deployment, job)
        check_history(job, records, self.deployment.receiver)
        if job.is_recurring:
            check_instants(job, records, self.deployment.receiver)
            next_at = job.chain.next_after(self.now_ms) if job.is_active else None
            assert as_shown["next_due_at"] == (None if next_at is None else instant(next_at))
        else:
            check_once(job, records, as_shown, self.deployment.receiver)
        return records

    def _check_dead_letters(self, tenant: str, records: list[dict[str, Any]]) -> None:
        """Exactly what failed for good, told in the same words."""
        own = {job.id for job in self.jobs if job.tenant == tenant}
        failed = {
            record["id"]: record
            for record in records
            if record["job_id"] in own and record["state"] == "failed"
        }
        letters = listed(self.deployment, tenant, DEAD_LETTERS)
        assert {letter["id"]: _as_in_history(letter) for letter in letters} == failed

    @property
    def longest_history(self) -> int:
        """How many records any job has."""
        return max((job.records for job in self.jobs), default=0)

    def let_time_pass(self, wanted_ms: int) -> None:
        """Everything runs, for no longer than makes about `MOST_CALLS` calls."""
        active = [job for job in self.jobs if job.is_recurring and job.is_active]
        calls_per_second = sum(1 / job.timetable.schedule.get("rate_seconds", 60) for job in active)
        calls = MOST_CALLS if self.longest_history < MOST_RECORDS else 2
        affordable_ms = int(calls * 1000 / calls_per_second) if active else wanted_ms
        self.deployment.pass_time(min(wanted_ms, affordable_ms))

    def until_called(self, job: PromisedJob) -> int:
        """How long it takes until the job's next call is over, as far as one can tell."""
        moments = [one.next_call_at for one in job.executions.values() if one.next_call_at is not None]
        if job.is_active:
            moments.append(job.chain.next_after(self.now_ms))
        elif job.state[0] == "pending":
            moments.append(job.timetable.due_at)
        return min(max(0, min(moments, default=0) - self.now_ms), LONGEST_MS) + 300

    def while_it_runs(self, job: PromisedJob, act: Callable[[], None]) -> None:
        """Act while the receiver works at the job's next attempt, if it comes to one."""
        self.deployment.receiver.meanwhile[job.id] = act
        self.let_time_pass(self.until_called(job))
        self.deployment.receiver.meanwhile.clear()

    def teardown(self) -> None:
        """Count what this run has come to."""
        for job in self.jobs:
            for execution in job.executions.values():
                SEEN[f"{execution.state}: {execution.end_reason}"] += 1
                SEEN[f"{len(execution.calls)} attempts"] += 1


def _as_in_history(letter: dict[str, Any]) -> dict[str, Any]:
    """A dead letter without what is said of it beside: its lane, and how its last attempt ended."""
    last = letter["attempts"][-1] if letter["attempts"] else {"status": None, "reason": None}
    assert (letter["last_status"], letter["last_reason"]) == (last["status"], last["reason"])
    return {key: value for key, value in letter.items() if key not in ("lane", "last_status", "last_reason")}
