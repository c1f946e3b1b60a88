"""The wiring of the canary: its two functions, and the command that gives them their secrets."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from shared.adapters.clients import Clients, transport_for
from shared.adapters.clock import SystemClock, SystemEntropy
from shared.adapters.ssm.parameters import SsmParameters
from shared.bootstrap.reports import reported_denials
from shared.dataclass import dataclass
from shared.names import CanarySecret
from shared.settings import FunctionSettings, ProberSettings
from shared.usecases.canary.cached_secret import CachedSecret

if TYPE_CHECKING:
    from shared.bootstrap.core import CoreUseCases
    from shared.bootstrap.tenancy import TenancyUseCases
    from shared.usecases.canary.provision_canary import ProvisionCanary
    from shared.usecases.canary.receive_probe import ReceiveProbe
    from shared.usecases.canary.send_probe import SendProbe


@dataclass(frozen=True)
class CanaryUseCases:
    """For the operators' command line."""

    core: CoreUseCases
    tenancy: TenancyUseCases

    @cached_property
    def provision(self) -> ProvisionCanary:
        from shared.usecases.canary.provision_canary import ProvisionCanary

        return ProvisionCanary(
            tenants=self.core.ports.tenants,
            create_tenant=self.tenancy.create_tenant,
            keyring=self.tenancy.keyring,
            signing_secrets=self.tenancy.signing_secrets,
            parameters=self.core.ports.parameters,
            stage=self.core.settings.stage,
        )


def send_probe(settings: ProberSettings) -> SendProbe:
    """The use case of the prober, over the public API."""
    from shared.adapters.http.public_api import HttpPublicApi
    from shared.usecases.canary.send_probe import SendProbe

    key = _secret(settings, CanarySecret.API_KEY)
    return SendProbe(HttpPublicApi(settings.api_url), key, SystemClock(), settings.receiver_url)


def receive_probe(settings: FunctionSettings) -> ReceiveProbe:
    """The use case of the receiver."""
    from shared.usecases.canary.receive_probe import ReceiveProbe

    return ReceiveProbe(_secret(settings, CanarySecret.SIGNING_SECRET), SystemClock())


def _secret(settings: FunctionSettings, secret: CanarySecret) -> CachedSecret:
    transport = transport_for(settings.transport, settings.region, os.environ)
    clock = SystemClock()
    client = reported_denials(Clients(transport, settings.region, clock, SystemEntropy())("ssm").call)
    return CachedSecret(SsmParameters(client), secret.parameter(settings.stage), clock)
