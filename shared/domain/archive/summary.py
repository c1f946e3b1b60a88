"""What a file of the archive contains, computed from the ids of its rows in the order of the file."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from hashlib import sha256

from shared.dataclass import dataclass
from shared.domain.archive.unit import ArchiveUnit, unit_of
from shared.domain.errors import InvalidValueError
from shared.domain.ids import ExecutionId, parse_execution_id

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
    forgotten: Mapping[str, int] = field(default_factory=dict)
    """Rows of each shard that were removed with their tenants: with `shards`, all that were ever archived."""

    @property
    def rows(self) -> int:
        return sum(self.tenants.values())

    @property
    def ever_archived(self) -> Counter[str]:
        """Rows by shard, with those that were removed."""
        return Counter({key: each.rows for key, each in self.shards.items()}) + Counter(self.forgotten)


def summarise(
    unit: ArchiveUnit,
    ids: Iterable[tuple[str, str]],
    *,
    file_hash: str,
    size: int,
    forgotten: Mapping[str, int] | None = None,
) -> FileSummary:
    """`ids` has tenant and id of each row, in the order of the file; `forgotten` is what the file says.

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
        key = _shard_key(identity)
        known = shards.get(key, ShardSum(0, 0))
        shards[key] = ShardSum(known.rows + 1, (known.hashes + id_hash(text)) % _MODULUS)
        tenants[tenant] = tenants.get(tenant, 0) + 1
        if number % ROW_GROUP == 0:
            groups.append(RowGroup(1, tenant, tenant))
        else:
            groups[-1] = RowGroup(groups[-1].rows + 1, groups[-1].first_tenant, tenant)
    return FileSummary(
        sha256=file_hash,
        size=size,
        shards=shards,
        tenants=tenants,
        row_groups=tuple(groups),
        forgotten=dict(forgotten or {}),
    )


def rows_by_shard(ids: Iterable[str]) -> Counter[str]:
    """The keys are those of `FileSummary.shards`. InvalidValueError for anything but ids."""
    return Counter(_shard_key(parse_execution_id(text)) for text in ids)


def _shard_key(identity: ExecutionId) -> str:
    return f"{identity.bucket}#{identity.shard}"


def id_hash(text: str) -> int:
    """64 bits of an id. Sums of them show a missing, an added and an exchanged row."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])
