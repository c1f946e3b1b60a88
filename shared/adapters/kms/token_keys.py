"""The public keys of identity tokens."""

from collections.abc import Sequence
from dataclasses import field

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.dataclass import dataclass
from shared.domain.delivery.identity_token import PublicKey, key_id
from shared.domain.errors import UnavailableError
from shared.names import token_key_alias
from shared.ports.runtime import Clock

KNOWN_FOR_MS = 900_000
"""A key that an operator disables is published no longer than this."""
PAUSE_MS = 10_000
"""How long keys that could not be read anew are published before KMS is asked again."""
_OUT_OF_USE = frozenset({"DisabledException", "KMSInvalidStateException", "NotFoundException"})
"""Nothing that the key has signed should be accepted."""


@dataclass(slots=True)
class KmsTokenKeys:
    """Asks KMS once in 15 minutes for each key. Keys that cannot be read anew are published on."""

    client: AwsClient
    stage: str
    numbers: Sequence[int]
    clock: Clock
    _known: tuple[PublicKey, ...] = ()
    _read_again_at: int = field(default=0)

    def public_keys(self) -> Sequence[PublicKey]:
        now_ms = self.clock.now_ms()
        if now_ms < self._read_again_at:
            return self._known
        try:
            found = [self._read(number) for number in self.numbers]
            self._known, self._read_again_at = tuple(filter(None, found)), now_ms + KNOWN_FOR_MS
        except UnavailableError:
            if not self._known:
                raise
            self._read_again_at = now_ms + PAUSE_MS
        return self._known

    def _read(self, number: int) -> PublicKey | None:
        """None for a key that an operator has taken out of use."""
        try:
            answer = self.client.get_public_key(KeyId=token_key_alias(self.stage, number))
            found = load_der_public_key(bytes(answer["PublicKey"]))
        except AwsError as error:
            if error.code in _OUT_OF_USE:
                return None
            raise UnavailableError("KMS did not show a public key") from error
        except (NoAnswerError, ValueError) as error:
            raise UnavailableError("KMS did not show a public key") from error
        if not isinstance(found, RSAPublicKey):
            raise UnavailableError("a key of identity tokens is no RSA key")
        numbers = found.public_numbers()
        return PublicKey(id=key_id(number), modulus=numbers.n, exponent=numbers.e)
