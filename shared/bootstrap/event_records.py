"""What the receiver of events uses directly: the messages of the queue of the event bus."""

from shared.adapters.sqs.event_queue import read_queued_event

__all__ = ["read_queued_event"]
