"""Each AWS command that an operator reads in the documents is allowed by a policy, or needs an administrator."""

import re
from collections.abc import Iterator

import pytest
from botocore import xform_name
from botocore.loaders import Loader
from botocore.model import ServiceModel

from infra.components.on_call_grants import ON_CALL
from tests.support.documents.blocks import BLOCKS, name_of
from tests.support.sources import ROOT

PAGES = ("docs/operations/", "docs/runbooks/")
ADMINISTRATOR = {
    "dynamodb:DeleteBackup": "destroys what a restore may need",
    "dynamodb:RestoreTableToPointInTime": "makes a table of the data of all tenants",
    "iam:AttachRolePolicy": "gives permissions to others",
    "lambda:UpdateFunctionConfiguration": "gives a function other code settings than those that were deployed",
    "logs:PutRetentionPolicy": "could also shorten what the logs keep",
}
"""Actions beyond the on-call policy, each with the reason."""
RENAMED = {"lambda:Invoke": "lambda:InvokeFunction"}
"""Actions with another name than their operation."""
IAM_PREFIXES = {"service-quotas": "servicequotas"}
"""Names of services in IAM, where the command line has others."""
COMPOSED = {("logs", "tail"): "logs:FilterLogEvents", ("dynamodb", "wait"): "dynamodb:DescribeTable"}
"""Commands that are no operation of AWS."""
_COMMAND = re.compile(r"(?:^|[\s(|;&])aws((?: --[a-z-]+ \S+)*) ([a-z0-9-]+) ([a-z0-9-]+)", re.MULTILINE)


def _commands(text: str) -> Iterator[tuple[str, str]]:
    for found in _COMMAND.finditer(text.replace("\\\n", " ")):
        yield found[2], found[3]


TEXTS = [
    *(block.text for block in BLOCKS if name_of(block.document).startswith(PAGES)),
    *(script.read_text(encoding="utf-8") for page in PAGES for script in (ROOT / page).glob("*.sh")),
]
COMMANDS = sorted({command for text in TEXTS for command in _commands(text)})


def action(service: str, command: str) -> str:
    """The action that IAM checks; KeyError for a command that AWS does not have."""
    if (service, command) in COMPOSED:
        return COMPOSED[service, command]
    model = ServiceModel(Loader().load_service_model(service, "service-2"))
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    found = f"{IAM_PREFIXES.get(service, service)}:{operations[command]}"
    return RENAMED.get(found, found)


@pytest.mark.parametrize(("service", "command"), COMMANDS, ids=" ".join)
def test_command_is_allowed_on_call_or_needs_an_administrator(service: str, command: str) -> None:
    allowed = {each for actions in ON_CALL.values() for each in actions}
    assert action(service, command) in allowed | ADMINISTRATOR.keys()


def test_actions_of_administrators_are_not_granted_on_call() -> None:
    assert not ADMINISTRATOR.keys() & {each for actions in ON_CALL.values() for each in actions}
