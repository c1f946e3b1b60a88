"""Identity tokens that a key in memory signs: one key for all tests, because making one takes long."""

from functools import cache

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from shared.domain.delivery.identity_token import (
    PublicKey,
    PublishedKeys,
    key_id,
    signed_token,
    unsigned_token,
)
from shared.domain.errors import UnavailableError
from shared.ports.runtime import Clock
from tests.support.settings import ISSUER


@cache
def private_key() -> RSAPrivateKey:
    return generate_private_key(public_exponent=65_537, key_size=2_048)


class FakeIdentityTokens:
    """Issues the tokens of the key 1, and shows it."""

    def __init__(self, clock: Clock, issuer: str = ISSUER) -> None:
        self.is_down = False
        self.lacks_a_key = False
        """Whether a key beside that of the signer cannot be read."""
        self.issued: list[tuple[str, str]] = []
        """The tenant and the audience of each token."""
        self._clock, self._issuer = clock, issuer

    def token(self, tenant_id: str, audience: str) -> str:
        if self.is_down:
            raise UnavailableError("no key signs")
        self.issued.append((tenant_id, audience))
        unsigned, ends_at = unsigned_token(
            issuer=self._issuer,
            key=key_id(1),
            tenant_id=tenant_id,
            audience=audience,
            now_ms=self._clock.now_ms(),
        )
        signature = private_key().sign(unsigned, PKCS1v15(), SHA256())
        return signed_token(unsigned, signature, ends_at).text

    def public_keys(self) -> PublishedKeys:
        if self.is_down:
            raise UnavailableError("no key is known")
        numbers = private_key().public_key().public_numbers()
        key = PublicKey(id=key_id(1), modulus=numbers.n, exponent=numbers.e)
        return PublishedKeys(keys=(key,), is_complete=not self.lacks_a_key)
