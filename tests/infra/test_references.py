"""References between resources: CloudFormation refuses a template in which they go round in a circle."""

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

import pytest

from shared.names import QueueName
from tests.infra.conftest import Synthesised
from tests.support.template import Template

_IN_TEXT = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[A-Za-z0-9.]+)?\}")


def _referred(value: Any) -> Iterator[str]:
    """The logical ids that a part of a template names."""
    match value:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [name, *_]}:
            yield name
        case {"Fn::Sub": str(text)}:
            yield from _IN_TEXT.findall(text)
        case dict():
            for part in value.values():
                yield from _referred(part)
        case list():
            for part in value:
                yield from _referred(part)


def _needs(template: Template) -> dict[str, set[str]]:
    """What each resource waits for."""
    resources = template.body["Resources"]
    needs = {}
    for name, made in resources.items():
        awaited = made.get("DependsOn", [])
        found = {
            *_referred(made.get("Properties", {})),
            *([awaited] if isinstance(awaited, str) else awaited),
        }
        needs[name] = {each for each in found if each in resources and each != name}
    return needs


def _order(template: Template) -> list[str]:
    """An order in which the resources can be made; CycleError where there is none."""
    return list(TopologicalSorter(_needs(template)).static_order())


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_no_resource_waits_for_itself(stage: str, request: pytest.FixtureRequest) -> None:
    stacks: Synthesised = request.getfixturevalue(stage)
    for template in (stacks.data, stacks.service):
        assert len(_order(template)) == len(template.body["Resources"])


def test_the_api_is_made_before_the_functions_that_have_to_know_it(cloud: Synthesised) -> None:
    order = _order(cloud.service)
    (api,) = cloud.service.of_type("AWS::ApiGatewayV2::Api")
    knowing = [
        name
        for name, made in cloud.service.of_type("AWS::Lambda::Function").items()
        if "API_HOSTS" in made["Properties"]["Environment"]["Variables"]
    ]
    assert knowing
    assert all(order.index(api) < order.index(name) for name in knowing)


@pytest.mark.parametrize("stage", ["cloud", "local"])
def test_functions_that_read_messages_are_replaced_before_those_that_only_write_them(
    stage: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(stage).service
    needs, functions = _needs(template), template.of_type("AWS::Lambda::Function")
    mappings = template.properties("AWS::Lambda::EventSourceMapping")
    readers = {mapping["FunctionName"]["Ref"] for mapping in mappings}
    assert len(readers) == len(QueueName) + 1
    for name in functions.keys() - readers:
        assert readers <= needs[name]
    for name in readers:
        assert not needs[name] & functions.keys()
