"""Give the canary its tenant and its secrets, or new secrets."""

from shared.dataclass import dataclass
from shared.domain.errors import InvalidStateError
from shared.domain.tenancy.tenant import CANARY, split_key
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
        """Store a new key and a new signing secret, then revoke all other keys.

        The next run repairs a run that ended at any step: it begins with at most one live key. UnavailableError
        if a parameter could not be read or written. InvalidStateError if another run made other secrets
        meanwhile, or after four rotations within ten minutes.
        """
        # First, so that a run that may read no parameter changes nothing.
        stored_key_id = self._stored_key_id()
        if self.tenants.get(CANARY) is None:
            first = self.create_tenant.canary()
            self.parameters.write(self._key_name, first.api_key)
            self.parameters.write(self._secret_name, first.signing_secret)
            return self._finish(first.key.id, first.tenant.signing_secrets[0].id)
        # Keys that earlier runs left would use up the quota. The prober keeps its key until it has the new one.
        revoked = self._revoke_all_but(stored_key_id)
        key = self.keyring.create(CANARY, CANARY_SCOPES, name=KEY_NAME)
        # Before the rotation: if no parameter may be written, the stored signing secret stays the current one.
        self.parameters.write(self._key_name, key.text)
        rotated = self.signing_secrets.rotate(CANARY, overlap_seconds=OVERLAP_SECONDS)
        self.parameters.write(self._secret_name, rotated.text)
        return self._finish(key.key.id, rotated.secret.id, revoked)

    @property
    def _key_name(self) -> str:
        return CanarySecret.API_KEY.parameter(self.stage)

    @property
    def _secret_name(self) -> str:
        return CanarySecret.SIGNING_SECRET.parameter(self.stage)

    def _finish(self, key_id: str, secret_id: str, revoked: tuple[str, ...] = ()) -> Provisioned:
        revoked += self._revoke_all_but(key_id)
        self._check_current(key_id, secret_id)
        return Provisioned(
            key_id=key_id,
            signing_secret_id=secret_id,
            parameters=(self._key_name, self._secret_name),
            revoked_key_ids=revoked,
        )

    def _stored_key_id(self) -> str | None:
        parts = split_key(self.parameters.read(self._key_name) or "")
        return parts[0] if parts else None

    def _revoke_all_but(self, key_id: str | None) -> tuple[str, ...]:
        others = [each.id for each in self.keyring.keys_of(CANARY) if each.id != key_id and not each.revoked]
        for each in others:
            self.keyring.revoke(CANARY, each, even_the_last=True)
        return tuple(others)

    def _check_current(self, key_id: str, secret_id: str) -> None:
        """Of runs at the same time, the one that wrote a parameter last may have written what another one ended.

        Last, and by the tenant alone: the Parameter Store may still answer with an earlier text.
        """
        is_live = key_id in [each.id for each in self.keyring.keys_of(CANARY) if not each.revoked]
        if not is_live or self.signing_secrets.of(CANARY)[0].id != secret_id:
            raise InvalidStateError(
                "another run changed the secrets meanwhile: run create-canary again, once"
            )
