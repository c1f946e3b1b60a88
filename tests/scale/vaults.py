"""The key service: each sandbox unwraps the data key of a tenant once in its life."""

from __future__ import annotations

from functools import partial
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any

from infra.sizing import figures
from shared.domain.tenancy.tenant import Tenant
from tests.scale.machines import Machine

if TYPE_CHECKING:
    from tests.scale.world import ScaleWorld

KMS = "kms"
HOUR_MS = 3_600_000


class MachineVault:
    """`age_ms` is how long the sandbox has lived: it has met many tenants already."""

    def __init__(self, world: ScaleWorld, machine: Machine, rng: Random, jobs_per_second: float) -> None:
        self._world = world
        self._machine = machine
        self._rng = rng
        age_ms = rng.random() * figures.SANDBOX_HOURS.value * HOUR_MS
        met = jobs_per_second * age_ms / 1000 / world.slice.stage.tenants
        self._warm = 1 - exp(-met)
        self._unwrapped: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        return partial(self._use, getattr(self._world.vault, name))

    def _use(self, method: Any, tenant: Tenant, *args: Any) -> Any:
        if tenant.id not in self._unwrapped:
            self._unwrapped.add(tenant.id)
            if self._rng.random() >= self._warm:
                self._world.meters.counts[KMS].add(self._machine.hub.now_ms, 1)
                self._machine.spend(figures.cpu("request"), figures.latency("kms"))
        return method(tenant, *args)
