"""The sizing bills a deletion of a tenant as its use cases and adapters make it."""

from random import Random
from typing import Any

from infra.sizing import figures
from infra.sizing.deletion import Leaver, archive_usage_of, table_usage
from infra.stages import PRESETS
from shared.adapters.dynamodb.codec.day_jobs import encode_day_jobs
from shared.adapters.dynamodb.codec.items import execution_item
from shared.domain.archive.busiest import MOST_JOBS, DayJobs, JobCount
from shared.domain.executions.states import State
from shared.domain.ids import recurring_job_id
from shared.names import PROJECTED
from tests.bench.units import IndexShape, item_bytes, units_of, write_units
from tests.support.builders import DUE_AT, TENANT, in_state, one_off
from tests.support.conformance.tables import INDEXES
from tests.support.usecases.archive import HOUR, SEAL, UNIT, ArchiveWorld

AT = SEAL + 25 * 3_600_000 + 1_200_000
"""A tick that neither compares a sample nor counts jobs."""
SHAPES = [IndexShape(key, PROJECTED[name]) for name, key in INDEXES["executions"].items()]


def test_deleted_execution_is_billed_as_its_row_and_its_entry() -> None:
    row = execution_item(in_state(one_off(), State.SUCCEEDED), "eu-west-1")
    assert write_units(row, None, SHAPES) == figures.DELETED_EXECUTION_WRITES.value
    assert item_bytes(row) < 4_096 * figures.DELETED_EXECUTION_READS.value


def test_replaced_file_is_billed_as_counted() -> None:
    world = ArchiveWorld()
    world.ended(1)
    world.ended(2, tenant_id="globex")
    world.tick()
    world.tick(SEAL)
    # Two hours are looked at.
    world.leave(TENANT, UNIT.end_ms)
    world.steps.taken.clear()
    report = world.tick(AT).forgetting
    assert (report.rewritten, report.forgotten) == (1, 1)
    forgetting = world.forgetting(TENANT)
    assert forgetting.hour - HOUR == 2
    assert world.steps.count("archive_objects.put") == figures.FORGOTTEN_FILE_PUTS.value
    assert world.steps.count("archive_objects.get") == 2 + figures.FORGOTTEN_FILE_GETS.value
    deleted_sums = 1
    assert world.steps.count("history.put") + deleted_sums == figures.FORGOTTEN_FILE_WRITES.value


def test_item_of_the_busiest_jobs_is_billed_with_500_jobs() -> None:
    draw = Random(7)
    jobs = tuple(
        JobCount(
            tenant_id=TENANT,
            job_id=recurring_job_id(DUE_AT + draw.randint(0, 10**10), draw.getrandbits(80), cell="0"),
            ended=1_440,
            failed=draw.randint(0, 20),
        )
        for _ in range(MOST_JOBS)
    )
    day = DayJobs(day=20_000, tenant_id=TENANT, ended=720_000, job_count=600, jobs=jobs)
    item: dict[str, dict[str, Any]] = {
        "pk": {"S": "eu-west-1#acme"},
        "sk": {"S": "d#20000"},
        "jb": {"B": encode_day_jobs(day)},
    }
    assert units_of(item) == figures.DAY_ITEM_UNITS.value


def test_deletion_is_paid_by_executions_and_by_files() -> None:
    one, ten = (Leaver(executions=count, hours=count, rows=1_000) for count in (1, 10))
    small = PRESETS["small"]
    assert table_usage(ten) == table_usage(one) * 10
    before, after = archive_usage_of(one, small), archive_usage_of(ten, small)
    assert after.object_puts == 10 * before.object_puts
    # Each manifest is looked at, whatever the tenant has.
    assert 9 * before.object_gets > after.object_gets - before.object_gets > 0
    assert before.object_gets > small.archive_days * 24
