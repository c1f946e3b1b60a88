"""The pages, read at their first request: they are larger than all other code of the API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files

from aws_lambda_powertools.event_handler import Response

from functions.api.http.route import JSON
from functions.api.openapi.document import openapi_json

OPENAPI_PATH = "/v1/openapi.json"
DOCS_PATH = "/v1/docs"
_SWAGGER_UI = files("aws_lambda_powertools.event_handler") / "openapi" / "swagger_ui"
_PAGES_DIR = files("functions.api.reference")
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document without secrets that is the same for every reader until the next deployment."""

    media_type: str
    read: Callable[[], str]
    headers: Mapping[str, str] = field(default_factory=dict)


PAGES: dict[str, Page] = {
    OPENAPI_PATH: Page(media_type=JSON, read=openapi_json),
    DOCS_PATH: Page(
        media_type="text/html; charset=utf-8",
        read=lambda: (_PAGES_DIR / "docs.html").read_text(encoding="utf-8"),
        headers={"Content-Security-Policy": _CONTENT_SECURITY_POLICY, "Referrer-Policy": "no-referrer"},
    ),
    f"{DOCS_PATH}/start.js": Page(
        media_type="text/javascript; charset=utf-8",
        read=lambda: (_PAGES_DIR / "start.js").read_text(encoding="utf-8"),
    ),
    f"{DOCS_PATH}/swagger-ui-bundle.js": Page(
        media_type="text/javascript; charset=utf-8",
        read=lambda: (_SWAGGER_UI / "swagger-ui-bundle.min.js").read_text(encoding="utf-8"),
    ),
    f"{DOCS_PATH}/swagger-ui.css": Page(
        media_type="text/css; charset=utf-8",
        read=lambda: (_SWAGGER_UI / "swagger-ui.min.css").read_text(encoding="utf-8"),
    ),
}
"""By path. They need no API key."""


def page_answer(path: str, is_known: Callable[[str], bool]) -> Response[str]:
    """The page, compressed where the client accepts that; a 304 where the client knows its ETag."""
    page, (text, tag) = PAGES[path], _content(path)
    headers = {
        "Cache-Control": "no-cache",
        "ETag": tag,
        "Vary": "Accept-Encoding",
        **page.headers,
    }
    if is_known(tag):
        return Response(status_code=304, content_type=page.media_type, body="", headers=headers)
    return Response(status_code=200, content_type=page.media_type, body=text, headers=headers, compress=True)


@cache
def _content(path: str) -> tuple[str, str]:
    """A page's text and its ETag, which is weak because the compressed form has the same."""
    text = PAGES[path].read()
    return text, f'W/"{sha256(text.encode()).hexdigest()[:32]}"'
