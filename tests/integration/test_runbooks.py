"""Every command of the runbooks, run in the order of the page against the deployed laptop stack."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.local.clients import CREDENTIALS, REGION
from infra.local.stack import LocalStack
from tests.support.documents.aws_command import AwsCommand
from tests.support.documents.emulator_gaps import NOT_EMULATED
from tests.support.documents.runbooks import INDEX, PAGES, RUNBOOKS, OperatorShell, punctual

WAYS_BACK = {"stop-sending": "drain-after-outage"}
"""Pages whose undo is another page."""
FIRST = [page for page in PAGES if page.stem not in WAYS_BACK.values()]
RESTORED = "runbook"
Sources = Mapping[str, tuple[str, int]]


@pytest.fixture(scope="module")
def aws(stack: LocalStack) -> Iterator[AwsCommand]:
    variables = {
        **CREDENTIALS,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL": stack.endpoint,
        "NO_PROXY": "*",
        "no_proxy": "*",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield AwsCommand(stack.endpoint, {name: gap.answer for name, gap in NOT_EMULATED.items()})


@pytest.fixture
def shell(aws: AwsCommand, tmp_path: Path) -> OperatorShell:
    return OperatorShell(aws, tmp_path)


def operate(stack: LocalStack, *words: str) -> Any:
    status, printed = punctual(["--function", stack.functions["api"], *words])
    assert status == 0, printed
    return json.loads(printed)


def sources_of(stack: LocalStack) -> Sources:
    """State and concurrency of the event source of each queue, by the end of the queue's ARN."""
    found = stack.client("lambda").list_event_source_mappings()["EventSourceMappings"]
    return {
        each["EventSourceArn"]: (each["State"], each["ScalingConfig"]["MaximumConcurrency"]) for each in found
    }


def variables_of(stack: LocalStack, page: Path) -> dict[str, str]:
    """The variables of a page that is about a tenant of its own, with a recurring job and a job due in an hour."""
    tenant = f"{page.stem}-{time.time_ns() % 1_000_000}"
    key = operate(stack, "create-tenant", tenant)["api_key"]
    api, request = stack.api(key), {"url": "https://example.com/hooks"}
    schedules = ({"rate_seconds": 3_600}, {"delay_seconds": 3_600})
    recurring, once = (
        api.request("POST", "/v1/jobs", {"schedule": schedule, "request": request}, timeout=120)
        for schedule in schedules
    )
    concurrency = {
        lane: str(limit)
        for lane in ("Standard", "Slow", "Bulk")
        for arn, (_, limit) in sources_of(stack).items()
        if arn.endswith(stack.outputs[f"{lane}QueueUrl"].rpartition("/")[2])
    }
    return {
        "STAGE": "local",
        "PUNCTUAL": stack.api_url,
        "RECEIVER": f"{stack.api_url}/v1/health",
        "TENANT": tenant,
        "KEY_ID": key.split("_")[1],
        "JOB": recurring.json()["id"],
        "EXECUTION": once.json()["id"].replace("job_", "exe_"),
        "RESTORED": RESTORED,
        "SERVICE": "Watcher",
        "STANDARD": concurrency["Standard"],
        "FORMER": concurrency["Standard"],
        "SLOW": concurrency["Slow"],
        "BULK": concurrency["Bulk"],
    }


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_commands_of_a_runbook_run_in_order_and_leave_calls_on(
    page: Path, stack: LocalStack, shell: OperatorShell
) -> None:
    arrange = {"dead-messages": park_a_message, "bad-deployment": publish_a_version}.get(page.stem)
    before, variables = sources_of(stack), variables_of(stack, page)
    if arrange is not None:
        arrange(stack)
    pages = [page, *(RUNBOOKS / f"{WAYS_BACK[page.stem]}.md" for _ in [0] if page.stem in WAYS_BACK)]
    try:
        shell.paste([INDEX, *pages], variables)
        assert sources_of(stack) == before
    finally:
        tidy(stack)


def park_a_message(stack: LocalStack) -> None:
    """A message that is no wake-up is in a dead-letter queue, and then parked."""
    stack.client("sqs").send_message(QueueUrl=stack.outputs["StandardDeadLetterQueueUrl"], MessageBody="junk")
    while not operate(stack, "list-parked")["messages"]:
        time.sleep(0.5)


def publish_a_version(stack: LocalStack) -> None:
    """The watcher has an earlier version."""
    client, name = stack.client("lambda"), stack.functions["watcher"]
    live = client.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
    description = client.get_function_configuration(FunctionName=name, Qualifier=live)["Description"]
    client.update_function_configuration(FunctionName=name, Description="a release")
    made = client.publish_version(FunctionName=name, Description=description)["Version"]
    assert int(made) > int(live)
    client.update_alias(FunctionName=name, Name="live", FunctionVersion=made)


def tidy(stack: LocalStack) -> None:
    """Turn on what a page that failed has turned off, and delete restored tables."""
    client = stack.client("lambda")
    for each in client.list_event_source_mappings()["EventSourceMappings"]:
        if each["State"] != "Enabled":
            client.update_event_source_mapping(UUID=each["UUID"], Enabled=True)
    dynamodb = stack.client("dynamodb")
    for name in dynamodb.list_tables()["TableNames"]:
        if name.startswith(f"{RESTORED}-"):
            dynamodb.delete_table(TableName=name)


def test_bad_flags_and_failing_requests_of_a_runbook_are_noticed(
    stack: LocalStack, shell: OperatorShell, tmp_path: Path
) -> None:
    for command in (
        "aws sqs list-queues --no-such-flag",
        "aws lambda get-alias --function-name none --name live",
        "punctual change-tenant none --state suspended",
        'curl -sS "$PUNCTUAL/v1/nowhere"',
        "make no-such-target",
    ):
        page = tmp_path / "page.md"
        page.write_text(f"```sh\n{command}\n```\n", encoding="utf-8")
        with pytest.raises(AssertionError):
            shell.paste([INDEX, page], {"STAGE": "local", "PUNCTUAL": stack.api_url})
