"""Signed URLs of the API, read without a key into a file that the user has named."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from punctual.cli.exits import CommandError, Exit

TIMEOUT_SECONDS = 30.0
"""The longest wait for a connection or for data."""


def check_new(file: Path, *, force: bool) -> None:
    """Raise CommandError if the file cannot be created there: nothing is overwritten without `force`."""
    if file.exists() and not force:
        raise CommandError(f"{file} exists: give another name, or --force to replace it", Exit.USAGE)
    if not file.absolute().parent.is_dir():
        raise CommandError(f"{file.absolute().parent} is no directory", Exit.USAGE)


@contextmanager
def new_file(file: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """A file that appears when it is complete, and of which nothing is left otherwise. Only its owner can read it.

    Raises CommandError if it cannot be written.
    """
    try:
        with NamedTemporaryFile(dir=file.absolute().parent, prefix=f".{file.name}.", delete=False) as part:
            try:
                yield part
                part.close()  # Before its name changes.
                check_new(file, force=force)
                Path(part.name).replace(file)
            finally:
                part.close()
                Path(part.name).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror or error}", Exit.USAGE) from None


def content_of(url: str) -> Iterator[bytes]:
    """The bytes behind a signed URL, in pieces. No error has the URL, which is a credential.

    Raises ConfigurationError for a URL that is neither https nor on this machine, and CommandError if it cannot be
    read.
    """
    import httpx

    from punctual._config import checked_url
    from punctual._proxies import no_proxy_for

    checked_url(url.partition("?")[0])
    try:
        with (
            httpx.Client(mounts=no_proxy_for(url), timeout=TIMEOUT_SECONDS, follow_redirects=False) as client,
            client.stream("GET", url) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise CommandError(f"the file was answered with {response.status_code}", Exit.UNAVAILABLE)
            yield from response.iter_raw()
    except httpx.HTTPError as error:
        raise CommandError(f"the file cannot be read: {type(error).__name__}", Exit.UNAVAILABLE) from None
