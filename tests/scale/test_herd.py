"""Herds: what event sources and sandboxes of Lambda do to jobs that are due at once."""

from dataclasses import replace

import pytest

from infra.concurrency import Pollers
from infra.sizing import figures
from tests.scale.herd import HERDS, MOST_LAG_MS, Herd, HerdRun, run_herd
from tests.scale.herd_report import herd_page

SECOND = Herd(name="jobs of a second: small", jobs=20_000, over_ms=1_000, source=1_000, shards=1)


@pytest.fixture(scope="module")
def slow() -> HerdRun:
    return run_herd(SECOND)


@pytest.fixture(scope="module")
def quick() -> HerdRun:
    return run_herd(replace(SECOND, source=Pollers(minimum=100, maximum=250)))


def test_herd_is_called_once_and_never_early(slow: HerdRun, quick: HerdRun) -> None:
    for run in (slow, quick):
        assert len(run.lags) == SECOND.jobs / 80
        assert (run.early, run.missing, run.lags[0] >= 0) == (0, 0, True)


def test_provisioned_pollers_bring_a_herd_within_its_bound(slow: HerdRun, quick: HerdRun) -> None:
    assert quick.failures == []
    assert slow.percentile_ms(0.99) > MOST_LAG_MS
    assert slow.failures == [f"{SECOND.name}: the p99 of the lag is {slow.percentile_ms(0.99)} ms"]


def test_herd_without_provisioned_pollers_takes_no_more_executors_than_lambda_adds(slow: HerdRun) -> None:
    seconds = slow.lags[-1] / 1000
    most = figures.POLLERS_FIRST.value + figures.POLLERS_PER_MINUTE.value * (seconds + 1) / 60
    assert slow.executors <= most + 80, "a slice rounds its part up to one executor of 80"


def test_warm_sandboxes_save_the_cold_start(quick: HerdRun) -> None:
    warm = run_herd(replace(quick.herd, is_warm=True))
    assert warm.percentile_ms(0.5) <= quick.percentile_ms(0.5) - figures.latency("cold_start") / 2


def test_herd_costs_the_time_of_its_executors(quick: HerdRun) -> None:
    hour = replace(quick, executor_seconds=3_600)
    assert hour.executor_dollars == pytest.approx(3_600 * 1_769 / 1_024 * 0.0000133334)


def test_page_of_herds_has_a_row_for_each_and_a_plot_for_each_size(slow: HerdRun, quick: HerdRun) -> None:
    other = replace(quick, herd=replace(quick.herd, name="others: small"))
    page = herd_page([slow, quick, other])
    assert page.count("| jobs of a second: small |") == 2
    assert page.count("```mermaid") == 2
    assert page.count("  line [0, ") == 3


def test_herds_of_the_page_use_the_preset_of_the_cloud() -> None:
    sized = [herd for herd in HERDS if herd.is_sized]
    assert len(sized) == 6
    assert {isinstance(herd.source, Pollers) for herd in sized} == {True}
