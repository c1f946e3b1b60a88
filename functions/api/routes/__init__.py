"""The routes: what each path and method does, and how it is described."""

from functions.api.route import Call, Route
from functions.api.routes import (
    audit,
    backfills,
    batches,
    callbacks,
    dead_letters,
    executions,
    jobs,
    keys,
    lifecycle,
    listings,
    parked,
    redrives,
    system,
    tenants,
)

ROUTES: dict[Route, Call] = {**jobs.ROUTES, **lifecycle.ROUTES, **executions.ROUTES, **system.ROUTES}
ROUTES |= {**dead_letters.ROUTES, **redrives.ROUTES, **parked.ROUTES}
ROUTES |= {**batches.ROUTES, **backfills.ROUTES}
ROUTES |= {**callbacks.ROUTES, **listings.ROUTES, **tenants.ROUTES, **keys.ROUTES, **audit.ROUTES}
