"""Each test begins with no metric waiting, whatever ran before it in this process."""

import pytest

from shared.observability import metrics


@pytest.fixture(autouse=True)
def _no_metrics_waiting() -> None:
    metrics.clear_metrics()
