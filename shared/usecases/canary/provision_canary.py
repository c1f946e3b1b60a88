"""Give the canary its tenant and its secrets, or new secrets."""

from shared.dataclass import dataclass
from shared.domain.tenancy.tenant import CANARY
from shared.names import CanarySecret
from shared.ports.canary import Parameters
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.create_tenant import CANARY_SCOPES, CreateTenant
from shared.usecases.tenancy.manage_keys import Keyring
from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets

OVERLAP_SECONDS = 600
"""Receiver and executors cache secrets for a minute each. Until the overlap ends, old and new secrets both sign."""
KEY_NAME = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provisioned:
    """What was made, without the secrets themselves."""

    key_id: str
    signing_secret_id: str
    parameters: tuple[str, ...]
    revoked_key_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvisionCanary:
    tenants: TenantStore
    create_tenant: CreateTenant
    keyring: Keyring
    signing_secrets: SigningSecrets
    parameters: Parameters
    stage: str

    def execute(self) -> Provisioned:
        """Store a new key and a new signing secret, then revoke the earlier keys.

        A run that failed halfway is repaired by the next one. UnavailableError if the parameters could not be
        written; InvalidStateError after more than four runs in ten minutes.
        """
        if self.tenants.get(CANARY) is None:
            new = self.create_tenant.canary()
            secret = new.tenant.signing_secrets[0]
            made, texts = new.key, (new.api_key, new.signing_secret)
        else:
            key = self.keyring.create(CANARY, CANARY_SCOPES, name=KEY_NAME)
            rotated = self.signing_secrets.rotate(CANARY, overlap_seconds=OVERLAP_SECONDS)
            secret, made, texts = rotated.secret, key.key, (key.text, rotated.text)
        names = tuple(each.parameter(self.stage) for each in CanarySecret)
        for name, text in zip(names, texts, strict=True):
            self.parameters.write(name, text)
        return Provisioned(
            key_id=made.id,
            signing_secret_id=secret.id,
            parameters=names,
            # Last, so that the prober has a valid key at each moment.
            revoked_key_ids=self._revoke_others(made.id),
        )

    def _revoke_others(self, key_id: str) -> tuple[str, ...]:
        others = [each.id for each in self.keyring.keys_of(CANARY) if each.id != key_id and not each.revoked]
        for each in others:
            self.keyring.revoke(CANARY, each, even_the_last=True)
        return tuple(others)
