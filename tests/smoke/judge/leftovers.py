"""Resources that a teardown left behind, by the tags that AWS still lists."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

KEY = re.compile(r"arn:[^:]+:kms:")
_TRANSIENT = re.compile(r"arn:[^:]+:codedeploy:|arn:[^:]+:lambda:[^:]+:[^:]+:event-source-mapping:")
"""Deleted with their application or their function, and listed by their tags for some hours more."""


def tagged(client: Any, stage: str) -> list[str]:
    """The ARNs of everything with the tag of a stage."""
    pages = client.get_paginator("get_resources").paginate(
        TagFilters=[{"Key": "punctual:stage", "Values": [stage]}]
    )
    return [found["ResourceARN"] for page in pages for found in page["ResourceTagMappingList"]]


def leftovers(arns: Iterable[str], key_states: Mapping[str, str]) -> list[str]:
    """Those that cost or hold something. A key is none once its deletion is scheduled."""
    left = []
    for arn in arns:
        if _TRANSIENT.match(arn):
            continue
        if KEY.match(arn) and key_states.get(arn) in ("PendingDeletion", "PendingReplicaDeletion"):
            continue
        left.append(arn)
    return sorted(left)
