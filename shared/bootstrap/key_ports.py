"""The production ports of keys and secrets: those of tenants, of identity tokens and of the canary."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.reports import reported_denials
from shared.bootstrap.settings import require
from shared.bootstrap.table_access import TableAccess
from shared.settings import CallbackSettings, VaultSettings

if TYPE_CHECKING:
    from shared.adapters.aws.client import AwsClient
    from shared.adapters.clients import Clients
    from shared.ports.canary import Parameters
    from shared.ports.delivery import IdentityTokens, TokenKeys, Vault
    from shared.ports.runtime import Clock, Entropy


class KeyPorts(TableAccess):
    """A part of `DynamoPorts`."""

    clock: Clock
    entropy: Entropy
    _clients: Clients

    @cached_property
    def vault(self) -> Vault:
        from shared.adapters.kms.vault import KmsVault

        key_id = require(self._settings, VaultSettings).kms_key_id
        return KmsVault(self._kms, key_id, self.entropy)

    @cached_property
    def identity_tokens(self) -> IdentityTokens:
        """UnavailableError on access in a stage without keys, which may get them back."""
        from shared.adapters.kms.identity_tokens import KmsIdentityTokens

        settings = require(self._settings, CallbackSettings)
        return KmsIdentityTokens.of(
            self._kms, settings.stage, settings.token_issuer, settings.token_keys, self.clock
        )

    @cached_property
    def token_keys(self) -> TokenKeys:
        from shared.adapters.kms.token_keys import KmsTokenKeys

        settings = require(self._settings, CallbackSettings)
        return KmsTokenKeys(self._kms, settings.stage, settings.token_keys, self.clock)

    @cached_property
    def parameters(self) -> Parameters:
        from shared.adapters.ssm.parameters import SsmParameters

        return SsmParameters(reported_denials(self._clients("ssm").call))

    @cached_property
    def _kms(self) -> AwsClient:
        return reported_denials(self._clients("kms").call)
