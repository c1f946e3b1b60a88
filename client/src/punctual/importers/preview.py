"""The instants of Punctual, read page by page from `POST /v1/schedules/preview`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from punctual.importers.ports import ScheduleRefusedError

if TYPE_CHECKING:
    from punctual.client import Punctual

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_SECOND = timedelta(seconds=1)
_UNPROCESSABLE = 422


def preview_instants(client: "Punctual") -> "PreviewInstants":
    """Return the instants of a deployment. Its errors are those of the SDK, but for refused schedules."""
    from punctual.problems import ApiError

    def preview(schedule: Mapping[str, Any]) -> list[int]:
        try:
            answer = client.schedules.preview(**schedule)
        except ApiError as error:
            if error.status == _UNPROCESSABLE:
                errors = "; ".join(each.detail for each in error.errors)
                raise ScheduleRefusedError(errors or error.detail) from None
            raise
        return [(run.scheduled_at - _EPOCH) // _SECOND for run in answer.runs]

    return PreviewInstants(preview)


@dataclass(frozen=True, slots=True)
class PreviewInstants:
    """Implements `Instants` with the pages of the API.

    `preview` sends a `schedule` and returns its next runs in seconds since 1970: ten at most, or fewer where the
    schedule ends. It raises ScheduleRefusedError for a 422. The next page is asked for with `start_at`.
    """

    preview: Callable[[Mapping[str, Any]], Sequence[int]]

    def between(self, schedule: Mapping[str, Any], after: int, until: int, limit: int) -> list[int]:
        find_page = (
            self._rate_page if "rate_seconds" in schedule or _begins(schedule, "rate(") else self._line_page
        )
        found: list[int] = []
        last = after
        while len(found) < limit and last < until:
            page = find_page(schedule, last)
            if not page:
                break
            found.extend(each for each in page if each <= until)
            last = page[-1]
        return found[:limit]

    def _line_page(self, schedule: Mapping[str, Any], after: int) -> list[int]:
        """Return the next runs of a cron line."""
        shifted = _from(schedule, after + 1)
        try:
            return [each for each in self.preview(shifted) if each > after]
        except ScheduleRefusedError:
            # A line that has ended is refused, too: only the schedule as it is tells whether it is wrong.
            if shifted != schedule:
                self.preview(schedule)
                return []
            raise

    def _rate_page(self, schedule: Mapping[str, Any], after: int) -> list[int]:
        """Return the next runs of a rate. It is moved by whole intervals, so that its phase stays."""
        page = self.preview(schedule)
        if page and page[-1] <= after and len(page) > 1:
            interval = page[1] - page[0]
            start = page[0] + ((after - page[0]) // interval + 1) * interval
            end = schedule.get("end_at")
            page = [] if end is not None and seconds_of(end) < start else self.preview(_from(schedule, start))
        return [each for each in page if each > after]


def _begins(schedule: Mapping[str, Any], form: str) -> bool:
    return str(schedule.get("expression", "")).lstrip().startswith(form)


def _from(schedule: Mapping[str, Any], start: int) -> dict[str, Any]:
    """Return the schedule with no run before `start`, nor before its own `start_at`."""
    own = schedule.get("start_at")
    if own is not None and seconds_of(own) >= start:
        return dict(schedule)
    return {**schedule, "start_at": text_of(start)}


def seconds_of(text: str) -> int:
    """Return the whole second of an RFC 3339 instant with an offset."""
    return (datetime.fromisoformat(text.replace("Z", "+00:00")) - _EPOCH) // _SECOND


def text_of(seconds: int) -> str:
    """Return the instant as RFC 3339 in UTC."""
    return (_EPOCH + seconds * _SECOND).isoformat().replace("+00:00", "Z")
