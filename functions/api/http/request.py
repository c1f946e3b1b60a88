"""A request that passed admission, and how routes read it."""

from collections.abc import Mapping
from dataclasses import field
from email.message import Message
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel

from functions.api.http import strict_json
from functions.api.http.bodies import validate
from functions.api.http.conditions import Tags, check_version, read_tags
from functions.api.http.idempotency import check_key
from functions.api.http.problems import Problem, ProblemError
from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, raise_any
from shared.domain.tenancy.tenant import Scope, Tenant
from shared.usecases.tenancy.authenticate import Principal
from shared.usecases.tenancy.preconditions import Precondition

DEFAULT_LIMIT = 50
MAX_LIMIT = 100
_CHARSETS = ("utf-8", "us-ascii")
_NO_BODY = "this request takes no body: send none, or {}"
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

    def read(self, schema: type[Body]) -> Body:
        """The JSON body, validated."""
        return validate(self.read_json(), schema)

    def read_json(self, *media_types: str) -> Any:
        """The JSON body. `media_types` are accepted besides JSON."""
        self._require_json(*media_types)
        return strict_json.parse(self.body)

    def read_optional(self, schema: type[Body]) -> Body:
        """The JSON body, validated; no body at all means an empty object."""
        return validate(self.read_json() if self.body else {}, schema)

    def require_no_body(self) -> None:
        """Refuse a body that nothing would read; an empty object is none."""
        body = self.read_json() if self.body else {}
        if body != {}:
            names = list(body) if isinstance(body, dict) else []
            raise_any(InvalidValueError(_NO_BODY, path=(name,)) for name in names)
            raise InvalidValueError(_NO_BODY)

    def _require_json(self, *media_types: str) -> None:
        """Refuse every media type but JSON and `media_types`."""
        sent = self.header("content-type") or ""
        if sent != "application/json" and not _is_json(sent, media_types):
            raise ProblemError(
                Problem.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json, in UTF-8"
            )
        if self.header("content-encoding") not in (None, "identity"):
            raise ProblemError(
                Problem.UNSUPPORTED_MEDIA_TYPE, "send the body as it is, without a Content-Encoding"
            )

    def idempotency_key(self) -> str | None:
        """The Idempotency-Key header; None where the client sent none."""
        key = self.header("idempotency-key")
        check_key(key)
        return key

    def if_match(self) -> Tags | None:
        """The ETags that If-Match demands; None where the client sent none."""
        header = self.header("if-match")
        return None if header is None else read_tags("If-Match", header)

    def expected_revision(self, present: int) -> int | None:
        """The revision that If-Match demands of a job at `present`; None for any revision."""
        tags = self.if_match()
        return None if tags is None else tags.revision(present)

    def must_create(self) -> bool:
        """Whether If-None-Match forbids a change of what exists; of a request that changes, it can only be `*`."""
        header = self.header("if-none-match")
        if header is None:
            return False
        if not read_tags("If-None-Match", header).is_any:
            detail = "If-None-Match is * here: nothing that exists is changed; If-Match takes ETags"
            raise ProblemError(Problem.MALFORMED_REQUEST, detail)
        return True

    def version_condition(self, noun: str) -> Precondition:
        """What If-Match and If-None-Match demand of what has the name, a `noun`."""
        tags, must_create = self.if_match(), self.must_create()
        return lambda present: check_version(tags, present, must_create=must_create, noun=noun)

    def knows(self, tag: str) -> bool:
        """Whether If-None-Match says that the client has the representation with this ETag."""
        header = self.header("if-none-match")
        return header is not None and read_tags("If-None-Match", header).include(tag)

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


def _is_json(sent: str, media_types: tuple[str, ...]) -> bool:
    """Whether a Content-Type is JSON in UTF-8, whatever other parameters it has."""
    message = Message()
    message["content-type"] = sent
    charset = str(message.get_param("charset", "utf-8")).lower()
    return message.get_content_type() in ("application/json", *media_types) and charset in _CHARSETS


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
