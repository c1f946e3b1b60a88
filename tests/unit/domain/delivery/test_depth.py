"""The depth that a call carries, and the depth of the job that its receiver creates."""

import hmac

import pytest

from shared.domain.delivery.depth import MAX_DEPTH, depth_below, depth_value
from shared.domain.errors import InvalidValueError


def code(data: bytes) -> bytes:
    return hmac.digest(b"tenant", data, "sha256")


def foreign(data: bytes) -> bytes:
    return hmac.digest(b"another", data, "sha256")


def test_job_that_no_call_has_created_has_depth_zero() -> None:
    assert depth_below(None, code) == 0


@pytest.mark.parametrize("depth", range(MAX_DEPTH))
def test_job_is_one_deeper_than_the_call_that_creates_it(depth: int) -> None:
    assert depth_below(depth_value(depth, code), code) == depth + 1


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 99])
def test_job_beyond_the_greatest_depth_is_refused(depth: int) -> None:
    with pytest.raises(InvalidValueError, match="8 times in a row"):
        depth_below(depth_value(depth, code), code)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "0",
        "0.",
        "3." + depth_value(2, code).partition(".")[2],
        "0" + depth_value(0, code),
        depth_value(0, code) + "x",
        depth_value(0, code) + "\n",
        depth_value(0, foreign),
        depth_value(100, code),
        "-1." + "A" * 43,
        "1." + "é" * 43,
    ],
)
def test_value_that_no_call_of_the_tenant_carried_is_refused(value: str) -> None:
    with pytest.raises(InvalidValueError, match="leave the header out"):
        depth_below(value, code)
