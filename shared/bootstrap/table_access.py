"""What the parts of the production ports have in common."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shared.adapters.aws.client import AwsClient
    from shared.adapters.dynamodb.batch_reads import Backoff
    from shared.settings import Settings


class TableAccess:
    """The settings, the names of the tables, and the client of DynamoDB, which `DynamoPorts` makes."""

    _settings: Settings
    _region: str
    _leases: str
    _executions: str
    _jobs: str

    @cached_property
    def _dynamodb(self) -> AwsClient:
        raise NotImplementedError

    @cached_property
    def _backoff(self) -> Backoff:
        raise NotImplementedError
