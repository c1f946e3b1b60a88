"""The libraries of the console are those that npm published."""

import io
import tarfile
from base64 import b64encode
from hashlib import sha256, sha512
from typing import Any

import pytest

from infra.console_vendor import VENDOR, VendorError, files_of, packages


def test_every_file_has_the_hash_of_the_list_and_no_other_file_is_there() -> None:
    listed = {file["to"]: file["sha256"] for package in packages() for file in package["files"]}
    there = {path.name: sha256(path.read_bytes()).hexdigest() for path in VENDOR.iterdir()}
    assert there == listed


def test_every_library_has_its_licence_beside_it() -> None:
    for package in packages():
        (licence,) = [file["to"] for file in package["files"] if file["from"] == "LICENSE"]
        assert (
            "Copyright" in (VENDOR / licence).read_text()
            or "Apache License" in (VENDOR / licence).read_text()
        )


def archived(content: bytes = b'import "preact";') -> tuple[dict[str, Any], bytes]:
    """A package that the list would accept, and its archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo("package/a.mjs")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    archive = buffer.getvalue()
    rewritten = content.replace(b'"preact"', b'"./preact.mjs"')
    file = {
        "from": "a.mjs",
        "to": "a.mjs",
        "sha256": sha256(rewritten).hexdigest(),
        "rewrite": [['"preact"', '"./preact.mjs"']],
    }
    integrity = f"sha512-{b64encode(sha512(archive).digest()).decode()}"
    return {"name": "a", "version": "1", "integrity": integrity, "files": [file]}, archive


def test_package_of_the_list_is_taken_with_its_rewrites() -> None:
    package, archive = archived()
    assert files_of(package, archive) == {"a.mjs": b'import "./preact.mjs";'}


def test_package_with_another_hash_is_refused() -> None:
    package, archive = archived()
    with pytest.raises(VendorError, match="a 1 has the hash"):
        files_of(package, archive + b" ")


def test_file_with_another_hash_or_without_what_is_rewritten_is_refused() -> None:
    package, archive = archived()
    package["files"][0]["sha256"] = "0"
    with pytest.raises(VendorError, match=r"a\.mjs has the hash"):
        files_of(package, archive)
    package, archive = archived(b"export const nothing = 1;")
    with pytest.raises(VendorError, match="once"):
        files_of(package, archive)
