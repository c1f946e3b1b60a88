"""Schemas of event sources."""

from typing import Annotated

from pydantic import Field, StringConstraints

from functions.api.models import InstantOut, Representation, Schema, with_examples
from functions.api.resources.event_sources import examples
from shared.domain.errors import InvalidValueError
from shared.domain.schedules.instants import format_instant
from shared.domain.triggers.event_source import MAX_PREFIX, MAX_ROUTES, EventRoute, EventSource

Prefix = Annotated[str, StringConstraints(min_length=1, max_length=MAX_PREFIX)]


class EventRouteIn(Schema):
    """The tenant of all events whose source begins with a prefix."""

    source_prefix: Prefix = Field(
        description="How the `source` of an event begins. The longest prefix counts."
    )
    tenant_id: str = Field(description="A tenant, whose triggers the events reach.", max_length=40)

    def route(self, index: int) -> EventRoute:
        """InvalidValueError with the path of the member in the list."""
        try:
            return EventRoute(source_prefix=self.source_prefix, tenant_id=self.tenant_id)
        except InvalidValueError as error:
            raise InvalidValueError(str(error), path=("routes", str(index), *error.path)) from error


class EventSourceIn(Schema):
    """Which tenants the events of an account of AWS are for."""

    model_config = with_examples(examples.EVENT_SOURCE_IN)

    routes: list[EventRouteIn] = Field(
        description="Events that no prefix matches are dropped.", min_length=1, max_length=MAX_ROUTES
    )

    def event_source(self, account: str) -> EventSource:
        """InvalidValueError with the path of the member."""
        return EventSource(
            account=account,
            version=0,
            changed_at=0,
            routes=tuple(each.route(index) for index, each in enumerate(self.routes)),
        )


class EventRouteOut(Representation):
    """The tenant of all events whose source begins with a prefix."""

    source_prefix: str
    tenant_id: str


class EventSourceOut(Representation):
    """The routes of an account. The version grows with each change."""

    model_config = with_examples(examples.EVENT_SOURCE_OUT)

    account: str
    version: int
    routes: list[EventRouteOut]
    changed_at: InstantOut


class EventSourcesOut(Representation):
    """All event sources, by account."""

    model_config = with_examples(examples.EVENT_SOURCES_OUT)

    event_sources: list[EventSourceOut]


def event_source_out(source: EventSource) -> EventSourceOut:
    return EventSourceOut(
        account=source.account,
        version=source.version,
        routes=[
            EventRouteOut(source_prefix=each.source_prefix, tenant_id=each.tenant_id)
            for each in source.routes
        ],
        changed_at=format_instant(source.changed_at),
    )
