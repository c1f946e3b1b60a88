"""Files are applied in any order, with crashes, lost answers, refusals and rivals at any request.

After every application that ended: the jobs are those of the file, a second one changes nothing, pauses stay, and no
job of another set has changed. After one that did not end, a repetition gets there.
"""

from contextlib import suppress
from typing import Any

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from client.tests.applying.appliers import Blow, CrashError, Members, apply
from client.tests.sdk.deployment import HOOK, Deployment
from punctual import Punctual
from punctual.applying.asking import ENDED
from punctual.errors import PunctualError
from punctual.models import JobSummary

SETS = ("a", "a.b")
"""The key `b.x` of the first set and the key `x` of the second are the same key of the API."""
DESCRIPTIONS: tuple[Members, ...] = (
    {"cron": "0 3 1 1 *"},
    {"cron": "0 4 1 1 *", "timezone": "Europe/Berlin"},
    {"rate_seconds": 31_000_000},
    {"cron": "0 3 1 1 *", "headers": "{X-Token: {env: TOKEN}}", "lane": "bulk"},
    {"cron": "0 3 1 1 *", "body": "other", "retry": "{max_attempts: 2}", "tags": "[x]"},
)
REFUSED: Members = {"cron": "61 * * * *"}
files = st.dictionaries(st.sampled_from(["x", "y", "b.x", "z"]), st.sampled_from(DESCRIPTIONS), max_size=4)
kinds = st.sampled_from(
    ["crash before", "crash after", "lost", "answer lost", "throttled", "silent", "refused", "rival"]
)


class Applying(RuleBasedStateMachine):
    """A tenant whose jobs are in two files, beside jobs of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.deployment = Deployment()
        self.client: Punctual = self.deployment.client()
        self.client.jobs.create(url=HOOK, cron="0 5 1 1 *", name="no key")
        self.client.jobs.put("single", url=HOOK, cron="0 5 1 1 *")
        self.client.jobs.put("a.z.hand", url=HOOK, cron="0 5 1 1 *", set="other")
        self.paused: set[str] = set()

    def live(self) -> list[JobSummary]:
        return [job for job in self.client.jobs.iterate() if job.state not in ENDED]

    def beside(self, set_name: str) -> list[tuple[Any, ...]]:
        """All that a file of this set may not touch. A job of no set may be taken over by its key."""
        others = [job for job in self.live() if job.set != set_name]
        return sorted(
            (job.id, job.revision, job.state)
            for job in others
            if job.set is not None or not (job.key or "").startswith(f"{set_name}.")
        )

    def of_set(self, set_name: str) -> dict[str, JobSummary]:
        return {str(job.key): job for job in self.live() if job.set == set_name}

    @rule(
        set_name=st.sampled_from(SETS),
        jobs=files,
        prune=st.booleans(),
        kind=kinds,
        at=st.integers(0, 14),
        rival=files,
    )
    def apply(
        self,
        set_name: str,
        jobs: dict[str, Members],
        prune: bool,
        kind: str,
        at: int,
        rival: dict[str, Members],
    ) -> None:
        """Twice: first with a blow, and then without."""
        if self._conflicts(set_name, jobs) or self._conflicts(set_name, rival):
            self._refuse(set_name, jobs)
            return
        beside, before = self.beside(set_name), self.of_set(set_name)
        blow = Blow(kind, at, lambda: self._settle(set_name, rival, prune=prune))
        with suppress(CrashError, PunctualError):
            plan, done = apply(self.deployment, set_name, jobs, prune=prune, blow=blow)
            wanted = {change.key for change in plan.changes}
            if any(each.error is not None and each.key in wanted for each in done):
                event(f"a change failed: {kind}")
                assert "deleted" not in {each.change for each in done}
        assert self.beside(set_name) == beside
        event(f"struck: {kind}" if blow.seen > at else "not struck")
        self._settle(set_name, jobs, prune=prune)
        assert self.beside(set_name) == beside
        found, named = self.of_set(set_name), {f"{set_name}.{key}" for key in jobs}
        if prune:
            assert set(found) == named
        else:
            assert set(found) >= named | set(before)
        self.paused &= {job.id for job in self.live()}

    def _settle(self, set_name: str, jobs: dict[str, Members], *, prune: bool) -> None:
        """Apply without a blow; after that nothing is left to do."""
        plan, done = apply(self.deployment, set_name, jobs, prune=prune)
        assert plan.is_possible
        assert all(each.error is None for each in done)
        again, _ = apply(self.deployment, set_name, jobs, prune=prune)
        assert (again.has_changes, again.unchanged) == (False, len(jobs))

    def _conflicts(self, set_name: str, jobs: dict[str, Members]) -> bool:
        keys = {f"{set_name}.{key}" for key in jobs}
        return any(job.key in keys and job.set not in (None, set_name) for job in self.live())

    def _refuse(self, set_name: str, jobs: dict[str, Members]) -> None:
        """A key that another set has stops the whole file."""
        if self._conflicts(set_name, jobs):
            event("conflict")
            before = [(job.id, job.revision) for job in self.live()]
            plan, _ = apply(self.deployment, set_name, jobs)
            assert plan.conflicts
            assert [(job.id, job.revision) for job in self.live()] == before

    @rule(set_name=st.sampled_from(SETS), jobs=files)
    def apply_with_a_refused_job(self, set_name: str, jobs: dict[str, Members]) -> None:
        """Nothing of the file is applied."""
        before = [(job.id, job.revision) for job in self.live()]
        plan, _ = apply(self.deployment, set_name, {**jobs, "bad": REFUSED})
        assert [each.key for each in plan.refusals] == [f"{set_name}.bad"]
        assert [(job.id, job.revision) for job in self.live()] == before

    def _pick(self, number: int) -> JobSummary:
        jobs = self.live()
        return jobs[number % len(jobs)]

    @rule(number=st.integers(0, 20))
    def pause_by_hand(self, number: int) -> None:
        job = self._pick(number)
        self.client.jobs.pause(job)
        self.paused.add(job.id)

    @precondition(lambda self: self.paused)
    @rule(number=st.integers(0, 20))
    def resume_by_hand(self, number: int) -> None:
        job = sorted(self.paused)[number % len(self.paused)]
        self.client.jobs.resume(job)
        self.paused.remove(job)

    @precondition(lambda self: len(self.live()) > 3)
    @rule(number=st.integers(0, 20))
    def delete_by_hand(self, number: int) -> None:
        job = self._pick(number)
        self.client.jobs.cancel(job)
        self.paused.discard(job.id)

    @rule(number=st.integers(0, 20), set_name=st.sampled_from([*SETS, None]))
    def move_by_hand(self, number: int, set_name: str | None) -> None:
        """Another program gives the key of a job to another set, or to none."""
        job = self._pick(number)
        if job.key is not None:
            self.client.jobs.put(job.key, url=HOOK, cron="0 6 1 1 *", set=set_name)

    @invariant()
    def pauses_stay(self) -> None:
        assert {job.id for job in self.live() if job.state == "paused"} == self.paused


TestApplying = Applying.TestCase
TestApplying.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
