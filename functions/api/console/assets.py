"""The files of the console, read at the first request for one of them.

The page `/console` loads one script and one style sheet, which are joined of all others. Their addresses have a
digest of the content. So a browser keeps them for good, and loads both anew after a deployment that changes any file.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

from functions.api.console.pack import pack
from functions.api.http.page import CONTENT_SECURITY_POLICY, HTML, SCRIPT, STYLE, TEXT, file_answer, tag_of
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from shared.dataclass import dataclass
from shared.names import CONSOLE_PATH

ASSET_PATH = f"{CONSOLE_PATH}/<digest>/<file>"
_STATIC = Path(__file__).with_name("static")
_INDEX = "index.html"
_DIGEST = "DIGEST"
"""What the page has in place of the digest."""
_FIRST = "app.js"
"""The module that starts the console, and the name of the script that has all modules."""
_STYLES = ("vendor/uPlot.css", "console.css", "pages.css")
"""In the order of the cascade. The style sheet that has all of them is called `console.css`."""
_PAGE_HEADERS = {
    "Content-Security-Policy": f"{CONTENT_SECURITY_POLICY}; require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file of the console."""

    media_type: str
    text: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assets:
    """All files of the console."""

    digest: str
    """The name of this version, made of the content of all files."""
    page: Asset
    by_name: dict[str, Asset]
    """The files that the page loads, and the licences."""


@cache
def assets() -> Assets:
    """The files of this deployment. The first call reads them; later calls return the same value."""
    texts = {
        path.relative_to(_STATIC).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(_STATIC.rglob("*"))
        if path.is_file()
    }
    # The licences of the libraries ask to be there wherever the libraries are.
    licences = "\n".join(text for name, text in texts.items() if name.endswith(".txt"))
    modules = {name: text for name, text in texts.items() if name.endswith((".js", ".mjs"))}
    by_name = {
        _FIRST: _asset(SCRIPT, pack(modules, _FIRST)),
        "console.css": _asset(STYLE, "\n".join(texts[name] for name in _STYLES)),
        "licences.txt": _asset(TEXT, licences),
    }
    whole = sha256("\0".join([texts[_INDEX], *(asset.text for asset in by_name.values())]).encode())
    digest = whole.hexdigest()[:16]
    page = _asset(HTML, texts[_INDEX].replace(_DIGEST, digest))
    return Assets(digest=digest, page=page, by_name=by_name)


def page_answer(request: AuthenticatedRequest) -> Response:
    """The page, which a browser asks for at each visit."""
    page = assets().page
    return file_answer(page.text, page.tag, page.media_type, request.knows, headers=_PAGE_HEADERS)


def asset_answer(request: AuthenticatedRequest) -> Response:
    """A file that the page loads; ProblemError with a 404 for other names, and for those of other versions."""
    found = assets().by_name.get(request.path_values["file"])
    if found is None:
        raise ProblemError(Problem.NOT_FOUND, "the console has no such file")
    if request.path_values["digest"] != assets().digest:
        raise ProblemError(Problem.NOT_FOUND, f"the console was updated: load {CONSOLE_PATH} again")
    # Compressed for every client: a request without a key would cost four times as much otherwise.
    return file_answer(
        found.text, found.tag, found.media_type, request.knows, cache=_FOR_GOOD, always_compress=True
    )


def _asset(media_type: str, text: str) -> Asset:
    return Asset(media_type=media_type, text=text, tag=tag_of(text))
