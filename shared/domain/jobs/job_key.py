"""Keys that owners give to their recurring jobs: at most one job of a tenant has not ended under a key."""

import re

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError
from shared.domain.ids import RecurringJobId

KEY = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"
"""The pattern of a key. Without slashes and percent signs, so that a path has one spelling."""
KEY_TEXT = "1 to 128 letters, digits and . _ : - with a letter or digit at its beginning"
SET = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"
"""The pattern of the name of a set."""
SET_TEXT = "1 to 64 letters, digits and . _ : - with a letter or digit at its beginning"
UNFINISHED_MS = 3_600_000
"""A creation that stopped after its id was assigned keeps that id for this time. No request lives longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedId:
    """The id that is assigned to a key. Its job exists, unless the creation has not finished or the job has expired."""

    job_id: RecurringJobId
    assigned_at: int

    def is_unfinished(self, now_ms: int) -> bool:
        """Whether a job that does not exist may still be created with this id."""
        return now_ms - self.assigned_at < UNFINISHED_MS


def is_key(text: str) -> bool:
    return re.fullmatch(KEY, text) is not None


def check_set(name: str | None) -> None:
    """Raises InvalidValueError."""
    if name is not None and not re.fullmatch(SET, name):
        raise InvalidValueError(f"the name of a set is {SET_TEXT}", path=("set",))
