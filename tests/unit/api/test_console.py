"""The console's files as the API serves them: open to all, kept for good by browsers, and nothing else."""

import base64
import gzip
import re
import subprocess
import sys
from urllib.parse import urljoin, urlsplit

import pytest

from functions.api.console.assets import assets
from tests.support.api import console_files
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.http_path import raw_path
from tests.unit.api.test_reference import Elements

DIGEST = assets().digest
ORIGIN = "https://punctual.example"


def fetch(path: str, *, method: str = "GET", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return ApiWorld().handle(Request(method=method, path=path, headers=sent))


def test_page_needs_no_key_and_is_asked_for_at_each_visit() -> None:
    page = fetch("/console")
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["Cache-Control"] == "no-cache"
    again = fetch("/console", if_none_match=page.headers["ETag"])
    assert (again.status, again.text) == (304, "")


def test_page_may_load_and_call_its_own_origin_only_and_make_no_markup_of_text() -> None:
    headers = fetch("/console").headers
    policy = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
    assert policy.pop("require-trusted-types-for") == "'script'"
    assert policy.pop("trusted-types") == "'none'"
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    assert {source for rule in policy.values() for source in rule.split()} == {"'self'", "'none'", "data:"}
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_page_names_only_files_of_this_version_and_has_nothing_inside_of_it() -> None:
    page = Elements(fetch("/console").text)
    assert page.inline == []
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name == "style"]
    loaded = [value or "" for tag, name, value in page.attributes if tag != "a" and name in ("src", "href")]
    files = [urlsplit(urljoin(f"{ORIGIN}/console", each)) for each in loaded if each != "data:,"]
    assert len(files) == 2
    assert {f"{each.scheme}://{each.netloc}" for each in files} == {ORIGIN}
    assert all(each.path.startswith(f"/console/{DIGEST}/") for each in files)
    assert {fetch(each.path).status for each in files} == {200}


@pytest.mark.parametrize(
    ("name", "kind"), [("app.js", "javascript"), ("console.css", "css"), ("licences.txt", "plain")]
)
def test_file_is_served_under_the_digest_and_kept_for_good(name: str, kind: str) -> None:
    answer = fetch(f"/console/{DIGEST}/{name}")
    assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(base64.b64decode(answer.text)).decode() == assets().by_name[name].text
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == f"text/{kind}; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert fetch(f"/console/{DIGEST}/{name}", if_none_match=answer.headers["ETag"]).status == 304


def test_all_styles_and_licences_are_in_the_files_that_are_served() -> None:
    styles = [name for name in console_files.names() if name.endswith(".css")]
    licences = [name for name in console_files.names() if name.endswith(".txt")]
    assert len(styles) == len(licences) == 3
    for name in styles:
        assert console_files.text(name) in assets().by_name["console.css"].text
    for name in licences:
        assert console_files.text(name) in assets().by_name["licences.txt"].text


def test_visit_of_a_browser_costs_little() -> None:
    sizes = [len(fetch(f"/console/{DIGEST}/{name}").text) for name in ("app.js", "console.css")]
    assert sum(sizes) < 250_000


@pytest.mark.parametrize("path", ["/console", f"/console/{DIGEST}/app.js"])
def test_head_has_the_headers_and_no_body(path: str) -> None:
    asked, headed = fetch(path), fetch(path, method="HEAD")
    assert (headed.status, headed.text) == (200, "")
    assert headed.headers == asked.headers


@pytest.mark.parametrize(
    "path",
    [
        "/console/",
        "/console//app.js",
        f"/console/{DIGEST}",
        f"/console/{DIGEST}/",
        f"/console/{DIGEST}/none.js",
        f"/console/{DIGEST}/../assets.py",
        f"/console/{DIGEST}/..%2Fassets.py",
        f"/console/{DIGEST}/lib/../app.js",
        f"/console/{DIGEST}/lib/api.js",
        f"/console/{DIGEST}/lib%2Fapi.js/",
        f"/console/{DIGEST}/%2Fetc%2Fpasswd",
        f"/console/{DIGEST}/app.js%00",
        f"/console/{DIGEST}/APP.JS",
        "/console/<digest>/<file>",
        "/consolers",
    ],
)
def test_no_other_path_leads_to_a_file(path: str) -> None:
    assert ApiWorld().get(raw_path(path)).problem == "not-found"


def test_file_of_another_version_is_not_found_and_says_that_the_console_was_updated() -> None:
    answer = fetch("/console/0123456789abcdef/app.js")
    assert (answer.status, answer.headers["Cache-Control"]) == (404, "no-store")
    assert "updated" in answer.json["detail"]


@pytest.mark.parametrize("path", ["/console", f"/console/{DIGEST}/app.js"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_files_can_only_be_read(path: str, method: str) -> None:
    world = ApiWorld()
    assert world.handle(Request(method=method, path=path)).problem == "unauthenticated"
    refused = world.handle(Request(method=method, path=path, headers=world.credential))
    assert (refused.problem, refused.headers["Allow"]) == ("method-not-allowed", "GET, HEAD")


def test_files_are_read_at_the_first_request_for_one_and_not_at_start() -> None:
    script = "from functions.api.console import assets; print(assets.assets.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize("name", console_files.own(".js"))
def test_every_import_resolves_to_a_file_of_the_console(name: str) -> None:
    assert console_files.imports(name) <= set(console_files.names())


def test_every_script_is_used() -> None:
    scripts = {name for name in console_files.names() if name.endswith((".js", ".mjs"))}
    used = {each for name in scripts for each in console_files.imports(name)}
    assert scripts - used == {"app.js"}


@pytest.mark.parametrize("name", console_files.own(".js", ".css", ".html"))
def test_file_names_no_other_host_and_makes_no_markup_or_code_of_text(name: str) -> None:
    code = console_files.code(name) if name.endswith(".js") else console_files.text(name)
    # Names of XML are never fetched.
    addresses = re.findall(r"""(?:https?:)?//[a-z][^\s'"`]*""", code.replace("http://www.w3.org/", ""))
    assert [
        each for each in addresses if not each.startswith(("http://localhost", "https://example.com"))
    ] == []
    sinks = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|javascript:"
        r"|\sstyle=|@import|\blocalStorage\.setItem\([^S]*key"
    )
    assert re.findall(sinks, code) == []


@pytest.mark.parametrize("name", console_files.own(".js", ".css", ".html"))
def test_file_is_short_enough_to_be_read(name: str) -> None:
    assert len(console_files.text(name).splitlines()) <= 300
