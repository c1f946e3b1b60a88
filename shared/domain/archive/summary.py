"""What a file of the archive contains, computed from the ids of its rows in the order of the file."""

from collections.abc import Iterable, Mapping
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.archive.unit import ArchiveUnit, unit_of
from shared.domain.errors import InvalidValueError
from shared.domain.ids import parse_execution_id

ROW_GROUP = 20_480
"""Rows of a row group: readers fetch one at a time."""
_MODULUS = 1 << 64


@dataclass(frozen=True, slots=True)
class ShardSum:
    """The rows of one shard of one bucket, and the sum of the hashes of their ids modulo 2^64."""

    rows: int
    hashes: int


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Consecutive rows, and the tenants of the first and of the last of them."""

    rows: int
    first_tenant: str
    last_tenant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSummary:
    """Two files with equal summaries have the same rows and the same bytes."""

    sha256: str
    size: int
    shards: Mapping[str, ShardSum]
    """By bucket and shard, such as `29000000#3`."""
    tenants: Mapping[str, int]
    """Rows of each tenant."""
    row_groups: tuple[RowGroup, ...]

    @property
    def rows(self) -> int:
        return sum(self.tenants.values())


def summarise(unit: ArchiveUnit, ids: Iterable[tuple[str, str]], *, file_hash: str, size: int) -> FileSummary:
    """`ids` has tenant and id of each row, in the order of the file.

    InvalidValueError for a row of another unit, and for an id that the file has twice.
    """
    shards: dict[str, ShardSum] = {}
    tenants: dict[str, int] = {}
    groups: list[RowGroup] = []
    previous = ""
    for number, (tenant, text) in enumerate(ids):
        identity = parse_execution_id(text)
        if text == previous or unit_of(identity) != unit:
            raise InvalidValueError(
                f"{text} is twice in a file of the archive, or in the file of another unit"
            )
        previous = text
        key = f"{identity.bucket}#{identity.shard}"
        known = shards.get(key, ShardSum(0, 0))
        shards[key] = ShardSum(known.rows + 1, (known.hashes + id_hash(text)) % _MODULUS)
        tenants[tenant] = tenants.get(tenant, 0) + 1
        if number % ROW_GROUP == 0:
            groups.append(RowGroup(1, tenant, tenant))
        else:
            groups[-1] = RowGroup(groups[-1].rows + 1, groups[-1].first_tenant, tenant)
    return FileSummary(sha256=file_hash, size=size, shards=shards, tenants=tenants, row_groups=tuple(groups))


def id_hash(text: str) -> int:
    """64 bits of an id. Sums of them show a missing, an added and an exchanged row."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])
