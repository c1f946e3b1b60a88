"""Every store: of many writers at once one wins, and all learn who."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import TypeVar

from shared.domain.errors import UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.jobs.job import Job, JobState
from shared.domain.tenancy.budget import BudgetKey, BudgetName, TokenLease
from shared.names import Lane
from shared.ports.executions import Claim, Claimer, ClaimRejected, Finish
from shared.ports.jobs import IdempotencyRecord
from tests.support.builders import (
    BUCKET,
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    api_key,
    execution_id,
    in_state,
    job,
    occurrence,
    one_off,
    tenant,
    with_changes,
)
from tests.support.conformance.labs import Lab

T = TypeVar("T")
THREADS = 8
ROUNDS = 3


def at_once(actions: Sequence[Callable[[], T]]) -> list[T]:
    """The answers of actions that all begin at the same moment, each in a thread of its own."""
    barrier = Barrier(len(actions))

    def run(action: Callable[[], T]) -> T:
        barrier.wait()
        return action()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))


def decided(call: Callable[[], T]) -> T:
    """The answer of a transaction: those that meet may all be turned away, and ask again as the port says."""
    for _ in range(50):
        try:
            return call()
        except UnavailableError:
            continue
    raise AssertionError("never decided")


def claim_one(claimer: Claimer, execution: Execution, owner: str) -> object:
    return claimer.claim([Claim(execution_id=execution.id, owner=owner)], DUE_AT)[0]


def test_concurrent_claims_of_the_same_key_are_granted_once(claiming: tuple[Lab, Claimer]) -> None:
    lab, claimer = claiming
    for number in range(ROUNDS):
        lab.executions.put_if_absent(one_off(number))
        answers = at_once(
            [partial(claim_one, claimer, one_off(number), f"owner {thread}") for thread in range(THREADS)]
        )
        (granted,) = (answer for answer in answers if isinstance(answer, Execution))
        assert answers.count(ClaimRejected(granted)) == THREADS - 1
        assert granted.attempt == 1


def test_concurrent_batches_of_the_same_keys_are_granted_every_key_once(
    claiming: tuple[Lab, Claimer],
) -> None:
    lab, claimer = claiming
    keys = [one_off(number).id for number in range(10)]
    for key in keys:
        lab.executions.put_if_absent(one_off(id=key))
    batches = [
        [Claim(execution_id=key, owner=f"owner {thread}") for key in keys] for thread in range(THREADS)
    ]
    answers = at_once([partial(claimer.claim, batch, DUE_AT) for batch in batches])
    granted = [each.id for batch in answers for each in batch if isinstance(each, Execution)]
    assert sorted(granted, key=str) == sorted(keys, key=str)


def test_a_claim_and_a_cancellation_never_both_hold(claiming: tuple[Lab, Claimer]) -> None:
    lab, claimer = claiming

    def cancels(execution: Execution) -> bool:
        standing = lab.executions.cancel(
            execution.id, Transition.CANCEL, reason=EndReason.CANCELLED, expires_at_s=EXPIRES_AT_S
        )
        return standing is None

    def claims(execution: Execution, owner: str) -> bool:
        return isinstance(claim_one(claimer, execution, owner), Execution)

    for number in range(ROUNDS):
        lab.executions.put_if_absent(one_off(number))
        rivals = [partial(cancels, one_off(number)), partial(claims, one_off(number), "mine")]
        assert sum(at_once(rivals)) == 1


def test_concurrent_writers_file_an_execution_once(lab: Lab) -> None:
    for number in range(ROUNDS):
        drafts = [one_off(number, fingerprint=bytes([thread]) * 16) for thread in range(THREADS)]
        answers = at_once([partial(lab.executions.put_if_absent, draft) for draft in drafts])
        winner = drafts[answers.index(None)]
        assert answers.count(winner) == THREADS - 1


def test_exactly_one_of_many_outcomes_of_an_attempt_is_recorded(lab: Lab) -> None:
    ends = [Transition.SUCCEED, Transition.FAIL] * (THREADS // 2)
    finishes = [Finish(transition=end, outcomes=(), expires_at_s=EXPIRES_AT_S) for end in ends]
    for number in range(ROUNDS):
        running = in_state(one_off(number), State.RUNNING)
        lab.executions.put_if_absent(running)
        answers = at_once([partial(lab.executions.finish, running, finish) for finish in finishes])
        assert answers.count(None) == 1


def test_concurrent_creations_of_the_same_job_write_the_job_once(lab: Lab) -> None:
    drafts = [job(fingerprint=bytes([thread]) * 16) for thread in range(THREADS)]
    creations = [partial(lab.jobs.create, draft, occurrence(draft)) for draft in drafts]
    answers = at_once([partial(decided, creation) for creation in creations])
    winner = drafts[answers.index(None)]
    assert answers.count(winner) == THREADS - 1
    assert lab.jobs.get(TENANT, winner.id) == winner


def test_no_jump_follows_the_beginning_of_a_deletion(lab: Lab) -> None:
    for number in range(ROUNDS):
        definition = job(number)
        lab.jobs.create(definition, occurrence(definition))
        skipped = occurrence(definition, DUE_AT + 60_000, state=State.SKIPPED)
        target = occurrence(definition, DUE_AT + 120_000)
        jump = partial(lab.jobs.jump, skipped, target, EXPIRES_AT_S)
        delete = partial(begin_delete, lab, definition)
        deleted, *jumped = at_once([partial(decided, call) for call in (delete, jump, jump)])
        has_jumped = lab.executions.get(target.id) is not None
        assert jumped.count(True) == has_jumped
        chain_from = target.nominal_at if has_jumped else definition.chain_from
        assert deleted == lab.jobs.get(TENANT, definition.id)
        assert deleted == replace(definition, state=JobState.DELETING, revision=2, chain_from=chain_from)


def begin_delete(lab: Lab, definition: Job) -> Job:
    """Look and change until it holds, as every change of a job does."""
    while True:
        standing = lab.jobs.get(definition.tenant_id, definition.id)
        assert standing is not None
        deleting = replace(standing, state=JobState.DELETING, revision=standing.revision + 1)
        if lab.jobs.replace(standing, deleting):
            return deleting


def test_concurrent_changes_of_the_same_revision_are_made_once(lab: Lab) -> None:
    for number in range(ROUNDS):
        definition = job(number)
        lab.jobs.create(definition, occurrence(definition))
        drafts = [with_changes(definition, revision=2, name=f"by {thread}") for thread in range(THREADS)]
        answers = at_once(
            [partial(decided, partial(lab.jobs.replace, definition, draft)) for draft in drafts]
        )
        assert answers.count(True) == 1
        assert lab.jobs.get(TENANT, definition.id) == drafts[answers.index(True)]


def test_concurrent_new_chains_of_the_same_job_begin_once(lab: Lab) -> None:
    for number in range(ROUNDS):
        definition = job(number)
        lab.jobs.create(definition, occurrence(definition))
        drafts = [
            with_changes(definition, revision=2, chain_revision=2, lane=lane, name=f"by {lane} {turn}")
            for turn in range(2)
            for lane in Lane
        ]
        past = definition.chain(DUE_AT - 1, EXPIRES_AT_S)
        answers = at_once(
            [
                partial(
                    decided,
                    partial(lab.jobs.replace, definition, draft, past=past, executions=[occurrence(draft)]),
                )
                for draft in drafts
            ]
        )
        assert answers.count(True) == 1
        winner = drafts[answers.index(True)]
        assert lab.jobs.get(TENANT, definition.id) == winner
        assert lab.executions.get(winner.id_at(DUE_AT)) == occurrence(winner)


def record(number: int, expires_at: int) -> IdempotencyRecord:
    return IdempotencyRecord(
        fingerprint=bytes(16), id=execution_id(number), created_at=0, due_at=0, expires_at=expires_at
    )


def test_concurrent_requests_with_the_same_key_get_the_same_record(lab: Lab) -> None:
    for key in ("fresh", "expired"):
        if key == "expired":
            lab.idempotency.claim(TENANT, key, record(99, expires_at=DUE_AT), 0)
        claims = [
            partial(lab.idempotency.claim, TENANT, key, record(number, DUE_AT * 2), DUE_AT)
            for number in range(16)
        ]
        answers = at_once(claims)
        assert answers == [answers[0]] * 16
        assert answers[0].expires_at == DUE_AT * 2
        assert lab.idempotency.find(TENANT, key, DUE_AT) == answers[0]


def test_concurrent_watchers_take_a_shard_once(lab: Lab) -> None:
    for shard in range(ROUNDS):
        leases = at_once([partial(lab.ledger.take, BUCKET, shard, DUE_AT)] * THREADS)
        assert leases.count(None) == THREADS - 1


def test_concurrent_sweepers_lease_a_shard_once(lab: Lab) -> None:
    for number in range(ROUNDS):
        lab.ledger.list_shard(BUCKET, number, DUE_AT)
        shard = lab.ledger.open_before(BUCKET + 1)[-1]
        leases = at_once([partial(lab.ledger.take_pass, shard, DUE_AT)] * THREADS)
        assert leases.count(None) == THREADS - 1


def test_a_shard_that_is_reopened_while_it_is_closed_stays_on_the_list(lab: Lab) -> None:
    for shard in range(ROUNDS):
        lab.ledger.list_shard(BUCKET, shard, DUE_AT)
        lease = lab.ledger.take_pass(lab.ledger.open_before(BUCKET + 1)[-1], DUE_AT)
        assert lease is not None
        race: list[Callable[[], object]] = [
            partial(lab.ledger.close, lease),
            partial(lab.ledger.reopen, BUCKET, shard, next_pass_at=DUE_AT, open_until=DUE_AT),
        ]
        at_once(race)
        assert lab.ledger.open_before(BUCKET + 1)[-1].shard == shard


def test_concurrent_creations_of_the_same_tenant_write_the_tenant_once(lab: Lab) -> None:
    creations = [partial(lab.tenants.create, tenant(), api_key(thread)) for thread in range(THREADS)]
    answers = at_once([partial(decided, creation) for creation in creations])
    assert answers.count(True) == 1
    keys = [lab.tenants.get_key(api_key(thread).id) for thread in range(THREADS)]
    assert [key is not None for key in keys] == answers


def test_processes_that_lease_at_once_take_no_more_than_there_is(lab: Lab) -> None:
    for window in range(ROUNDS):
        key = BudgetKey(tenant_id=TENANT, name=BudgetName.CREATES, window=window)
        leases = [TokenLease(slot=0, tokens=3, ceiling=10), TokenLease(slot=1, tokens=2, ceiling=100)]
        answers = at_once([partial(lab.budgets.take, key, leases, EXPIRES_AT_S) for _ in range(THREADS)])
        assert sum(answer is None for answer in answers) == 3
        assert lab.budgets.usage(key) == {0: 9, 1: 6}


def test_exactly_one_of_many_changes_of_a_tenant_wins(lab: Lab) -> None:
    lab.tenants.create(tenant(), api_key())
    changes = [
        partial(lab.tenants.replace, tenant(), tenant(revision=2, weight=n + 1), new_key=api_key(n + 10))
        for n in range(THREADS)
    ]
    (winner,) = [number for number, won in enumerate(at_once(_or_busy(changes))) if won]
    standing = lab.tenants.get(TENANT)
    assert standing is not None
    assert standing.weight == winner + 1
    written = [n for n in range(THREADS) if lab.tenants.get_key(api_key(n + 10).id) is not None]
    assert written == [winner]


def _or_busy(actions: Sequence[Callable[[], bool]]) -> list[Callable[[], bool]]:
    """A transaction that met another one decided nothing."""

    def tried(action: Callable[[], bool]) -> bool:
        while True:
            try:
                return action()
            except UnavailableError:
                continue

    return [partial(tried, action) for action in actions]
