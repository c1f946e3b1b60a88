"""Origins that a stage names: those whose web pages may call the API, and that of its console."""

import re
from collections.abc import Iterable

from shared.names import ORIGIN

_OF_PAGES = re.compile(r"https?://[a-z0-9.-]+(:[1-9][0-9]{0,4})?")
_OF_CONSOLE = re.compile(ORIGIN)


def check_origins(*, cors: Iterable[str], console: str | None) -> None:
    """Raise ValueError for an origin that no browser sends, or that leads no person to the console."""
    for origin in cors:
        if origin != "*" and not _OF_PAGES.fullmatch(origin):
            raise ValueError(
                "cors_origins has origins, each a scheme and a host as in https://example.com, "
                f"not {origin!r}"
            )
    if console is not None and not _OF_CONSOLE.fullmatch(console):
        raise ValueError(
            "console_origin is a scheme and a host in lower case, without a path, a user or a slash at the end, as in "
            f"https://console.example.com, and http for the loopback address alone, not {console!r}"
        )
