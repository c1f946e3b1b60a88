"""Targets that may not be called are refused as soon as somebody asks for them, over every route that takes one."""

import asyncio
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import orjson
import pytest

from shared.bootstrap.dynamo_ports import dynamo_ports
from shared.bootstrap.use_cases import use_cases
from shared.domain.delivery.callback import Reason
from shared.domain.delivery.request import Request as Wanted
from shared.domain.errors import CallbackUrlNotAllowedError
from shared.domain.jobs.new_job import NewJob
from shared.domain.schedules.timing import After
from shared.settings import ApiSettings, CallbackSettings
from tests.support.api.api_world import JOB, Answer, ApiWorld, Request
from tests.support.api.environment import ENVIRONMENT
from tests.support.builders import tenant
from tests.support.delivery.sending import post

REFUSED = [
    "https://127.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.170.2/v2/credentials/",
    "https://168.63.129.16/",
    "https://[fd00:ec2::254]/",
    "https://[::1]/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://localhost/",
    "https://db.internal/",
    "https://2130706433/",
    "http://receiver.example/",
]
OWN = "https://abc123.execute-api.eu-west-1.amazonaws.com/v1/jobs"
"""The API of the deployment that the environment describes."""


def create(world: ApiWorld, url: str) -> Answer:
    """POST /v1/jobs."""
    return world.post(JOB | {"request": {"url": url}})


def change(world: ApiWorld, url: str) -> Answer:
    """PATCH /v1/jobs/{id}."""
    made = world.create()
    headers = world.credential | {"content-type": "application/json", "if-match": '"1"'}
    body = orjson.dumps({"request": {"url": url}})
    return world.handle(Request(method="PATCH", path=f"/v1/jobs/{made['id']}", headers=headers, body=body))


@pytest.mark.parametrize("ask", [create, change])
@pytest.mark.parametrize("url", REFUSED)
def test_a_target_that_may_not_be_called_is_a_problem_of_its_own(ask: Any, url: str) -> None:
    world = ApiWorld()
    answer = ask(world, url)
    assert (answer.status, answer.problem) == (422, "callback-url-not-allowed")
    assert world.world.sender.calls == []


def test_refused_target_in_a_batch_is_the_problem_of_its_job_alone() -> None:
    world = ApiWorld()
    jobs = [JOB | {"request": {"url": url}} for url in ("https://receiver.example/", *REFUSED)]
    results = world.post({"jobs": jobs}, "/v1/jobs/batch").json["results"]
    assert [result["status"] for result in results] == [201] + [422] * len(REFUSED)


# --- the wiring: what the environment says reaches those who judge


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The entry point, imported as Lambda does."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    module = importlib.import_module("functions.executor.handler")
    yield module
    sys.modules.pop(module.__name__)


def test_a_deployment_refuses_jobs_that_call_its_own_api(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    settings = ApiSettings.from_env(ENVIRONMENT)
    jobs = use_cases(dynamo_ports(settings), settings).jobs
    assert jobs.revise_job.policy == jobs.create_job.draft.policy == settings.target_policy
    with pytest.raises(CallbackUrlNotAllowedError):
        jobs.create_job.draft.check(tenant(), NewJob(timing=After(1), request=Wanted(method="POST", url=OWN)))


def test_an_executor_calls_its_own_api_no_more_than_private_names(executor: ModuleType) -> None:
    """A job may be older than the name that it calls is the API's."""
    assert CallbackSettings.from_env(ENVIRONMENT).dial_exceptions == ()
    for url in (OWN, "https://metadata.google.internal/", "https://localhost/", "https://127.0.0.1/"):
        answer = asyncio.run(executor.ports.sender.send(post(url), timeout_seconds=5))
        assert (answer.reason, answer.status) == (Reason.ADDRESS_NOT_ALLOWED, None)
        asyncio.run(executor.ports.sender.close())
