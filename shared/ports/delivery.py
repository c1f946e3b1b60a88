"""The calls of receivers and targets, and the encryption of tenants' data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shared.domain.delivery.callback import Callback, CallbackResponse
from shared.domain.tenancy.tenant import Tenant

if TYPE_CHECKING:
    from shared.domain.delivery.aws_target import TargetCall
    from shared.domain.delivery.identity_token import PublishedKeys
    from shared.domain.delivery.sigv4_auth import SignedCall


class Sender(Protocol):
    async def send(self, callback: Callback, *, timeout_seconds: float) -> CallbackResponse:
        """One attempt, at most `timeout_seconds` in total. Every failure is a response: raises nothing."""
        ...


class TargetSender(Protocol):
    async def send(self, call: TargetCall, *, timeout_seconds: float) -> CallbackResponse:
        """One attempt, at most `timeout_seconds` in total. Every failure is a response: raises nothing.

        A fault of Punctual's own, such as a throttled AssumeRole, is an `UNAVAILABLE`: nothing was sent.
        """
        ...


class SignedSender(Protocol):
    async def send(self, call: SignedCall, *, timeout_seconds: float) -> CallbackResponse:
        """One attempt with a signature of AWS, as for `Sender`; faults of the session are those of `TargetSender`.

        A response repeats neither the signature nor the token of the session.
        """
        ...


class IdentityTokens(Protocol):
    """The tokens of the deployment as an issuer of OpenID Connect."""

    def token(self, tenant_id: str, audience: str) -> str:
        """A signed token that is valid for longer than a call may take; UnavailableError if it cannot be had.

        Equal questions may get the same token.
        """
        ...


class TokenKeys(Protocol):
    def public_keys(self) -> PublishedKeys:
        """The keys that may have signed a token that is still valid.

        UnavailableError while the key that signs is unknown, or if no key is in use: never an empty set.
        """
        ...


class Vault(Protocol):
    """Envelope encryption: one data key per tenant, wrapped by the deployment's KMS key."""

    def new_data_key(self, tenant_id: str) -> bytes:
        """A new, wrapped data key."""
        ...

    def seal(self, tenant: Tenant, context: str, plain: bytes) -> bytes:
        """Encrypt for a tenant, bound to a context such as the job id."""
        ...

    def unseal(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        """Decrypt; UnreadableItemError for data that was not sealed for this tenant and context."""
        ...

    def fingerprint(self, tenant: Tenant, data: bytes) -> bytes:
        """A keyed hash of 16 bytes: distinguishes requests, and reveals nothing without the tenant's key."""
        ...

    def code(self, tenant: Tenant, context: str, data: bytes) -> bytes:
        """A MAC of 32 bytes over context and data, made with the tenant's key."""
        ...
