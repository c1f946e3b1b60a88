"""Searches of executions as responses."""

from collections.abc import Mapping

from functions.api.models import Document, instant_out
from functions.api.resources.searches.models import SearchDetailOut, SearchFileOut, SearchFilterOut, SearchOut
from shared.domain.archive.search_task import ResultFile, SearchFilter, SearchTask
from shared.domain.schedules.schedule import format_instant
from shared.usecases.archive.manage_searches import URL_SECONDS


def search_out(task: SearchTask) -> SearchOut:
    return SearchOut(**_members(task))


def search_detail_out(task: SearchTask, urls: Mapping[ResultFile, str], now_ms: int) -> SearchDetailOut:
    return SearchDetailOut(
        **_members(task),
        files=[SearchFileOut(url=url, rows=file.rows, bytes=file.size) for file, url in urls.items()],
        urls_expire_at=instant_out(now_ms + URL_SECONDS * 1000) if urls else None,
    )


def _members(task: SearchTask) -> Document:
    criteria = task.criteria
    return {
        "id": task.id,
        "state": task.state,
        "from": format_instant(criteria.from_at),
        "to": format_instant(criteria.until_at),
        "filter": _filter_out(criteria),
        "found": task.found,
        "progress_at": instant_out(task.position.at if task.is_open else None),
        "truncated": task.truncated_at is not None,
        "next_to": instant_out(task.truncated_at),
        "created_at": format_instant(task.created_at),
        "ended_at": instant_out(task.ended_at),
        "expires_at": format_instant(task.expires_at),
    }


def _filter_out(criteria: SearchFilter) -> SearchFilterOut:
    rows = criteria.rows
    return SearchFilterOut(
        state=rows.state,
        job=rows.job_id,
        tag=criteria.tag,
        reason=rows.reason,
        status=rows.status,
        lane=rows.lane,
    )
