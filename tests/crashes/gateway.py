"""HTTP requests as API Gateway hands them to the function: payload version 2.0."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from tests.crashes.clock import SharedClock
from tests.support.http_path import raw_path

BAD_GATEWAY = 502
TOKEN = "x-callback-token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the client gets."""

    status: int
    body: Any

    @property
    def is_final(self) -> bool:
        """Whether there is no sense in asking again."""
        return self.status < 500


NOBODY = Answer(status=BAD_GATEWAY, body=None)
"""The function died or failed: the gateway's own answer."""


def http_event(
    clock: SharedClock,
    key: str,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """One request, with the API key unless it carries a token."""
    decoded, query = raw_path(path), path.partition("?")[2]
    given = headers or {}
    credential = {} if TOKEN in given else {"authorization": f"Bearer {key}"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": decoded,
        "rawQueryString": query,
        "queryStringParameters": dict(parse_qsl(query)) or None,
        "headers": {"content-type": "application/json", **credential, **given},
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "crashes",
            "domainName": "crashes.localhost",
            "http": {"method": method, "path": decoded, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1"},
            "requestId": "crashes",
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": clock.now_ms(),
        },
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


def answer_of(response: Any) -> Answer:
    """The function's answer."""
    return Answer(status=response["statusCode"], body=json.loads(response["body"]))
