"""The API's own processor time for one page of a list: routing, adapters, the SDK and JSON, without the emulator."""

import time
from dataclasses import dataclass
from types import SimpleNamespace

import orjson

from functions.api.app import Api
from functions.api.context import Context
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from tests.bench.counting import REQUEST
from tests.bench.world import World
from tests.support.api.api_world import REQUEST_ID, Request

JOBS, BATCH = 500, 100
ROUNDS = 20
FAR_SECONDS = 86_400
QUERIES = (
    {"limit": "10"},
    {"limit": "100"},
    {"limit": "10", "tag": "all"},
    {"limit": "10", "tag": "none"},
    {"limit": "10", "state": "cancelled"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCost:
    """Of one page: processor time, requests to DynamoDB, and jobs shown."""

    name: str
    cpu_ms: float
    requests: float
    shown: int


def pages(made: World) -> list[PageCost]:
    """Pages of `GET /v1/jobs` of a tenant with 500 one-off jobs, through the handler."""
    credentials = made.cases.tenancy.create_tenant.execute("pages")
    tenant = made.cases.core.read_tenant.execute("pages")
    assert tenant is not None
    wanted = [NewJob(timing=After(FAR_SECONDS), request=REQUEST, tags=("all",))] * BATCH
    for number in range(JOBS // BATCH):
        made.create_jobs.execute(tenant, wanted, spelling=b"", idempotency_key=f"pages-{number}")
    api = Api(Context(made.cases))
    headers = {"authorization": f"Bearer {credentials.api_key}"}
    return [
        _cost(made, api, Request(method="GET", path="/v1/jobs", query=query, headers=headers))
        for query in QUERIES
    ]


def _cost(made: World, api: Api, request: Request) -> PageCost:
    """The mean of several requests after a first one."""
    context = SimpleNamespace(aws_request_id=REQUEST_ID)
    page = orjson.loads(api(request.event(), context)["body"])
    requests, began = sum(made.meter.requests.values()), time.process_time()
    for _ in range(ROUNDS):
        api(request.event(), context)
    spent = time.process_time() - began
    return PageCost(
        name="&".join(f"{name}={value}" for name, value in request.query.items()),
        cpu_ms=spent * 1000 / ROUNDS,
        requests=(sum(made.meter.requests.values()) - requests) / ROUNDS,
        shown=len(page["jobs"]),
    )
