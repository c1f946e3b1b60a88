"""References between resources: CloudFormation refuses a template in which they go round in a circle."""

from graphlib import TopologicalSorter

import pytest

from shared.names import QueueName
from tests.infra.conftest import Synthesised
from tests.support.template import Template, references


def _needs(template: Template) -> dict[str, set[str]]:
    """What each resource waits for."""
    resources = template.body["Resources"]
    needs = {}
    for name, made in resources.items():
        awaited = made.get("DependsOn", [])
        found = {
            *references(made.get("Properties", {})),
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
def test_functions_that_read_messages_or_lines_are_switched_before_those_that_only_write_them(
    stage: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(stage).service
    needs, aliases = _needs(template), template.of_type("AWS::Lambda::Alias")
    mappings = template.properties("AWS::Lambda::EventSourceMapping")
    readers = {template.alias(mapping["FunctionName"]) for mapping in mappings}
    # All queues, the handler of dead messages, and the receiver of events.
    assert len(readers) == len(QueueName) + 2
    # The reconciler reads the lines of the API's log.
    readers |= {
        name for name, alias in aliases.items() if "Reconciler" in str(alias["Properties"]["FunctionName"])
    }
    assert len(readers) == len(QueueName) + 3
    for name in aliases.keys() - readers:
        assert readers <= needs[name]
    for name in readers:
        assert not needs[name] & aliases.keys()
