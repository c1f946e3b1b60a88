"""The HTTP application over the fakes: events in, answers out, no network."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import orjson

from functions.api.app import Api
from functions.api.context import Context
from functions.api.http.problems import CONTENT_TYPE
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope, TenantState
from shared.observability import logger, metrics
from shared.usecases.tenancy.read_tenant import REMEMBER_MS
from tests.support.builders import TENANT
from tests.support.usecases.world import World

JOB: dict[str, Any] = {
    "schedule": {"delay_seconds": 3_600},
    "request": {"url": "https://receiver.example/hook", "json": {"n": 1}},
}
"""A valid request body."""
REQUEST_ID = "request-1"
ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
"""The tenant's role for targets, in the account of the examples."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The response that a client receives."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body."""
        return orjson.loads(self.text)

    @property
    def problem(self) -> str:
        """The slug of the problem document. Asserts that every error is a problem document."""
        assert self.headers["Content-Type"] == CONTENT_TYPE
        assert self.json["status"] == self.status
        return str(self.json["type"]).removeprefix("urn:punctual:problem:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request."""

    method: str
    path: str
    body: bytes | str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    is_base64: bool = False
    received_at: int | None = None

    def event(self) -> dict[str, Any]:
        """The event of API Gateway, in payload version 2.0."""
        time_epoch = {} if self.received_at is None else {"timeEpoch": self.received_at}
        return {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": self.path,
            "rawQueryString": "&".join(f"{name}={value}" for name, value in self.query.items()),
            "headers": self.headers,
            "queryStringParameters": self.query,
            "requestContext": {
                "http": {"method": self.method, "path": self.path, "sourceIp": "192.0.2.1"},
                "requestId": REQUEST_ID,
                "stage": "$default",
                **time_epoch,
            },
            "body": self.body.decode() if isinstance(self.body, bytes) else self.body,
            "isBase64Encoded": self.is_base64,
        }


class ApiWorld:
    """One deployment's API."""

    def __init__(self, **settings: Any) -> None:
        metrics.clear_metrics()
        self.world = World(**settings)
        with_role = replace(self.world.tenant, target_roles=(ROLE,))
        self.world.tenant = self.world.tenants.tenants[TENANT] = with_role
        self.api = Api(Context(self.world.cases))
        self.credential = {"authorization": f"Bearer {self.world.credentials.api_key}"}

    def handle(self, request: Request) -> Answer:
        """Send a request unchanged."""
        raw = self.api(request.event(), SimpleNamespace(aws_request_id=REQUEST_ID))
        headers = dict(raw.get("headers", {}))
        for name, values in raw.get("multiValueHeaders", {}).items():
            headers[name] = values[0]
        return Answer(raw["statusCode"], headers, raw.get("body", ""))

    def get(self, path: str, **query: str) -> Answer:
        """A GET by the tenant."""
        return self.handle(Request(method="GET", path=path, headers=self.credential, query=query))

    def delete(self, path: str, **query: str) -> Answer:
        """A DELETE by the tenant."""
        return self.handle(Request(method="DELETE", path=path, headers=self.credential, query=query))

    def post(self, document: Any, path: str = "/v1/jobs", **headers: str) -> Answer:
        """A POST of JSON by the tenant."""
        spelt = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = self.credential | {"content-type": "application/json"} | spelt
        return self.handle(Request(method="POST", path=path, headers=sent, body=orjson.dumps(document)))

    def create(self, **fields: Any) -> Any:
        """Create a job; asserts that it is accepted."""
        answer = self.post(JOB | fields)
        assert answer.status == 201, answer.text
        return answer.json

    def allow(self, quota: Quota, limit: int) -> None:
        """Override a quota of the tenant."""
        tenants = self.world.tenants.tenants
        owner = tenants["acme"]
        tenants["acme"] = replace(owner, quotas={**owner.quotas, quota: limit})
        self.world.clock.time_ms += REMEMBER_MS

    def suspend(self) -> None:
        tenants = self.world.tenants.tenants
        tenants["acme"] = replace(tenants["acme"], state=TenantState.SUSPENDED)

    def limit_to(self, *scopes: Scope) -> None:
        """Restrict the scopes of the tenant's key."""
        keys = self.world.tenants.keys
        for name, key in keys.items():
            keys[name] = replace(key, scopes=frozenset(scopes))


@contextmanager
def logged() -> Iterator[list[logging.LogRecord]]:
    """The records that are logged while the context is open."""
    records: list[logging.LogRecord] = []

    class Keep(logging.Handler):
        """Keeps every record."""

        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    handler = Keep()
    logger.addHandler(handler)
    try:
        yield records
    finally:
        logging.getLogger(logger.name).removeHandler(handler)
