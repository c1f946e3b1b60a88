"""How long records are kept."""

import pytest

from shared.domain.errors import InvalidValueError
from shared.domain.executions.retention import IDEMPOTENCY_DAYS, Retention
from tests.support.builders import DUE_AT


def test_a_record_may_go_so_many_days_after_its_end() -> None:
    assert Retention(14).expires_at_s(DUE_AT) == DUE_AT // 1000 + 14 * 86_400


@pytest.mark.parametrize("days", [IDEMPOTENCY_DAYS, 1, 0, -1])
def test_records_outlive_the_idempotency_keys_that_lead_to_them(days: int) -> None:
    with pytest.raises(InvalidValueError):
        Retention(days)


def test_a_day_more_than_the_keys_is_enough() -> None:
    assert Retention(IDEMPOTENCY_DAYS + 1).days == 8
