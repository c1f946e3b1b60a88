"""The conformance suite of the stores of seen calls: an atomic swap, and old entries that are forgotten."""

import multiprocessing
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from uuid import uuid4

import fakeredis
import pytest

from client.tests.support import django_project
from client.tests.support.stores import LATER, STORES, Clock
from punctual.receivers._claims import Claim
from punctual.receivers.seen.django import DjangoSeen
from punctual.receivers.seen.memory import MemorySeen
from punctual.receivers.seen.redis import RedisSeen
from punctual.receivers.seen.sqlite import SqliteSeen
from punctual.receivers.seen.store import Seen


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
def test_swap_by_several_threads_at_once_succeeds_for_one(store: Seen, call_id: str) -> None:
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
