"""How to install what the command line needs besides the SDK, with the standard library alone."""

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit
from urllib.request import url2pathname


def command_to_install(prefix: Path = Path(sys.prefix), direct_url: str | None = None) -> str:
    """The command that installs the extra `cli` into this environment, from where the SDK was installed.

    `prefix` is the folder of the environment, and `direct_url` the record of the installation (PEP 610): by default
    that of this one. Without a folder or file that it names, the SDK is in the checkout.
    """
    url = urlsplit(json.loads(direct_url or _direct_url())["url"])
    source = url2pathname(url.path).rstrip("/") if url.scheme == "file" else "./client"
    is_pipx = (prefix / "pipx_metadata.json").is_file()
    return f"{'pipx install --force' if is_pipx else 'pip install'} {quote(f'{source}[cli]')}"


def _direct_url() -> str:
    try:
        found = distribution("punctual-client").read_text("direct_url.json")
    except PackageNotFoundError:
        found = None
    return found or '{"url": ""}'
