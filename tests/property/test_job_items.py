"""Definitions and chains that ended as items: nothing is lost or changed on the way there and back."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.dynamodb.codec.job_items import job_item, past_chain_item, read_job, read_past_chain
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.destination import DESTINATION
from shared.domain.ids import backfill_job_id, recurring_job_id
from shared.domain.jobs.job import Chain, Definition, Job, JobState
from shared.domain.schedules.catch_up import CatchUp, CatchUpPolicy
from shared.domain.schedules.overlap import OverlapPolicy
from shared.domain.schedules.recurrence import Recurrence
from shared.names import Attr, Lane
from tests.support.property.item_strategies import (
    CALLBACKS,
    COUNTS,
    INSTANTS,
    NUMBERS,
    POLICIES,
    SCHEDULES,
    SUBSCRIPTIONS,
    TENANTS,
)

TEXTS = st.text(min_size=1, max_size=64)
JOB_IDS = st.builds(recurring_job_id, INSTANTS, NUMBERS)
JOB_IDS |= st.builds(backfill_job_id, JOB_IDS, INSTANTS, NUMBERS)
RULES: dict[str, Any] = {
    "jitter_ms": st.integers(0, 86_400_000),
    "catch_up": st.builds(
        CatchUpPolicy,
        mode=st.sampled_from(CatchUp),
        limit=st.integers(1, 1_000),
        window_ms=st.integers(0, 366 * 86_400_000),
        late_tolerance_ms=st.integers(0, 86_400_000),
    ),
    "overlap_policy": st.sampled_from(OverlapPolicy),
    "max_runs": st.none() | st.integers(1, 10**6),
}
CALL_PARTS: dict[str, Any] = {
    "lane": st.sampled_from(Lane),
    "request": st.binary(max_size=64),
    "retry": POLICIES,
    "timeout_ms": st.integers(1, 60_000),
    "payload_id": st.none() | TEXTS,
    "callbacks": CALLBACKS,
    "alerts": SUBSCRIPTIONS,
    "destination": st.just("") | st.from_regex(DESTINATION, fullmatch=True),
}
DEFINITIONS = st.builds(
    Definition,
    schedule=SCHEDULES,
    call=st.builds(CallSpec, **CALL_PARTS),
    name=st.none() | TEXTS,
    tags=st.lists(TEXTS, max_size=4).map(tuple),
    **RULES,
)
JOBS = st.builds(
    Job,
    id=JOB_IDS,
    tenant_id=TENANTS,
    revision=NUMBERS,
    state=st.sampled_from(JobState),
    counts=COUNTS,
    fingerprint=st.binary(min_size=16, max_size=16),
    created_at=INSTANTS,
    chain_from=INSTANTS,
    chain_revision=NUMBERS,
    history_from=st.none() | INSTANTS,
    index_shard=st.integers(0, 1_000),
    change=st.none() | DEFINITIONS,
    changed_at=st.none() | INSTANTS,
    pause_reason=st.none() | TEXTS,
    runs_before=NUMBERS,
    ended_from=st.none() | INSTANTS,
    ended_through=st.none() | INSTANTS,
    definition=DEFINITIONS,
)
CHAINS = st.builds(
    Chain,
    job_id=JOB_IDS,
    tenant_id=TENANTS,
    revision=NUMBERS,
    recurrence=st.builds(Recurrence, schedule=SCHEDULES, counts=COUNTS, **RULES),
    history_from=INSTANTS,
    history_until=INSTANTS,
    skipped_from=st.none() | INSTANTS,
    expires_at_s=NUMBERS,
)


@settings(deadline=None)
@given(job=JOBS, expires_at_s=st.none() | NUMBERS)
def test_a_definition_survives_its_item(job: Job, expires_at_s: int | None) -> None:
    item = job_item(job, expires_at_s)
    assert read_job(item) == job
    assert (Attr.TTL in item) == (expires_at_s is not None)


@settings(deadline=None)
@given(chain=CHAINS)
def test_a_past_chain_survives_its_item(chain: Chain) -> None:
    assert read_past_chain(past_chain_item(chain)) == chain


@settings(deadline=None)
@given(chains=st.lists(st.integers(0, 10**9), min_size=2, max_size=2, unique=True), chain=CHAINS)
def test_past_chains_of_a_job_sort_by_their_revision(chains: list[int], chain: Chain) -> None:
    earlier, later = (
        past_chain_item(Chain(**{name: getattr(chain, name) for name in chain.__slots__} | {"revision": one}))
        for one in sorted(chains)
    )
    assert earlier[Attr.PK] == later[Attr.PK]
    assert str(earlier[Attr.SK]["S"]) < str(later[Attr.SK]["S"])
