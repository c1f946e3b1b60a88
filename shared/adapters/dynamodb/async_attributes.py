"""What an execution stores of attempts that run on after their calls. Limits that are the defaults take no room."""

from shared.domain.async_policy import DEFAULT_ASYNC_POLICY, AsyncPolicy


def encode_async_policy(policy: AsyncPolicy) -> str | None:
    """The limits, as far as they are not the defaults."""
    if policy == DEFAULT_ASYNC_POLICY:
        return None
    return f"{policy.deadline_seconds}/{policy.heartbeat_seconds}"


def read_async_policy(text: str | None) -> AsyncPolicy:
    """The inverse; ValueError for anything else."""
    if text is None:
        return DEFAULT_ASYNC_POLICY
    deadline_seconds, heartbeat_seconds = (int(part) for part in text.split("/"))
    return AsyncPolicy(deadline_seconds=deadline_seconds, heartbeat_seconds=heartbeat_seconds)


def async_until_text(attempt: int, until: int) -> str:
    """The deadline of an attempt that runs on. It names the attempt: of a later one it says nothing.

    So neither a claim nor an outcome has to remove it.
    """
    return f"{attempt}/{until}"


def read_async_until(text: str | None, running: int | None) -> int | None:
    """The deadline of the attempt that is running (None: none is); ValueError for what was never written."""
    if text is None:
        return None
    attempt, until = (int(part) for part in text.split("/"))
    return until if attempt == running else None
