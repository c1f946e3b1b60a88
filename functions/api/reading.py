"""What the routes read from a request besides its body."""

import re
from urllib.parse import parse_qsl

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from functions.api.gate import Admitted
from functions.api.operations.executions import DEFAULT_LIMIT, MAX_LIMIT
from functions.api.problems import Problem, ProblemError
from shared.domain.tenancy.tenant import Tenant

NO_REVISION = 0
_TAG = re.compile(r'"(0|[1-9][0-9]{0,8})"')


def tenant_of(admitted: Admitted) -> Tenant:
    """The tenant of the credential."""
    if admitted.principal is None:
        raise ProblemError(Problem.UNAUTHENTICATED, "an API key is required")
    return admitted.principal.tenant


def header(app: APIGatewayHttpResolver, name: str) -> str | None:
    """A header, whatever its case; None where it was not sent."""
    headers = {key.lower(): value for key, value in (app.current_event.headers or {}).items()}
    return headers.get(name)


def path_part(app: APIGatewayHttpResolver, name: str) -> str:
    """A variable part of the path; the line's end that the router overlooks behind the last one is part of no id."""
    if not app.current_event.path.isprintable():
        raise ProblemError(Problem.NOT_FOUND, "there is no such path")
    return str(app.context["arguments"][name])


def subject_of(app: APIGatewayHttpResolver, admitted: Admitted) -> str:
    """The tenant that the path names, where only operators come; everywhere else that of the credential."""
    is_named = "tenant_id" in app.context["arguments"]
    return path_part(app, "tenant_id") if is_named else tenant_of(admitted).id


def if_match(app: APIGatewayHttpResolver) -> int | None:
    """The revision that the client has seen; None for any, and one that no job has where the tag is none of ours."""
    tag = header(app, "if-match")
    if tag is None or tag.strip() == "*":
        return None
    match = _TAG.fullmatch(tag.strip())
    return int(match[1]) if match else NO_REVISION


def require_json(app: APIGatewayHttpResolver, *also: str) -> None:
    """ProblemError for any other media type than JSON and these."""
    media, _, parameters = (header(app, "content-type") or "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if media.strip().lower() not in ("application/json", *also) or charset not in ("", "charset=utf-8"):
        raise ProblemError(Problem.UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json, in UTF-8")


def flag(app: APIGatewayHttpResolver, name: str) -> bool:
    """A query parameter that is true or false, false where absent."""
    text = query(app, (name,)).get(name, "false")
    if text not in ("true", "false"):
        raise ProblemError(Problem.MALFORMED_REQUEST, f"{name} is true or false")
    return text == "true"


def paging(app: APIGatewayHttpResolver, *also: str) -> tuple[int, str | None]:
    """`limit` and `cursor`; other query parameters must be named."""
    found = query(app, ("limit", "cursor", *also))
    limit = found.get("limit", str(DEFAULT_LIMIT))
    if not (limit.isascii() and limit.isdigit() and len(limit) <= 3 and 1 <= int(limit) <= MAX_LIMIT):
        raise ProblemError(Problem.MALFORMED_REQUEST, f"limit is a whole number from 1 to {MAX_LIMIT}")
    return int(limit), found.get("cursor")


def query(app: APIGatewayHttpResolver, known: tuple[str, ...]) -> dict[str, str]:
    """Unknown and repeated parameters are refused: a misspelt one would silently mean something else."""
    query = dict(app.current_event.query_string_parameters or {})
    raw = app.current_event.get("rawQueryString") or ""
    names = [name for name, _ in parse_qsl(raw, keep_blank_values=True)]
    twice = sorted(name for name in set(names) if names.count(name) > 1)
    if twice:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"query parameter {twice[0][:64]!r} is given twice")
    unknown = sorted(set(query) - set(known))
    if unknown:
        raise ProblemError(Problem.MALFORMED_REQUEST, f"unknown query parameter {unknown[0][:64]!r}")
    return query
