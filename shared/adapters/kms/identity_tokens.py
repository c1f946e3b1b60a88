"""Identity tokens that a key of KMS signs. Loaded at the first call with a token, and only then."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import field, replace
from threading import Lock

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.greenlets import result_of
from shared.adapters.tenant_pace import TenantPace
from shared.dataclass import dataclass
from shared.domain.delivery.identity_token import (
    REUSED_MS,
    SPARE_MS,
    IdentityToken,
    key_id,
    signed_token,
    unsigned_token,
)
from shared.domain.errors import UnavailableError
from shared.domain.fair_cache import FairCache
from shared.names import token_key_alias
from shared.ports.runtime import Clock

MAX_KNOWN = 5_000
"""Of all tenants, at about 1 KB each."""
PAUSE_MS = 10_000
"""How long a token whose renewal failed is used before KMS is asked again."""
SIGNING_MS = 500
"""A process signs for a tenant once in this time, behind a burst. KMS signs 500 to 1,000 times a second for a whole
account: a tenant with an audience for each job must not use that up."""
BURST = 20
Key = tuple[str, str]
"""A tenant and an audience."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    token: IdentityToken
    renewed_at: int
    """When another one is made, in UTC ms."""


@dataclass(slots=True)
class KmsIdentityTokens:
    """Calls KMS once for a tenant and an audience in half the life of a token.

    Callers that need the same token at the same time share one call. A token that cannot be renewed is used on, as
    long as it is valid.
    """

    client: AwsClient
    issuer: str
    alias: str
    key: str
    """The `kid` of the key that signs."""
    clock: Clock
    _known: FairCache[Key, _Known] = field(default_factory=lambda: FairCache(MAX_KNOWN))
    _running: dict[Key, Future[str]] = field(default_factory=dict)
    _pace: TenantPace = field(default_factory=lambda: TenantPace(SIGNING_MS, BURST))
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(
        cls, client: AwsClient, stage: str, issuer: str | None, numbers: Sequence[int], clock: Clock
    ) -> "KmsIdentityTokens":
        """UnavailableError for a stage that issues no tokens: it may issue them again."""
        if not issuer or not numbers:
            raise UnavailableError("this stage has no token_keys")
        return cls(client, issuer, token_key_alias(stage, numbers[0]), key_id(numbers[0]), clock)

    def token(self, tenant_id: str, audience: str) -> str:
        key, now_ms = (tenant_id, audience), self.clock.now_ms()
        with self._lock:
            known = self._known.get(key)
            if known is not None and now_ms < known.renewed_at:
                return known.token.text
            running = self._running.get(key)
            own: Future[str] = Future()
            if running is None:
                self._running[key] = own
        if running is not None:
            return result_of(running)
        try:
            text = self._renewed(key, known, now_ms)
        except BaseException as error:
            # Before the error is set: a caller that tries again asks KMS again.
            self._running.pop(key, None)
            is_cancelled = not isinstance(error, Exception)
            own.set_exception(UnavailableError("the call of KMS was cancelled") if is_cancelled else error)
            raise
        self._running.pop(key, None)
        own.set_result(text)
        return text

    def _renewed(self, key: Key, known: _Known | None, now_ms: int) -> str:
        try:
            token = self._signed(key, now_ms)
            made = _Known(token=token, renewed_at=token.ends_at - REUSED_MS)
        except UnavailableError:
            if known is None or self.clock.now_ms() >= known.token.ends_at - SPARE_MS:
                raise
            made = replace(known, renewed_at=min(now_ms + PAUSE_MS, known.token.ends_at - SPARE_MS))
        with self._lock:
            self._known.put(key, made)
        return made.token.text

    def _signed(self, key: Key, now_ms: int) -> IdentityToken:
        tenant_id, audience = key
        if not self._pace.admits(tenant_id, now_ms):
            # No attempt counts, and the call is made later.
            raise UnavailableError("this process has signed identity tokens for many audiences of the tenant")
        unsigned, ends_at = unsigned_token(
            issuer=self.issuer, key=self.key, tenant_id=tenant_id, audience=audience, now_ms=now_ms
        )
        try:
            answer = self.client.sign(
                KeyId=self.alias,
                Message=unsigned,
                MessageType="RAW",
                SigningAlgorithm="RSASSA_PKCS1_V1_5_SHA_256",
            )
        except (AwsError, NoAnswerError) as error:
            raise UnavailableError("KMS did not sign an identity token") from error
        return signed_token(unsigned, bytes(answer["Signature"]), ends_at)
