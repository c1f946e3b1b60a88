"""The production port of the queue of the event bus."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from shared.bootstrap.settings import require
from shared.bootstrap.table_access import TableAccess

if TYPE_CHECKING:
    from shared.adapters.aws.client import AwsClient
    from shared.ports.event_queue import EventQueue


class EventPorts(TableAccess):
    """A part of `DynamoPorts`."""

    @cached_property
    def _sqs(self) -> AwsClient:
        raise NotImplementedError

    @cached_property
    def event_queue(self) -> EventQueue:
        from shared.adapters.sqs.event_queue import SqsEventQueue
        from shared.settings import EventReceiverSettings

        settings = require(self._settings, EventReceiverSettings)
        return SqsEventQueue(self._sqs, settings.events_queue_url, settings.dead_events_queue_url)
