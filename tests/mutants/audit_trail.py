"""The audit trail: the chain, the late passes, the progress, and each finding of the verification."""

from tests.mutants.mutant import Mutant

_EXPORT = "shared/usecases/audit_trail/export_audit.py"
_VERIFY = "shared/usecases/audit_trail/verify_trail.py"
_CHAIN = "shared/usecases/audit_trail/read_chain.py"
_PROGRESS = "shared/domain/audit_trail/progress.py"
_S3 = "shared/adapters/s3/trail_segments.py"
_EXPORT_TESTS = "tests/unit/usecases/audit_trail/test_export_audit.py"
_VERIFY_TESTS = "tests/unit/usecases/audit_trail/test_verify_trail.py"
_PROGRESS_TESTS = "tests/unit/domain/audit_trail/test_progress.py"
_CONTINUITY_TESTS = "tests/unit/domain/audit_trail/test_continuity.py"
_S3_TESTS = "tests/conformance/test_trail_segments.py"
_SIMULATION = "tests/simulation/test_audit_trailing.py"

AUDIT_TRAIL = (
    Mutant(
        name="segment put over another one",
        file=_S3,
        old='Body=content, IfNoneMatch="*",',
        new="Body=content,",
        killer=_S3_TESTS,
    ),
    Mutant(
        name="latest version of a segment read for the first one",
        file=_S3,
        old="self._get(version.name, VersionId=version.version_id)",
        new="self._get(version.name)",
        killer=_S3_TESTS,
    ),
    Mutant(
        name="versions of a segment from the last to the first",
        file=_S3,
        old="    ordered = versions[::-1]\n",
        new="    ordered = list(versions)\n",
        killer=_S3_TESTS,
    ),
    Mutant(
        name="first page of the versions alone",
        file=_S3,
        old='if not page.get("IsTruncated"):',
        new="if page:",
        killer=_S3_TESTS,
    ),
    Mutant(
        name="progress of the trail stored over that of a rival",
        file="shared/adapters/dynamodb/tenancy/trail_progress.py",
        old='condition = "vn = :before"',
        new='condition = "vn = :before OR vn <> :before"',
        killer="tests/conformance/test_trail_progress.py",
    ),
    Mutant(
        name="refused segment taken for a written one",
        file=_EXPORT,
        old="        if not self._export.segments.put(segment.number, content):\n            raise _OvertakenError\n",
        new="        self._export.segments.put(segment.number, content)\n",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="written segments that are not noted after a crash",
        file=_EXPORT,
        old="            run.catch_up()\n",
        new="",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="hour exported again whole by its late pass",
        file=_EXPORT,
        old="if record.id not in known)",
        new="if record)",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="late records never looked for",
        file=_EXPORT,
        old="            run.export_late()\n",
        new="",
        killer=_SIMULATION,
    ),
    Mutant(
        name="late records looked for once",
        file=_PROGRESS,
        old="LATE_PASSES_MS = (DAY_MS, 7 * DAY_MS)",
        new="LATE_PASSES_MS = (DAY_MS,)",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="hour exported while requests may still record",
        file=_PROGRESS,
        old="closed_at = (now_ms - GRACE_MS) // HOUR_MS * HOUR_MS",
        new="closed_at = now_ms // HOUR_MS * HOUR_MS",
        killer=_PROGRESS_TESTS,
    ),
    Mutant(
        name="busy hour closed by its first segment",
        file=_EXPORT,
        old="closes=closes and is_last",
        new="closes=closes",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="segment of another chain taken for the next one",
        file=_PROGRESS,
        old="        if segment.previous != self.last_hash:\n",
        new="        if not segment.previous:\n",
        killer=_PROGRESS_TESTS,
    ),
    Mutant(
        name="changed last segment not noticed",
        file=_EXPORT,
        old="            run.check_last()\n",
        new="",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="records of the operator left out of the trail",
        file="shared/usecases/audit_trail/read_records.py",
        old="        yield OPERATOR\n",
        new="",
        killer=_EXPORT_TESTS,
    ),
    Mutant(
        name="broken chain of hashes verified",
        file=_CHAIN,
        old="        if expected is not None and segment.previous != expected:\n",
        new="        if expected is not None and not segment.previous:\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="missing segment verified",
        file=_CHAIN,
        old="        if not self._is_first and number != self.next_number:\n",
        new="        if not self._is_first and number < self.next_number:\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="segment without a lock verified",
        file=_CHAIN,
        old="            self._check_lock(number, first, stored, segment.lock_days)\n",
        new="",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="segment that was written over verified",
        file=_CHAIN,
        old="        for later in versions[1:]:\n",
        new="        for later in versions[:0]:\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="missing end of the trail verified",
        file=_VERIFY,
        old="chain.next_number < noted.next_number",
        new="chain.next_number > noted.next_number",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="record of the table that no segment has verified",
        file=_VERIFY,
        old="            elif record.at + LATE_MS > now_ms:\n",
        new="            elif record.at:\n",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="record that the table has lost verified",
        file=_VERIFY,
        old="if record.id not in stored and",
        new="if record.id in stored and",
        killer=_VERIFY_TESTS,
    ),
    Mutant(
        name="unrecorded change of a job verified",
        file="shared/domain/audit_trail/continuity.py",
        old="        for record in own[entered[state] :]:\n",
        new="        for record in own[entered[state] + 1 :]:\n",
        killer=_CONTINUITY_TESTS,
    ),
    Mutant(
        name="audit record of a change that time makes",
        file="functions/api/resources/jobs/recorded.py",
        old='{"last_run", "next_due_at", "no_next_run", "revision"}',
        new='{"last_run", "no_next_run", "revision"}',
        killer="tests/unit/api/test_audit_digests.py",
    ),
    Mutant(
        name="audit record of a pause that no request has made",
        file="functions/api/resources/jobs/recorded.py",
        old="job.pause_reason == GONE:\n",
        new="job.pause_reason != GONE:\n",
        killer="tests/unit/api/test_audit_digests.py",
    ),
    Mutant(
        name="audit record without the body of the request",
        file="functions/api/resources/jobs/recorded.py",
        old="    if job._stored_request is not None:\n",
        new="    if job._stored_request is None:\n",
        killer="tests/unit/api/test_audit_digests.py",
    ),
)
