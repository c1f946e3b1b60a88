"""Real workers, killed with SIGKILL or deafened at a few AWS calls; `make crashes` strikes at all of them."""

import time
from collections.abc import Iterator

import pytest

from tests.crashes.crash_points import TARGET, CrashPoint, Hit
from tests.crashes.scenario import Scenario
from tests.crashes.sweep import SCENARIOS, Theatre, theatre
from tests.support.slowdown import STARVED, Slowdown

pytestmark = pytest.mark.integration

RUNS = 3
"""On a starved machine a worker may outlive its lease, and its call is made again: such a run is repeated."""
POINTS = [
    # Between the write of a job and its message, and where the client cannot know whether it stands.
    ("api", "creates-a-job-due-soon", "PutItem", 2, Hit.KILLED_AFTER),
    ("api", "creates-a-recurring-job", "TransactWriteItems", 1, Hit.ANSWER_LOST),
    # Every job of a batch stands, and none was sent for or acknowledged.
    ("api", "creates-a-batch", "BatchExecuteStatement", 1, Hit.KILLED_AFTER),
    # The key has an id without a job; the description stands, and its client is not answered.
    ("api", "creates-a-job-by-its-key", "PutItem", 1, Hit.KILLED_AFTER),
    ("api", "changes-a-job-by-its-key", "TransactWriteItems", 1, Hit.ANSWER_LOST),
    # Moved, not sent for, and asked for once more at the same time.
    ("api", "moves-a-job-closer", "TransactWriteItems", 1, Hit.ANSWER_LOST),
    # The outcome that a receiver reported stands, and its retry has no message.
    ("api", "hears-that-a-run-has-failed", "UpdateItem", 1, Hit.KILLED_AFTER),
    # In the middle of a deletion, which must still be finished and hold.
    ("api", "deletes-a-recurring-job", "PutItem", 1, Hit.KILLED_AFTER),
    # Sent, and the cursor not yet moved.
    ("watcher", "sends-for-what-is-due-soon", "SendMessageBatch", 1, Hit.KILLED_AFTER),
    # The successor stands, and its predecessor is not yet given up; the jump is made, and not sent for.
    ("sweeper", "ends-what-a-dead-worker-left-without-attempts", "PutItem", 1, Hit.KILLED_AFTER),
    ("sweeper", "jumps-over-what-a-dead-worker-made-miss", "TransactWriteItems", 1, Hit.KILLED_AFTER),
    # Claimed, and no call made: the attempt is used up.
    ("executor", "makes-a-call", "BatchExecuteStatement", 1, Hit.KILLED_AFTER),
    # The claim's answer is lost, or the SDK itself repeats the claim: it must be known as one's own.
    ("executor", "makes-a-call", "BatchExecuteStatement", 1, Hit.ANSWER_LOST),
    ("executor", "makes-a-call", "BatchExecuteStatement", 1, Hit.SENT_TWICE),
    # Called, and the outcome not recorded; recorded, and nobody told so.
    ("executor", "makes-a-call", "UpdateItem", 1, Hit.KILLED_BEFORE),
    ("executor", "makes-a-call", "UpdateItem", 1, Hit.ANSWER_LOST),
    # The message is in the queue, and no record says so.
    ("executor", "sends-to-a-queue", f"{TARGET}SendMessage", 1, Hit.KILLED_AFTER),
    ("executor", "sends-to-a-queue", f"{TARGET}SendMessage", 1, Hit.ANSWER_LOST),
    # The claim was refunded, and no message stands for the next one.
    ("executor", "refunds-an-attempt", "UpdateItem", 1, Hit.KILLED_AFTER),
    # Waiting for a far-off retry without the row that wakes it.
    ("executor", "makes-a-call-that-is-tried-again-much-later", "UpdateItem", 1, Hit.KILLED_AFTER),
    ("executor", "makes-a-call-of-a-recurring-job", "PutItem", 1, Hit.KILLED_BEFORE),
    # The writes of several calls go in one request: all of them stand, and none is known to stand.
    ("executor", "makes-calls-whose-writes-go-in-groups", "BatchExecuteStatement", 2, Hit.KILLED_AFTER),
    ("executor", "makes-calls-whose-writes-go-in-groups", "BatchExecuteStatement", 2, Hit.ANSWER_LOST),
    ("executor", "makes-calls-whose-writes-go-in-groups", "BatchExecuteStatement", 2, Hit.SENT_TWICE),
    ("executor", "makes-calls-whose-writes-go-in-groups", "SendMessageBatch", 1, Hit.KILLED_BEFORE),
    # Nobody noted that the receiver works on; it reports all the same.
    ("executor", "makes-a-call-that-goes-on", "UpdateItem", 1, Hit.KILLED_BEFORE),
    (
        "sweeper",
        "sends-for-the-next-attempt-of-what-nobody-heard-of",
        "SendMessageBatch",
        1,
        Hit.KILLED_BEFORE,
    ),
    # The outcome stands, and no notification tells it; whoever tells of it has died behind it.
    ("executor", "tells-of-a-success", "UpdateItem", 1, Hit.KILLED_AFTER),
    ("sweeper", "tells-of-what-a-dead-worker-ended", "PutItem", 1, Hit.KILLED_BEFORE),
    # It has to wait, and no fresh message stands for it.
    ("executor", "waits-while-another-worker-holds-the-slots", "SendMessageBatch", 1, Hit.KILLED_BEFORE),
    # Its slots, or the probe that is its own, go with the worker.
    (
        "executor",
        "makes-as-many-calls-at-once-as-a-destination-bears",
        "BatchExecuteStatement",
        1,
        Hit.KILLED_AFTER,
    ),
    ("executor", "probes-and-is-answered", "UpdateItem", 1, Hit.KILLED_BEFORE),
    # Which redrive it is stands, and not the redrive.
    ("api", "redrives-a-dead-letter", "UpdateItem", 2, Hit.KILLED_AFTER),
    # A page is worked off in part, and begins anew.
    ("redriver", "works-off-the-last-page-of-a-bulk-redrive", "BatchExecuteStatement", 1, Hit.KILLED_AFTER),
    ("redriver", "works-off-the-last-page-of-a-bulk-redrive", "BatchExecuteStatement", 2, Hit.ANSWER_LOST),
    ("api", "undoes-a-bulk-redrive", "PutItem", 1, Hit.KILLED_AFTER),
    ("dead_letter", "parks-what-nobody-can-read", "PutItem", 1, Hit.KILLED_BEFORE),
    # Its large request expires later, which no client sees.
    ("sweeper", "keeps-the-large-request-of-what-is-very-late", "UpdateItem", 1, Hit.ANSWER_LOST),
    # It waits for its turn, and its successor is not filed.
    ("executor", "waits-for-the-turn-of-its-job", "PutItem", 1, Hit.KILLED_AFTER),
    # Some jobs of a page are paused, and none of that is on its record.
    ("api", "pauses-a-page-of-jobs", "PutItem", 6, Hit.KILLED_AFTER),
    ("redriver", "pauses-the-last-page-of-jobs", "PutItem", 3, Hit.KILLED_AFTER),
    ("redriver", "resumes-the-last-page-of-jobs-by-an-undo", "TransactWriteItems", 1, Hit.KILLED_AFTER),
    # Whoever finishes a pause dies in it, too.
    ("reconciler", "finishes-a-pause", "PutItem", 1, Hit.KILLED_AFTER),
    ("dead_letter", "ends-what-a-dead-worker-left-without-attempts", "UpdateItem", 1, Hit.KILLED_BEFORE),
    # The mark has moved past a minute: what was found in it must have been told; what was not answered for, not so.
    ("reconciler", "tells-of-a-job-without-a-record", "UpdateItem", 1, Hit.KILLED_AFTER),
    ("reconciler", "tells-of-a-job-without-a-record", "GetItem", 2, Hit.ANSWER_LOST),
    # The run of an event stands and has no message; the trigger has counted a start of which there is no run.
    ("event_receiver", "receives-an-event", "TransactWriteItems", 1, Hit.KILLED_AFTER),
    ("event_receiver", "receives-the-first-event-of-a-burst", "UpdateItem", 3, Hit.KILLED_AFTER),
    # The event is among the dead ones or waits once more, and its received message stands as well.
    ("event_receiver", "refuses-an-event-for-good", "SendMessageBatch", 1, Hit.KILLED_AFTER),
    (
        "event_receiver",
        "sends-an-event-again-that-is-over-its-quota",
        "SendMessageBatch",
        1,
        Hit.KILLED_AFTER,
    ),
    # The segment is written and not noted, or written twice.
    ("auditor", "exports-an-hour", "PutObject", 1, Hit.KILLED_AFTER),
    ("auditor", "exports-an-hour", "PutObject", 1, Hit.SENT_TWICE),
    ("reconciler", "files-the-next-of-a-chain-that-broke-off", "TransactWriteItems", 1, Hit.KILLED_AFTER),
    # A move was left before, is completed by a run that dies behind that, and the calendar has changed meanwhile.
    (
        "reconciler",
        "finishes-a-move-and-moves-the-job-by-a-later-change",
        "TransactWriteItems",
        1,
        Hit.KILLED_AFTER,
    ),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    with theatre(tmp_path_factory.mktemp("crashes")) as opened:
        yield opened


@pytest.mark.parametrize(("function", "name", "operation", "nth", "hit"), POINTS)
def test_no_promise_is_broken_by_a_crash(
    house: Theatre, slowdown: Slowdown, function: str, name: str, operation: str, nth: int, hit: Hit
) -> None:
    (scenario,) = (one for one in SCENARIOS if (one.function, one.name) == (function, name))
    _play(house, slowdown, scenario, CrashPoint(operation=operation, nth=nth, hit=hit))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: f"{one.function}-{one.name}")
def test_scenario_makes_its_calls_and_no_handler_fails(
    house: Theatre, slowdown: Slowdown, scenario: Scenario
) -> None:
    """Without a crash in the invocation that is marked. Each function has its own settings and rights in it."""
    _play(house, slowdown, scenario, None)


def _play(house: Theatre, slowdown: Slowdown, scenario: Scenario, point: CrashPoint | None) -> None:
    for _ in range(RUNS):
        began_at = time.time()
        run = house.run(scenario, point)
        if not run.faults or slowdown.since(began_at) < STARVED:
            break
    assert run.faults == [], f'python -m tests.crashes sweep --only "{run}"'
