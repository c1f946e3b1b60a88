"""Examples and links of the OpenAPI document: true to the schemas, to the models and to what the API does."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from functions.api.http.problem_examples import problem_example
from functions.api.http.problems import Problem
from functions.api.http.route import Route
from functions.api.openapi.document import document
from functions.api.openapi.schemas import examples_of
from functions.api.resources.workflows.models import WorkflowIn
from functions.api.routes import every_route
from tests.support.api.api_world import JOB, Answer, ApiWorld
from tests.support.api.reached_problems import REACHED
from tests.support.api.request_factory import ALL_SCOPES, ask, name_of, path_of

DOCUMENT = document()
ANSWERS = sorted(
    {each for route in every_route() for each in (route.answer, route.dry_run) if each},
    key=lambda model: model.__name__,
)
BODIES = sorted({route.body for route in every_route() if route.body}, key=lambda model: model.__name__)
CASES = [
    pytest.param(model, name, id=f"{model.__name__}-{name}")
    for model in [*ANSWERS, *BODIES]
    for name in examples_of(model)
]
SENT = [
    pytest.param(route, name, id=f"{route.operation}-{name}")
    for route in every_route()
    if route.body is not None and not route.takes_token and "tenant_id" not in route.path_parts
    for name in examples_of(route.body)
]
REQUESTED = "urn:punctual:request:"


def validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{schema}", "components": DOCUMENT["components"]},
        format_checker=Draft202012Validator.FORMAT_CHECKER,
    )


@pytest.mark.parametrize("model", [*ANSWERS, *BODIES], ids=lambda model: model.__name__)
def test_every_body_and_answer_has_an_example(model: type[BaseModel]) -> None:
    assert examples_of(model)


@pytest.mark.parametrize(("model", "name"), CASES)
def test_an_example_is_true_to_its_schema_and_its_model(model: type[BaseModel], name: str) -> None:
    example = examples_of(model)[name]
    assert list(validator(model.__name__).iter_errors(example)) == []
    read = model.model_validate(example)
    if model in ANSWERS:
        assert read.model_dump(mode="json", by_alias=True) == example


@pytest.mark.parametrize("problem", Problem)
def test_the_example_of_a_problem_has_the_form_of_a_real_one(problem: Problem) -> None:
    status, refused = REACHED[problem]
    real, example = refused(ApiWorld()).json, problem_example(problem)
    assert list(validator("ProblemOut").iter_errors(real)) == []
    assert list(validator("ProblemOut").iter_errors(example)) == []
    assert real.keys() == example.keys()
    assert (example["type"], example["title"], example["status"]) == (real["type"], real["title"], status)
    assert example["instance"].startswith(REQUESTED) and real["instance"].startswith(REQUESTED)


@pytest.mark.parametrize(("route", "name"), SENT)
def test_an_example_of_a_body_is_accepted(route: Route, name: str) -> None:
    assert route.body is not None
    example = examples_of(route.body)[name]
    answer = _send(ApiWorld(), route, example)
    is_dry = route.dry_run is not None and example.get("dry_run", False)
    assert answer.status == (200 if is_dry else route.success), answer.text
    shown = route.dry_run if is_dry and route.dry_run else route.answer
    assert list(validator(shown.__name__).iter_errors(answer.json)) == []


def _send(world: ApiWorld, route: Route, body: Any) -> Answer:
    """The example, sent in a world that has what its path names."""
    world.limit_to(*ALL_SCOPES)
    job = world.create(schedule={"cron": "30 2 * * *", "timezone": "Europe/Berlin"})
    world.world.cases.tenancy.signing_secrets.rotate("acme", overlap_seconds=0, name="billing")
    key = world.world.credentials.api_key
    made = ask(world, key, "POST", "/v1/keys", {"scopes": ["read"]}).json
    workflow = world.post(examples_of(WorkflowIn)["with_an_input"], "/v1/workflows").json
    run = ask(world, key, "POST", f"/v1/workflows/{workflow['id']}/runs").json
    ask(world, key, "POST", f"/v1/runs/{run['id']}/cancel")
    ids = {
        "job_id": job["id"],
        "key_id": made["id"],
        "key": "nightly",
        "calendar": "plant",
        "shared_calendar": "deployments",
        "trigger": "large-orders",
        "account": "111122223333",
        "workflow_id": workflow["id"],
        "run_id": run["id"],
    }
    if route.operation == "putTrigger":
        body = body | {"job_id": job["id"]}
    path = path_of(route, ids)
    if route.path.startswith("/v1/admin"):
        key = world.world.create_tenant.operator().api_key
    return ask(world, key, route.method, path, body)


def test_an_answer_with_a_member_that_is_not_described_would_be_noticed() -> None:
    """The schemas of answers let clients tolerate more; here everything is to be described."""
    world = ApiWorld()
    job = world.post(JOB).json
    assert list(validator("JobOut").iter_errors(job)) == []
    of_other_jobs = {"key", "set", "workflow", "target"}
    assert set(job) | of_other_jobs == set(DOCUMENT["components"]["schemas"]["JobOut"]["properties"])


LINKS: dict[str, dict[str, Any]] = DOCUMENT["components"]["links"]
BY_OPERATION = {
    each["operationId"]: each for methods in DOCUMENT["paths"].values() for each in methods.values()
}


def linked() -> Iterator[tuple[Route, str]]:
    for route in every_route():
        responses = BY_OPERATION[route.operation]["responses"]
        for link in responses[str(route.success)].get("links", {}).values():
            yield route, link["$ref"].removeprefix("#/components/links/")


@pytest.mark.parametrize(
    ("route", "key"), [pytest.param(*one, id="-".join([one[0].operation, one[1]])) for one in linked()]
)
def test_a_link_gives_an_operation_all_that_its_path_needs_from_where_it_is(route: Route, key: str) -> None:
    link = LINKS[key]
    target = BY_OPERATION[link["operationId"]]
    taken = {f"{each['in']}.{each['name']}": each for each in target["parameters"]}
    assert (
        {name for name, each in taken.items() if each["in"] == "path"}
        <= link["parameters"].keys()
        <= taken.keys()
    )
    for expression in link["parameters"].values():
        source, _, name = expression.removeprefix("$").partition("#")
        if source == "response.body":
            assert any(_has(example, name) for example in examples_of(route.answer).values())
        elif source.startswith("response.header."):
            assert source.removeprefix("response.header.") in route.answer_headers
        else:
            part = source.removeprefix("request.")
            assert part in {
                f"{each['in']}.{each['name']}" for each in BY_OPERATION[route.operation]["parameters"]
            }


def _has(document: Any, pointer: str) -> bool:
    for part in pointer.removeprefix("/").split("/"):
        if isinstance(document, list):
            if int(part) >= len(document):
                return False
            document = document[int(part)]
        elif part in document:
            document = document[part]
        else:
            return False
    return True


def test_answer_of_create_job_links_to_the_operations_on_the_job() -> None:
    found = {key.rpartition(".")[2] for route, key in linked() if route.operation == "createJob"}
    assert {
        "getJob",
        "updateJob",
        "cancelJob",
        "pauseJob",
        "resumeJob",
        "triggerJob",
        "listExecutions",
    } <= found


@pytest.mark.parametrize("route", [route for route in every_route() if "cursor" in route.query], ids=name_of)
def test_every_list_leads_to_its_next_page(route: Route) -> None:
    assert f"{route.operation}.nextPage" in {key for one, key in linked() if one is route}
