"""The public keys of identity tokens."""

from collections.abc import Sequence
from dataclasses import field

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.dataclass import dataclass
from shared.domain.delivery.identity_token import (
    PUBLISHED_SECONDS,
    UNREAD_PAUSE_SECONDS,
    PublicKey,
    PublishedKeys,
    key_id,
)
from shared.domain.errors import UnavailableError
from shared.names import token_key_alias
from shared.ports.runtime import Clock

KNOWN_FOR_MS = PUBLISHED_SECONDS * 1000
"""A key that an operator disables is published no longer than this."""
PAUSE_MS = UNREAD_PAUSE_SECONDS * 1000
"""The cooldown of a key that could not be read, whatever is known of it."""
_OUT_OF_USE = frozenset({"DisabledException", "KMSInvalidStateException"})
"""Nothing that the key has signed should be accepted."""
_OF_ONE_KEY = frozenset({"AccessDeniedException", "NotFoundException"})
"""IAM and KMS do not know a new key everywhere at once, and say nothing of the other keys."""


class _UnreadKeyError(UnavailableError):
    """KMS answers, but does not show this key."""


@dataclass(slots=True)
class _Entry:
    """What is known of one key."""

    key: PublicKey | None = None
    """None for a key that is out of use, or was never read."""
    is_read: bool = False
    read_again_at: int = 0


@dataclass(slots=True)
class KmsTokenKeys:
    """Asks KMS once in 15 minutes for each key, and once in ten seconds for a key that could not be read.

    The keys that can be read are published without the others, unless the one that signs is unread. A key that cannot
    be read anew is published on. The first number signs.
    """

    client: AwsClient
    stage: str
    numbers: Sequence[int]
    clock: Clock
    _entries: dict[int, _Entry] = field(default_factory=dict)

    def public_keys(self) -> PublishedKeys:
        self._read_due(self.clock.now_ms())
        entries = [self._entry(number) for number in self.numbers]
        keys = tuple(each.key for each in entries if each.key is not None)
        # A receiver with a set that lacks the signer would refuse the calls of every tenant.
        if not keys or not entries[0].is_read:
            raise UnavailableError("the public key of the signer is not known yet, or no key is in use")
        return PublishedKeys(keys=keys, is_complete=all(each.is_read for each in entries))

    def _entry(self, number: int) -> _Entry:
        return self._entries.setdefault(number, _Entry())

    def _read_due(self, now_ms: int) -> None:
        """Read the keys whose time has come. While KMS itself fails, one question stands for all of them."""
        is_down = False
        for entry, number in [(self._entry(number), number) for number in self.numbers]:
            if now_ms < entry.read_again_at:
                continue
            # Noted first: whatever the question ends with, the next request does not repeat it.
            entry.read_again_at = now_ms + PAUSE_MS
            if is_down:
                continue
            try:
                entry.key, entry.is_read = self._read(number), True
                entry.read_again_at = now_ms + KNOWN_FOR_MS
            except _UnreadKeyError:
                continue
            except UnavailableError:
                is_down = True

    def _read(self, number: int) -> PublicKey | None:
        """None for a key that an operator has taken out of use; UnavailableError, or one of its kind for this key."""
        try:
            answer = self.client.get_public_key(KeyId=token_key_alias(self.stage, number))
            found = load_der_public_key(bytes(answer["PublicKey"]))
        except AwsError as error:
            if error.code in _OUT_OF_USE:
                return None
            unread = _UnreadKeyError if error.code in _OF_ONE_KEY else UnavailableError
            raise unread("KMS did not show a public key") from error
        except NoAnswerError as error:
            raise UnavailableError("KMS did not show a public key") from error
        except ValueError as error:
            raise _UnreadKeyError("KMS showed something that is no public key") from error
        if not isinstance(found, RSAPublicKey):
            raise _UnreadKeyError("a key of identity tokens is no RSA key")
        numbers = found.public_numbers()
        return PublicKey(id=key_id(number), modulus=numbers.n, exponent=numbers.e)
