"""The command that verifies the audit trail."""

from argparse import Namespace

from functions.admin.actions import Document
from functions.admin.instants import instant
from shared.bootstrap.use_cases import UseCases
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.schedule import format_instant

MOST_FINDINGS = 200
"""The others are counted: one that is lost brings many with it."""


def verify_audit(cases: UseCases, given: Namespace) -> Document:
    """Findings in plain words; `verified` says that there are none. Nothing is changed, not even repaired."""
    now_ms = cases.core.ports.clock.now_ms()
    from_at, until_at = instant("--from", vars(given)["from"], 0), instant("--to", given.to, now_ms)
    if from_at >= until_at:
        raise InvalidValueError("--from is before --to")
    verdict = cases.audit_trail.verify.execute(from_at, until_at)
    return {
        "verified": not verdict.findings,
        "segments": verdict.segments,
        "records": verdict.records,
        "through": format_instant(verdict.through_at),
        "waiting_late_records": verdict.late,
        "findings": verdict.findings[:MOST_FINDINGS],
        "more_findings": max(0, len(verdict.findings) - MOST_FINDINGS),
    }
