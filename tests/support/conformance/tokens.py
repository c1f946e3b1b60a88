"""Identity tokens of the fake, and of the adapters over an engine's KMS, with keys like those of the data stack."""

from contextlib import suppress
from typing import Any, Protocol
from uuid import uuid4

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.clock import SystemClock
from shared.adapters.kms.identity_tokens import KmsIdentityTokens
from shared.adapters.kms.token_keys import KmsTokenKeys
from shared.names import token_key_alias
from shared.ports.delivery import IdentityTokens, TokenKeys
from tests.support.fakes.identity_tokens import FakeIdentityTokens
from tests.support.settings import ISSUER

NUMBERS = (2, 1)


class TokenLab(Protocol):
    """The tokens of one deployment, and its public keys."""

    @property
    def tokens(self) -> IdentityTokens: ...

    @property
    def keys(self) -> TokenKeys: ...

    @property
    def signs(self) -> str:
        """The `kid` of the key that signs."""
        ...


class FakeTokenLab:
    signs = "1"

    def __init__(self) -> None:
        self.tokens = self.keys = FakeIdentityTokens(SystemClock())


class KmsTokenLab:
    signs = str(NUMBERS[0])

    def __init__(self, client: AwsClient) -> None:
        self.client, self.clock = client, SystemClock()
        self.stage = f"s{uuid4().hex[:12]}"
        for number in NUMBERS:
            made = client.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")["KeyMetadata"]
            with suppress(NoAnswerError, AwsError):  # moto answers `null`, and the repetition finds the alias
                client.create_alias(AliasName=self.alias(number), TargetKeyId=made["KeyId"])
        self.tokens = KmsIdentityTokens.of(client, self.stage, ISSUER, NUMBERS, self.clock)
        self.keys = KmsTokenKeys(client, self.stage, NUMBERS, self.clock)

    def alias(self, number: int) -> str:
        return token_key_alias(self.stage, number)

    def key(self, number: int) -> Any:
        """What KMS says of the key."""
        return self.client.describe_key(KeyId=self.alias(number))["KeyMetadata"]
