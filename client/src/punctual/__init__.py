"""Client of Punctual: create jobs, follow their executions, and receive their calls.

The names are imported when they are first used, so that a receiver, which needs none of them, starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punctual._bodies import new_job
    from punctual._waiting import Ended
    from punctual.async_client import AsyncPunctual
    from punctual.client import Punctual
    from punctual.errors import (
        BatchRefusedError,
        ConfigurationError,
        ExecutionFailedError,
        NoAnswerError,
        PunctualError,
        RequestError,
        UnexpectedAnswerError,
        WaitTimeoutError,
    )
    from punctual.problems import (
        ApiError,
        InvalidStateError,
        NotFoundError,
        PreconditionFailedError,
        QuotaExceededError,
        RateLimitedError,
        ValidationFailedError,
    )

__all__ = [
    "ApiError",
    "AsyncPunctual",
    "BatchRefusedError",
    "ConfigurationError",
    "Ended",
    "ExecutionFailedError",
    "InvalidStateError",
    "NoAnswerError",
    "NotFoundError",
    "PreconditionFailedError",
    "Punctual",
    "PunctualError",
    "QuotaExceededError",
    "RateLimitedError",
    "RequestError",
    "UnexpectedAnswerError",
    "ValidationFailedError",
    "WaitTimeoutError",
    "new_job",
]
_HOMES = {
    "AsyncPunctual": "async_client",
    "BatchRefusedError": "errors",
    "ConfigurationError": "errors",
    "Ended": "_waiting",
    "ExecutionFailedError": "errors",
    "NoAnswerError": "errors",
    "Punctual": "client",
    "PunctualError": "errors",
    "RequestError": "errors",
    "UnexpectedAnswerError": "errors",
    "WaitTimeoutError": "errors",
    "new_job": "_bodies",
}
"""The module of each name; the others are in `problems`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'problems')}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
