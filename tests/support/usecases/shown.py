"""What a page shows of a deployment whose archive is not asked."""

from collections.abc import Iterable

from shared.domain.executions.execution import Execution
from shared.usecases.reading.shown import Shown


def records(shown: Iterable[Shown]) -> list[Execution]:
    """Executions of the tables; an assertion for a row of the archive."""
    found = []
    for each in shown:
        assert isinstance(each, Execution)
        found.append(each)
    return found
