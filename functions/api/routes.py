"""The route table. The router, the scope checks and the OpenAPI document are made from it."""

from functions.api.http.route import Handler, Route
from functions.api.resources.audit import routes as audit
from functions.api.resources.backfills import routes as backfills
from functions.api.resources.batches import routes as batches
from functions.api.resources.callbacks import routes as callbacks
from functions.api.resources.dead_letters import routes as dead_letters
from functions.api.resources.executions import routes as executions
from functions.api.resources.jobs import lifecycle_routes as job_lifecycle
from functions.api.resources.jobs import routes as jobs
from functions.api.resources.keys import routes as keys
from functions.api.resources.parked import routes as parked
from functions.api.resources.redrives import routes as redrives
from functions.api.resources.schedules import routes as schedules
from functions.api.resources.signing_secrets import routes as signing_secrets
from functions.api.resources.system import routes as system
from functions.api.resources.tenants import routes as tenants
from functions.api.resources.upcoming import routes as upcoming
from functions.api.resources.usage import routes as usage

_RESOURCES = (
    jobs,
    job_lifecycle,
    batches,
    backfills,
    executions,
    callbacks,
    dead_letters,
    redrives,
    schedules,
    upcoming,
    keys,
    signing_secrets,
    usage,
    audit,
    tenants,
    parked,
    system,
)
ROUTES: dict[Route, Handler] = {
    route: handler for resource in _RESOURCES for route, handler in resource.ROUTES.items()
}
