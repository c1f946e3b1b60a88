"""Many new executions at once."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.execution import Execution
from shared.ports.claims import Undecided


class OneOffBatches(Protocol):
    """Puts many executions in few calls. Each put stands for itself: they are no transaction."""

    def put_all_if_absent(self, executions: Sequence[Execution]) -> list[Execution | Undecided | None]:
        """One answer for each, in order: None when it was written, otherwise what stands there, unchanged.

        Undecided where it may or may not be written, and where what stands there cannot be read; it may be put
        again. The ids are all different, and none of the executions has ended. Raises nothing.
        """
        ...
