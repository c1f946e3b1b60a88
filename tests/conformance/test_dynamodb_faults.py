"""The DynamoDB adapters when the service throttles, fails, loses answers or leaves work undone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.aws.errors import NoAnswerError
from shared.adapters.dynamodb.codec.items import execution_item
from shared.adapters.dynamodb.codec.keys import item_key, limit_key
from shared.domain.bucket import LEAST_COUNTS, ShardCounts
from shared.domain.bulk.pages import BulkPage
from shared.domain.dead_letters.parked_message import ParkedMessage
from shared.domain.dead_letters.redrive_task import TaskCounts
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow, LaneProgress
from shared.domain.errors import RequestRejectedError, ThrottledError, UnavailableError
from shared.domain.executions.execution import Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.domain.jobs.job import JobState
from shared.domain.limits.circuit_breaker import Circuit
from shared.domain.limits.scopes import ScopeState
from shared.domain.listings.position import PositionRange
from shared.names import Lane, QueueName
from shared.ports.dispatch import (
    MinuteProgress,
    OpenShard,
    PassLease,
    SegmentProgress,
    ShardRecord,
    WatchLease,
)
from shared.ports.executions import Claim, ClaimRejected, Finish, WriteUnknown
from shared.ports.jobs import IdempotencyRecord, Payload
from shared.ports.listings import TenantIndex
from tests.support.builders import (
    BUCKET,
    DUE_AT,
    EXPIRES_AT_S,
    TENANT,
    api_key,
    execution_id,
    in_state,
    job,
    job_task,
    occurrence,
    one_off,
    redrive_task,
    search_task,
    tenant,
    with_changes,
)
from tests.support.conformance.clients import Clients
from tests.support.conformance.dynamo_lab import REGION, DynamoLab
from tests.support.conformance.interference import (
    answering,
    changing_answers,
    changing_calls,
    failure,
    losing_answers,
    watching,
)
from tests.support.conformance.tables import TableNames

RUNNING = in_state(one_off(), State.RUNNING)
STALE_ROW = DueRow(
    id=execution_id(),
    sort_key="",
    tenant_id=TENANT,
    lane=Lane.BULK,
    state=State.FAILED,
    created_at=DUE_AT,
    claims=1,
    max_claims=1,
    stop_retries=False,
    claimable_from=None,
    next_attempt_at=None,
    index_is_stale=True,
)
POINTER = RetryReminder(
    dispatch_at=DUE_AT * 2,
    target=execution_id(),
    claims=1,
    tenant_id=TENANT,
    lane=Lane.BULK,
    created_at=DUE_AT,
)
SOME_COUNTS = ShardCounts(normal=2, quarter=2, midnight=2)
PAUSING = job(state=JobState.PAUSING, revision=2)
PAST = job().chain(DUE_AT, EXPIRES_AT_S)
SUCCESS = Finish(transition=Transition.SUCCEED, outcomes=(), expires_at_s=EXPIRES_AT_S)
LEASE = WatchLease(bucket=BUCKET, shard=0, fence=1, cursor=None, scan_began_at=DUE_AT)
SHARD = OpenShard(
    bucket=BUCKET, shard=0, version=1, scan_began_at=None, passes=0, next_pass_at=0, last_resend_at=None
)
PASS = PassLease(shard=SHARD, fence=1)
RECORD: IdempotencyRecord[ExecutionId] = IdempotencyRecord(
    fingerprint=bytes(16), id=one_off().id, created_at=0, due_at=0, expires_at=DUE_AT * 2
)
PROGRESS = LaneProgress(visible_at=DUE_AT, reported_at=DUE_AT)
PARKED = ParkedMessage(message_id="m", lane=QueueName.BULK, body="", reason="", parked_at=DUE_AT, size=0)
REDRIVEN = RedrivenBy(execution=one_off(2).id)
TASK = redrive_task()
JOB_TASK, SEARCH = job_task(), search_task()
BULK_PAGE = BulkPage(
    tenant_id=TENANT, task_id=JOB_TASK.id, number=0, recorded_at=DUE_AT, entries=(), next_position=None
)
GIVEN_UP = {"reason": EndReason.WORKER_LOST, "now_ms": DUE_AT * 2, "expires_at_s": EXPIRES_AT_S}
CANCELLED = {"reason": EndReason.CANCELLED, "expires_at_s": EXPIRES_AT_S}

Call = Callable[[DynamoLab], object]
CALLS: dict[str, Call] = {
    "put_if_absent": lambda lab: lab.executions.put_if_absent(one_off()),
    "put_reminder": lambda lab: lab.executions.put_reminder(POINTER),
    "read_rows": lambda lab: lab.executions.read_rows(BUCKET, 0, ["00000#exe"]),
    "get": lambda lab: lab.executions.get(one_off().id),
    "get_many": lambda lab: lab.executions.get_many([one_off().id]),
    "finish": lambda lab: lab.executions.finish(RUNNING, SUCCESS),
    "give_up": lambda lab: lab.executions.give_up(RUNNING, **GIVEN_UP),  # type: ignore[arg-type]
    "cancel": lambda lab: lab.executions.cancel(one_off().id, Transition.CANCEL, **CANCELLED),  # type: ignore[arg-type]
    "stop_retries": lambda lab: lab.executions.stop_retries(one_off().id),
    "mark_redriven": lambda lab: lab.executions.mark_redriven(one_off().id, REDRIVEN),
    "mark_unreadable": lambda lab: lab.executions.mark_unreadable(one_off().id, EXPIRES_AT_S),
    "scan": lambda lab: lab.executions.scan(BUCKET, 0, after=None, limit=1),
    "scan_pending": lambda lab: lab.executions.scan_pending(BUCKET, 0, after=None, limit=1),
    "read_shard": lambda lab: lab.executions.read_shard(BUCKET, 0, after=None, limit=1),
    "repair_index": lambda lab: lab.executions.repair_index(STALE_ROW),
    "index_pages": lambda lab: lab.queries.index_pages(
        TenantIndex.FAILED, TENANT, 1, PositionRange(), newest_first=True, limit=1
    ),
    "jobs.create": lambda lab: lab.jobs.create(job(), occurrence()),
    "jobs.get": lambda lab: lab.jobs.get(TENANT, job().id),
    "jobs.jump": lambda lab: lab.jobs.jump(
        occurrence(state=State.SKIPPED), occurrence(nominal_at=DUE_AT + 60_000), EXPIRES_AT_S
    ),
    "jobs.file_if_active": lambda lab: lab.jobs.file_if_active(occurrence()),
    "jobs.replace": lambda lab: lab.jobs.replace(job(), PAUSING),
    "jobs.replace with a chain": lambda lab: lab.jobs.replace(
        job(), job(revision=2, chain_revision=2), past=PAST, executions=[occurrence(job(chain_revision=2))]
    ),
    "jobs.past_chains": lambda lab: lab.jobs.past_chains(TENANT, job().id, limit=1),
    "jobs.put_payload": lambda lab: lab.jobs.put_payload(Payload(TENANT, job().id, b"sealed", stored_at=0)),
    "jobs.get_payload": lambda lab: lab.jobs.get_payload(TENANT, job().id),
    "jobs.keep_payload": lambda lab: lab.jobs.keep_payload(TENANT, job().id, EXPIRES_AT_S),
    "live_items.page": lambda lab: lab.live_items.page(0, after=None, limit=1),
    "live_items.count": lambda lab: lab.live_items.count(TENANT, 1),
    "jobs.note_beside": lambda lab: lab.jobs.note_beside(one_off(), EXPIRES_AT_S),
    "jobs.expire_payload": lambda lab: lab.jobs.expire_payload(TENANT, job().id, EXPIRES_AT_S),
    "idempotency.find": lambda lab: lab.idempotency.find(TENANT, "key", DUE_AT),
    "idempotency.claim": lambda lab: lab.idempotency.claim(TENANT, "key", RECORD, DUE_AT),
    "ledger.take": lambda lab: lab.ledger.take(BUCKET, 0, DUE_AT),
    "ledger.advance": lambda lab: lab.ledger.advance(LEASE, "00000#"),
    "ledger.finish": lambda lab: lab.ledger.finish(LEASE),
    "ledger.open_until": lambda lab: lab.ledger.open_until(BUCKET, 0),
    "ledger.reopen": lambda lab: lab.ledger.reopen(BUCKET, 0, next_pass_at=DUE_AT, open_until=DUE_AT),
    "ledger.list_shard": lambda lab: lab.ledger.list_shard(BUCKET, 0, DUE_AT),
    "ledger.take_pass": lambda lab: lab.ledger.take_pass(SHARD, DUE_AT),
    "ledger.suspend_pass": lambda lab: lab.ledger.suspend_pass(PASS, None),
    "ledger.open_before": lambda lab: lab.ledger.open_before(BUCKET),
    "ledger.swept_through": lambda lab: lab.ledger.swept_through(),
    "ledger.note_swept_through": lambda lab: lab.ledger.note_swept_through(BUCKET),
    "shard_counts.read": lambda lab: lab.shard_counts.read(),
    "shard_counts.begin": lambda lab: lab.shard_counts.begin(
        ShardRecord(counts=SOME_COUNTS, open_from=BUCKET)
    ),
    "shard_counts.swap": lambda lab: lab.shard_counts.swap(LEAST_COUNTS, SOME_COUNTS),
    "reconcile_progress.segments": lambda lab: lab.reconcile_progress.segments(),
    "reconcile_progress.move_segment": lambda lab: lab.reconcile_progress.move_segment(
        0, None, SegmentProgress(covered_at=1, checked_until=1)
    ),
    "reconcile_progress.minutes": lambda lab: lab.reconcile_progress.minutes(),
    "reconcile_progress.note_minutes": lambda lab: lab.reconcile_progress.note_minutes(
        MinuteProgress(through=BUCKET)
    ),
    "ledger.record_pass": lambda lab: lab.ledger.record_pass(PASS, next_pass_at=0),
    "ledger.close": lambda lab: lab.ledger.close(PASS),
    "progress.report": lambda lab: lab.progress.report(Lane.BULK, PROGRESS),
    "progress.read": lambda lab: lab.progress.read(Lane.BULK),
    "parked_messages.park": lambda lab: lab.parked_messages.park(PARKED),
    "parked_messages.parked": lambda lab: lab.parked_messages.parked(1),
    "parked_messages.remove": lambda lab: lab.parked_messages.remove("1-m"),
    "redrives.create": lambda lab: lab.redrives.create(TASK),
    "redrives.get": lambda lab: lab.redrives.get(TENANT, TASK.id),
    "redrives.replace": lambda lab: lab.redrives.replace(TASK, TASK.advanced_to(None, TaskCounts(), DUE_AT)),
    "redrives.replace at its end": lambda lab: lab.redrives.replace(TASK, TASK.ended(DUE_AT), EXPIRES_AT_S),
    "redrives.open": lambda lab: lab.redrives.open(),
    "job_tasks.create": lambda lab: lab.job_tasks.create(JOB_TASK),
    "job_tasks.get": lambda lab: lab.job_tasks.get(TENANT, JOB_TASK.id),
    "job_tasks.replace": lambda lab: lab.job_tasks.replace(JOB_TASK, JOB_TASK.without_page(None)),
    "job_tasks.replace at its end": lambda lab: lab.job_tasks.replace(
        JOB_TASK, JOB_TASK.cancelled(DUE_AT), EXPIRES_AT_S
    ),
    "job_tasks.open_of": lambda lab: lab.job_tasks.open_of(TENANT),
    "job_tasks.latest": lambda lab: lab.job_tasks.latest(TENANT, before=None, limit=1),
    "search_tasks.create": lambda lab: lab.search_tasks.create(SEARCH),
    "search_tasks.get": lambda lab: lab.search_tasks.get(TENANT, SEARCH.id),
    "search_tasks.replace at its end": lambda lab: lab.search_tasks.replace(
        SEARCH, SEARCH.cancelled(DUE_AT), EXPIRES_AT_S
    ),
    "search_tasks.latest": lambda lab: lab.search_tasks.latest(TENANT, before=None, limit=1),
    "bulk_pages.get": lambda lab: lab.bulk_pages.get(TENANT, JOB_TASK.id, 0),
    "bulk_pages.begin": lambda lab: lab.bulk_pages.begin(BULK_PAGE, EXPIRES_AT_S),
    "bulk_pages.finish": lambda lab: lab.bulk_pages.finish(BULK_PAGE, EXPIRES_AT_S),
    "tenants.get": lambda lab: lab.tenants.get(TENANT),
    "tenants.get_key": lambda lab: lab.tenants.get_key(api_key().id),
    "tenants.create": lambda lab: lab.tenants.create(tenant(), api_key()),
}
TRANSIENT: list[dict[str, Any] | Exception] = [
    failure("ProvisionedThroughputExceededException"),
    failure("ThrottlingException"),
    failure("RequestLimitExceeded"),
    failure("InternalServerError"),
    failure("TransactionConflictException"),
    NoAnswerError("nowhere"),
    NoAnswerError("nowhere"),
]
UNDECIDED_TRANSACTIONS = [
    ["TransactionConflict", "None", "None"],
    ["None", "ThrottlingError", "None"],
    ["ProvisionedThroughputExceeded", "None", "None"],
    ["ConditionalCheckFailed", "TransactionConflict", "None"],
    ["None", "None", "None"],
]


@pytest.fixture
def unplugged(clients: Clients) -> DynamoLab:
    """The adapters without an engine: nothing that is asked of it may pass the hooks."""
    names = TableNames(
        executions="executions",
        jobs="jobs",
        tenants="tenants",
        leases="leases",
        audit="audit",
        history="history",
    )
    return DynamoLab(clients("dynamodb", "http://127.0.0.1:1"), names)


@pytest.mark.parametrize("name", CALLS)
def test_a_fault_of_the_service_is_unavailability_and_never_a_refusal(
    unplugged: DynamoLab, name: str
) -> None:
    for fault in TRANSIENT:
        with answering(unplugged.client, "*", fault), pytest.raises(UnavailableError):
            CALLS[name](unplugged)


@pytest.mark.parametrize(
    "name", ["jobs.create", "jobs.jump", "jobs.file_if_active", "jobs.replace with a chain", "tenants.create"]
)
def test_a_transaction_that_met_another_is_undecided(unplugged: DynamoLab, name: str) -> None:
    for codes in UNDECIDED_TRANSACTIONS:
        reasons = [{"Code": code} for code in codes]
        cancelled = failure("TransactionCanceledException", CancellationReasons=reasons)
        with answering(unplugged.client, "TransactWriteItems", cancelled), pytest.raises(UnavailableError):
            CALLS[name](unplugged)


PERMANENT_CODES = [
    "ValidationException",
    "ItemCollectionSizeLimitExceededException",
    "AccessDeniedException",
    "ResourceNotFoundException",
    "IdempotentParameterMismatchException",
]
PERMANENT_REASONS = ["ValidationError", "ItemCollectionSizeLimitExceeded", "AccessDenied"]


@pytest.mark.parametrize("name", CALLS)
def test_request_that_can_never_succeed_is_rejected_with_its_cause(unplugged: DynamoLab, name: str) -> None:
    for code in PERMANENT_CODES:
        with answering(unplugged.client, "*", failure(code)), pytest.raises(RequestRejectedError) as rejected:
            CALLS[name](unplugged)
        assert code in str(rejected.value)
        assert "injected" in str(rejected.value)


@pytest.mark.parametrize("code", PERMANENT_REASONS)
def test_transaction_that_can_never_succeed_is_rejected_with_its_cause(
    unplugged: DynamoLab, code: str
) -> None:
    for others in ({"Code": "None"}, {"Code": "TransactionConflict"}):
        reasons = [others, {"Code": code, "Message": "the key is too long"}]
        cancelled = failure("TransactionCanceledException", CancellationReasons=reasons)
        with (
            answering(unplugged.client, "TransactWriteItems", cancelled),
            pytest.raises(RequestRejectedError, match=f"{code}: the key is too long"),
        ):
            unplugged.jobs.create(job(), occurrence())


@pytest.mark.parametrize(
    ("code", "field"),
    [
        ("ProvisionedThroughputExceededException", "ThrottlingReasons"),
        ("RequestLimitExceeded", "ThrottlingReasons"),
        ("ThrottlingException", "throttlingReasons"),
    ],
)
def test_throttling_names_its_reason_and_the_throttled_resource(
    unplugged: DynamoLab, code: str, field: str
) -> None:
    reason = {
        "reason": "TableWriteKeyRangeThroughputExceeded",
        "resource": "arn:aws:dynamodb:::table/executions",
    }
    throttled = failure(code, **{field: [reason]})
    with answering(unplugged.client, "PutItem", throttled), pytest.raises(ThrottledError) as error:
        unplugged.executions.put_if_absent(one_off())
    assert str(error.value) == f"PutItem: {code} ({reason['reason']} of {reason['resource']})"


def test_every_read_but_those_of_an_index_and_the_progress_is_strong(engine_lab: DynamoLab) -> None:
    engine_lab.executions.put_if_absent(one_off())
    with watching(engine_lab.client) as calls:
        for name, call in CALLS.items():
            if name not in ("progress.read", "jobs.get_payload"):
                call(engine_lab)
        engine_lab.jobs.get_payload(TENANT, job().id)
    reads = calls.of("GetItem") + [
        read for name in ("Scan", "Query") for read in calls.of(name) if "IndexName" not in read
    ]
    reads += [table for batch in calls.of("BatchGetItem") for table in batch["RequestItems"].values()]
    assert len(reads) >= 10
    assert all(read.get("ConsistentRead") is True for read in reads)


def test_a_put_whose_answer_was_lost_finds_its_own_execution(engine_lab: DynamoLab) -> None:
    with losing_answers(engine_lab.client, "PutItem"), pytest.raises(UnavailableError):
        engine_lab.executions.put_if_absent(one_off())
    assert engine_lab.executions.put_if_absent(one_off()) == one_off()


@pytest.mark.parametrize("name", ["put_if_absent", "put_reminder"])
def test_refused_put_without_the_existing_item_is_unknown_and_not_unreadable(
    unplugged: DynamoLab, name: str
) -> None:
    refused = failure("ConditionalCheckFailedException")
    with answering(unplugged.client, "PutItem", refused), pytest.raises(UnavailableError):
        CALLS[name](unplugged)


def test_a_change_whose_answer_was_lost_knows_itself_when_the_client_asks_again(
    engine_lab: DynamoLab,
) -> None:
    """The SDK repeats a plain put by itself, and would take its own success for a rival's."""
    engine_lab.jobs.create(job(), occurrence())
    with losing_answers(engine_lab.client, "PutItem"), pytest.raises(UnavailableError):
        engine_lab.jobs.replace(job(), PAUSING)
    assert engine_lab.jobs.get(TENANT, job().id) == PAUSING
    assert engine_lab.jobs.replace(job(), PAUSING)
    assert not engine_lab.jobs.replace(job(), replace(PAUSING, pause_reason="another's"))


def test_a_change_alone_is_one_plain_write_and_with_a_chain_one_transaction(engine_lab: DynamoLab) -> None:
    engine_lab.jobs.create(job(), occurrence())
    renamed = job(revision=2, name="another")
    with watching(engine_lab.client) as calls:
        assert engine_lab.jobs.replace(job(), renamed)
        assert engine_lab.jobs.replace(renamed, job(revision=3), past=PAST)
    assert [name for name, _ in calls.made] == ["PutItem", "TransactWriteItems"]


def keep_back(engine_lab: DynamoLab, processed: int) -> Callable[[dict[str, Any]], None]:
    """Report all but the first few keys of each batch as unprocessed."""

    def change(parsed: dict[str, Any]) -> None:
        items = parsed["Responses"][engine_lab.names.executions]
        left = [{"pk": item["pk"], "sk": item["sk"]} for item in items[processed:]]
        del items[processed:]
        if left:
            parsed["UnprocessedKeys"] = {engine_lab.names.executions: {"Keys": left, "ConsistentRead": True}}

    return change


def test_keys_that_were_left_unprocessed_are_asked_for_again(engine_lab: DynamoLab) -> None:
    wanted = [one_off(number) for number in range(10)]
    for execution in wanted:
        engine_lab.executions.put_if_absent(execution)
    with changing_answers(engine_lab.client, "BatchGetItem", keep_back(engine_lab, 2)):
        found = engine_lab.executions.get_many([execution.id for execution in wanted])
    assert found == {execution.id: execution for execution in wanted}


def test_batch_read_is_retried_after_a_jittered_pause(engine_lab: DynamoLab) -> None:
    wanted = [one_off(number) for number in range(6)]
    for execution in wanted:
        engine_lab.executions.put_if_absent(execution)
    with changing_answers(engine_lab.client, "BatchGetItem", keep_back(engine_lab, 2)):
        engine_lab.executions.get_many([execution.id for execution in wanted])
    assert len(engine_lab.pauses_ms) == 2
    assert 20 <= min(engine_lab.pauses_ms) < max(engine_lab.pauses_ms) <= 200


def test_throttle_status_reads_unprocessed_keys_once_more(unplugged: DynamoLab) -> None:
    left = {"leases": {"Keys": [{"pk": {"S": "p"}, "sk": {"S": "s"}}]}}
    partial: dict[str, Any] = {"Responses": {}, "UnprocessedKeys": left}
    whole: dict[str, Any] = {"Responses": {}, "UnprocessedKeys": {}}
    with answering(unplugged.client, "*", partial, whole):
        assert unplugged.throttle_status.read(["t#a"], [], {}).states == {"t#a": ScopeState()}
    with answering(unplugged.client, "*", partial, partial), pytest.raises(UnavailableError):
        unplugged.throttle_status.read(["t#a"], [], {})


def test_keys_that_stay_unprocessed_are_unavailable_and_not_absent(engine_lab: DynamoLab) -> None:
    engine_lab.executions.put_if_absent(one_off())
    with (
        changing_answers(engine_lab.client, "BatchGetItem", keep_back(engine_lab, 0)),
        pytest.raises(UnavailableError),
    ):
        engine_lab.executions.get_many([one_off().id])


def test_states_of_limits_that_stay_unprocessed_are_missing_and_the_others_are_known(
    engine_lab: DynamoLab,
) -> None:
    state = ScopeState(circuit=Circuit(failures=1))
    assert engine_lab.limits.swap("t#cold", ScopeState(), state, DUE_AT) is None
    keys = [{"pk": {"S": limit_key("t#hot")[0]}, "sk": {"S": limit_key("t#hot")[1]}}]

    def leave(parsed: dict[str, Any]) -> None:
        parsed["UnprocessedKeys"] = {engine_lab.names.leases: {"Keys": keys}}

    with changing_answers(engine_lab.client, "BatchGetItem", leave):
        found = engine_lab.limits.read(["t#cold", "t#hot"])
    assert {scope: one.circuit for scope, one in found.items()} == {"t#cold": state.circuit}


def test_batch_read_whose_last_keys_are_throttled_as_a_whole_keeps_the_items_that_it_has(
    engine_lab: DynamoLab,
) -> None:
    state = ScopeState(circuit=Circuit(failures=1))
    assert engine_lab.limits.swap("t#cold", ScopeState(), state, DUE_AT) is None
    table, (hot, cold) = engine_lab.names.leases, (item_key(*limit_key(name)) for name in ("t#hot", "t#cold"))
    item = engine_lab.client.get_item(TableName=table, Key=cold)["Item"]
    partial = {"Responses": {table: [item]}, "UnprocessedKeys": {table: {"Keys": [hot]}}}
    throttled = failure("ProvisionedThroughputExceededException")
    with answering(engine_lab.client, "BatchGetItem", partial, throttled):
        found = engine_lab.limits.read(["t#cold", "t#hot"])
    assert {scope: one.circuit for scope, one in found.items()} == {"t#cold": state.circuit}
    with answering(engine_lab.client, "BatchGetItem", throttled), pytest.raises(ThrottledError):
        engine_lab.limits.read(["t#hot"])


@pytest.mark.parametrize(
    ("code", "is_throttled"),
    [
        ("ProvisionedThroughputExceededException", True),
        ("ThrottlingException", True),
        ("RequestLimitExceeded", True),
        ("InternalServerError", False),
    ],
)
def test_a_swap_tells_what_was_refused_for_its_load(
    engine_lab: DynamoLab, code: str, is_throttled: bool
) -> None:
    with (
        answering(engine_lab.client, "PutItem", *[failure(code)] * 3),
        pytest.raises(UnavailableError) as refused,
    ):
        engine_lab.limits.swap("t#hot", ScopeState(), ScopeState(circuit=Circuit(failures=1)), DUE_AT)
    assert isinstance(refused.value, ThrottledError) is is_throttled


def test_the_open_shards_are_listed_over_every_page(engine_lab: DynamoLab) -> None:
    for shard in range(10):
        engine_lab.ledger.list_shard(BUCKET, shard, DUE_AT)
    with changing_calls(engine_lab.client, "Query", lambda params: params.update(Limit=3)):
        listed = engine_lab.ledger.open_before(BUCKET + 1)
    assert [shard.shard for shard in listed] == list(range(10))


def test_a_claim_that_met_a_fault_is_undecided(unplugged: DynamoLab) -> None:
    claim = Claim(execution_id=one_off().id, owner="mine")
    for claimer in (unplugged.claimer, unplugged.batch_claimer):
        for fault in TRANSIENT:
            with answering(unplugged.client, "*", fault):
                (answer,) = claimer.claim([claim], DUE_AT)
            assert isinstance(answer, WriteUnknown)


def test_a_claim_whose_answer_was_lost_is_undecided_and_then_recognised(engine_lab: DynamoLab) -> None:
    engine_lab.executions.put_if_absent(one_off())
    claim = Claim(execution_id=one_off().id, owner="mine")
    with losing_answers(engine_lab.client, "UpdateItem"):
        (lost,) = engine_lab.claimer.claim([claim], DUE_AT)
    assert isinstance(lost, WriteUnknown)
    (answer,) = engine_lab.claimer.claim([claim], DUE_AT + 1)
    assert isinstance(answer, Execution)
    assert (answer.attempt, answer.progress.owner) == (1, "mine")


def test_claims_go_singly_or_twenty_five_in_one_request(unplugged: DynamoLab) -> None:
    claims = [Claim(execution_id=execution_id(number), owner="mine") for number in range(53)]
    refused = {"Error": {"Code": "ConditionalCheckFailed", "Item": execution_item(RUNNING, REGION)}}
    answers = [{"Responses": [refused] * size} for size in (25, 25, 3)]
    with (
        watching(unplugged.client) as calls,
        answering(unplugged.client, "BatchExecuteStatement", *answers),
    ):
        unplugged.batch_claimer.claim(claims, DUE_AT)
        with answering(unplugged.client, "UpdateItem", *TRANSIENT[:2]):
            unplugged.claimer.claim(claims[:2], DUE_AT)
    batches = [call["Statements"] for call in calls.of("BatchExecuteStatement")]
    assert [len(statements) for statements in batches] == [25, 25, 3]
    assert "sr IS MISSING" in batches[0][0]["Statement"]
    assert "attribute_not_exists" not in batches[0][0]["Statement"], "no documented function of PartiQL"
    assert len(calls.of("UpdateItem")) == len(calls.made) - 3 == 2


def test_failed_statement_of_a_batch_leaves_the_other_claims_decided(unplugged: DynamoLab) -> None:
    mine = in_state(one_off(1), State.RUNNING, owner="mine")
    claims = [Claim(execution_id=execution_id(number), owner="mine") for number in (2, 1, 3)]
    for code in (
        "TransactionConflict",
        "ThrottlingError",
        "ProvisionedThroughputExceeded",
        "InternalServerError",
    ):
        statements = [
            {"Error": {"Code": code, "Message": ""}},
            {"Item": execution_item(mine, REGION)},
            {"Error": {"Code": "ConditionalCheckFailed", "Item": execution_item(RUNNING, REGION)}},
        ]
        with answering(unplugged.client, "BatchExecuteStatement", {"Responses": statements}):
            fault, *decided = unplugged.batch_claimer.claim(claims, DUE_AT)
        assert isinstance(fault, WriteUnknown)
        assert not fault.is_permanent
        assert decided == [mine, ClaimRejected(RUNNING)]


def test_a_batch_that_failed_as_a_whole_undoes_no_other(unplugged: DynamoLab) -> None:
    refused = {"Error": {"Code": "ConditionalCheckFailed", "Item": execution_item(RUNNING, REGION)}}
    claims = [Claim(execution_id=execution_id(number), owner="mine") for number in range(30)]
    answers = [{"Responses": [refused] * 25}, failure("ThrottlingException")]
    with answering(unplugged.client, "BatchExecuteStatement", *answers):
        kinds = [isinstance(answer, WriteUnknown) for answer in unplugged.batch_claimer.claim(claims, DUE_AT)]
    assert kinds == [False] * 25 + [True] * 5


def test_every_change_of_an_execution_is_one_request(engine_lab: DynamoLab) -> None:
    with watching(engine_lab.client) as calls:
        engine_lab.executions.put_if_absent(one_off())
        (running,) = engine_lab.claimer.claim([Claim(execution_id=one_off().id, owner="mine")], DUE_AT)
        assert isinstance(running, Execution)
        engine_lab.executions.finish(running, SUCCESS)
        engine_lab.executions.finish(with_changes(running, owner="another"), SUCCESS)
    assert [name for name, _ in calls.made] == ["PutItem", "UpdateItem", "UpdateItem", "UpdateItem"]
