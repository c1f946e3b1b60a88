"""What the tests of schedules share."""

from collections.abc import Iterator

import pytest

from shared.domain.schedules import cron
from shared.domain.schedules.cron_walk import Step


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Every naive wall time that croniter is asked about."""
    asked: list[int] = []
    matcher = cron._naive_step

    def counted(steps: str) -> Step:
        step = matcher(steps)

        def ask(wall_ms: int) -> int:
            asked.append(wall_ms)
            return step(wall_ms)

        return ask

    monkeypatch.setattr(cron, "_naive_step", counted)
    yield asked
