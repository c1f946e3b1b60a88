"""A request that passed admission, and how routes read it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel

from functions.api.http.bodies import read_body, read_optional_body
from functions.api.http.idempotency import check_key
from functions.api.http.problems import Problem, ProblemError
from shared.domain.tenancy.tenant import Scope, Tenant
from shared.usecases.tenancy.authenticate import Principal

DEFAULT_LIMIT = 50
MAX_LIMIT = 100
UNKNOWN_REVISION = 0
"""A revision that no job ever has."""
_ETAG = re.compile(r'"(0|[1-9][0-9]{0,8})"')
Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class AuthenticatedRequest:
    """`principal` is None on paths that need no API key. Every method raises ProblemError for bad input."""

    principal: Principal | None
    body: bytes = field(repr=False)
    request_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """By name, in lower case."""
    path_values: Mapping[str, str] = field(default_factory=dict)
    """The variable parts of the path, by name."""
    query: Mapping[str, str] = field(default_factory=dict)
    """The query parameters, all of which the route declares."""

    @property
    def authenticated(self) -> Principal:
        """The tenant and its key."""
        if self.principal is None:
            raise ProblemError(Problem.UNAUTHENTICATED, "an API key is required")
        return self.principal

    @property
    def tenant(self) -> Tenant:
        """The tenant that owns the API key."""
        return self.authenticated.tenant

    @property
    def subject_id(self) -> str:
        """The tenant that an operators' path names; on every other path the tenant that owns the API key."""
        return self.path_values.get("tenant_id") or self.tenant.id

    def header(self, name: str) -> str | None:
        """The value of a header, by its name in lower case."""
        return self.headers.get(name)

    def read(self, schema: type[Body], *media_types: str) -> Body:
        """The JSON body, validated. `media_types` are accepted besides JSON."""
        self.require_json(*media_types)
        return read_body(self.body, schema)

    def read_optional(self, schema: type[Body]) -> Body:
        """The JSON body, validated; no body at all means an empty object."""
        if self.body:
            self.require_json()
        return read_optional_body(self.body, schema)

    def require_json(self, *media_types: str) -> None:
        """Refuse every media type but JSON and `media_types`."""
        media, _, parameters = (self.header("content-type") or "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        if media.strip().lower() not in ("application/json", *media_types) or charset not in (
            "",
            "charset=utf-8",
        ):
            raise ProblemError(
                Problem.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json, in UTF-8"
            )

    def idempotency_key(self) -> str | None:
        """The Idempotency-Key header; None where the client sent none."""
        key = self.header("idempotency-key")
        check_key(key)
        return key

    def expected_revision(self) -> int | None:
        """The revision that If-Match demands; None for any revision.

        A tag of another form than ours gives UNKNOWN_REVISION, which matches no job.
        """
        tag = self.header("if-match")
        if tag is None or tag.strip() == "*":
            return None
        match = _ETAG.fullmatch(tag.strip())
        return int(match[1]) if match else UNKNOWN_REVISION

    def flag(self, name: str) -> bool:
        """A query parameter that is `true` or `false`; false where it is absent."""
        text = self.query.get(name, "false")
        if text not in ("true", "false"):
            raise ProblemError(Problem.MALFORMED_REQUEST, f"{name} is true or false")
        return text == "true"

    def page(self) -> tuple[int, str | None]:
        """The query parameters `limit` and `cursor`."""
        return self.whole_number("limit", DEFAULT_LIMIT, MAX_LIMIT), self.query.get("cursor")

    def whole_number(self, name: str, default: int, maximum: int) -> int:
        """A query parameter from 1 to `maximum`, in plain digits."""
        text = self.query.get(name, str(default))
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
        if not (is_number and 1 <= int(text) <= maximum):
            raise ProblemError(Problem.MALFORMED_REQUEST, f"{name} is a whole number from 1 to {maximum}")
        return int(text)

    def require_scope(self, scope: Scope) -> None:
        """Refuse a key without this scope: for requests that need more than their path alone tells."""
        if self.principal is None or scope not in self.principal.key.scopes:
            raise ProblemError(Problem.FORBIDDEN, f"this key lacks the scope {scope.value}")


def read_query(event: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, str]:
    """The query parameters of an event of payload version 2.0.

    Unknown and repeated parameters are refused: a misspelt filter would silently select something else.
    """
    query = dict(event.get("queryStringParameters") or {})
    names = [name for name, _ in parse_qsl(event.get("rawQueryString") or "", keep_blank_values=True)]
    repeated = sorted(name for name in set(names) if names.count(name) > 1)
    if repeated:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"query parameter {repeated[0][:64]!r} is given twice")
    unknown = sorted(set(query) - set(known))
    if unknown:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"unknown query parameter {unknown[0][:64]!r}")
    return query
