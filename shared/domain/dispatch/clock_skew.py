"""The difference between this process's clock and the clocks of SQS and API Gateway, as their timestamps show it."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.bucket import GUARD_MS

LEAD_TOLERANCE_MS = 5_000
"""Lambda may hold a received message this long before the handler begins, mostly during a cold start."""
LAG_TOLERANCE_MS = 1_000
"""The clocks of two services differ by some milliseconds."""


class ReceivedAt(Protocol):
    """The timestamps of one received message, by the clock of SQS in UTC ms."""

    @property
    def sent_at(self) -> int: ...
    @property
    def first_received_at(self) -> int | None:
        """None if the queue does not report the time."""
        ...

    @property
    def receive_count(self) -> int: ...


def clock_skew_ms(now_ms: int, messages: Sequence[ReceivedAt]) -> int:
    """How far this clock is ahead (positive) or behind (negative) at the start of a batch; 0 without evidence.

    No message is handled before its timestamps, so a clock that shows an earlier time is behind. Only a first
    receive was just now: an older first receive tells nothing about a clock that is ahead.
    """
    if not messages:
        return 0
    received = [each.first_received_at for each in messages if each.first_received_at is not None]
    skew_ms = now_ms - max(*received, *(each.sent_at for each in messages), 0)
    is_ahead = skew_ms > LEAD_TOLERANCE_MS and any(_is_first_receive(each) for each in messages)
    return skew_ms if is_ahead or skew_ms < -LAG_TOLERANCE_MS else 0


def is_too_far_behind(now_ms: int, received_at: int) -> bool:
    """Whether this clock is behind API Gateway's by more than the margin of filing; both in UTC ms.

    The process would file into a bucket that was already swept, and the job would never run.
    """
    return received_at - now_ms > GUARD_MS


def _is_first_receive(message: ReceivedAt) -> bool:
    received_at = message.first_received_at
    # A receive before the message was sent is no evidence: the attribute has another unit or is malformed.
    return message.receive_count == 1 and received_at is not None and received_at >= message.sent_at > 0
