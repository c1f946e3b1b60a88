"""What the functions share about what waits, for whoever is asked why."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from shared.domain.wait_hint import Signs
from shared.names import Lane


class WaitSigns(Protocol):
    """Read only."""

    def read(
        self, scopes: Sequence[str], lanes: Sequence[Lane], board: Mapping[str, int] | None = None
    ) -> Signs:
        """The board, the states of a few scopes and the last reports of lanes: one request. They may lag a moment.

        A board that was read a moment ago can be given: it is large, everybody reads it, and it is not read then.
        UnavailableError where any part of it could not be read.
        """
        ...
