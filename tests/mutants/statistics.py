"""Statistics: sums of the merged file, versions of passes, how far they are complete, and counts in the index."""

from tests.mutants.mutant import Mutant

_STATISTICS = "shared/domain/archive/statistics.py"
_READ = "shared/usecases/archive/read_statistics.py"
_JOB = "shared/usecases/archive/read_job_statistics.py"
_PASS = "shared/usecases/archive/archive_unit.py"
_RUN = "shared/usecases/archive/run_archive.py"
_STORE = "shared/adapters/dynamodb/archive/history.py"
_UNIT = "tests/unit/usecases/archive/test_statistics.py"
_OF_WORKFLOW = "tests/unit/usecases/archive/test_workflow_statistics.py"
_OF_JOB = "tests/unit/usecases/archive/test_job_statistics.py"
_PROPERTY = "tests/property/test_statistics.py"
_COUNT_ENDED = "shared/usecases/archive/count_ended.py"
_LATER = "tests/property/test_later_statistics.py"
_CONFORMANCE = "tests/conformance/test_history.py"
_SIMULATION = "tests/simulation/test_archiving.py"
_COUNT = "shared/usecases/archive/count_jobs.py"
_COUNTED = "tests/unit/usecases/archive/test_count_jobs.py"
_BUSIEST = "tests/property/test_busiest_jobs.py"

STATISTICS = (
    Mutant(
        name="statistics of a pass that stood still replace those of a later one",
        file=_STORE,
        old='"attribute_not_exists(vn) OR vn <= :own"',
        new='"attribute_not_exists(vn) OR vn <> :own OR vn = :own"',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="statistics that no repeated pass replaces",
        file=_STORE,
        old='"attribute_not_exists(vn) OR vn <= :own"',
        new='"attribute_not_exists(vn) OR vn < :own"',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="range of hours without the upper groups of its last hour",
        file=_STORE,
        old='":high": {"S": high.rpartition("#")[0]},',
        new='":high": {"S": high.rpartition("#")[0].replace(f"{until:07d}", f"{until - 1:07d}")},',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="mark of passed hours that an earlier run replaces",
        file=_STORE,
        old='"attribute_not_exists(pa) OR pa <= :now"',
        new='"attribute_not_exists(pa) OR pa <> :now"',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="pass that is recorded without its statistics",
        file=_PASS,
        old="                draft.samples(),\n",
        new="                iter(()),\n",
        killer=_SIMULATION,
    ),
    Mutant(
        name="statistics without executions that have not ended",
        file=_PASS,
        old="                found.unended,\n",
        new="                {},\n",
        killer=_UNIT,
    ),
    Mutant(
        name="statistics of a workflow without tasks that have not ended",
        file=_PASS,
        old="unended_tasks=found.unended_tasks,",
        new="unended_tasks={},",
        killer=_OF_WORKFLOW,
    ),
    Mutant(
        name="statistics of a workflow with the executions of the tenant's other jobs",
        file=_COUNT_ENDED,
        old="if found.workflow_id == workflow_id:",
        new="if found.workflow_id != tenant_id:",
        killer=_OF_WORKFLOW,
    ),
    Mutant(
        name="later hours of a workflow called counted although they were not read",
        file=_READ,
        old="                bucket.uncounted = Uncounted(None, None)\n            return\n",
        new="                continue\n            return\n",
        killer=_OF_WORKFLOW,
    ),
    Mutant(
        name="statistics of all workflows of a tenant under one key",
        file="shared/adapters/dynamodb/codec/archive_keys.py",
        old='kind = "h" if workflow_id is None else f"w#{workflow_id}"',
        new='kind = "h" if workflow_id is None else "w#any"',
        killer=_CONFORMANCE,
    ),
    Mutant(
        name="hour called passed although a unit of it was not",
        file=_RUN,
        old="before = min((each.unit.hour for each in listed if not each.passes), default=end)",
        new="before = min((each.unit.hour for each in listed if each.passes), default=end)",
        killer=_UNIT,
    ),
    Mutant(
        name="unit counted in its sums and in the index",
        file=_READ,
        old="min(hour_of(window.until_at - 1) + 1, mark.before)",
        new="hour_of(window.until_at - 1) + 1",
        killer=_UNIT,
    ),
    Mutant(
        name="hour with an open execution called complete",
        file=_READ,
        old="return is_passed and open_hours.isdisjoint(range(first, last + 1))",
        new="return is_passed",
        killer=_UNIT,
    ),
    Mutant(
        name="hours before the archive called complete",
        file=_READ,
        old="is_passed = mark.since <= first and last < mark.before",
        new="is_passed = last < mark.before",
        killer=_UNIT,
    ),
    Mutant(
        name="passed hours counted in the index once more",
        file=_READ,
        old="from_at = max(window.from_at, mark.before * HOUR_MS)",
        new="from_at = window.from_at",
        killer=_UNIT,
    ),
    Mutant(
        name="count that was given up called a count",
        file=_READ,
        old="        if min(bucket.until_at, until_at) <= read_until\n",
        new="        if min(bucket.until_at, until_at) <= until_at\n",
        killer=_UNIT,
    ),
    Mutant(
        name="execution of a later hour that is read and stays uncounted",
        file=_READ,
        old="            bucket.uncounted.due -= 1\n",
        new="",
        killer=_LATER,
    ),
    Mutant(
        name="later hours with many executions that are all read",
        file=_READ,
        old="sum(len(each.instants) for each in entries) > at_most",
        new="False",
        killer=_UNIT,
    ),
    Mutant(
        name="execution that is kept as ended before it has",
        file=_COUNT_ENDED,
        old="                if execution.state.is_terminal:\n",
        new="                if execution.state:\n",
        killer=_LATER,
    ),
    Mutant(
        name="histograms merged by their larger counts",
        file="shared/domain/archive/histogram.py",
        old="self.counts.update(other.counts)",
        new="self.counts |= other.counts",
        killer=_PROPERTY,
    ),
    Mutant(
        name="quantile one rank too low",
        file="shared/domain/archive/histogram.py",
        old="left = max(1, -(-percent * self.total // 100))",
        new="left = max(1, percent * self.total // 100)",
        killer=_PROPERTY,
    ),
    Mutant(
        name="sums of all tenants without those who have open executions alone",
        file=_STATISTICS,
        old="        whole.unended += count\n",
        new="",
        killer=_PROPERTY,
    ),
    Mutant(
        name="lag of a later attempt counted as that of the first",
        file=_STATISTICS,
        old=" if first is not None and first.attempt == 1 else None",
        new=" if first is not None else None",
        killer=_UNIT,
    ),
    Mutant(
        name="executions without success counted as failed",
        file=_STATISTICS,
        old="minute.failed += sample.state == State.FAILED",
        new="minute.failed += sample.state != State.SUCCEEDED",
    ),
    Mutant(
        name="lag counted from the creation",
        file=_STATISTICS,
        old="max(0, first.started_at - row.first_due_at)",
        new="max(0, first.started_at - max(row.first_due_at, row.created_at))",
    ),
    Mutant(
        name="statistics of the rows that still exist",
        file=_PASS,
        old="merged = draft.merge(has_old=etag is not None, without=without)",
        new="merged = draft.merge(has_old=False)",
    ),
    Mutant(
        name="sums of all tenants without the last one",
        file=_STATISTICS,
        old="        whole.merge(sums)\n",
        new="        whole.merge(sums if whole.ended else Sums())\n",
    ),
    Mutant(
        name="sample of a file with the lag of a later attempt",
        file="shared/adapters/parquet/files.py",
        old="CASE WHEN outcomes[1].attempt = 1\n",
        new="CASE WHEN outcomes[1].attempt >= 1\n",
        killer="tests/property/test_archive_files.py",
    ),
    Mutant(
        name="row group of a tenant counted from its own rows",
        file=_STATISTICS,
        old="groups = first // ROW_GROUP, last // ROW_GROUP",
        new="groups = 0, (last - first) // ROW_GROUP",
        killer=_PROPERTY,
    ),
    Mutant(
        name="redrives and triggers missing in the statistics of a job",
        file=_JOB,
        old="            if len(extras) < AT_ONCE:\n",
        new="            if extras or not extras:\n",
        killer=_OF_JOB,
    ),
    Mutant(
        name="too many runs of a job counted in part",
        file=_JOB,
        old="if examined == MOST_EXAMINED or len(found) > MOST_RUNS:",
        new="if examined == MOST_EXAMINED:",
        killer=_OF_JOB,
    ),
    Mutant(
        name="step of a job with an open run called complete",
        file=_JOB,
        old="bucket.until_at <= now_ms and not bucket.sums.unended",
        new="bucket.until_at <= now_ms",
        killer=_OF_JOB,
    ),
    Mutant(
        name="busiest jobs that are never counted again",
        file=_COUNT,
        old="return stored.files == files and not",
        new="return not",
        killer=_COUNTED,
    ),
    Mutant(
        name="busiest jobs that name a deleted tenant",
        file=_COUNT,
        old=" and not any(each.tenant_id in deleted for each in stored.jobs)",
        new="",
        killer=_COUNTED,
    ),
    Mutant(
        name="day that is counted before the jobs of its tenants are stored",
        file=_COUNT,
        old="        of_all = next(found := iter(counted))\n",
        new="        put(of_all := next(found := iter(counted)))\n",
        killer=_COUNTED,
    ),
    Mutant(
        name="day whose old hour was opened again, and that is not counted",
        file=_COUNT,
        old="days = {*range(today - LATEST_DAYS, today), *opened}",
        new="days = {*range(today - LATEST_DAYS, today)}",
        killer=_COUNTED,
    ),
    Mutant(
        name="busiest jobs of a day with an hour that no pass has read",
        file=_COUNT,
        old="return mark.since < hours.stop <= mark.before",
        new="return mark.since < hours.stop",
        killer=_COUNTED,
    ),
    Mutant(
        name="busiest jobs that are complete though files have changed",
        file="shared/usecases/archive/read_busiest_jobs.py",
        old="is_passed and is_ended and is_current",
        new="is_passed and is_ended",
        killer=_COUNTED,
    ),
    Mutant(
        name="forgotten tenant in the busiest jobs of an old day",
        file="shared/usecases/archive/forget_tenants.py",
        old="            self._count_days(walk, hours, ends, names, has_time, report)\n",
        new="",
        killer=_COUNTED,
    ),
    Mutant(
        name="busiest jobs that a slower count replaces",
        file="shared/adapters/dynamodb/archive/history.py",
        old="return self._put(day_jobs_key(self._region, jobs.tenant_id, jobs.day), attributes, version)",
        new="return self._put(day_jobs_key(self._region, jobs.tenant_id, jobs.day), attributes, 1 << 50)",
        killer="tests/conformance/test_history.py",
    ),
    Mutant(
        name="one-off jobs among the busiest jobs",
        file="shared/adapters/parquet/tally.py",
        old="starts_with(job_id, 'job_r')",
        new="starts_with(job_id, 'job_')",
        killer=_BUSIEST,
    ),
    Mutant(
        name="busiest jobs with the fewest executions",
        file="shared/adapters/parquet/tally.py",
        old="ORDER BY ended DESC, job) <=",
        new="ORDER BY ended, job) <=",
        killer=_BUSIEST,
    ),
    Mutant(
        name="sum of a day without the tenants that are left out",
        file="shared/adapters/parquet/tally.py",
        old="yield self._of_all(day, sum(totals.values()))",
        new="yield self._of_all(day, sum(n for name, n in totals.items() if name not in self._without))",
        killer=_BUSIEST,
    ),
)
