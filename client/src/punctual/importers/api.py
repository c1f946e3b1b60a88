"""A client of `POST /v1/schedules/preview`, for the comparison."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx

from punctual.importers.ports import ScheduleRefusedError

_TRIES: Final = 5
_LONGEST_WAIT: Final = 60


class ApiError(RuntimeError):
    """The API cannot be used; `is_refused_key` tells a bad key from an API that does not answer."""

    def __init__(self, message: str, *, is_refused_key: bool = False) -> None:
        super().__init__(message)
        self.is_refused_key = is_refused_key


@dataclass(frozen=True, slots=True)
class PreviewApi:
    """Sends schedules to the API. `client` has its URL and key; `sleep` waits for a number of seconds."""

    client: httpx.Client
    sleep: Callable[[float], None]

    def preview(self, schedule: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer's body. Raises ScheduleRefusedError and ApiError."""
        for _ in range(_TRIES):
            answer = self._post(schedule)
            if answer.status_code not in (429, 503):
                break
            self.sleep(_wait_of(answer))
        if answer.status_code == 200:
            body: dict[str, Any] = answer.json()
            return body
        if answer.status_code == 422:
            raise ScheduleRefusedError(_why(answer))
        if answer.status_code in (401, 403):
            raise ApiError("the API refuses the key in PUNCTUAL_KEY", is_refused_key=True)
        raise ApiError(f"the API answers {answer.status_code}")

    def _post(self, schedule: Mapping[str, Any]) -> httpx.Response:
        try:
            return self.client.post("/v1/schedules/preview", json=dict(schedule))
        except httpx.HTTPError as error:
            raise ApiError(f"the API does not answer: {type(error).__name__}") from None


def _wait_of(answer: httpx.Response) -> float:
    text = answer.headers.get("Retry-After", "1")
    return min(int(text), _LONGEST_WAIT) if text.isdigit() else 1


def _why(answer: httpx.Response) -> str:
    problem = answer.json()
    errors = [each["detail"] for each in problem.get("errors", [])]
    return "; ".join(errors) or str(problem.get("detail", problem.get("title")))
