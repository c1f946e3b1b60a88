"""Late puts keep their shard on the sweepers' list with few writes."""

import pytest

from shared.domain.bucket import KEPT_OPEN_MARGIN_MS, KEPT_OPEN_MS, bucket_end_ms
from shared.usecases.filing import open_shards
from shared.usecases.filing.open_shards import OpenShards
from tests.support.builders import BUCKET, execution_id
from tests.support.fakes.ledger import FakeShardLedger

LATE = bucket_end_ms(BUCKET) + 3_600_000
KEY = (BUCKET, 0)


class Ledger(FakeShardLedger):
    """Counts the requests."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.writes = 0

    def open_until(self, bucket: int, shard: int) -> int | None:
        self.reads += 1
        return super().open_until(bucket, shard)

    def reopen(self, bucket: int, shard: int, *, next_pass_at: int, open_until: int) -> None:
        self.writes += 1
        super().reopen(bucket, shard, next_pass_at=next_pass_at, open_until=open_until)


def test_thousand_puts_of_a_process_into_a_shard_cost_one_write_in_40_seconds() -> None:
    ledger = Ledger()
    shards = OpenShards(ledger)
    for number in range(1_000):
        shards.ensure(execution_id(number), LATE + number * 39)
    assert (ledger.reads, ledger.writes) == (1, 1)
    shards.ensure(execution_id(), LATE + KEPT_OPEN_MS - KEPT_OPEN_MARGIN_MS)
    assert (ledger.reads, ledger.writes) == (2, 2)


def test_many_processes_share_one_reopening() -> None:
    ledger = Ledger()
    for number in range(100):
        OpenShards(ledger).ensure(execution_id(number), LATE + number * 100)
    assert (ledger.reads, ledger.writes) == (100, 1)


def test_guarantee_that_is_about_to_end_is_made_anew() -> None:
    ledger = Ledger()
    OpenShards(ledger).ensure(execution_id(), LATE)
    OpenShards(ledger).ensure(execution_id(), LATE + KEPT_OPEN_MS - KEPT_OPEN_MARGIN_MS)
    assert ledger.writes == 2


@pytest.mark.parametrize("behind_ms", [30_000, 300_000])
def test_process_whose_clock_is_behind_does_not_trust_the_guarantee_of_another(behind_ms: int) -> None:
    ledger = Ledger()
    OpenShards(ledger).ensure(execution_id(), LATE)
    OpenShards(ledger).ensure(execution_id(), LATE - behind_ms)
    assert ledger.writes == 2
    assert ledger.rows[KEY].open_until == LATE + KEPT_OPEN_MS


def test_shard_whose_first_sweep_is_still_to_come_costs_nothing() -> None:
    ledger = Ledger()
    OpenShards(ledger).ensure(execution_id(), bucket_end_ms(BUCKET))
    assert (ledger.reads, ledger.writes, ledger.rows) == (0, 0, {})


def test_process_remembers_a_bounded_number_of_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_shards, "MAX_REMEMBERED", 2)
    ledger = Ledger()
    shards = OpenShards(ledger)
    for shard in (0, 1, 2, 2, 1):
        shards.ensure(execution_id(shard=shard), LATE)
    assert ledger.reads == 3
    shards.ensure(execution_id(shard=0), LATE)
    assert ledger.reads == 4
