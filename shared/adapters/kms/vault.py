"""Envelope encryption: AES-256-GCM with one data key per tenant, wrapped by KMS."""

import hmac
from concurrent.futures import Future
from threading import Lock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.greenlets import result_of
from shared.domain.bounded_cache import BoundedCache
from shared.domain.errors import UnavailableError, UnreadableItemError
from shared.domain.tenancy.tenant import Tenant
from shared.names import ENCRYPTION_CONTEXT_TENANT
from shared.ports.runtime import Entropy

_VERSION = b"\x01"
_NONCE_BYTES = 12
_OVERHEAD = len(_VERSION) + _NONCE_BYTES + 16
_FINGERPRINT_BYTES = 16
_MAX_KEYS = 20_000
"""Twice the 10,000 tenants of a cell, at about 0.7 KB each: 14 MB at most."""
_GONE = {"InvalidCiphertextException", "IncorrectKeyException", "NotFoundException"}
"""The data key is gone for good. A disabled key, a throttle or a missing permission can be mended."""


class KmsVault:
    """Calls KMS only to create and unwrap data keys; caches unwrapped keys per container.

    Callers that need the same key at the same time share one call, so a container unwraps a key once, for as
    long as it lives. docs/design/capacity.md has the rate of Decrypt calls that follows.
    """

    def __init__(self, client: AwsClient, key_id: str, entropy: Entropy) -> None:
        self._client = client
        self._key_id = key_id
        self._entropy = entropy
        self._keys: BoundedCache[tuple[str, bytes], Future[bytes]] = BoundedCache(_MAX_KEYS)
        self._lock = Lock()

    def new_data_key(self, tenant_id: str) -> bytes:
        try:
            response = self._client.generate_data_key_without_plaintext(
                KeyId=self._key_id,
                KeySpec="AES_256",
                EncryptionContext={ENCRYPTION_CONTEXT_TENANT: tenant_id},
            )
        except (AwsError, NoAnswerError) as error:
            raise UnavailableError("KMS did not create a data key") from error
        return bytes(response["CiphertextBlob"])

    def seal(self, tenant: Tenant, context: str, plain: bytes) -> bytes:
        """Return a version byte, a random nonce, ciphertext and tag."""
        nonce = self._entropy.bits(_NONCE_BYTES * 8).to_bytes(_NONCE_BYTES)
        sealed = AESGCM(self._key(tenant)).encrypt(nonce, plain, _associated_data(tenant, context))
        return _VERSION + nonce + sealed

    def unseal(self, tenant: Tenant, context: str, sealed: bytes) -> bytes:
        if len(sealed) < _OVERHEAD or sealed[:1] != _VERSION:
            raise UnreadableItemError("sealed with an unknown version")
        nonce, body = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        try:
            return AESGCM(self._key(tenant)).decrypt(nonce, body, _associated_data(tenant, context))
        except InvalidTag as error:
            raise UnreadableItemError("sealed for another tenant or context, or altered") from error

    def fingerprint(self, tenant: Tenant, data: bytes) -> bytes:
        return hmac.digest(self._key(tenant), b"fingerprint|" + data, "sha256")[:_FINGERPRINT_BYTES]

    def code(self, tenant: Tenant, context: str, data: bytes) -> bytes:
        # A derived key per context, so that a code from one context is never valid in another.
        derived = hmac.digest(self._key(tenant), b"code|" + context.encode(), "sha256")
        return hmac.digest(derived, data, "sha256")

    def _key(self, tenant: Tenant) -> bytes:
        identity = (tenant.id, tenant.data_key)
        key = self._keys.get(identity)
        if key is not None:
            return result_of(key)
        with self._lock:
            is_first = identity not in self._keys
            key = self._keys.setdefault(identity, Future())
        if is_first:
            try:
                key.set_result(self._unwrap(tenant))
            except BaseException as error:
                # Before the error is set: a caller that tries again asks KMS again.
                self._keys.pop(identity, None)
                is_cancelled = not isinstance(error, Exception)
                key.set_exception(
                    UnavailableError("the call of KMS was cancelled") if is_cancelled else error
                )
                raise
        return result_of(key)

    def _unwrap(self, tenant: Tenant) -> bytes:
        try:
            response = self._client.decrypt(
                KeyId=self._key_id,
                CiphertextBlob=tenant.data_key,
                EncryptionContext={ENCRYPTION_CONTEXT_TENANT: tenant.id},
            )
        except AwsError as error:
            if error.code in _GONE:
                raise UnreadableItemError("KMS can no longer unwrap the data key") from error
            raise UnavailableError("KMS did not unwrap the data key") from error
        except NoAnswerError as error:
            raise UnavailableError("KMS did not unwrap the data key") from error
        return bytes(response["Plaintext"])


def _associated_data(tenant: Tenant, context: str) -> bytes:
    return f"{tenant.id}|{context}".encode()
