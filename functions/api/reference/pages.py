"""The pages, read at their first request: they are larger than all other code of the API."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache
from importlib.resources import files

from functions.api.http.page import CONTENT_SECURITY_POLICY, HTML, SCRIPT, STYLE, file_answer, tag_of
from functions.api.http.response import Response
from functions.api.http.route import JSON
from shared.dataclass import dataclass

ROOT_PATH = "/"
OPENAPI_PATH = "/v1/openapi.json"
DOCS_PATH = "/v1/docs"
_PAGES_DIR = files("functions.api.reference")
GUIDES = (
    *(
        "guides/alerts",
        "guides/apply",
        "guides/bulk-operations",
        "guides/chaining",
        "guides/command-line",
        "guides/console",
        "guides/develop-receivers",
        "guides/fan-out",
        "guides/identity-tokens",
        "guides/importers",
        "guides/journey",
        "guides/late-jobs",
        "guides/long-running-calls",
        "guides/migrate-from-eventbridge",
        "guides/python-sdk",
        "guides/react-to-files",
        "guides/redrive-failures",
        "guides/retries",
        "guides/schedule-jobs",
        "guides/statistics",
        "guides/targets",
        "guides/tasks",
        "guides/triggers",
        "guides/verify-calls",
        "guides/workflows",
    ),
    *("reference/api", "reference/cli", "reference/delivery", "reference/schedules", "reference/tenants"),
)
"""The documents in docs/ that are served as pages."""
RUNBOOKS = (
    "runbooks/README",
    "runbooks/archive-behind",
    "runbooks/audit-trail",
    "runbooks/bad-deployment",
    "runbooks/blocked-address",
    "runbooks/calls-late",
    "runbooks/canary-fails",
    "runbooks/dead-events",
    "runbooks/dead-messages",
    "runbooks/delete-tenant-data",
    "runbooks/destination-down",
    "runbooks/drain-after-outage",
    "runbooks/egress-broken",
    "runbooks/hot-shard",
    "runbooks/leaked-key",
    "runbooks/missing-or-doubled",
    "runbooks/noisy-tenant",
    "runbooks/quota-increase",
    "runbooks/region-lost",
    "runbooks/restore",
    "runbooks/stop-sending",
    "runbooks/throttling",
    "runbooks/ticks-stopped",
    "runbooks/time-zone-tables",
)
"""Pages for operators, which the alarms name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document without secrets that is the same for every reader until the next deployment."""

    media_type: str
    read: Callable[[], str]
    headers: Mapping[str, str] = field(default_factory=dict)
    always_compress: bool = False
    """For large files that only browsers load. Uncompressed, a request without a key would cost four times as much."""


def _own(name: str) -> Callable[[], str]:
    return lambda: (_PAGES_DIR / name).read_text(encoding="utf-8")


def _of_swagger_ui(name: str) -> Callable[[], str]:
    # Looked up late: the library that carries the files is imported for nothing else.
    package = "aws_lambda_powertools.event_handler.openapi"
    return lambda: (files(package) / "swagger_ui" / name).read_text(encoding="utf-8")


def _guide(name: str) -> Callable[[], str]:
    def read() -> str:
        # Imported here, because the parser of Markdown would lengthen every cold start.
        from functions.api.reference.guides import guide_html

        return guide_html(name, frozenset((*GUIDES, *RUNBOOKS)))

    return read


def _openapi() -> str:
    # Imported here, because the links of all operations would lengthen every cold start.
    from functions.api.openapi.document import openapi_json

    return openapi_json()


def _html(read: Callable[[], str]) -> Page:
    headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Referrer-Policy": "no-referrer"}
    return Page(media_type=HTML, read=read, headers=headers)


PAGES: dict[str, Page] = {
    OPENAPI_PATH: Page(media_type=JSON, read=_openapi),
    DOCS_PATH: _html(_own("docs.html")),
    f"{DOCS_PATH}/docs.css": Page(media_type=STYLE, read=_own("docs.css")),
    f"{DOCS_PATH}/search.js": Page(media_type=SCRIPT, read=_own("search.js")),
    f"{DOCS_PATH}/start.js": Page(media_type=SCRIPT, read=_own("start.js")),
    f"{DOCS_PATH}/swagger-ui-bundle.js": Page(
        media_type=SCRIPT, read=_of_swagger_ui("swagger-ui-bundle.min.js"), always_compress=True
    ),
    f"{DOCS_PATH}/swagger-ui.css": Page(
        media_type=STYLE, read=_of_swagger_ui("swagger-ui.min.css"), always_compress=True
    ),
    **{f"{DOCS_PATH}/{name}": _html(_guide(name)) for name in (*GUIDES, *RUNBOOKS)},
}
"""By path. They need no API key."""


def page_answer(path: str, is_known: Callable[[str], bool]) -> Response:
    """The page, compressed where the client accepts that; a 304 where the client knows its ETag."""
    page, (text, tag) = PAGES[path], _content(path)
    return file_answer(
        text, tag, page.media_type, is_known, headers=page.headers, always_compress=page.always_compress
    )


def root_answer() -> Response:
    """A redirect from the root of the API to the docs page."""
    headers = {"Location": DOCS_PATH, "Cache-Control": "no-store"}
    return Response(status_code=302, content_type="text/plain", body=f"See {DOCS_PATH}\n", headers=headers)


@cache
def _content(path: str) -> tuple[str, str]:
    """A page's text and its ETag."""
    text = PAGES[path].read()
    return text, tag_of(text)
