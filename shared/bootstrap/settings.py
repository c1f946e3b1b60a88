"""Access to the settings of a function by kind."""

from typing import TypeVar

from shared.settings import Settings

S = TypeVar("S", bound=Settings)


def require(settings: Settings, kind: type[S]) -> S:
    """The settings as this kind; TypeError if the function has settings of another kind."""
    if not isinstance(settings, kind):
        raise TypeError(f"{type(settings).__name__} has not what {kind.__name__} has")
    return settings
