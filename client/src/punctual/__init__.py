"""Client of Punctual: create jobs, follow their executions, and receive their calls.

The names are imported when they are first used, so that a receiver, which needs none of them, starts fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punctual._bodies import new_job
    from punctual._waiting import Ended
    from punctual.client import AsyncPunctual, Punctual
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
_HOMES = ("problems", "errors", "client", "_waiting", "_bodies")
"""The modules that have these names; the ones that need httpx come last."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"punctual.{home}")
            if hasattr(module, name):
                return globals().setdefault(name, getattr(module, name))
    raise AttributeError(f"module 'punctual' has no attribute {name!r}")
