"""Credentials of tenants' roles, by AssumeRole of STS with a session policy for one target or API alone."""

import asyncio
import json
from dataclasses import field
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode

from shared.adapters.aws.credentials import Credentials, CredentialSource
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.aws.http11 import HttpResponse
from shared.adapters.aws.sender import Send
from shared.adapters.aws.services import SERVICES, Endpoint, endpoint_of
from shared.adapters.aws.signer import Signer
from shared.adapters.targets.query_call import element, query_error
from shared.adapters.tenant_pace import TenantPace
from shared.dataclass import dataclass
from shared.domain.delivery.callback import Reason
from shared.domain.fair_cache import FairCache
from shared.domain.tenancy.target_roles import is_allowed
from shared.ports.runtime import Clock

SESSION_SECONDS = 3_600
"""The longest session of a role that is assumed with the credentials of another role."""
SPARE_MS = 300_000
"""Credentials that end sooner than this are replaced."""
DENIED_MS = 60_000
"""A younger session that is denied is kept, so that a call without rights costs one call of STS in this time."""
MAX_KNOWN = 1_000
"""Of all tenants, at about 2 KB each."""
STS_SECONDS = 5.0
SESSION_MS = 200
"""A process assumes roles of a tenant once in this time, behind a burst: STS answers some hundred calls a second for a
whole account, and a tenant may have a queue or an API for each job."""
BURST = 50
REFUSED_MS = 30_000
"""How long a role that STS has refused is not asked for again."""
MAX_REFUSED = 5_000
"""Roles of all tenants."""

Key = tuple[str, str, str]
"""A tenant, its role and the scope of a session."""
_REFUSED_WITH_ANY_POLICY = frozenset({"AccessDenied", "RegionDisabledException"})
_ROLE_REFUSED = frozenset(
    {
        "AccessDenied",
        "MalformedPolicyDocument",
        "PackedPolicyTooLarge",
        "RegionDisabledException",
        "ValidationError",
    }
)


class RoleUse(Protocol):
    """A call with the rights of a tenant's role."""

    @property
    def tenant_id(self) -> str: ...

    @property
    def role_arn(self) -> str: ...

    @property
    def external_id(self) -> str: ...

    @property
    def session_name(self) -> str: ...

    @property
    def scope(self) -> str:
        """Calls of the same scope, and only they, have the same statements."""
        ...


class SessionRefusedError(Exception):
    """There are no credentials, for a reason that is the tenant's or Punctual's own."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.word)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """From when until when the credentials are valid, in UTC ms."""

    began_at: int
    ends_at: int
    credentials: Credentials


@dataclass(slots=True)
class RoleCredentials:
    """Callers that need the same session at the same time share one call of STS."""

    endpoint: Endpoint
    signer: Signer
    send: Send
    own: CredentialSource
    clock: Clock
    _known: FairCache[Key, _Session] = field(default_factory=lambda: FairCache(MAX_KNOWN))
    _running: dict[Key, "asyncio.Task[Credentials]"] = field(default_factory=dict)
    _pace: TenantPace = field(default_factory=lambda: TenantPace(SESSION_MS, BURST))
    _refused: FairCache[tuple[str, str], tuple[int, AwsError]] = field(
        default_factory=lambda: FairCache(MAX_REFUSED)
    )
    """By tenant and role: the answer, and until when it stands, in UTC ms."""

    @classmethod
    def of(cls, region: str, send: Send, own: CredentialSource, clock: Clock) -> "RoleCredentials":
        """Of the regional endpoint, so that no call depends on another region."""
        endpoint = endpoint_of("sts", region)
        return cls(
            endpoint, Signer("sts", region, endpoint.host, SERVICES["sts"].content_type), send, own, clock
        )

    async def session(
        self, call: RoleUse, statements: list[dict[str, Any]], allowed_roles: str | None
    ) -> Credentials:
        """The credentials for a call, as `get`; SessionRefusedError without them. `allowed_roles` is the stage's
        pattern of roles."""
        if not is_allowed(call.role_arn, allowed_roles):
            # STS would say AccessDenied, as for a fault of the tenant's role.
            raise SessionRefusedError(Reason.UNAVAILABLE)
        try:
            return await self.get(call, statements)
        except AwsError as error:
            is_own = error.code not in _ROLE_REFUSED
            raise SessionRefusedError(Reason.UNAVAILABLE if is_own else Reason.ROLE_REFUSED) from error
        except (NoAnswerError, OSError) as error:
            raise SessionRefusedError(Reason.UNAVAILABLE) from error

    async def get(self, call: RoleUse, statements: list[dict[str, Any]]) -> Credentials:
        """The credentials for a call; AwsError if STS refuses them, NoAnswerError or TimeoutError if it is
        silent. `statements` are the only rights of the session."""
        key = _key(call)
        known = self._known.get(key)
        if known is not None and self.clock.now_ms() < known.ends_at - SPARE_MS:
            return known.credentials
        refused_until, refusal = self._refused.get((call.tenant_id, call.role_arn)) or (0, None)
        if refusal is not None and self.clock.now_ms() < refused_until:
            raise refusal
        running = self._running.get(key)
        if running is None or running.done() or running.get_loop() is not asyncio.get_running_loop():
            running = self._running[key] = asyncio.create_task(self._assume(key, call, statements))
            running.add_done_callback(_retrieved)
        # Shielded: the others that wait go on if this caller's time is over.
        return await asyncio.shield(running)

    def forget(self, call: RoleUse, *, older_than_ms: int = 0) -> None:
        """Drop credentials that AWS no longer accepts, if they are at least this old."""
        known = self._known.get(_key(call))
        if known is not None and self.clock.now_ms() - known.began_at >= older_than_ms:
            self._known.remove(_key(call))

    async def _assume(self, key: Key, call: RoleUse, statements: list[dict[str, Any]]) -> Credentials:
        began_at = self.clock.now_ms()
        try:
            if not self._pace.admits(call.tenant_id, began_at):
                raise NoAnswerError("this process has assumed many roles of the tenant")
            async with asyncio.timeout(STS_SECONDS):
                answer = await self._send(call, statements)
        finally:
            self._running.pop(key, None)
        try:
            ends_at, found = _read(answer)
        except AwsError as error:
            if error.code in _REFUSED_WITH_ANY_POLICY:
                self._refused.put((call.tenant_id, call.role_arn), (began_at + REFUSED_MS, error))
            raise
        self._known.put(key, _Session(began_at=began_at, ends_at=ends_at, credentials=found))
        return found

    async def _send(self, call: RoleUse, statements: list[dict[str, Any]]) -> HttpResponse:
        policy = {"Version": "2012-10-17", "Statement": statements}
        form = {
            "Action": "AssumeRole",
            "Version": "2011-06-15",
            "RoleArn": call.role_arn,
            "RoleSessionName": call.session_name,
            "ExternalId": call.external_id,
            "DurationSeconds": str(SESSION_SECONDS),
            "Policy": json.dumps(policy, separators=(",", ":")),
        }
        body = urlencode(form).encode()
        headers = self.signer.headers("", body, self.own(), self.clock.now_ms() / 1000)
        return await self.send(self.endpoint, headers, body)


def _retrieved(task: "asyncio.Task[Credentials]") -> None:
    """Take the exception, in case that all callers have given up."""
    if not task.cancelled():
        task.exception()


def _key(call: RoleUse) -> Key:
    return call.tenant_id, call.role_arn, call.scope


def _read(answer: HttpResponse) -> tuple[int, Credentials]:
    text = answer.body.decode(errors="replace")
    if answer.status != 200:
        raise AwsError("AssumeRole", {"Error": query_error(text, answer.status)})
    members = {name: element(text, name) for name in _MEMBERS}
    access_key, secret_key, token, expires = (members[name] for name in _MEMBERS)
    if not (access_key and secret_key and token and expires):
        raise NoAnswerError("the answer of STS has no credentials")
    try:
        ends_at = datetime.fromisoformat(expires)
    except ValueError as error:
        raise NoAnswerError("the answer of STS has no expiration") from error
    return int(ends_at.timestamp() * 1000), Credentials(access_key, secret_key, token)


_MEMBERS = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
