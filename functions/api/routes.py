"""The route table. The router, the scope checks and the OpenAPI document are made from it.

Its sections are imported at their first request: a process that creates jobs never loads most of them.
"""

from functools import cache
from importlib import import_module

from functions.api.http.route import Routes

_OF_JOBS = (
    *("jobs.routes", "jobs.keyed_routes", "jobs.lifecycle_routes", "batches.routes", "backfills.routes"),
    "executions.routes",
)
_OF_TENANTS = ("keys.routes", "signing_secrets.routes", "usage.routes", "statistics.routes", "audit.routes")
SECTIONS = {
    "jobs": (*_OF_JOBS, "upcoming.routes", "bulk_tasks.routes"),
    "bulk-tasks": ("bulk_tasks.routes",),
    "workflows": ("workflows.routes", "workflows.keyed_routes", "workflows.run_routes"),
    "runs": ("workflows.run_routes",),
    "executions": ("executions.routes", "callbacks.routes", "searches.routes"),
    "searches": ("searches.routes",),
    "dead-letters": ("dead_letters.routes", "redrives.routes"),
    "redrives": ("redrives.routes",),
    "schedules": ("schedules.routes",),
    "calendars": ("calendars.routes",),
    "triggers": ("triggers.routes",),
    "events": ("events.routes",),
    "upcoming": ("upcoming.routes",),
    "keys": ("keys.routes",),
    "whoami": ("keys.routes",),
    "signing-secrets": ("signing_secrets.routes",),
    "settings": ("settings.routes",),
    "usage": ("usage.routes",),
    "stats": ("statistics.routes",),
    "audit": ("audit.routes",),
    "health": ("system.routes",),
    "admin": (
        *_OF_TENANTS,
        *("tenants.routes", "tenants.deletion_routes", "parked.routes", "upcoming.routes", "lanes.routes"),
        *("alarms.routes", "calendars.routes", "event_sources.routes"),
    ),
}
"""The modules with the routes under /v1/SECTION. They may have routes of other sections, too."""


def section_of(path: str) -> str:
    """The part of a path after /v1; empty for other paths."""
    version, _, rest = path.removeprefix("/").partition("/")
    return rest.partition("/")[0] if version == "v1" else ""


@cache
def routes_of(section: str) -> Routes:
    """The routes of a section, each with its handler."""
    found = Routes()
    for name in SECTIONS[section]:
        routes: Routes = import_module(f"functions.api.resources.{name}").ROUTES
        found |= {route: handler for route, handler in routes.items() if section_of(route.path) == section}
    return found


@cache
def every_route() -> Routes:
    """The whole table, for what describes it."""
    return Routes({route: handler for section in SECTIONS for route, handler in routes_of(section).items()})
