"""The two ways to send a call with httpx, and what its exceptions mean."""

import ssl
from collections.abc import Generator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from threading import Lock
from typing import Any

import httpx

from punctual._config import Config
from punctual._operation import Auth, Call, Secret
from punctual._proxies import no_proxy_for
from punctual._retry import Lost, Reply
from punctual.errors import ConfigurationError

_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class _Credential(httpx.Auth):
    """Adds the credential when a request is sent, so that it is in no variable of a traceback."""

    def __init__(self, key: Secret | None, token: Secret | None) -> None:
        self._key, self._token = key, token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        if self._token is not None:
            request.headers["X-Callback-Token"] = self._token.reveal()
        yield request


def credential_of(auth: Auth, key: Secret | None) -> Secret | None:
    """The key that a call sends as its credential; ConfigurationError if it needs one and there is none."""
    if auth is not Auth.KEY:
        return None
    if key is None:
        raise ConfigurationError(
            "no API key: give key=, set PUNCTUAL_KEY, or add it to the profile of this URL"
        )
    return key


@dataclass(frozen=True, slots=True)
class Link:
    """Where calls go, and with which credential and patience."""

    config: Config
    timeout: float

    def arguments(self, call: Call[Any]) -> dict[str, Any]:
        """The arguments of `httpx.Client.build_request`."""
        content = {"Content-Type": "application/json"} if call.body is not None else {}
        return {
            "method": call.operation.method,
            "url": f"{self.config.url}{call.path}",
            "params": dict(call.query) or None,
            "content": call.body,
            "headers": {"Accept": "application/json", **content, **call.headers},
            "timeout": self.timeout,
        }

    def credential(self, call: Call[Any]) -> httpx.Auth:
        """Raises ConfigurationError if the call needs a key and there is none."""
        return _Credential(credential_of(call.operation.auth, self.config.key), call.token)


@dataclass(slots=True)
class SyncConnections:
    """An `httpx.Client` that is made when it is first needed."""

    transport: httpx.BaseTransport | None
    _client: httpx.Client | None = None
    _lock: Lock = field(default_factory=Lock, repr=False)

    def send(self, call: Call[Any], link: Link) -> Reply | Lost:
        """The answer of one attempt, or why there is none."""
        credential, client = link.credential(call), self._opened(link.config.url)
        try:
            return _reply(client.send(client.build_request(**link.arguments(call)), auth=credential))
        except httpx.RequestError as error:
            return lost(error)

    def _opened(self, url: str) -> httpx.Client:
        """The client, which is that of one deployment."""
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(
                    transport=self.transport,
                    mounts=no_proxy_for(url),
                    headers=_agent(),
                    follow_redirects=False,
                )
            return self._client

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()


@dataclass(slots=True)
class AsyncConnections:
    """An `httpx.AsyncClient` that is made when it is first needed."""

    transport: httpx.AsyncBaseTransport | None
    _client: httpx.AsyncClient | None = None

    async def send(self, call: Call[Any], link: Link) -> Reply | Lost:
        """The answer of one attempt, or why there is none."""
        credential = link.credential(call)
        if self._client is None:
            self._client = httpx.AsyncClient(
                transport=self.transport,
                mounts=no_proxy_for(link.config.url),
                headers=_agent(),
                follow_redirects=False,
            )
        request = self._client.build_request(**link.arguments(call))
        try:
            return _reply(await self._client.send(request, auth=credential))
        except httpx.RequestError as error:
            return lost(error)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _agent() -> dict[str, str]:
    try:
        release = version("punctual-client")
    except PackageNotFoundError:
        release = "0"
    return {"User-Agent": f"punctual-client/{release}"}


def _reply(response: httpx.Response) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


def lost(error: httpx.RequestError) -> Lost:
    """What an exception of httpx means for the call."""
    kind = type(error).__name__
    if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
        # The texts of these exceptions can have the value of a header.
        return Lost(
            f"the request cannot be sent ({kind})", PermissionError(kind), is_unsent=True, is_final=True
        )
    is_unsent = isinstance(error, _UNSENT)
    is_final = _is_certificate(error)
    text = f"no connection ({kind}): {error}" if is_unsent else f"no answer ({kind}): {error}"
    return Lost(text, error, is_unsent, is_final)


def _is_certificate(error: BaseException) -> bool:
    """Whether the certificate of the server was refused: a further attempt meets the same one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
