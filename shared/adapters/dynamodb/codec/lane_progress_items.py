"""Items of lane progress reports."""

from collections.abc import Mapping
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Value, decode_all
from shared.domain.dispatch.sweep import LaneProgress


def read_progress(item: Mapping[str, Value]) -> LaneProgress:
    row: dict[str, Any] = dict(decode_all(item))
    return LaneProgress(visible_at=row["va"], reported_at=row["ra"])
