"""Log lines of what an archiver has found."""

from shared.observability import logger
from shared.usecases.archive.archive_unit import PassEnd, PassResult
from shared.usecases.archive.forget_tenants import ForgetReport
from shared.usecases.archive.run_archive import ArchiveReport

MOST_ROWS = 10
"""Unreadable rows that a line names."""


def log_findings(report: ArchiveReport) -> None:
    """Nothing for a run in which every pass made progress, and no tenant was forgotten."""
    for each in report.passes:
        _log_pass(each)
    for unit in report.damaged:
        logger.error("archive unreadable", extra={"hour": unit.hour, "group": unit.group})
    for found in report.mismatches:
        logger.error(
            "archive counts differ",
            extra={
                "hour": found.hour,
                "tenant": found.tenant_id,
                "archived": found.archived,
                "indexed": found.indexed,
            },
        )
    if report.sample is not None:
        sample = report.sample
        logger.error(
            "archive sample differs",
            extra={
                "hour": sample.unit.hour,
                "group": sample.unit.group,
                "part": sample.part.value,
                "tenant": sample.tenant_id,
            },
        )
    _log_forgetting(report.forgetting)
    overtaken = report.count(PassEnd.OVERTAKEN) + report.forgetting.overtaken
    unavailable = report.unavailable + report.forgetting.unavailable
    if unavailable or overtaken:
        logger.warning(
            "archive left to the next run", extra={"unavailable": unavailable, "overtaken": overtaken}
        )


def _log_forgetting(report: ForgetReport) -> None:
    for unit in report.damaged:
        logger.error("archive unreadable", extra={"hour": unit.hour, "group": unit.group})
    if report.rewritten or report.forgotten:
        logger.info(
            "archive forgets tenants", extra={"files": report.rewritten, "forgotten": report.forgotten}
        )


def _log_pass(result: PassResult) -> None:
    unit = result.unit
    if result.end is PassEnd.MISMATCH:
        logger.error("archive reads back otherwise", extra={"hour": unit.hour, "group": unit.group})
    if result.unreadable:
        logger.error(
            "archive waits for unreadable rows",
            extra={"hour": unit.hour, "group": unit.group, "rows": result.unreadable[:MOST_ROWS]},
        )
