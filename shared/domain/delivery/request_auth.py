"""How an HTTP request authenticates itself, beside Punctual's own signature: the rules, and the stored form.

Loaded only for requests with `auth`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.domain.delivery.call_kind import AuthKind, CallKind
from shared.domain.delivery.identity_token import AUTHORIZATION, OidcAuth, oidc_errors
from shared.domain.delivery.request import Request
from shared.domain.delivery.sigv4_auth import SigV4Auth, sigv4_errors
from shared.domain.delivery.target_policy import TargetPolicy
from shared.domain.errors import InvalidValueError

Auth = OidcAuth | SigV4Auth
_SIGV4 = (("r", "role"), ("s", "service"), ("g", "region"))


def auth_errors(request: Request, policy: TargetPolicy) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that the authentication of a request breaks."""
    auth = request.auth
    if auth is None:
        return
    if request.kind is not CallKind.REQUEST:
        yield InvalidValueError("only an HTTP request has auth", path=("request", "auth"))
    if isinstance(auth, SigV4Auth):
        yield from sigv4_errors(request, auth)
        what = "signature"
    else:
        yield from oidc_errors(auth, policy)
        what = "identity token"
    for name, _ in request.headers:
        if name.lower() == AUTHORIZATION.lower():
            yield InvalidValueError(
                f"the {what} of auth is this header: leave out the header, or auth",
                path=("request", "headers", name),
            )


def encode_auth(auth: Auth) -> dict[str, Any]:
    """Encode as a part of a stored request; equal ones give equal documents."""
    if isinstance(auth, SigV4Auth):
        return {auth.kind.value: {short: getattr(auth, name) for short, name in _SIGV4}}
    return {auth.kind.value: auth.audience}


def decode_auth(document: Mapping[str, Any]) -> Auth:
    """Decode the stored form; ValueError, KeyError or TypeError for any other."""
    if not isinstance(document, Mapping):
        raise TypeError("no stored authentication")
    (kind, stored), *others = document.items()
    if others:
        raise ValueError("no stored authentication")
    if AuthKind(kind) is AuthKind.SIGV4:
        members = {name: stored[short] for short, name in _SIGV4}
        if len(stored) != len(members) or not all(isinstance(text, str) for text in members.values()):
            raise ValueError("no stored authentication")
        return SigV4Auth(**members)
    if not isinstance(stored, str):
        raise ValueError("no stored authentication")
    return OidcAuth(audience=stored)
