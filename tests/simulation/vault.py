"""The key service: each sandbox unwraps a tenant's key once, and has to wait while the service is down."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from shared.domain.tenancy.tenant import Tenant
from tests.simulation.calls import ProcessHandle
from tests.simulation.faults import Strike
from tests.simulation.process import unavailable

if TYPE_CHECKING:
    from tests.simulation.world import World

OUTAGE_MS = (1_000, 180_000)


class SimVault:
    """The vault of one sandbox. Its cache of unwrapped keys lives as long as the sandbox."""

    def __init__(self, world: World, handle: ProcessHandle) -> None:
        self._world = world
        self._handle = handle
        self._unwrapped: set[tuple[str, bytes]] = set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._use, getattr(self._world.vault, name))

    def new_data_key(self, tenant_id: str) -> bytes:
        """Made by operators, not by the processes of the simulation."""
        return self._world.vault.new_data_key(tenant_id)

    def _use(self, method: Callable[..., Any], tenant: Tenant, *args: Any) -> Any:
        self._handle.process.check()
        if (tenant.id, tenant.data_key) not in self._unwrapped:
            self._unwrap()
            self._unwrapped.add((tenant.id, tenant.data_key))
        return method(tenant, *args)

    def _unwrap(self) -> None:
        world, weather = self._world, self._world.weather
        if weather.strikes(Strike.VAULT_OUTAGE):
            world.vault_down_until = world.hub.now_ms + weather.rng.randint(*OUTAGE_MS)
        if world.hub.now_ms < world.vault_down_until:
            weather.note(Strike.VAULT_DOWN)
            unavailable()
