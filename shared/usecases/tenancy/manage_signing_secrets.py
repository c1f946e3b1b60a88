"""Rotate and retire signing secrets; during the overlap of a rotation, old and new secrets both sign."""

from collections.abc import Sequence
from dataclasses import replace

from shared.dataclass import dataclass
from shared.domain.delivery.signing import new_secret
from shared.domain.errors import InvalidStateError, NotFoundError, UnavailableError
from shared.domain.tenancy.tenant import (
    SECRET_ID_BITS,
    SIGNING_CONTEXT,
    SigningSecret,
    Tenant,
    new_secret_id,
)
from shared.ports.delivery import Vault
from shared.ports.runtime import Clock, Entropy
from shared.ports.tenancy import TenantStore
from shared.usecases.tenancy.manage_tenants import CONFLICT, TRIES, FindTenant

SIGNING_SECRET_BYTES = 32
MAX_SIGNING = 5
"""The most secrets of one name that sign at once: each one lengthens a header of every callback."""
MAX_NAMES = 20
"""The most names of secrets that a tenant has. Each process caches a tenant with all its secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSecret:
    """A secret with its plain text, for its owner alone."""

    secret: SigningSecret
    text: str


@dataclass(frozen=True, slots=True)
class SigningSecrets:
    """The signing secrets of tenants. Executors cache tenants, and see a change within 60 s."""

    tenants: TenantStore
    vault: Vault
    clock: Clock
    entropy: Entropy

    def of(self, tenant_id: str) -> tuple[SigningSecret, ...]:
        """The secrets that sign now: those without a name, then those of each name, the current one of each
        first. NotFoundError for no tenant."""
        return FindTenant(self.tenants).execute(tenant_id).active_secrets(self.clock.now_ms())

    def rotate(self, tenant_id: str, *, overlap_seconds: int, name: str | None = None) -> NewSecret:
        """A new current secret of its name. Earlier ones of the same name sign until the overlap ends, or
        until their own earlier end.

        InvalidStateError where too many sign already, or the tenant has too many names; InvalidValueError for
        a name that is no slug.
        """
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            now_ms = self.clock.now_ms()
            signing = tenant.signing_at(now_ms, name)
            if len(signing) >= MAX_SIGNING:
                raise InvalidStateError(f"{MAX_SIGNING} secrets sign already: retire one first")
            if name is not None and not signing and len(tenant.secret_names) >= MAX_NAMES:
                raise InvalidStateError(
                    f"the tenant has {MAX_NAMES} names of secrets: use one of them, or ask the operator to remove one"
                )
            ends_at = now_ms + overlap_seconds * 1000
            ended = [replace(secret, ends_at=min(ends_at, secret.ends_at or ends_at)) for secret in signing]
            made = seal_new_secret(self.vault, self.entropy, tenant, now_ms, name)
            others = [secret for secret in tenant.active_secrets(now_ms) if secret not in signing]
            if self._replace(tenant, sorted((made.secret, *ended, *others), key=_group)):
                return made
        raise UnavailableError(CONFLICT)

    def retire(self, tenant_id: str, secret_id: str) -> tuple[SigningSecret, SigningSecret]:
        """End a secret now; returns it before and after. InvalidStateError for the current secret of its name:
        jobs may name it, so a name never loses its last secret."""
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            now_ms = self.clock.now_ms()
            signing = tenant.active_secrets(now_ms)
            before = next((secret for secret in signing if secret.id == secret_id), None)
            if before is None:
                raise NotFoundError("no such secret")
            if before.ends_at is None:
                named = f" with the name {before.name}" if before.name is not None else ""
                raise InvalidStateError(f"this is the current secret: rotate{named} first")
            if self._replace(tenant, [secret for secret in signing if secret is not before]):
                return before, replace(before, ends_at=now_ms)
        raise UnavailableError(CONFLICT)

    def remove_name(self, tenant_id: str, name: str) -> tuple[SigningSecret, ...]:
        """Remove all secrets of a name, and return them. Calls of jobs that still give the name fail from then on.

        NotFoundError for a name without secrets.
        """
        for _ in range(TRIES):
            tenant = FindTenant(self.tenants).execute(tenant_id)
            signing = tenant.active_secrets(self.clock.now_ms())
            removed = tuple(secret for secret in signing if secret.name == name)
            if not removed:
                raise NotFoundError("no signing secret has this name")
            if self._replace(tenant, [secret for secret in signing if secret not in removed]):
                return removed
        raise UnavailableError(CONFLICT)

    def _replace(self, tenant: Tenant, secrets: Sequence[SigningSecret]) -> bool:
        """`secrets` are the ones that still sign: ended secrets are dropped with this write."""
        after = replace(tenant, signing_secrets=tuple(secrets), revision=tenant.revision + 1)
        return self.tenants.replace(tenant, after)


def _group(secret: SigningSecret) -> str:
    """Secrets without a name come first; a stable sort leaves the order within each name."""
    return secret.name or ""


def seal_new_secret(
    vault: Vault, entropy: Entropy, tenant: Tenant, now_ms: int, name: str | None = None
) -> NewSecret:
    """A secret of fresh random bits, sealed for the tenant."""
    text = new_secret(entropy.bits(SIGNING_SECRET_BYTES * 8).to_bytes(SIGNING_SECRET_BYTES))
    secret = SigningSecret(
        id=new_secret_id(entropy.bits(SECRET_ID_BITS)),
        sealed=vault.seal(tenant, SIGNING_CONTEXT, text.encode()),
        created_at=now_ms,
        name=name,
    )
    return NewSecret(secret=secret, text=text)
