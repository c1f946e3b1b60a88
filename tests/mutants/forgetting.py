"""Deleted tenants in the archive, and samples: nothing of them is left, all of the others, and changes are found."""

from tests.mutants.mutant import Mutant

_FORGET = "shared/usecases/archive/forget_tenants.py"
_REWRITE = "shared/usecases/archive/rewrite_file.py"
_PASS = "shared/usecases/archive/archive_unit.py"
_RUN = "shared/usecases/archive/run_archive.py"
_SAMPLE = "shared/usecases/archive/verify_sample.py"
_FILES = "shared/adapters/parquet/files.py"
_DELETION = "shared/domain/tenancy/deletion.py"
_TESTS = "tests/unit/usecases/archive/test_forget_tenants.py"
_SAMPLES = "tests/unit/usecases/archive/test_verify_sample.py"
_PARQUET = "tests/unit/adapters/test_parquet_files.py"
_SIMULATION = "tests/simulation/test_archiving.py"

FORGETTING = (
    Mutant(
        name="file of a deleted tenant replaced without If-Match",
        file=_REWRITE,
        old="self.objects.put(key, merged.content, replaces=old_etag)",
        new="self.objects.put(key, merged.content, replaces=self.objects.get(key, draft.old()))",
        killer=_TESTS,
    ),
    Mutant(
        name="file of a deleted tenant replaced although rows of others are missing",
        file=_REWRITE,
        old="            _check(unit, manifest.file, merged.summary, without)\n",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="removed rows that a file does not count",
        file=_FILES,
        old="forgotten = Counter(_forgotten(db, old)) + _dropped(db, old, without)",
        new="forgotten = Counter(_forgotten(db, old))",
        killer=_PARQUET,
    ),
    Mutant(
        name="counts of removed rows that the next merge loses",
        file=_FILES,
        old="forgotten = Counter(_forgotten(db, old)) + _dropped(db, old, without)",
        new="forgotten = _dropped(db, old, without)",
        killer=_PARQUET,
    ),
    Mutant(
        name="rows of a deleted tenant that a pass keeps",
        file=_PASS,
        old="merged = draft.merge(has_old=etag is not None, without=without)",
        new="merged = draft.merge(has_old=etag is not None)",
        killer=_TESTS,
    ),
    Mutant(
        name="rows of a deleted tenant that come back by merging",
        file="shared/usecases/archive/read_unit.py",
        old="page = [each for each in executions if each.tenant_id not in without]",
        new="page = list(executions)",
        killer=_TESTS,
    ),
    Mutant(
        name="passes that leave out no deleted tenant, in a simulation",
        file=_RUN,
        old="self._pass(state, without, report)",
        new="self._pass(state, frozenset(), report)",
        killer=_SIMULATION,
    ),
    Mutant(
        name="rows of a forgotten tenant that a restore brings back into the archive",
        file=_RUN,
        old="frozenset(deleted).union(self.deletions.forgotten())",
        new="frozenset(deleted)",
        killer=_SIMULATION,
    ),
    Mutant(
        name="guard against restored rows that ends with the forgetting",
        file="shared/adapters/dynamodb/tenancy/tenant_deletions.py",
        old='{"Delete": entry}, {"Put": guard})',
        new='{"Delete": entry})',
        killer="tests/conformance/test_tenant_deletions.py",
    ),
    Mutant(
        name="statistics of a rewritten file that a late pass cannot replace",
        file=_FORGET,
        old="seen_at=walk.seen_at):",
        new="seen_at=self.clock.now_ms()):",
        killer=_TESTS,
    ),
    Mutant(
        name="statistics of a deleted tenant that stay",
        file=_FORGET,
        old="rows = self.history.forget(deletion.tenant_id, limit=SUMS_AT_ONCE)",
        new="rows = 0 if deletion.forgetting.rows else None",
        killer=_TESTS,
    ),
    Mutant(
        name="deleted tenant that stays in the statistics of all tenants",
        file=_REWRITE,
        old="            self.put_statistics.replace_whole(unit, draft.samples(), version=seen_at, etag=etag)\n",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="deleted tenant removed while a pass may put its rows",
        file=_DELETION,
        old="now_ms >= self.ended_at + FORGET_AFTER_MS",
        new="now_ms >= self.ended_at",
        killer=_TESTS,
    ),
    Mutant(
        name="walk over the archive that begins anew with each run",
        file=_DELETION,
        old="range(max(since, self.forgetting.hour),",
        new="range(since,",
        killer=_TESTS,
    ),
    Mutant(
        name="walk over hours that are not sealed",
        file=_RUN,
        old="frontier = min((state.unit.hour for state in listed), default=mark.hour + 1)",
        new="frontier = mark.hour + 1",
        killer=_TESTS,
    ),
    Mutant(
        name="tenant that is forgotten before its last hour",
        file=_FORGET,
        old="            if not deletion.archived_hours(sealed.start):\n",
        new="            if deletion.tenant_id:\n",
        killer=_TESTS,
    ),
    Mutant(
        name="newly deleted tenants that overtake the others",
        file=_FORGET,
        old="first = max((hours.start",
        new="first = min((hours.start",
        killer=_TESTS,
    ),
    Mutant(
        name="deleted tenant of which the archive is not told",
        file="shared/adapters/dynamodb/tenancy/tenant_deletions.py",
        old='{"Put": entry}, *deletes)',
        new="*deletes)",
        killer="tests/conformance/test_tenant_deletions.py",
    ),
    Mutant(
        name="archiver that may write tenants and keys",
        file="infra/components/grants.py",
        old="    if grant == FORGET_TENANTS:\n",
        new="    if grant == LIST_TENANTS and grant == FORGET_TENANTS:\n",
        killer="tests/infra/test_roles.py",
    ),
    Mutant(
        name="sample without an alarm",
        file=_RUN,
        old=" + (self.sample is not None)\n",
        new="\n",
        killer=_SAMPLES,
    ),
    Mutant(
        name="sample that is never taken",
        file=_RUN,
        old="if began_at % HOUR_MS < SAMPLED_WITHIN_MS and has_time():",
        new="if began_at % HOUR_MS < 0 and has_time():",
        killer=_SAMPLES,
    ),
    Mutant(
        name="sample that does not compare the file with its manifest",
        file=_SAMPLE,
        old="if not is_there or draft.summary_of_copy() != manifest.file:",
        new="if not is_there or draft.summary_of_copy() is manifest.file:",
        killer=_SAMPLES,
    ),
    Mutant(
        name="sample that does not compare statistics",
        file=_SAMPLE,
        old="            yield from self._of_statistics(unit, draft)\n",
        new="",
        killer=_SAMPLES,
    ),
    Mutant(
        name="sample of a file that is just being replaced",
        file=_SAMPLE,
        old=" and not self._is_changing(unit)",
        new="",
        killer=_SAMPLES,
    ),
    Mutant(
        name="sample of a manifest that was just replaced",
        file=_SAMPLE,
        old=" and self.manifests.etag(unit) == etag\n",
        new="\n",
        killer=_SAMPLES,
    ),
)
