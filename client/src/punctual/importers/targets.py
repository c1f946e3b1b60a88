"""The URLs that the user gives for the targets of a source, and the parts of a request that need care."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from punctual._secret_names import may_be_secret
from punctual.applyfile.model import KEY
from punctual.importers.job import UnreadableSourceError

NO_URL: Final = "https://example.com/set-a-url"
"""Stands in the nearest job of a misfit whose target has no URL. Such a job is only ever a comment."""
_LONGEST_KEY: Final = 60
"""So that it fits into 128 characters behind the name of any set, also with a number that tells equal lines apart."""
_DIGITS: Final = 8
_URL: Final = re.compile(r"https?://\S{1,2040}")
_GIVEN: Final = re.compile(r"=(?=https?://)")
_NOT_SENT: Final = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


@dataclass(frozen=True, slots=True)
class UrlMap:
    """URLs by target, as `--map TARGET=URL` and `--map-file` give them."""

    urls: Mapping[str, str] = field(default_factory=dict)

    def find(self, *targets: str) -> str | None:
        """Return the URL of the first target that has one."""
        return next((self.urls[target] for target in targets if target in self.urls), None)


def url_map(pairs: Iterable[str], file: bytes | None = None) -> UrlMap:
    """Read `TARGET=URL` pairs and a JSON object `{"target": "url"}`. Raises UnreadableSourceError."""
    urls: dict[str, str] = {}
    if file is not None:
        try:
            given = json.loads(file)
        except (ValueError, RecursionError):
            raise UnreadableSourceError(
                'the map file is no JSON object such as {"target": "https://…"}'
            ) from None
        if not isinstance(given, dict) or not all(isinstance(url, str) for url in given.values()):
            raise UnreadableSourceError('the map file is no JSON object such as {"target": "https://…"}')
        urls.update(given)
    for pair in pairs:
        ends = [match.start() for match in _GIVEN.finditer(pair)]
        if len(ends) != 1:
            raise UnreadableSourceError(
                "--map needs TARGET=https://… with one such address; put other targets into --map-file"
            )
        urls[pair[: ends[0]]] = pair[ends[0] + 1 :]
    for target, url in urls.items():
        if not _URL.fullmatch(url):
            raise UnreadableSourceError(
                f"the URL for the target {target[:80]!r} is not of the form https://…"
            )
    return UrlMap(urls)


def job_key(text: str) -> str:
    """Return a key for the name of a job in its source: different keys for different names.

    `group/name` becomes `group:name`. A name that is long, or that has characters that no key has, gets a digest.
    """
    bare = text.replace("/", ":")
    if ":" not in text and len(bare) <= _LONGEST_KEY and KEY.fullmatch(bare):
        return bare
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    near = re.sub(r"[^A-Za-z0-9._:-]+", "-", bare).lstrip("._:-")[: _LONGEST_KEY - _DIGITS - 1]
    return f"{near}-{digest}" if near else f"job-{digest}"


def tag(text: str) -> str:
    """Return the text as a tag: lower case, everything else replaced by `-`, at most 63 characters."""
    return re.sub(r"[^a-z0-9._:/=-]", "-", text.lower())[:63]


Names = Callable[[str, str], str]
"""The environment variable for a header of a job, by the job's key and the header's name."""


def take_headers(key: str, given: Mapping[str, str], names: Names) -> tuple[dict[str, Any], list[str]]:
    """Return the headers for the file, and notes.

    A header whose name speaks of a secret becomes an environment variable: the file must not hold its value.
    """
    headers: dict[str, Any] = {}
    notes = []
    for name, value in given.items():
        lower = name.lower()
        if lower in _NOT_SENT or lower.startswith(("webhook-", "punctual-", "upstash-")):
            notes.append(f"the header {name} is not carried over")
        elif may_be_secret(name):
            variable = names(key, name)
            headers[name] = {"env": variable}
            notes.append(f"set {variable} to the value of the header {name}")
        else:
            headers[name] = value
    return headers, notes
