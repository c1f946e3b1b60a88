"""Fetches the libraries of the console from npm: `make console-vendor`.

`vendor.toml` names each package with the hash that npm published for it, and each file with the hash of what is
committed. A package or a file with another hash is refused, and nothing is written.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from base64 import b64encode
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any

CONSOLE = Path(__file__).resolve().parents[1] / "functions" / "api" / "console"
LIST = CONSOLE / "vendor.toml"
VENDOR = CONSOLE / "static" / "vendor"


class VendorError(Exception):
    """What was fetched is not what the list names."""


def packages() -> list[dict[str, Any]]:
    """The packages of the list, as it is written."""
    listed: list[dict[str, Any]] = tomllib.loads(LIST.read_text(encoding="utf-8"))["package"]
    return listed


def files_of(package: dict[str, Any], archive: bytes) -> dict[str, bytes]:
    """The files of a package's archive, by their name in `static/vendor`; VendorError for another hash."""
    integrity = f"sha512-{b64encode(sha512(archive).digest()).decode()}"
    if integrity != package["integrity"]:
        raise VendorError(f"{package['name']} {package['version']} has the hash {integrity}")
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for file in package["files"]:
            member = tar.extractfile(f"package/{file['from']}")
            if member is None:
                raise VendorError(f"{package['name']} has no file {file['from']}")
            content = _rewritten(member.read(), file)
            if sha256(content).hexdigest() != file["sha256"]:
                raise VendorError(f"{file['to']} has the hash {sha256(content).hexdigest()}")
            found[file["to"]] = content
    return found


def _rewritten(content: bytes, file: dict[str, Any]) -> bytes:
    for old, new in file.get("rewrite", ()):
        if content.count(old.encode()) != 1:
            raise VendorError(f"{file['from']} does not have {old!r} once")
        content = content.replace(old.encode(), new.encode())
    return content


def _fetch(package: dict[str, Any]) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        name = f"{package['name']}@{package['version']}"
        command = ["npm", "pack", name, "--loglevel=error", "--pack-destination", scratch]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - names of the list
        (archive,) = Path(scratch).iterdir()
        return archive.read_bytes()


def main() -> int:
    """Write all files, or none."""
    try:
        found = {name: text for each in packages() for name, text in files_of(each, _fetch(each)).items()}
    except VendorError as error:
        print(f"{error}; correct {LIST.name} if that is right", file=sys.stderr)  # noqa: T201 - a command
        return 1
    for name, content in found.items():
        (VENDOR / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
