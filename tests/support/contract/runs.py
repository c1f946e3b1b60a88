"""Runs of Schemathesis against a deployment, phase by phase."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import schemathesis
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import StopReason, events

from functions.api.openapi.document import document
from functions.api.routes import every_route
from tests.support.contract.checks import REFUSALS, UnderTest
from tests.support.contract.client import TOKENED, ask_as_a_client
from tests.support.contract.gateway import serving
from tests.support.contract.neighbours import Neighbours

SEED = int(os.environ.get("CONTRACT_SEED", "20250219"))
STEPS = 12
PHASES = ("examples", "coverage", "fuzzing", "stateful")
WITHOUT_BODY = [route.operation for route in every_route() if route.body_is_optional]


@dataclass(frozen=True, slots=True)
class Broken:
    """A failed check of a response."""

    operation: str
    check: str
    message: str
    request: str

    def __str__(self) -> str:
        return f"{self.operation}: {self.check}: {self.message}\n    {self.request}"


def _configuration(phase: str, examples: int, base_url: str) -> SchemathesisConfig:
    return SchemathesisConfig.from_dict(
        {
            "seed": SEED,
            "base-url": base_url,
            "workers": 1,
            "continue-on-failure": True,
            "output": {"sanitization": {"enabled": False}},
            "generation": {"mode": "all", "max-examples": examples, "no-shrink": True, "database": "none"},
            "phases": {
                **{name: {"enabled": name == phase} for name in PHASES},
                # A sequence goes on only from what was accepted; what is wrong has had its phases.
                "stateful": {
                    "enabled": phase == "stateful",
                    "max-steps": STEPS,
                    "generation": {"mode": "positive", "max-examples": examples},
                },
            },
            "checks": {
                "negative_data_rejection": {"expected-statuses": REFUSALS},
                "missing_required_header": {"expected-statuses": REFUSALS},
                # Told by problem type instead, in `what_fits_the_schema_is_not_called_malformed`.
                "positive_data_acceptance": {"enabled": False},
                # Jobs and keys are kept when they have ended: `what_was_cancelled_stays_so`.
                "use_after_free": {"enabled": False},
            },
            "operations": [
                # A wrong token is answered like an unknown execution.
                {"include-operation-id": TOKENED, "checks": {"ignored_auth": {"enabled": False}}},
                # A tenant that was just created has no deletion.
                {
                    "include-operation-id": "getTenantDeletion",
                    "checks": {"ensure_resource_availability": {"enabled": False}},
                },
                # What is wrong inside of a job is told in its own result: `a_batch_answers_for_each_job`;
                # and where no body is needed: `a_wrong_body_is_refused_where_none_is_needed`.
                {
                    "include-operation-id": ["createJobs", *WITHOUT_BODY],
                    "checks": {"negative_data_rejection": {"enabled": False}},
                },
            ],
        }
    )


def strict_document(tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document, in which answers have no other members than those that are described. With tags, a part of it."""
    made: dict[str, Any] = json.loads(json.dumps(document()))
    if tags:
        _keep(made, tags)
    for name, schema in made["components"]["schemas"].items():
        if name.endswith("Out") and "properties" in schema:
            schema["additionalProperties"] = False
    return made


def _keep(made: dict[str, Any], tags: tuple[str, ...]) -> None:
    for methods in made["paths"].values():
        for method in [method for method, each in methods.items() if each["tags"][0] not in tags]:
            del methods[method]
    made["paths"] = {path: methods for path, methods in made["paths"].items() if methods}
    kept = {each["operationId"] for methods in made["paths"].values() for each in methods.values()}
    links = made["components"]["links"]
    for methods in made["paths"].values():
        for answer in (answer for each in methods.values() for answer in each["responses"].values()):
            named = answer.get("links", {})
            for name in [name for name, link in named.items() if _target(links, link) not in kept]:
                del named[name]


def _target(links: dict[str, Any], link: dict[str, str]) -> str:
    return str(links[link["$ref"].rpartition("/")[2]]["operationId"])


def broken_by(near: Neighbours, phase: str, examples: int, tags: tuple[str, ...] = ()) -> list[Broken]:
    """All failures of one phase, each kind once per operation; with tags, of those tags only."""
    UnderTest.neighbours = near
    with serving(near.answer) as url:
        schema = schemathesis.openapi.from_dict(
            strict_document(tags), config=_configuration(phase, examples, url)
        )
        ask_as_a_client(schema, near, SEED)
        found = {(each.operation, each.check): each for each in _broken(schema)}
    return list(found.values())


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the log lines of accepted jobs, which would hide failures."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _broken(schema: Any) -> Iterator[Broken]:
    for event in engine.from_schema(schema).execute():
        if isinstance(event, events.ScenarioFinished):
            for checks in event.recorder.checks.values():
                for check in checks:
                    if check.failure_info is not None:
                        failure, sample = check.failure_info.failure, check.failure_info.code_sample
                        yield Broken(
                            failure.operation or str(event.label), check.name, failure.message, sample
                        )
        elif isinstance(event, events.NonFatalError | events.FatalError):
            told = getattr(event, "value", None) or getattr(event, "exception", event)
            yield Broken(str(getattr(event, "label", "")), "error", str(told), "")
        elif isinstance(event, events.EngineFinished) and event.stop_reason is not StopReason.COMPLETED:
            yield Broken("", "stopped", event.stop_reason.value, "")
