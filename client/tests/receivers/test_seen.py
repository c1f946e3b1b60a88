"""The conformance suite of the stores of seen calls: what each of them guarantees, and that the rules hold on it."""

import multiprocessing
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from uuid import uuid4

import fakeredis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.tests.support import django_project
from client.tests.support.stores import STORES
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import KEEP_DONE_SECONDS, Done, Running
from punctual.receivers.errors import SeenBusyError
from punctual.receivers.seen.django import DjangoSeen
from punctual.receivers.seen.memory import MemorySeen
from punctual.receivers.seen.redis import RedisSeen
from punctual.receivers.seen.sqlite import SqliteSeen
from punctual.receivers.seen.store import Seen

LEASE = 30
LATER = int(time.time()) + 3_600


@pytest.fixture(params=STORES, scope="module")
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    with STORES[request.param](tmp_path_factory.mktemp("seen")) as opened:
        yield opened


@pytest.fixture
def call_id() -> str:
    """A new one, because the store is that of other tests, too."""
    return f"exe_{uuid4().hex}"


class Clock:
    """Seconds since 1970, moved by hand."""

    def __init__(self) -> None:
        self.now = float(LATER)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def worker(store: Seen, call_id: str, clock: Clock) -> Callable[[str], Claim]:
    return lambda owner: Claim(store, call_id, owner, clock)


# --- what a store guarantees


def test_entry_is_replaced_if_it_is_the_expected_one_only(store: Seen, call_id: str) -> None:
    assert store.get(call_id) is None
    assert not store.replace(call_id, "x", "a", LATER)
    assert store.get(call_id) is None
    assert store.replace(call_id, None, "a", LATER)
    assert not store.replace(call_id, None, "b", LATER)
    assert store.get(call_id) == "a"
    assert not store.replace(call_id, "b", "c", LATER)
    assert store.replace(call_id, "a", "b", LATER)
    assert store.replace(call_id, "b", "b", LATER)
    assert store.get(call_id) == "b"


def test_entries_of_other_calls_are_not_touched(store: Seen, call_id: str) -> None:
    assert store.replace(call_id, None, "a", LATER)
    assert store.replace(call_id + "0", None, "b", LATER)
    assert not store.replace(call_id + "1", "a", "c", LATER)
    assert (store.get(call_id), store.get(call_id + "0"), store.get(call_id + "1")) == ("a", "b", None)


def test_entry_that_may_be_forgotten_can_be_replaced_or_is_gone(store: Seen, call_id: str) -> None:
    assert store.replace(call_id, None, "old", int(time.time()) - 10)
    found = store.get(call_id)
    assert found in (None, "old")
    assert store.replace(call_id, found, "new", LATER)
    assert store.get(call_id) == "new"


@pytest.mark.parametrize("store", [name for name in STORES if name != "dynamodb"], indirect=True)
def test_of_threads_that_swap_at_once_one_succeeds(store: Seen, call_id: str) -> None:
    """Not on moto, which checks the conditions of two threads before it writes for either."""

    def count_up(_: int) -> None:
        for before in count():
            known = None if before == 0 else str(before)
            if store.replace(call_id, known, str(before + 1), LATER):
                break
        django_project.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count_up, range(12)))
    assert store.get(call_id) == "12"


def _claim_all(path: Path, owner: str, ids: list[str], won: "multiprocessing.Queue[list[str]]") -> None:
    store = SqliteSeen(path, wait_seconds=30)
    won.put([each for each in ids if Claim(store, each, owner).take(60) is None])


def test_processes_share_a_file_of_sqlite(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ids = [f"exe_{number}" for number in range(20)]
    won: multiprocessing.Queue[list[str]] = context.Queue()
    workers = [
        context.Process(target=_claim_all, args=(tmp_path / "seen.db", f"worker{number}", ids, won))
        for number in range(3)
    ]
    for each in workers:
        each.start()
    claimed = [name for _ in workers for name in won.get(timeout=60)]
    for each in workers:
        each.join(60)
    assert sorted(claimed) == sorted(ids)


@pytest.mark.parametrize("path", ["", ":memory:"])
def test_sqlite_needs_a_file(path: str) -> None:
    with pytest.raises(ValueError, match="MemorySeen"):
        SqliteSeen(path)


def test_sqlite_that_another_process_has_locked_raises_its_error(tmp_path: Path) -> None:
    """The receiver then answers 500, and the call is retried."""
    store = SqliteSeen(tmp_path / "seen.db", wait_seconds=0.01)
    assert store.replace("exe_1", None, "a", LATER)
    other = sqlite3.connect(tmp_path / "seen.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        store.replace("exe_1", "a", "b", LATER)
    other.close()


@pytest.mark.parametrize("kind", ["sqlite", "memory", "django"])
def test_old_entries_are_purged(tmp_path: Path, kind: str, clock: Clock) -> None:
    django_project.migrate()
    opened: dict[str, Seen] = {
        "sqlite": SqliteSeen(tmp_path / "seen.db", clock=clock),
        "memory": MemorySeen(clock=clock),
        "django": DjangoSeen(clock=clock),
    }
    store, names = opened[kind], [f"exe_{uuid4().hex}" for _ in range(1_100 if kind == "memory" else 3)]
    for name in names:
        assert store.replace(name, None, "a", LATER + 10)
    assert store.replace(names[0], "a", "b", LATER + 10_000)
    clock.now += 4_000
    for number in range(1_100 if kind == "memory" else 1):
        assert store.replace(f"exe_{uuid4().hex}{number}", None, "a", LATER + 10_000)
    assert [store.get(name) for name in names[:3]] == ["b", None, None]
    django_project.close()


def test_entries_of_redis_expire_by_themselves(call_id: str) -> None:
    client = fakeredis.FakeRedis()
    RedisSeen(client, prefix="hooks:").replace(call_id, None, "a", LATER)
    assert abs(time.time() + client.ttl(f"hooks:{call_id}") - LATER) < 30


def test_entries_of_dynamodb_carry_the_time_of_their_end(tmp_path: Path, call_id: str) -> None:
    with STORES["dynamodb"](tmp_path) as store:
        store.replace(call_id, None, "a", LATER)
        client = store._client  # type: ignore[attr-defined]
        item = client.get_item(TableName="seen", Key={"call_id": {"S": call_id}})["Item"]
        assert item["forget_at"] == {"N": str(LATER)}


# --- the rules, on each store


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
def test_of_two_copies_at_once_one_is_handled(at: int, clock: Clock) -> None:
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
