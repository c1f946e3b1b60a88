"""Sends HTTP requests with AWS Signature Version 4, each with a session of its tenant's role.

The signature is made when the request is sent, over the request as it is sent. No redirect is followed.
"""

import asyncio
import re
from dataclasses import replace

from shared.adapters.aws.credentials import Credentials
from shared.adapters.aws.sigv4 import UnsignedRequest, folded, signature_headers
from shared.adapters.clock import steady_seconds
from shared.adapters.http.request import line_of
from shared.adapters.targets.role_credentials import DENIED_MS, RoleCredentials, SessionRefusedError
from shared.adapters.targets.signed_rights import statements_of
from shared.dataclass import dataclass
from shared.domain.delivery.callback import Callback, CallbackResponse, Reason
from shared.domain.delivery.sigv4_auth import SignedCall
from shared.ports.delivery import Sender
from shared.ports.runtime import Clock

SESSION_SHARE = 0.25
"""Of the time of a receiver, at most so much goes to its session. A slower session is there for the next attempt."""
_REFUSED = frozenset({400, 401, 403})
"""How services answer to credentials that they do not accept."""
_SHOWN = 16
"""Characters of a secret that are no secret: tokens of sessions all begin with about these."""
_REDACTED = b"[redacted]"
_REST = rb"(?:[A-Za-z0-9+/=%\\]|&#?\w+;)*"
"""What follows of a secret, with the escapes of URLs, JSON and HTML."""
_ORIGIN = re.compile(r"^https?://[^/?]+")


@dataclass(slots=True)
class SigV4Sender:
    """Shares the sessions of the targets in AWS."""

    roles: RoleCredentials
    allowed_roles: str | None
    """The pattern of the roles that the executor may assume; None for none."""
    sender: Sender
    clock: Clock

    async def send(self, call: SignedCall, *, timeout_seconds: float) -> CallbackResponse:
        began = steady_seconds()
        try:
            async with asyncio.timeout(timeout_seconds * SESSION_SHARE):
                credentials = await self.roles.session(call, statements_of(call), self.allowed_roles)
            signed = sign(call, credentials, self.clock.now_ms())
        except SessionRefusedError as refused:
            return CallbackResponse(reason=refused.reason, duration_ms=_ms_since(began))
        except TimeoutError:
            # The receiver would have too little of its time. The session is there for the next attempt.
            return CallbackResponse(reason=Reason.UNAVAILABLE, duration_ms=_ms_since(began))
        waited_ms = _ms_since(began)
        response = await self.sender.send(signed, timeout_seconds=timeout_seconds - waited_ms / 1000)
        if response.status in _REFUSED:
            # A revoked session is denied everything by a policy that says how old it is.
            self.roles.forget(call, older_than_ms=DENIED_MS)
        return replace(
            response,
            duration_ms=response.duration_ms + waited_ms,
            connect_ms=None if response.connect_ms is None else response.connect_ms + waited_ms,
            head_ms=None if response.head_ms is None else response.head_ms + waited_ms,
            body=without_secrets(response.body, signed),
        )


def sign(call: SignedCall, credentials: Credentials, now_ms: int) -> Callback:
    """The call with the headers of its signature, over all that is sent."""
    # Names of hosts are spelled in one way, whatever a proxy makes of them.
    url = _ORIGIN.sub(lambda origin: origin[0].lower(), call.callback.url)
    callback = replace(call.callback, url=url)
    host, path, query = line_of(url)
    request = UnsignedRequest(
        method=callback.method,
        path=path,
        query=query,
        headers=folded((*callback.headers, ("Host", host))),
        body=callback.body,
    )
    added = signature_headers(request, call.auth.service, call.auth.region, credentials, now_ms / 1000)
    return replace(callback, headers=(*callback.headers, *added.items()))


def without_secrets(body: bytes, signed: Callback) -> bytes:
    """The body of a response without the signature and the token of the session, which some receivers repeat.

    AWS itself repeats what it has signed when it finds another signature.
    """
    headers = dict(signed.headers)
    secrets = (headers.get("X-Amz-Security-Token", ""), headers["Authorization"].rpartition("Signature=")[2])
    for secret in secrets:
        if len(secret) > _SHOWN:
            body = re.sub(re.escape(secret[:_SHOWN].encode()) + _REST, _REDACTED, body)
    return body


def _ms_since(began: float) -> int:
    return int((steady_seconds() - began) * 1000)
