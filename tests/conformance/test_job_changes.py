"""JobStore: one compare-and-swap for every change of a definition, and the chains that ended with it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from shared.domain.bucket import ShardCounts
from shared.domain.delivery.retry import RetryPolicy
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State
from shared.domain.jobs.job import ENDED, Chain, Job, JobState
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.schedule import Cron, Gap, Overlap, Rate
from shared.domain.schedules.skipped_range import SkippedRange
from shared.names import Lane
from tests.support.builders import DUE_AT, EXPIRES_AT_S, TENANT, job, occurrence, with_changes
from tests.support.conformance.labs import Lab

MINUTE = 60_000
JOB = job()
PAUSING = replace(JOB, state=JobState.PAUSING, revision=2, changed_at=DUE_AT)
PAST = JOB.chain(DUE_AT + 5 * MINUTE, EXPIRES_AT_S, DUE_AT + 2 * MINUTE)


def created(lab: Lab, definition: Job = JOB) -> Job:
    assert lab.jobs.create(definition, occurrence(definition)) is None
    return definition


def unchanged(lab: Lab, before: Job, after: Job, **rest: Any) -> bool:
    """Whether the change was refused, and nothing whatever was written."""
    stood = lab.contents()
    return not lab.jobs.replace(before, after, **rest) and lab.contents() == stood


def record(of: Job, nominal_at: int) -> Execution:
    missed = SkippedRange(
        count=3, first_at=nominal_at, last_at=nominal_at + 2 * MINUTE, resumed_at=DUE_AT * 2
    )
    return occurrence(
        of, nominal_at, state=State.SKIPPED, end_reason=EndReason.JOB_PAUSED, missed=missed, ends_chain=True
    )


def restarted(revision: int = 2) -> tuple[Job, list[Execution]]:
    """The job with a new chain, the record that closes the old one, and the first execution of the new one."""
    after = replace(JOB, revision=revision, chain_revision=revision, chain_from=DUE_AT + 6 * MINUTE)
    first = occurrence(after, after.chain_from, state=State.QUEUED)
    return after, [record(JOB, DUE_AT + 2 * MINUTE), first]


def test_a_definition_takes_the_place_of_the_one_that_was_read(lab: Lab) -> None:
    created(lab)
    assert lab.jobs.replace(JOB, PAUSING)
    assert lab.jobs.get(TENANT, JOB.id) == PAUSING
    assert lab.job_expiry(TENANT, JOB.id) is None


@pytest.mark.parametrize(
    "other",
    [
        {"revision": 2},
        {"chain_from": DUE_AT + MINUTE},
        {"chain_from": DUE_AT - MINUTE},
        *({"state": state} for state in JobState if state is not JobState.ACTIVE),
    ],
    ids=str,
)
@pytest.mark.parametrize("with_rest", [False, True])
def test_change_is_refused_at_another_state_revision_or_chain_start(
    lab: Lab, other: dict[str, Any], with_rest: bool
) -> None:
    created(lab, with_changes(JOB, **other))
    rest: dict[str, Any] = {"past": PAST} if with_rest else {}
    assert unchanged(lab, JOB, PAUSING, **rest)


@pytest.mark.parametrize("with_rest", [False, True])
def test_change_of_a_missing_job_is_refused(lab: Lab, with_rest: bool) -> None:
    rest: dict[str, Any] = {"past": PAST, "executions": restarted()[1], "expires_at_s": EXPIRES_AT_S}
    assert unchanged(lab, JOB, PAUSING, **(rest if with_rest else {}))
    assert lab.jobs.get(TENANT, JOB.id) is None


def test_a_change_belongs_to_one_tenant(lab: Lab) -> None:
    created(lab)
    foreign = replace(JOB, tenant_id="acme-2")
    assert unchanged(lab, foreign, replace(PAUSING, tenant_id="acme-2"))


def test_a_change_that_was_made_is_not_made_again_by_another(lab: Lab) -> None:
    created(lab)
    assert lab.jobs.replace(JOB, PAUSING)
    rival = replace(JOB, state=JobState.DELETING, revision=2, changed_at=DUE_AT)
    assert unchanged(lab, JOB, rival)


def test_a_change_alone_that_was_made_is_made_whoever_asks_again(lab: Lab) -> None:
    """Its answer may have been lost, and nobody else has made the very same."""
    created(lab)
    assert lab.jobs.replace(JOB, PAUSING)
    before = lab.contents()
    assert lab.jobs.replace(JOB, PAUSING)
    assert lab.contents() == before
    assert unchanged(lab, JOB, PAUSING, past=PAST)


def test_job_old_chain_and_executions_change_as_one(lab: Lab) -> None:
    created(lab)
    after, executions = restarted()
    assert lab.jobs.replace(JOB, after, past=PAST, executions=executions, expires_at_s=EXPIRES_AT_S)
    assert lab.jobs.get(TENANT, JOB.id) == after
    assert [lab.executions.get(one.id) for one in executions] == executions
    assert [lab.expiry(one.id) for one in executions] == [EXPIRES_AT_S, None]
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=5) == [PAST]
    assert lab.job_expiry(TENANT, JOB.id) is None


@pytest.mark.parametrize("taken", [0, 1])
def test_change_is_refused_where_the_key_of_an_execution_is_taken(lab: Lab, taken: int) -> None:
    created(lab)
    after, executions = restarted()
    in_place = with_changes(
        executions[taken], state=State.PENDING, missed=None, end_reason=None, ends_chain=False
    )
    lab.executions.put_if_absent(in_place)
    rest: dict[str, Any] = {"past": PAST, "executions": executions, "expires_at_s": EXPIRES_AT_S}
    assert unchanged(lab, JOB, after, **rest)
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=5) == []


@pytest.mark.parametrize("state", sorted(JobState))
def test_a_definition_expires_exactly_where_the_job_ends(lab: Lab, state: JobState) -> None:
    created(lab)
    after = replace(JOB, state=state, revision=2)
    assert lab.jobs.replace(JOB, after, executions=[record(JOB, DUE_AT + MINUTE)], expires_at_s=EXPIRES_AT_S)
    assert lab.job_expiry(TENANT, JOB.id) == (EXPIRES_AT_S if state in ENDED else None)


def test_every_field_of_a_change_is_read_back(lab: Lab) -> None:
    created(lab)
    rich = with_changes(
        JOB,
        state=JobState.UPDATING,
        revision=7,
        chain_revision=4,
        history_from=DUE_AT + 1,
        schedule=Cron(line="0 9 * * 1-5", timezone="America/New_York", gap=Gap.SKIP, overlap=Overlap.BOTH),
        counts=ShardCounts(normal=2, quarter=3, midnight=4),
        lane=Lane.CRITICAL,
        request=b"",
        payload_id="another name",
        signing_secret="billing",
        retry=RetryPolicy(max_attempts=1, base_seconds=2, factor=3, cap_seconds=4),
        name="morning report",
        tags=("a", "ü", "c"),
        jitter_ms=5_000,
        catch_up=CatchUpPolicy(mode=CatchUp.ALL, limit=7, window_ms=8_000, late_tolerance_ms=9_000),
        overlap_policy=OverlapPolicy.QUEUE_ONE,
        max_runs=10,
        change=with_changes(
            JOB.definition,
            schedule=Rate(interval_ms=MINUTE, anchor=DUE_AT, end_at=DUE_AT * 2),
            name="évening",
            tags=("x",),
            payload_id="a third",
            signing_secret="crm",
            jitter_ms=1,
            catch_up=CatchUpPolicy(mode=CatchUp.SKIP),
            overlap_policy=OverlapPolicy.SKIP,
            max_runs=11,
        ),
        changed_at=DUE_AT + 2,
        pause_reason="maintenance",
        runs_before=3,
        ended_from=DUE_AT + 3,
        ended_through=DUE_AT + 4,
    )
    assert lab.jobs.replace(JOB, rich)
    assert lab.jobs.get(TENANT, JOB.id) == rich
    plain = with_changes(
        rich, state=JobState.ACTIVE, change=None, changed_at=None, pause_reason=None, tags=()
    )
    assert lab.jobs.replace(rich, plain)
    assert lab.jobs.get(TENANT, JOB.id) == plain


def chain(revision: int, **overrides: Any) -> Chain:
    return replace(PAST, revision=revision, **overrides)


def replaced(lab: Lab, before: Job, pasts: Sequence[Chain]) -> Job:
    """The job after one change for each chain that ends."""
    for past in pasts:
        after = replace(before, revision=before.revision + 1)
        assert lab.jobs.replace(before, after, past=past)
        before = after
    return before


def test_past_chains_are_told_newest_first_and_no_more_than_asked_for(lab: Lab) -> None:
    pasts = [chain(revision) for revision in (1, 2, 9, 10, 100)]
    replaced(lab, created(lab), pasts)
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=100) == pasts[::-1]
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=2) == pasts[:-3:-1]


def test_a_past_chain_is_read_back_whole(lab: Lab) -> None:
    recurrence = replace(
        PAST.recurrence,
        schedule=Cron(line="*/5 * * * *", timezone="Europe/Berlin", start_at=DUE_AT, rules="2020a -1"),
        counts=ShardCounts(normal=9, quarter=10, midnight=11),
        jitter_ms=30_000,
        catch_up=CatchUpPolicy(mode=CatchUp.ALL, limit=1),
        overlap_policy=OverlapPolicy.SKIP,
        max_runs=5,
    )
    past = chain(
        3, recurrence=recurrence, history_from=DUE_AT - 1, history_until=DUE_AT + 1, skipped_from=None
    )
    replaced(lab, created(lab), [past])
    assert lab.jobs.past_chains(TENANT, JOB.id, limit=1) == [past]


def test_past_chains_are_their_own_jobs_alone(lab: Lab) -> None:
    replaced(lab, created(lab), [PAST])
    assert lab.jobs.past_chains("acme-2", JOB.id, limit=5) == []
    assert lab.jobs.past_chains(TENANT, job(2).id, limit=5) == []
    assert lab.jobs.get(TENANT, JOB.id) == replace(JOB, revision=2)
