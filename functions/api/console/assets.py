"""The files of the console, read at the first request for one of them.

The page `/console` names all other files below a digest of their content. So a browser keeps each file for good,
and loads every file anew after a deployment that changes any of them.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from functions.api.http.admission import CONSOLE_PATH
from functions.api.http.page import CONTENT_SECURITY_POLICY, HTML, SCRIPT, STYLE, TEXT, file_answer, tag_of
from functions.api.http.problems import Problem, ProblemError
from functions.api.http.request import AuthenticatedRequest
from functions.api.http.response import Response
from shared.dataclass import dataclass

ASSET_PATHS = (
    f"{CONSOLE_PATH}/<digest>/<file>",
    f"{CONSOLE_PATH}/<digest>/<folder>/<file>",
    f"{CONSOLE_PATH}/<digest>/<folder>/<part>/<file>",
)
"""The paths of the files, by the depth of their folder."""
_STATIC = Path(__file__).with_name("static")
_INDEX = "index.html"
_DIGEST = "DIGEST"
"""What the page has in place of the digest."""
_MEDIA_TYPES = {".css": STYLE, ".js": SCRIPT, ".mjs": SCRIPT, ".txt": TEXT}
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
    """The files that the page loads, by their path below `static`."""


@cache
def assets() -> Assets:
    """The files of this deployment. The first call reads them; later calls return the same value."""
    texts = {
        path.relative_to(_STATIC).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(_STATIC.rglob("*"))
        if path.suffix in _MEDIA_TYPES or path.name == _INDEX
    }
    whole = sha256()
    for name, text in texts.items():
        whole.update(f"{name}\0{len(text)}\0{text}\0".encode())
    digest = whole.hexdigest()[:16]
    page = _asset(HTML, texts.pop(_INDEX).replace(_DIGEST, digest))
    by_name = {name: _asset(_MEDIA_TYPES[Path(name).suffix], text) for name, text in texts.items()}
    return Assets(digest=digest, page=page, by_name=by_name)


def page_answer(request: AuthenticatedRequest) -> Response:
    """The page, which a browser asks for at each visit."""
    page = assets().page
    return file_answer(page.text, page.tag, page.media_type, request.knows, headers=_PAGE_HEADERS)


def asset_answer(request: AuthenticatedRequest) -> Response:
    """A file that the page loads; ProblemError with a 404 for other names, and for those of other versions."""
    digest, *parts = request.path_values.values()
    found = assets().by_name.get("/".join(parts))
    if found is None:
        raise ProblemError(Problem.NOT_FOUND, "the console has no such file")
    if digest != assets().digest:
        raise ProblemError(Problem.NOT_FOUND, f"the console was updated: load {CONSOLE_PATH} again")
    return _kept(found, request.knows)


def _kept(asset: Asset, is_known: Callable[[str], bool]) -> Response:
    return file_answer(asset.text, asset.tag, asset.media_type, is_known, cache=_FOR_GOOD)


def _asset(media_type: str, text: str) -> Asset:
    return Asset(media_type=media_type, text=text, tag=tag_of(text))
