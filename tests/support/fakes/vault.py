"""A vault with keys in memory and the real cipher."""

import hmac
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.tenancy.tenant import Tenant
from shared.ports.runtime import Entropy

NONCE_BYTES = 12
TAG_BYTES = 16


class FakeVault:
    """Refuses data sealed for another tenant or context. Equal entropy gives equal bytes."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._keys: dict[tuple[str, bytes], bytes] = {}

    def new_data_key(self, tenant_id: str) -> bytes:
        """The wrapped form does not reveal the key."""
        key = self._entropy.bits(256).to_bytes(32)
        wrapped = sha256(b"wrapped|" + key).digest()
        self._keys[tenant_id, wrapped] = key
        return wrapped

    def seal(self, tenant: Tenant, context: str, plain: bytes) -> bytes:
        nonce = self._entropy.bits(NONCE_BYTES * 8).to_bytes(NONCE_BYTES)
        return nonce + AESGCM(self._key(tenant)).encrypt(nonce, plain, _bound_to(tenant, context))

    def unseal(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        if len(sealed) < NONCE_BYTES + TAG_BYTES:
            raise UnreadableItemError("too short to have been sealed")
        nonce, body = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            return AESGCM(self._key(tenant)).decrypt(nonce, body, _bound_to(tenant, context))
        except InvalidTag as fault:
            raise UnreadableItemError("sealed for another tenant or context, or altered") from fault

    def fingerprint(self, tenant: Tenant, data: bytes) -> bytes:
        return hmac.digest(self._key(tenant), b"fingerprint|" + data, "sha256")[:16]

    def code(self, tenant: Tenant, context: str, data: bytes) -> bytes:
        """The key is derived per context, so that a code is valid in one context only."""
        derived = hmac.digest(self._key(tenant), b"code|" + context.encode(), "sha256")
        return hmac.digest(derived, data, "sha256")

    def _key(self, tenant: Tenant) -> bytes:
        if (tenant.id, tenant.data_key) not in self._keys:
            raise UnavailableError("the data key was not made for this tenant")
        return self._keys[tenant.id, tenant.data_key]


def _bound_to(tenant: Tenant, context: str) -> bytes:
    return f"{tenant.id}|{context}".encode()
