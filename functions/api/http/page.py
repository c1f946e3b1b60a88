"""Files without secrets, which are the same for every reader until the next deployment."""

from collections.abc import Callable, Mapping
from hashlib import sha256

from functions.api.http.response import Response

HTML = "text/html; charset=utf-8"
SCRIPT = "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A page loads files of its own origin only, and no other page can frame it."""


def tag_of(text: str) -> str:
    """The ETag of a file, which is weak because the compressed form has the same."""
    return f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def file_answer(
    text: str,
    tag: str,
    media_type: str,
    is_known: Callable[[str], bool],
    *,
    cache: str = "no-cache",
    headers: Mapping[str, str] | None = None,
    always_compress: bool = False,
) -> Response:
    """The file, compressed where the client accepts that; a 304 where the client knows its ETag."""
    sent = {"Cache-Control": cache, "ETag": tag, "Vary": "Accept-Encoding", **(headers or {})}
    if is_known(tag):
        return Response(status_code=304, content_type=media_type, body="", headers=sent)
    return Response(
        status_code=200,
        content_type=media_type,
        body=text,
        headers=sent,
        compress=True,
        always_compress=always_compress,
    )
