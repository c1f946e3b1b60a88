"""Retry policies as attributes, and back.

What every policy has is written as it always was; a table and an age at which to give up stand beside it, so that code
which does not know them yet reads a policy all the same.
"""

from collections.abc import Sequence
from typing import Any

from shared.domain.retry import RetryPolicy

EXTRAS = "rp"
"""The attribute of what only some policies have."""


def encode_retry_extras(retry: RetryPolicy) -> str | None:
    """The table and the age, such as `60,600;3600`; None for a policy that has neither."""
    if not retry.delays_seconds and retry.give_up_after_seconds is None:
        return None
    age = "" if retry.give_up_after_seconds is None else str(retry.give_up_after_seconds)
    return f"{','.join(map(str, retry.delays_seconds))};{age}"


def read_retry(max_attempts: int, backoff: Sequence[Any], extras: str | None) -> RetryPolicy:
    """The policy of a number of attempts, base, factor, cap and the extras; ValueError for anything else."""
    base, factor, cap = (int(part) for part in backoff)
    table, _, age = (extras or "").partition(";")
    return RetryPolicy(
        max_attempts=max_attempts,
        base_seconds=base,
        factor=factor,
        cap_seconds=cap,
        delays_seconds=tuple(int(delay) for delay in table.split(",")) if table else (),
        give_up_after_seconds=int(age) if age else None,
    )
