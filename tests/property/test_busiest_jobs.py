"""The busiest jobs of files of Parquet are those that are counted row by row, and their item is small."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.adapters.dynamodb.codec.day_jobs import encode_day_jobs, read_day_jobs
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.busiest import MOST_JOBS, DayJobs, JobCount
from shared.domain.archive.row import ArchiveRow, row_of
from shared.domain.archive.unit import ArchiveUnit
from shared.domain.executions.states import State
from shared.domain.ids import backfill_job_id, one_off_job_id, recurring_job_id
from tests.support.builders import BUCKET, DUE_AT, execution_id, in_state, one_off
from tests.support.fakes.job_tally import day_jobs

UNIT = ArchiveUnit(hour=BUCKET // 60, group=0)
DAY = UNIT.hour // 24
TENANTS = ("acme", "globex", "it's")
JOBS = [recurring_job_id(DUE_AT, number, cell="0") for number in range(3)]
JOBS.append(backfill_job_id(JOBS[0], DUE_AT, 7))
PLAIN = row_of(in_state(one_off(), State.SUCCEEDED))
RUNS = st.tuples(
    st.sampled_from(TENANTS), st.none() | st.sampled_from(JOBS), st.sampled_from(["succeeded", "failed"])
)
Run = tuple[str, str | None, str]


def rows_of(runs: list[Run], first: int) -> list[ArchiveRow]:
    return [
        replace(
            PLAIN,
            id=str(execution_id(number)),
            tenant=tenant,
            job_id=job_id or one_off_job_id(execution_id(number)),
            state=state,
        )
        for number, (tenant, job_id, state) in enumerate(runs, first)
    ]


def content_of(folder: Path, rows: list[ArchiveRow]) -> bytes:
    with ParquetFiles(folder).draft(UNIT) as draft:
        draft.add(rows)
        return draft.merge(has_old=False).content.read()


def counted(folder: Path, files: list[list[ArchiveRow]], without: frozenset[str]) -> list[DayJobs]:
    with ParquetFiles(folder).tally(without=without) as tally:
        for rows in files:
            with closing(tally.file()) as file:
                file.write(content_of(folder, rows))
            tally.add()
        return list(tally.busiest(DAY))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    runs=st.lists(st.lists(RUNS, max_size=12), max_size=3),
    without=st.frozensets(st.sampled_from(TENANTS), max_size=2),
)
def test_jobs_of_several_files_are_those_of_their_rows(
    tmp_path: Path, runs: list[list[Run]], without: frozenset[str]
) -> None:
    files = [rows_of(each, 100 * number) for number, each in enumerate(runs)]
    rows = [
        {"tenant": row.tenant, "job_id": row.job_id, "state": row.state} for each in files for row in each
    ]
    of_all, *own = counted(tmp_path, files, without)
    kept = [row for row in rows if row["tenant"] not in without]
    assert of_all == day_jobs(DAY, None, kept, ended=len(rows))
    assert {each.tenant_id for each in own} == {row["tenant"] for row in kept}
    for each in own:
        mine = [row for row in kept if row["tenant"] == each.tenant_id]
        assert each == day_jobs(DAY, each.tenant_id, mine, ended=len(mine))


def test_jobs_beyond_the_bound_are_counted_and_not_listed(tmp_path: Path) -> None:
    jobs = [recurring_job_id(DUE_AT, number, cell="0") for number in range(MOST_JOBS + 2)]
    runs: list[Run] = [("acme", job, "succeeded") for job in jobs]
    runs += [("acme", jobs[-1], "failed"), ("globex", jobs[0], "succeeded")]
    of_all, acme, globex = counted(tmp_path, [rows_of(runs, 0)], frozenset())
    assert (len(of_all.jobs), of_all.job_count) == (MOST_JOBS, MOST_JOBS + 3)
    assert (len(acme.jobs), acme.job_count) == (MOST_JOBS, MOST_JOBS + 2)
    assert acme.jobs[0] == JobCount(tenant_id="acme", job_id=jobs[-1], ended=2, failed=1)
    assert [each.job_id for each in acme.jobs[1:]] == jobs[: MOST_JOBS - 1]
    assert (globex.job_count, globex.ended) == (1, 1)


def test_largest_item_is_far_below_the_limit_of_an_item() -> None:
    draw = Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    jobs = tuple(
        JobCount(
            tenant_id="".join(draw.choices(letters, k=64)),
            job_id=backfill_job_id(
                recurring_job_id(DUE_AT, draw.getrandbits(80), cell="0"), DUE_AT, draw.getrandbits(80)
            ),
            ended=10**9 + draw.getrandbits(29),
            failed=draw.getrandbits(29),
        )
        for _ in range(MOST_JOBS)
    )
    day = DayJobs(day=DAY, tenant_id=None, ended=10**12, job_count=10**6, jobs=jobs)
    assert len(encode_day_jobs(day)) < 64_000
    assert read_day_jobs(None, DAY, encode_day_jobs(day)) == day


def test_item_of_a_tenant_with_500_jobs_takes_ten_write_units_at_most() -> None:
    draw = Random(7)
    jobs = tuple(
        JobCount(
            tenant_id="acme",
            job_id=recurring_job_id(DUE_AT, draw.getrandbits(80), cell="0"),
            ended=1_440,
            failed=draw.randint(0, 20),
        )
        for _ in range(MOST_JOBS)
    )
    day = DayJobs(day=DAY, tenant_id="acme", ended=720_000, job_count=600, jobs=jobs)
    assert len(encode_day_jobs(day)) < 10 * 1_024
