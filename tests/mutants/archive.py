"""The archive: merging, conditional puts, the second look, late puts, and the comparisons of a sealed hour."""

from tests.mutants.mutant import Mutant

_PASS = "shared/usecases/archive/archive_unit.py"
_UNIT = "tests/unit/usecases/archive/test_archive_unit.py"
_RUN = "tests/unit/usecases/archive/test_run_archive.py"
_VERIFY = "shared/usecases/archive/verify_hour.py"
_VERIFY_TESTS = "tests/unit/usecases/archive/test_verify_hour.py"
_MERGE = "shared/usecases/archive/merge_table.py"
_MERGE_TESTS = "tests/unit/usecases/archive/test_merge_table.py"
_MARKS = "tests/unit/usecases/archive/test_mark_puts.py"
_MARK = "shared/usecases/archive/mark_puts.py"
_SIMULATION = "tests/simulation/test_archiving.py"
_OBJECTS = "shared/adapters/s3/object_store.py"

ARCHIVE = (
    Mutant(
        name="file of the archive replaced by the rows that still exist",
        file=_PASS,
        old="merged = draft.merge(has_old=etag is not None, without=without)",
        new="merged = draft.merge(has_old=False, without=without)",
        killer=_UNIT,
    ),
    Mutant(
        name="file of the archive replaced by the rows that still exist, in a simulation",
        file=_PASS,
        old="        merged = draft.merge(has_old=etag is not None, without=without)",
        new="        merged = draft.merge(has_old=False)",
        killer=_SIMULATION,
    ),
    Mutant(
        name="Parquet file merged without its old rows",
        file="shared/adapters/parquet/files.py",
        old="            if has_old:\n",
        new="            if has_old and not rows:\n",
        killer="tests/property/test_archive_files.py",
    ),
    Mutant(
        name="old row of a Parquet file kept beside its new one",
        file="shared/adapters/parquet/files.py",
        old=" WHERE id NOT IN (SELECT id FROM hot)",
        new="",
        killer="tests/property/test_archive_files.py",
    ),
    Mutant(
        name="object put without If-Match",
        file=_OBJECTS,
        old='{"IfMatch": replaces}',
        new="{}",
        killer="tests/conformance/test_object_store.py",
    ),
    Mutant(
        name="object put without If-None-Match",
        file=_OBJECTS,
        old='{"IfNoneMatch": "*"}',
        new="{}",
        killer="tests/conformance/test_object_store.py",
    ),
    Mutant(
        name="manifest put by a pass that stood still",
        file="shared/usecases/archive/manifests.py",
        old="self.objects.put(unit.manifest_key(self.cell), content, replaces=replaces)",
        new="self.objects.put(\n            unit.manifest_key(self.cell),\n            content,\n"
        "            replaces=self.objects.get(unit.manifest_key(self.cell), BytesIO()),\n        )",
        killer=_UNIT,
    ),
    Mutant(
        name="unit sealed without a second look",
        file=_PASS,
        old=" and is_calm and after == before",
        new=" and is_calm",
        killer=_UNIT,
    ),
    Mutant(
        name="second look at the counter alone",
        file=_PASS,
        old=" and is_calm and after == before",
        new=" and is_calm and after.counter == before.counter",
        killer=_UNIT,
    ),
    Mutant(
        name="unit sealed while a writer may still put",
        file=_PASS,
        old=" and is_calm and after == before",
        new=" and after == before",
        killer=_UNIT,
    ),
    Mutant(
        name="unit sealed with rows that have not ended",
        file="shared/domain/archive/schedule.py",
        old="return not self.unended and not self.unreadable",
        new="return not self.unreadable",
        killer=_UNIT,
    ),
    Mutant(
        name="unit sealed with rows that cannot be read",
        file="shared/domain/archive/schedule.py",
        old="return not self.unended and not self.unreadable",
        new="return not self.unended",
        killer=_UNIT,
    ),
    Mutant(
        name="late put that is not counted",
        file=_MARK,
        old="        if not hours:\n",
        new="        if hours or not hours:\n",
        killer=_SIMULATION,
    ),
    Mutant(
        name="late put that is counted after it alone",
        file=_MARK,
        old="        self._count(hours)\n        try:",
        new="        try:",
        killer=_MARKS,
    ),
    Mutant(
        name="late put that is counted before it alone",
        file=_MARK,
        old="            raise\n        self._count(hours)\n",
        new="            raise\n",
        killer=_MARKS,
    ),
    Mutant(
        name="puts of a jump that are not counted",
        file=_MARK,
        old="self._mark.around([skipped, target],",
        new="self._mark.around([],",
        killer=_MARKS,
    ),
    Mutant(
        name="sealed hour that a late put does not open again",
        file="shared/usecases/archive/plan_units.py",
        old="if state is None and closed.get(unit) != counter:",
        new="if state is None and not closed.get(unit, counter):",
        killer=_RUN,
    ),
    Mutant(
        name="hours that are not counted while a closed unit waits for another pass",
        file="shared/usecases/archive/plan_units.py",
        old="                        is_passed=True,\n",
        new="",
        killer=_RUN,
    ),
    Mutant(
        name="sealed unit not compared with the index",
        file="shared/usecases/archive/run_archive.py",
        old="                report.mismatches += mismatches\n",
        new="                report.mismatches += mismatches[:0]\n",
        killer=_RUN,
    ),
    Mutant(
        name="tenants without rows looked up from the first one again each hour",
        file=_VERIFY,
        old="        if last is not None:\n",
        new="        if last is None:\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="tenants before the latest one not looked up again",
        file=_VERIFY,
        old="if after is None or len(ids) == MOST_IDS:",
        new="if ids or after is None:",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="same number of tenants without rows looked up each hour",
        file=_VERIFY,
        old="FEWEST_OTHERS + int(self.entropy.draw() * (MOST_OTHERS - FEWEST_OTHERS + 1))",
        new="(FEWEST_OTHERS + MOST_OTHERS) // 2",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="void comparison of an hour moves on",
        file=_VERIFY,
        old="            return []\n",
        new="            mismatches = []\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="hour of a merged table not passed and counted again",
        file=_MERGE,
        old="        self.late_puts.count(hour, now_ms)\n",
        new="",
        killer=_MERGE_TESTS,
    ),
    Mutant(
        name="rows of a tenant that was deleted during a merge",
        file=_MERGE,
        old="if result.end is PassEnd.OVERTAKEN or self._deleted() == without:",
        new="if result.end is not None:",
        killer=_MERGE_TESTS,
    ),
    Mutant(
        name="restored execution archived that has not ended in the table",
        file="shared/usecases/archive/read_unit.py",
        old=" and each.id not in unended]",
        new="]",
        killer=_MERGE_TESTS,
    ),
    Mutant(
        name="restored row beside the row of the file",
        file="shared/adapters/parquet/files.py",
        old="WHERE id NOT IN (SELECT hot.id FROM hot){in_old}",
        new="WHERE id NOT IN (SELECT hot.id FROM hot)",
        killer="tests/property/test_archive_files.py",
    ),
    Mutant(
        name="table of another stage merged into the archive",
        file="shared/adapters/dynamodb/archive/restored_table.py",
        old='.get("SourceTableArn") != own_arn:',
        new='.get("SourceTableArn") is None:',
        killer="tests/unit/functions/test_archiver_merge.py",
    ),
    Mutant(
        name="uploaded file not read back",
        file=_PASS,
        old="self._read_back(unit, draft) != file.summary",
        new="self._read_back(unit, draft) is file.summary",
        killer=_UNIT,
    ),
)
