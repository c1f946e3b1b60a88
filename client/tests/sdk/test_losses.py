"""Requests and answers are lost at random: nothing is made twice, and everything that is acknowledged exists."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.tests.sdk.deployment import HOOK, Deployment, Fate, script
from punctual import new_job
from punctual.client import Punctual
from punctual.errors import RequestError
from punctual.models import Job

FATES = st.lists(st.sampled_from([Fate.ANSWERED, *Fate]), max_size=60)
PLANS = st.lists(st.sampled_from(["create", "batch", "trigger", "backfill", "patient", "hasty"]), max_size=12)
SLOW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NEVER_DUE: dict[str, Any] = {"cron": "0 0 1 1 *"}


class Course:
    """What a client has asked for, and what came of it."""

    def __init__(self, fates: list[Fate]) -> None:
        self.deployment = Deployment()
        self._plain = self.deployment.client()
        self.recurring: Job = self._plain.jobs.create(url=HOOK, name="recurring", **NEVER_DUE)
        self.client: Punctual = self.deployment.client()
        self.acknowledged: list[str] = []
        self.unknown: list[tuple[str, str]] = []
        """What was asked, and with which key."""
        self._number = 0
        self.deployment.fate = script(*fates)

    def take(self, step: str) -> None:
        """Take a step; an error without an answer is noted."""
        if step in ("patient", "hasty"):
            self.client = self.client.with_options(max_elapsed=60 if step == "patient" else 0.5)
            return
        self._number += 1
        asked = f"{step}-{self._number}"
        try:
            self.acknowledged += self.ask(asked, None)
        except RequestError as error:
            assert error.idempotency_key is not None
            self.unknown.append((asked, error.idempotency_key))

    def ask(self, asked: str, key: str | None) -> list[str]:
        """The ids of what was made."""
        step, p = asked.partition("-")[0], self.client
        if step == "create":
            return [p.jobs.create(url=HOOK, delay_seconds=86_400, name=asked, idempotency_key=key).id]
        if step == "batch":
            many = [new_job(url=HOOK, delay_seconds=86_400, name=f"{asked}.{place}") for place in range(3)]
            made = p.jobs.batch(many, idempotency_key=key)
            return [result.job.id for result in made.results if result.job is not None]
        if step == "trigger":
            return [p.jobs.trigger(self.recurring, idempotency_key=key).id]
        backfill = p.jobs.backfill(
            self.recurring, since="2020-01-01T00:00:00Z", until="2021-06-01T00:00:00Z", idempotency_key=key
        )
        return [backfill.id]

    def repeat(self) -> None:
        """Ask once more, with the same keys, for all that is not known."""
        self.deployment.fate = script()
        for asked, key in self.unknown:
            self.acknowledged += self.ask(asked, key)

    def found(self) -> list[str]:
        """The ids of all that exists, beside the job that was there at the beginning."""
        jobs = [job.id for job in self._plain.jobs.iterate()]
        runs = [run.id for run in self._plain.jobs.iterate_executions(self.recurring)]
        first = self._plain.jobs.get(self.recurring)
        assert first.revision == 1
        triggered = [run for run in runs if self._plain.executions.get(run).state != "pending"]
        return [job for job in jobs if job != self.recurring.id] + triggered


@SLOW
@given(FATES, PLANS)
def test_lost_answers_make_nothing_twice_and_lose_nothing_acknowledged(
    fates: list[Fate], plan: list[str]
) -> None:
    course = Course(fates)
    for step in plan:
        course.take(step)
    found = Counter(course.found())
    assert set(found.values()) <= {1}
    assert set(course.acknowledged) <= set(found)
    assert len(found) <= len(course.acknowledged) + sum(
        3 if "batch" in asked else 1 for asked, _ in course.unknown
    )

    course.repeat()
    assert Counter(course.found()) == Counter(set(course.acknowledged))


@SLOW
@given(FATES, st.integers(1, 12))
def test_concurrent_creations_make_one_job_each(fates: list[Fate], number: int) -> None:
    deployment = Deployment(fate=script(*fates))

    async def create(p: Any, name: str) -> str | None:
        try:
            return str((await p.jobs.create(url=HOOK, delay_seconds=86_400, name=name)).id)
        except RequestError:
            return None

    async def run() -> list[str | None]:
        async with deployment.async_client() as p:
            return await asyncio.gather(*(create(p, f"job {place}") for place in range(number)))

    acknowledged = {made for made in asyncio.run(run()) if made is not None}
    deployment.fate = script()
    with deployment.client() as p:
        jobs = list(p.jobs.iterate())
    assert acknowledged <= {job.id for job in jobs}
    assert set(Counter(job.name for job in jobs).values()) <= {1}


def test_batch_whose_results_are_not_all_known_is_sent_again_until_they_are() -> None:
    deployment = Deployment()
    plain = deployment.answer
    unknown = b'{"results":[{"status":503,"problem":{"type":"urn:punctual:problem:service-unavailable",'
    unknown += b'"title":"","status":503,"detail":"","instance":""}}]}'
    deployment.answer = _first(unknown, plain)  # type: ignore[assignment, method-assign]
    with deployment.client() as p:
        p.jobs.batch([new_job(url=HOOK, delay_seconds=60)]).raise_for_refused()
        assert len(list(p.jobs.iterate())) == 1
    assert deployment.keys[:2] == ["key-1", "key-1"]


def _first(body: bytes, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    import httpx

    steps = iter([body])

    def answer(request: Any) -> Any:
        made, first = plain(request), next(steps, None)
        return made if first is None else httpx.Response(200, content=first)

    return answer
