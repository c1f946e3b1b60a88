"""Operators and a customer who manages keys, over HTTP."""

from typing import Any

from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.api.api_world import Answer, ApiWorld
from tests.support.api.request_factory import ALL_SCOPES, ask

TENANTS = "/v1/admin/tenants"


class AdminClient:
    """An operator, and a customer that manages its own keys."""

    def __init__(self) -> None:
        self.api = ApiWorld()
        self.operator = self.api.world.create_tenant.operator().api_key
        self.customer = self.api.world.create_tenant.execute("shop", ALL_SCOPES).api_key

    def rule(self, method: str, path: str, document: Any = None, **query: str) -> Answer:
        """A request of an operator."""
        return ask(self.api, self.operator, method, path, document, **query)

    def ask(self, method: str, path: str, document: Any = None, **query: str) -> Answer:
        """A request of the customer."""
        return ask(self.api, self.customer, method, path, document, **query)

    def pass_a_minute(self) -> None:
        """Advance the clock, so that every cached value expires."""
        self.api.world.clock.time_ms += REMEMBER_MS
