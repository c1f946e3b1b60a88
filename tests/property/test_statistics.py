"""Sums and histograms: those of the parts add up to those of the whole, and quantiles are within their error."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.dynamodb.codec.sums import encode_sums, read_sums
from shared.domain.archive.histogram import Histogram, merged
from shared.domain.archive.statistics import MinuteSums, Sample, Sums, UnitSums, sums_by_tenant
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.executions.stages import CODES_PER_DOUBLING, duration_of
from tests.support.builders import BUCKET
from tests.support.fakes.history import joined

UNIT = ArchiveUnit(hour=BUCKET // 60, group=0)
ERROR = 2 ** (1 / (2 * CODES_PER_DOUBLING)) - 1
LONGEST_MS = 8_600_000
DURATIONS = st.integers(0, LONGEST_MS)
KNOWN = st.none() | DURATIONS
SAMPLES = st.builds(
    Sample,
    due_at=st.integers(UNIT.start_ms, UNIT.end_ms - 1),
    state=st.sampled_from(["succeeded", "failed", "skipped"]),
    end_reason=st.none() | st.sampled_from(["overlap", "too_old"]),
    has_outcome=st.booleans(),
    status=st.none() | st.integers(100, 599),
    attempts=st.integers(0, 20),
    lag_ms=KNOWN,
    queue_ms=KNOWN,
    wait_ms=KNOWN,
    duration_ms=KNOWN,
    workflow_id=st.none() | st.sampled_from(["wfl_a", "wfl_b"]),
)
TENANTS = st.sampled_from(["acme", "globex", "initech"])
ROWS = st.lists(st.tuples(TENANTS, SAMPLES), max_size=30)


def summed(samples: list[Sample]) -> Sums:
    sums = Sums()
    for sample in samples:
        sums.add(sample)
    return sums


def histogram(durations: list[int]) -> Histogram:
    made = Histogram()
    for duration in durations:
        made.add(duration)
    return made


def test_error_is_the_documented_one() -> None:
    assert round(100 * ERROR, 1) == 3.2


@given(durations=st.lists(DURATIONS, min_size=1, max_size=60), percent=st.integers(1, 100))
def test_quantile_is_within_the_error_of_the_exact_one(durations: list[int], percent: int) -> None:
    exact = sorted(durations)[-(-percent * len(durations) // 100) - 1]
    quantile = histogram(durations).quantile_ms(percent)
    assert quantile is not None
    assert abs(quantile - exact) <= ERROR * (1 + exact) + 0.5


@given(parts=st.lists(st.lists(DURATIONS, max_size=10), max_size=5))
def test_merged_histogram_is_that_of_all_durations(parts: list[list[int]]) -> None:
    whole = histogram([duration for part in parts for duration in part])
    assert merged(map(histogram, parts)) == whole


def test_histogram_of_unknown_durations_is_empty() -> None:
    unknown = Histogram()
    unknown.add(None)
    assert (unknown.total, unknown.quantile_ms(50)) == (0, None)


@given(first=st.lists(SAMPLES, max_size=20), second=st.lists(SAMPLES, max_size=20))
def test_merged_sums_are_those_made_at_once(first: list[Sample], second: list[Sample]) -> None:
    whole, part = summed(first), summed(second)
    whole.merge(part)
    assert whole == summed(first + second)
    assert part == summed(second)


@given(samples=st.lists(SAMPLES, max_size=30), unended=st.integers(0, 5))
def test_sums_come_out_of_an_item_as_they_went_in(samples: list[Sample], unended: int) -> None:
    sums = summed(samples)
    sums.unended = unended
    assert read_sums(UNIT, encode_sums(UNIT, sums)) == sums


@given(samples=st.lists(SAMPLES, max_size=30))
def test_minutes_of_an_item_that_are_joined_have_the_sums_of_all(samples: list[Sample]) -> None:
    sums = summed(samples)
    found = read_sums(UNIT, encode_sums(UNIT, sums), by_minute=False)
    assert found == joined(sums)
    assert (found.lag, len(found.minutes)) == (sums.lag, min(1, len(sums.minutes)))


@given(rows=ROWS, unended=st.dictionaries(TENANTS, st.integers(1, 3)))
def test_sums_of_the_tenants_add_up_to_those_of_all(
    rows: list[tuple[str, Sample]], unended: dict[str, int]
) -> None:
    ordered = sorted(rows, key=lambda row: row[0])
    found = [each for each in sums_by_tenant(UNIT, ordered, unended) if each.workflow_id is None]
    if not rows and not unended:
        assert found == []
        return
    *own, whole = found
    assert whole.tenant_id is None
    assert Counter(each.tenant_id for each in own) == Counter({tenant for tenant, _ in rows} | unended.keys())
    total = Sums()
    for each in own:
        expected = summed([sample for tenant, sample in ordered if tenant == each.tenant_id])
        expected.unended = unended.get(each.tenant_id or "", 0)
        assert each.sums == expected
        total.merge(each.sums)
    assert total == whole.sums


@given(
    rows=ROWS,
    unended=st.dictionaries(st.tuples(TENANTS, st.sampled_from(["wfl_a", "wfl_c"])), st.integers(1, 3)),
)
def test_sums_of_a_workflow_are_those_of_its_tasks(
    rows: list[tuple[str, Sample]], unended: dict[tuple[str, str], int]
) -> None:
    ordered = sorted(rows, key=lambda row: row[0])
    by_tenant = Counter[str]()
    for (tenant, _), count in unended.items():
        by_tenant[tenant] += count
    found = {
        (each.tenant_id, each.workflow_id): each
        for each in sums_by_tenant(UNIT, ordered, by_tenant, unended_tasks=unended)
        if each.workflow_id is not None
    }
    expected = {
        (tenant, sample.workflow_id) for tenant, sample in rows if sample.workflow_id
    } | unended.keys()
    assert found.keys() == expected
    for (of_tenant, workflow_id), each in found.items():
        sums = summed(
            [sample for owner, sample in ordered if (owner, sample.workflow_id) == (of_tenant, workflow_id)]
        )
        sums.unended = unended.get((of_tenant or "", workflow_id or ""), 0)
        assert (each.sums, each.row_groups) == (sums, None)


def test_stored_duration_has_the_code_that_it_was_made_of() -> None:
    """The archive has the durations of stages decoded, and their histograms are made of these."""
    durations = {duration_of(code) for code in range(255)} - {None}
    for duration in durations:
        (code,) = histogram([duration or 0]).counts
        assert duration_of(code) == duration


def test_item_of_a_minute_with_every_code_stays_far_below_the_limit_of_an_item() -> None:
    sums = Sums()
    for minute in UNIT.buckets:
        for code in range(255):
            sums.minutes.setdefault(minute, MinuteSums()).lag.counts[code] = 10**6 + 7_919 * code * minute
    assert len(encode_sums(UNIT, sums)) < 300_000
    assert read_sums(UNIT, encode_sums(UNIT, sums)) == sums


def test_row_groups_are_those_of_the_tenants_rows() -> None:
    sample = Sample(
        due_at=UNIT.start_ms,
        state="succeeded",
        end_reason=None,
        has_outcome=False,
        status=None,
        attempts=1,
        lag_ms=None,
        queue_ms=None,
        wait_ms=None,
        duration_ms=None,
    )
    rows = [("a", sample)] * 20_480 + [("b", sample)] * 20_481
    found: list[UnitSums] = list(sums_by_tenant(UNIT, rows, {"c": 1}))
    groups = {each.tenant_id: each.row_groups for each in found}
    assert groups == {"a": (0, 0), "b": (1, 2), "c": None, None: None}


def test_unit_whose_only_run_was_moved_has_sums_of_all_tenants() -> None:
    moved = Sample(
        due_at=UNIT.start_ms,
        state="moved",
        end_reason=None,
        has_outcome=False,
        status=None,
        attempts=0,
        lag_ms=None,
        queue_ms=None,
        wait_ms=None,
        duration_ms=None,
    )
    found = list(sums_by_tenant(UNIT, [("acme", moved)], {}))
    assert [(each.tenant_id, each.sums.ended, each.sums.rows) for each in found] == [
        ("acme", 0, 1),
        (None, 0, 1),
    ]
