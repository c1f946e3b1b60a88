"""API keys and signing secrets: of the request's own tenant, or, for operators, of any."""

from dataclasses import dataclass

from functions.api.account_views import key_out, secret_out
from functions.api.models.keys import (
    KeyIn,
    KeyOut,
    KeyRotationIn,
    KeysOut,
    NewKeyOut,
    NewSecretOut,
    SecretOut,
    SecretRotationIn,
    SecretsOut,
)
from functions.api.operations.audit import AuditOperations, Author
from shared.domain.tenancy.tenant import ApiKey
from shared.ports.runtime import Clock
from shared.usecases.tenancy.manage_keys import Keyring, NewKey
from shared.usecases.tenancy.manage_signing_secrets import SigningSecrets


@dataclass(frozen=True, slots=True)
class KeyOperations:
    """One method an operation."""

    keyring: Keyring
    audit: AuditOperations
    clock: Clock

    def all(self, tenant_id: str) -> KeysOut:
        """All keys."""
        return KeysOut(keys=[self._show(key) for key in self.keyring.keys_of(tenant_id)])

    def create(self, author: Author, tenant_id: str, asked: KeyIn) -> NewKeyOut:
        """A new key."""
        made = self.keyring.create(
            tenant_id, asked.scopes, name=asked.name, expires_at=self._end(asked.expires_in_seconds)
        )
        self.audit.write(author, tenant_id, "createKey", made.key.id, None, self._show(made.key))
        return self._show_new(made)

    def revoke(self, author: Author, tenant_id: str, key_id: str, *, even_the_last: bool) -> KeyOut:
        """The revoked key."""
        before, after = self.keyring.revoke(tenant_id, key_id, even_the_last=even_the_last)
        shown = self._show(after)
        self.audit.write(author, tenant_id, "revokeKey", key_id, self._show(before), shown)
        return shown

    def rotate(self, author: Author, tenant_id: str, key_id: str, asked: KeyRotationIn) -> NewKeyOut:
        """A new key in the place of an old one."""
        rotation = self.keyring.rotate(
            tenant_id,
            key_id,
            overlap_seconds=asked.overlap_seconds,
            expires_at=self._end(asked.expires_in_seconds),
        )
        old = self._show(rotation.old_before), self._show(rotation.old_after)
        self.audit.write(author, tenant_id, "rotateKey", key_id, *old)
        made = rotation.new
        self.audit.write(author, tenant_id, "createKey", made.key.id, None, self._show(made.key))
        return self._show_new(made)

    def _end(self, seconds: int | None) -> int | None:
        return None if seconds is None else self.clock.now_ms() + seconds * 1000

    def _show(self, key: ApiKey) -> KeyOut:
        return key_out(key, self.clock.now_ms())

    def _show_new(self, made: NewKey) -> NewKeyOut:
        return NewKeyOut(**self._show(made.key).model_dump(), api_key=made.text)


@dataclass(frozen=True, slots=True)
class SecretOperations:
    """One method an operation."""

    secrets: SigningSecrets
    audit: AuditOperations
    clock: Clock

    def all(self, tenant_id: str) -> SecretsOut:
        """The secrets that sign."""
        now_ms = self.clock.now_ms()
        return SecretsOut(
            signing_secrets=[secret_out(secret, now_ms) for secret in self.secrets.of(tenant_id)]
        )

    def rotate(self, author: Author, tenant_id: str, asked: SecretRotationIn) -> NewSecretOut:
        """A new current secret."""
        made = self.secrets.rotate(tenant_id, overlap_seconds=asked.overlap_seconds)
        shown = secret_out(made.secret, self.clock.now_ms())
        self.audit.write(author, tenant_id, "rotateSigningSecret", made.secret.id, None, shown)
        return NewSecretOut(**shown.model_dump(), signing_secret=made.text)

    def retire(self, author: Author, tenant_id: str, secret_id: str) -> SecretOut:
        """The secret, which signs no more."""
        before, after = self.secrets.retire(tenant_id, secret_id)
        now_ms = self.clock.now_ms()
        shown = secret_out(after, now_ms)
        self.audit.write(
            author, tenant_id, "retireSigningSecret", secret_id, secret_out(before, now_ms), shown
        )
        return shown
