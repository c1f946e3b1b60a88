"""Settings as the composition asks for them: a function has those of its own kind, and no others."""

from typing import TypeVar

from shared.settings import Settings

S = TypeVar("S", bound=Settings)


def require(settings: Settings, kind: type[S]) -> S:
    """The same settings as the kind that a use case needs; TypeError names the function that lacks them."""
    if not isinstance(settings, kind):
        raise TypeError(f"{type(settings).__name__} has not what {kind.__name__} has")
    return settings
