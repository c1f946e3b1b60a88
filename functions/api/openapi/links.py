"""Links: the operations that can follow a response, and where in it their parameters are.

Links are derived from two facts: the places of ids in a response, and the ids in the path of an operation.
Items of a list link only to operations that read.
"""

from typing import Any

from functions.api.http.route import Route
from functions.api.routes import every_route

_IDS: dict[str, dict[str, str]] = {
    "JobOut": {"job_id": "/id"},
    "JobPageOut": {"job_id": "/jobs/0/id"},
    "ExecutionOut": {"execution_id": "/id", "job_id": "/job_id"},
    "ExecutionDetailOut": {"execution_id": "/id", "job_id": "/job_id"},
    "ExecutionPageOut": {"execution_id": "/executions/0/id", "job_id": "/executions/0/job_id"},
    "DeadLetterPageOut": {"execution_id": "/executions/0/id", "job_id": "/executions/0/job_id"},
    "InspectedOut": {"execution_id": "/id", "job_id": "/job_id"},
    "RedriveOut": {"redrive_id": "/id"},
    "SearchOut": {"search_id": "/id"},
    "SearchDetailOut": {"search_id": "/id"},
    "SearchPageOut": {"search_id": "/searches/0/id"},
    "WorkflowOut": {"workflow_id": "/id"},
    "WorkflowSummaryOut": {"workflow_id": "/id"},
    "WorkflowPageOut": {"workflow_id": "/workflows/0/id"},
    "RunOut": {"run_id": "/id", "workflow_id": "/workflow_id"},
    "RunDetailOut": {"run_id": "/id", "workflow_id": "/workflow_id"},
    "RunPageOut": {"run_id": "/runs/0/id"},
    "UpcomingPageOut": {"job_id": "/runs/0/job_id"},
    "NewKeyOut": {"key_id": "/id"},
    "NewSecretOut": {"secret_id": "/id"},
    "NewTenantOut": {"tenant_id": "/tenant/id"},
    "TenantOut": {"tenant_id": "/id"},
    "TenantPageOut": {"tenant_id": "/tenants/0/id"},
}
"""By schema of the response: JSON pointers to the ids that paths take."""
_WITH_ETAG = frozenset({"JobOut", "WorkflowOut"})
_NEXT_PAGE = "nextPage"


def links_of(route: Route) -> dict[str, Any]:
    """References to the links of an operation."""
    return {name: {"$ref": f"#/components/links/{key}"} for name, key in _keys(route).items()}


def _keys(route: Route) -> dict[str, str]:
    """The names of an operation's links, and their keys among the components."""
    source = _source(route)
    found = {
        following.operation: f"{source}.{following.operation}"
        for following in every_route()
        if _follows(route, following)
    }
    if "cursor" in route.query:
        found[_NEXT_PAGE] = f"{route.operation}.{_NEXT_PAGE}"
    return found


def _source(route: Route) -> str:
    """Responses with the same schema share their links, unless the path of the operation names the tenant."""
    return route.answer.__name__ + (".ofTenant" if "tenant_id" in route.path_parts else "")


def _follows(route: Route, following: Route) -> bool:
    in_response = _IDS.get(route.answer.__name__, {}).keys()
    in_path = {"tenant_id"} & set(route.path_parts)
    needed = set(following.path_parts)
    is_list = "cursor" in route.query
    return (
        bool(needed & in_response)
        and in_path <= needed <= in_response | in_path
        and not following.takes_token
        and (following.method == "GET" or not is_list)
    )


def _link(route: Route, following: Route) -> dict[str, Any]:
    ids = _IDS[route.answer.__name__]
    parameters = {
        f"path.{part}": f"$response.body#{ids[part]}" if part in ids else f"$request.path.{part}"
        for part in following.path_parts
    }
    if "If-Match" in following.headers and route.answer.__name__ in _WITH_ETAG:
        parameters["header.If-Match"] = "$response.header.ETag"
    return {
        "operationId": following.operation,
        "description": following.summary,
        "parameters": parameters,
    }


def _next_page(route: Route) -> dict[str, Any]:
    filters = [name for name in route.query if name != "cursor"]
    same = {f"path.{part}": f"$request.path.{part}" for part in route.path_parts}
    same |= {f"query.{name}": f"$request.query.{name}" for name in filters}
    return {
        "operationId": route.operation,
        "description": "The page after this one, for the same filters.",
        "parameters": same | {"query.cursor": "$response.body#/next_cursor"},
    }


def _links() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for route in every_route():
        for name, key in _keys(route).items():
            if name == _NEXT_PAGE:
                found[key] = _next_page(route)
            else:
                following = next(each for each in every_route() if each.operation == name)
                found[key] = _link(route, following)
    return dict(sorted(found.items()))


LINKS = _links()
"""Every link, by its key among the components."""
