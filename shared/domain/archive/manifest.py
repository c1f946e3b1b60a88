"""The description of a file of the archive, stored as JSON beside it.

The file decides: a manifest that names another ETag describes an earlier file. A crash between the two puts leaves
such a manifest, and the next pass replaces it.
"""

import json
from collections.abc import Mapping
from typing import Any

from shared.dataclass import dataclass
from shared.domain.archive.summary import FileSummary, RowGroup, ShardSum
from shared.domain.errors import UnreadableItemError

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A sealed manifest says that no execution of the unit is missing."""

    sealed: bool
    passed_at: int
    """When the pass began that wrote it, in UTC ms."""
    etag: str | None
    """The file that it describes; None for a unit without executions, which has no file."""
    file: FileSummary
    lasting: Mapping[str, int]
    """Rows of each tenant whose records cannot expire within a day of the pass."""


def encode_manifest(manifest: Manifest) -> bytes:
    """Keys in a fixed order, so that equal manifests have equal bytes."""
    file = manifest.file
    document = {
        "v": VERSION,
        "sealed": manifest.sealed,
        "passed_at": manifest.passed_at,
        "etag": manifest.etag,
        "sha256": file.sha256,
        "size": file.size,
        "rows": file.rows,
        "forgotten": dict(sorted(file.forgotten.items())),
        # Sums have 64 bits, which no JSON number of other readers can hold.
        "shards": {key: [each.rows, f"{each.hashes:016x}"] for key, each in sorted(file.shards.items())},
        "tenants": dict(sorted(file.tenants.items())),
        "lasting": dict(sorted(manifest.lasting.items())),
        "row_groups": [[each.rows, each.first_tenant, each.last_tenant] for each in file.row_groups],
    }
    return json.dumps(document, separators=(",", ":")).encode()


def read_manifest(content: bytes) -> Manifest:
    """UnreadableItemError for anything but a manifest of a known version."""
    try:
        document = json.loads(content)
        if document["v"] != VERSION:
            raise UnreadableItemError(f"a manifest has version {document['v']!r}")
        return _manifest(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableItemError("a manifest of the archive is broken") from error


def _manifest(document: Mapping[str, Any]) -> Manifest:
    shards = {key: ShardSum(rows, int(hashes, 16)) for key, (rows, hashes) in document["shards"].items()}
    return Manifest(
        sealed=document["sealed"],
        passed_at=document["passed_at"],
        etag=document["etag"],
        file=FileSummary(
            sha256=document["sha256"],
            size=document["size"],
            shards=shards,
            tenants=dict(document["tenants"]),
            row_groups=tuple(RowGroup(*each) for each in document["row_groups"]),
            forgotten=dict(document["forgotten"]),
        ),
        lasting=dict(document["lasting"]),
    )
