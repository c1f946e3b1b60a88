"""The docs page: open to all, whole from our own origin, and free to load nothing else."""

import base64
import gzip
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest

from functions.api.http.admission import OPEN_PATHS
from functions.api.issuer import CONFIGURATION_PATH, KEYS_PATH
from functions.api.reference.pages import DOCS_PATH, PAGES, ROOT_PATH
from functions.api.routes import every_route
from tests.support.api.api_world import Answer, ApiWorld, Request

ORIGIN = "https://punctual.example"
LAMBDA_LIMIT = 6 * 1024 * 1024
LOADING = {
    "href",
    "src",
    "srcset",
    "data",
    "action",
    "formaction",
    "poster",
    "background",
    "manifest",
    "ping",
}


class Elements(HTMLParser):
    """The tags of a page, and the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.inline: list[str] = []
        self._within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within = tag
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data: str) -> None:
        if self._within in ("script", "style") and data.strip():
            self.inline.append(data)


def fetch(path: str, **headers: str) -> Answer:
    """The answer as it is sent; a file that is always compressed has its text."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = ApiWorld().handle(Request(method="GET", path=path, headers=sent))
    if PAGES.get(path) and PAGES[path].always_compress and "accept-encoding" not in sent and answer.text:
        return replace(answer, text=unpacked(answer))
    return answer


def unpacked(answer: Answer) -> str:
    return gzip.decompress(base64.b64decode(answer.text)).decode()


def page() -> Elements:
    return Elements(fetch(DOCS_PATH).text)


def test_every_page_is_open_and_nothing_else_is_besides_health() -> None:
    assert {
        route.path for route in every_route() if route.is_open and not route.takes_token
    } | PAGES.keys() | {ROOT_PATH, CONFIGURATION_PATH, KEYS_PATH} == OPEN_PATHS


def test_every_reference_of_the_page_resolves_within_its_own_origin() -> None:
    found = [value for _, name, value in page().attributes if name in LOADING and value != "data:,"]
    assert len(found) > 4
    for reference in found:
        target = urlsplit(urljoin(f"{ORIGIN}{DOCS_PATH}", reference))
        assert f"{target.scheme}://{target.netloc}" == ORIGIN
        assert fetch(target.path).status == 200


def test_the_page_loads_the_document_and_asks_no_validator() -> None:
    script = fetch(f"{DOCS_PATH}/start.js").text
    (url,) = re.findall(r'url: "([^"]+)"', script)
    assert fetch(urlsplit(urljoin(f"{ORIGIN}{DOCS_PATH}", url)).path).json["openapi"] == "3.1.0"
    assert "validatorUrl: null" in script and "persistAuthorization: false" in script
    (element,) = re.findall(r'dom_id: "#([^"]+)"', script)
    assert ("div", "id", element) in page().attributes
    assert "//" not in re.sub(r"^ *// .*$", "", script, flags=re.MULTILINE)


def test_the_browser_is_told_to_load_nothing_from_elsewhere() -> None:
    answer = fetch(DOCS_PATH)
    policy = dict(rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; "))
    assert policy.pop("default-src") == "'none'"
    sources = {source for rule in policy.values() for source in rule.split()}
    assert sources == {"'self'", "'none'", "data:"}
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"


def test_the_page_has_no_script_or_style_inside_of_it() -> None:
    elements = page()
    assert elements.inline == []
    assert not [name for _, name, _ in elements.attributes if name.startswith("on") or name == "style"]


def test_the_style_sheet_loads_nothing() -> None:
    sheet = fetch(f"{DOCS_PATH}/swagger-ui.css").text
    assert "@import" not in sheet
    assert [
        url for url in re.findall(r"url\(\s*[\"']?([^\"')]{0,40})", sheet) if not url.startswith("data:")
    ] == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_small_enough_and_named_for_what_it_is(path: str) -> None:
    answer = fetch(path)
    assert answer.status == 200
    assert 0 < len(answer.text.encode()) < LAMBDA_LIMIT
    assert answer.headers["Content-Type"] == PAGES[path].media_type
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_comes_compressed_to_whoever_takes_that(path: str) -> None:
    answer = fetch(path, accept_encoding="gzip, deflate, br")
    assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert unpacked(answer) == fetch(path).text
    assert "Accept-Encoding" in answer.headers["Vary"]


@pytest.mark.parametrize("path", PAGES)
def test_no_client_gets_more_than_half_a_megabyte_for_a_request_without_a_key(path: str) -> None:
    answer = ApiWorld().handle(Request(method="GET", path=path))
    assert len(answer.text.encode()) < 600_000


@pytest.mark.parametrize("path", PAGES)
def test_unchanged_page_is_answered_with_304(path: str) -> None:
    tag = fetch(path).headers["ETag"]
    assert fetch(path).headers["Cache-Control"] == "no-cache"
    again = fetch(path, if_none_match=tag)
    assert (again.status, again.text, again.headers["ETag"]) == (304, "", tag)
    assert fetch(path, if_none_match='W/"other"').status == 200


def test_pages_of_different_content_have_different_tags() -> None:
    assert len({fetch(path).headers["ETag"] for path in PAGES}) == len(PAGES)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_pages_can_only_be_read(path: str, method: str) -> None:
    world = ApiWorld()
    assert world.handle(Request(method=method, path=path)).problem == "unauthenticated"
    refused = world.handle(Request(method=method, path=path, headers=world.credential))
    assert (refused.problem, refused.headers["Allow"]) == ("method-not-allowed", "GET, HEAD")


@pytest.mark.parametrize(
    "path", ["/v1/docs/", "/v1/docs/..", "/v1/docs/html.py", "/v1/docs/swagger-ui.min.css", "/docs"]
)
def test_paths_beside_the_docs_page_need_a_key_and_are_not_found(path: str) -> None:
    assert fetch(path).problem == "unauthenticated"
    world = ApiWorld()
    assert world.get(path).problem == "not-found"
