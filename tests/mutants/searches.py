"""Searches of executions: lines lost or doubled, rows of others, and what a client is told of its result."""

from tests.mutants.mutant import Mutant

_SEARCHES = "tests/unit/usecases/archive/test_searches.py"
_TASK_TEST = "tests/unit/domain/archive/test_search_task.py"
_API = "tests/unit/api/test_searches.py"
_FILES = "tests/conformance/test_search_files.py"
_READER = "tests/unit/adapters/test_parquet_reader.py"
_TASK = "shared/domain/archive/search_task.py"
_FIND = "shared/usecases/archive/find_matching.py"
_PROCESS = "shared/usecases/archive/process_searches.py"
_MANAGE = "shared/usecases/archive/manage_searches.py"
_START = "shared/usecases/archive/start_search.py"
_S3 = "shared/adapters/s3/search_files.py"

SEARCHES = (
    Mutant(
        name="line lost between two pages of a search",
        file=_FIND,
        old="                return FoundPage(lines, rest.before)\n",
        new="                return FoundPage(lines[1:], rest.before)\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="page of a search that begins with the last line of the one before",
        file=_FIND,
        old="            rest = PositionRange(after=rest.after, before=page.last.position)\n",
        new="            rest = PositionRange(after=rest.after, before=IndexPosition(at=page.last.position.at + 1))\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="file of a search whose earlier rows are dropped as it grows",
        file=_PROCESS,
        old="            rows, content = last.rows + rows, before + content\n",
        new="            rows = last.rows + rows\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="file of a search that a worker without its lease replaces",
        file=_PROCESS,
        old="        self.files.put(task.tenant_id, task.id, task.version, content)\n"
        "        return ResultFile(task.version, rows, len(content))\n",
        new="        number = 1 + sum(file.is_full for file in task.files)\n"
        "        self.files.put(task.tenant_id, task.id, number, content)\n"
        "        return ResultFile(number, rows, len(content))\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="lines doubled after a crash, because the file grows that the crashed worker left",
        file=_TASK,
        old="        kept = self.files[:-1] if file is not None and self.grows else self.files\n",
        new="        kept = self.files\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="row of another tenant in the result of a search",
        file=_FIND,
        old="found is None or tenant_of(found) != tenant.id or state_of(found)",
        new="found is None or state_of(found)",
        killer=_SEARCHES,
    ),
    Mutant(
        name="forwarding record in the result of a search",
        file=_FIND,
        old=" or state_of(found) is State.MOVED:",
        new=":",
        killer=_SEARCHES,
    ),
    Mutant(
        name="search that takes the word of its reader for a match",
        file=_FIND,
        old="            is_found = criteria.rows.matches(row) and (",
        new="            is_found = (not isinstance(found, Execution) or criteria.rows.matches(row)) and (",
        killer=_SEARCHES,
    ),
    Mutant(
        name="search by tag that finds runs of every recurring job",
        file=_FIND,
        old="(criteria.tag is None or criteria.tag in tags.of(found))",
        new="(criteria.tag is None or not found.tags or criteria.tag in tags.of(found))",
        killer=_SEARCHES,
    ),
    Mutant(
        name="response of a receiver in a file without the tenant's key",
        file=_FIND,
        old="    del document[NOT_IN_LINES]\n",
        new="",
        killer=_SEARCHES,
    ),
    Mutant(
        name="search that never ends its page",
        file=_FIND,
        old="            if len(lines) >= PAGE_ROWS or self.clock.now_ms() >= ends_at:\n",
        new="            if len(lines) >= PAGE_ROWS:\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="truncation of a search that is not said",
        file="functions/api/resources/searches/presenter.py",
        old='        "truncated": task.truncated_at is not None,\n        "next_to": instant_out(task.truncated_at),\n',
        new='        "truncated": False,\n        "next_to": None,\n',
        killer=_API,
    ),
    Mutant(
        name="result of a search without a bound",
        file=_TASK,
        old="        is_too_much = self.found >= MOST_FOUND or now_ms",
        new="        is_too_much = now_ms",
        killer=_TASK_TEST,
    ),
    Mutant(
        name="truncated search that leaves out a part of its last instant",
        file=_TASK,
        old="        return after if after.rest.after < after.position else after._ended",
        new="        is_open = after.rest.after < after.position and after.truncated_at is None\n"
        "        return after if is_open else after._ended",
        killer=_SEARCHES,
    ),
    Mutant(
        name="whole result that is called truncated",
        file=_TASK,
        old=" and self.position.at > self.criteria.from_at\n",
        new="\n",
        killer=_TASK_TEST,
    ),
    Mutant(
        name="expired URL of a file that is not renewed",
        file=_MANAGE,
        old="    def urls(self, task: SearchTask)",
        new="    from functools import lru_cache\n\n    @lru_cache(9)  # noqa: B019\n"
        "    def urls(self, task: SearchTask)",
        killer=_API,
    ),
    Mutant(
        name="files of a search offered before it has ended",
        file=_TASK,
        old="        return self.state is SearchState.FINISHED and now_ms < self.expires_at\n",
        new="        return now_ms < self.expires_at\n",
        killer=_TASK_TEST,
    ),
    Mutant(
        name="files of a search offered when S3 has deleted them",
        file=_TASK,
        old="        return self.state is SearchState.FINISHED and now_ms < self.expires_at\n",
        new="        return self.state is SearchState.FINISHED\n",
        killer=_TASK_TEST,
    ),
    Mutant(
        name="search of a tenant that is being deleted",
        file=_PROCESS,
        old="tenant is None or tenant.is_being_deleted or now_ms",
        new="tenant is None or now_ms",
        killer=_SEARCHES,
    ),
    Mutant(
        name="files of searches that outlive their tenant",
        file="shared/usecases/bulk/process_tenant_deletions.py",
        old="            files = self.search_files.delete_some(tenant_id) if self.search_files is not None else 0\n",
        new="            files = 0\n",
        killer="tests/unit/usecases/bulk/test_tenant_deletions.py",
    ),
    Mutant(
        name="deletion that takes files of a tenant with a longer name",
        file=_S3,
        old='        prefix = f"{SEARCHES_PREFIX}{tenant_id}/"\n',
        new='        prefix = f"{SEARCHES_PREFIX}{tenant_id}"\n',
        killer=_FILES,
    ),
    Mutant(
        name="deletion that leaves the versions of a file",
        file=_S3,
        old='        versions = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]\n',
        new='        versions = [{"Key": each["Key"]} for each in page.get("Versions", ()) if each["IsLatest"]]\n'
        "        if not versions:\n            return 0\n",
        killer=_FILES,
    ),
    Mutant(
        name="any number of open searches",
        file=_START,
        old="        if len(self.tasks.open_of(tenant.id)) >= MAX_OPEN:\n",
        new="        if len(self.tasks.open_of(tenant.id)) < 0:\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="search of what becomes due after it began",
        file=_START,
        old="        until_at = now_ms if new.until_at is None else min(new.until_at, now_ms)\n",
        new="        until_at = now_ms if new.until_at is None else new.until_at\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="repetition of a search whose chosen id is not read",
        file="shared/adapters/dynamodb/jobs/idempotency_store.py",
        old=" or is_search_task_id(text)\n",
        new="\n",
        killer="tests/conformance/test_idempotency_store.py",
    ),
    Mutant(
        name="filter of a search that is no part of the fingerprint of its request",
        file=_START,
        old="    criteria = (rows.state, rows.job_id, rows.reason, rows.status, rows.lane, new.tag)\n",
        new="    criteria = (rows.state, rows.job_id, rows.reason, rows.lane)\n",
        killer=_SEARCHES,
    ),
    Mutant(
        name="reason of an end that the reader of the archive does not compare",
        file="shared/adapters/parquet/reader.py",
        old='        yield f"{literal(only.reason)} IN (end_reason, reason)"\n',
        new='        yield f"{literal(only.reason)} IN (reason)"\n',
        killer=_READER,
    ),
    Mutant(
        name="reader of the archive that forgets all criteria but the state",
        file="shared/domain/archive/questions.py",
        old='    return RowFilter(**(question.get("only") or {"state": question["state"]}))\n',
        new='    return RowFilter(state=question["state"])\n',
        killer="tests/unit/functions/test_archive_reader.py",
    ),
    Mutant(
        name="search by a key that may only write",
        file="functions/api/http/admission.py",
        old="    is_read = method in _READS or any(_is_under(path, parent) for parent in _SEARCH_PATHS)\n",
        new="    is_read = method in _READS\n",
        killer=_API,
    ),
    Mutant(
        name="search that is on no record",
        file="functions/api/resources/searches/routes.py",
        old='    context.audit.record(request, "searchExecutions", search.id, None, search)\n',
        new="",
        killer=_API,
    ),
)
