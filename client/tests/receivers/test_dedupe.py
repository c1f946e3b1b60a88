"""The rules of deduplication, on each store, with two workers at every step of each other, and for any sequence."""

import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.tests.support.stores import LATER, Clock
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import KEEP_DONE_SECONDS, Done, Record, Running, finish
from punctual.receivers.errors import SeenBusyError
from punctual.receivers.seen.memory import MemorySeen
from punctual.receivers.seen.store import Seen

LEASE = 30


def test_call_is_claimed_once_and_then_done(worker: Callable[[str], Claim], clock: Clock) -> None:
    first, second = worker("first"), worker("second")
    assert first.take(LEASE) is None
    running = second.take(LEASE)
    assert running == Running(int(clock.now + LEASE) * 1000)
    assert isinstance(running, Running)
    assert running.retry_after_seconds(int(clock.now * 1000)) == LEASE
    first.finish()
    assert second.take(LEASE) == Done()
    clock.now += KEEP_DONE_SECONDS - 1
    assert worker("third").take(LEASE) == Done()


def test_worker_that_dies_between_claim_and_end_blocks_the_call_for_its_lease_only(
    worker: Callable[[str], Claim], clock: Clock
) -> None:
    assert worker("dies").take(LEASE) is None
    clock.now += LEASE - 0.001
    assert isinstance(worker("second").take(LEASE), Running)
    clock.now += 0.001
    assert worker("second").take(LEASE) is None


def test_failed_work_is_done_by_the_next_attempt_at_once(worker: Callable[[str], Claim]) -> None:
    first = worker("first")
    assert first.take(LEASE) is None
    first.release()
    second = worker("second")
    assert second.take(LEASE) is None
    second.finish()
    assert worker("third").take(LEASE) == Done()


def test_work_that_outlives_its_lease_is_done_all_the_same(
    worker: Callable[[str], Claim], clock: Clock
) -> None:
    slow, second = worker("slow"), worker("second")
    assert slow.take(LEASE) is None
    clock.now += LEASE
    assert second.take(LEASE) is None
    slow.finish()
    second.release()
    assert worker("third").take(LEASE) == Done()


def test_late_failure_of_a_worker_takes_no_claim_from_another(
    worker: Callable[[str], Claim], clock: Clock
) -> None:
    slow = worker("slow")
    assert slow.take(LEASE) is None
    clock.now += LEASE
    assert worker("second").take(LEASE) is None
    slow.release()
    assert isinstance(worker("third").take(LEASE), Running)


def test_owner_extends_its_claim_and_notices_its_loss(worker: Callable[[str], Claim], clock: Clock) -> None:
    first, second = worker("first"), worker("second")
    assert first.take(LEASE) is None
    clock.now += LEASE - 1
    assert first.take(LEASE) is None
    clock.now += LEASE - 1
    assert isinstance(second.take(LEASE), Running)
    clock.now += 1
    assert second.take(LEASE) is None
    assert isinstance(first.take(LEASE), Running)
    second.finish()
    assert first.take(LEASE) == Done()


def test_owner_continues_its_claim_in_another_process(worker: Callable[[str], Claim]) -> None:
    assert worker("owner").take(LEASE) is None
    assert worker("owner").take(LEASE) is None
    worker("owner").release()
    assert worker("second").take(LEASE) is None
    worker("second").finish()
    assert worker("owner").take(LEASE) == Done()


def test_second_release_and_second_finish_change_nothing(worker: Callable[[str], Claim]) -> None:
    first = worker("first")
    assert first.take(LEASE) is None
    first.release()
    first.release()
    assert first.take(LEASE) is None
    first.finish()
    first.finish()
    first.release()
    assert worker("second").take(LEASE) == Done()


def test_call_is_recorded_as_done_with_one_write(call_id: str) -> None:
    """Django writes it in the transaction of the work, before the receiver does."""
    writes: list[int] = []
    counted = Interrupted(MemorySeen(), 1, lambda: None, writes)
    first = Claim(counted, call_id, "first")
    assert first.take(LEASE) is None
    first.finish()
    first.finish()
    assert len(writes) == 2


def test_claim_whose_answer_was_lost_is_taken_by_its_owner(
    store: Seen, call_id: str, worker: Callable[[str], Claim]
) -> None:
    """A client that repeats a write after a lost answer is told that the entry is another one: its own."""
    assert worker("owner").take(LEASE) is None
    repeated = worker("owner")
    assert repeated.take(LEASE) is None
    assert isinstance(worker("other").take(LEASE), Running)


@pytest.mark.parametrize(
    "entry", ["", "done", "claim 1", "claim 1 ", "done x", "claim -1 a", "done 1 a", "{}"]
)
def test_entry_of_something_else_is_refused(call_id: str, entry: str) -> None:
    store = MemorySeen()
    store.replace(call_id, None, entry, LATER)
    with pytest.raises(ValueError, match="did not write"):
        Claim(store, call_id, "a").take(LEASE)


def test_store_that_never_swaps_is_noticed(call_id: str) -> None:
    store = MemorySeen()
    store.replace = lambda *_: False  # type: ignore[method-assign]
    with pytest.raises(SeenBusyError):
        Claim(store, call_id, "a").take(LEASE)
    with pytest.raises(SeenBusyError):
        Claim(store, call_id, "a").finish()


# --- two workers at once, at every step


class Interrupted:
    """A store on which another worker acts before the nth use."""

    def __init__(
        self, store: Seen, at: int, act: Callable[[], object], writes: list[int] | None = None
    ) -> None:
        self._store = store
        self._writes = [] if writes is None else writes
        self._left = at
        self._act = act

    def get(self, call_id: str) -> str | None:
        self._interrupt()
        return self._store.get(call_id)

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        self._interrupt()
        self._writes.append(1)
        return self._store.replace(call_id, before, after, forget_at)

    def _interrupt(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._act()


@pytest.mark.parametrize("at", range(1, 5))
def test_copy_at_any_moment_is_not_handled_as_well(at: int, clock: Clock) -> None:
    store = MemorySeen()
    second = Claim(store, "exe_1", "second", clock)
    taken: list[object] = []
    interrupted = Interrupted(store, at, lambda: taken.append(second.take(LEASE)))
    taken.append(Claim(interrupted, "exe_1", "first", clock).take(LEASE))
    assert taken.count(None) == 1


@pytest.mark.parametrize("at", range(1, 5))
@pytest.mark.parametrize("end", ["finish", "release"])
def test_end_of_a_claim_that_another_worker_takes_over_at_that_moment(
    at: int, end: str, clock: Clock
) -> None:
    store = MemorySeen()
    second = Claim(store, "exe_1", "second", clock)
    first = Claim(Interrupted(store, at + 1, lambda: second.take(LEASE)), "exe_1", "first", clock)
    assert first.take(LEASE) is None
    clock.now += LEASE
    getattr(first, end)()
    found = Claim(store, "exe_1", "third", clock).take(LEASE)
    if end == "finish":
        assert found == Done()
    else:
        assert found is None or found == Running(int(clock.now + LEASE) * 1000)


# --- any sequence

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "finish", "release", "wait"]), st.sampled_from("abc"), st.integers(1, 40)
    ),
    max_size=25,
)


@given(steps=STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10, deadline=None)
def test_rules_hold_for_any_sequence_on_each_store(store: Seen, steps: list[tuple[str, str, int]]) -> None:
    _check_rules(store, steps)


@given(steps=STEPS)
def test_rules_hold_for_any_sequence(steps: list[tuple[str, str, int]]) -> None:
    _check_rules(MemorySeen(), steps)


def _check_rules(store: Seen, steps: list[tuple[str, str, int]]) -> None:
    """At most one worker has a claim; done is final; a claim lapses; only its owner releases it."""
    clock, name = Clock(), f"exe_{uuid4().hex}"
    workers = {owner: Claim(store, name, owner, clock) for owner in "abc"}
    holder, until, done = "", 0.0, False
    for act, owner, seconds in steps:
        if act == "wait":
            clock.now += seconds
        elif act == "finish":
            workers[owner].finish()
            done = True
        elif act == "release":
            workers[owner].release()
            if holder == owner:
                holder = ""
        else:
            is_free = not holder or until <= clock.now or holder == owner
            got = workers[owner].take(seconds)
            if done:
                assert got == Done()
            elif is_free:
                assert got is None
                holder, until = owner, clock.now + seconds
            else:
                assert got == Running(int(until * 1000))


@given(answer=st.just("") | st.text(max_size=40).map(json.dumps))
def test_answer_of_done_work_is_read_back_from_its_record(answer: str) -> None:
    record = finish(1_000, answer)
    assert Record.decode(record.encode()) == record
