"""Access to the settings of a function by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from shared.settings import QuotaSettings, RedriverSettings, Settings

if TYPE_CHECKING:
    from shared.domain.tenancy.quota import Quotas

S = TypeVar("S", bound=Settings)


def require(settings: Settings, kind: type[S]) -> S:
    """The settings as this kind; TypeError if the function has settings of another kind."""
    if not isinstance(settings, kind):
        raise TypeError(f"{type(settings).__name__} has not what {kind.__name__} has")
    return settings


def default_quotas(settings: Settings) -> Quotas:
    """The quotas of tenants without their own; TypeError if the function has none."""
    if isinstance(settings, RedriverSettings):
        return settings.default_quotas
    return require(settings, QuotaSettings).default_quotas
