"""Every command of the runbooks, run in the order of the page against the deployed laptop stack."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.local.clients import CREDENTIALS, REGION
from infra.local.stack import LocalStack
from tests.drills.drill import Steps
from tests.drills.pages import blocks_of_steps
from tests.support.documents.aws_command import AwsCommand
from tests.support.documents.emulator_gaps import NOT_EMULATED
from tests.support.documents.runbooks import INDEX, PAGES, RUNBOOKS, OperatorShell, punctual

WAYS_BACK = {"stop-sending": "drain-after-outage"}
"""Pages whose undo is another page."""
FIRST = [page for page in PAGES if page.stem not in WAYS_BACK.values()]
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
        "DELETE_TENANT": tenant,
        "ASKED_BY": "ticket 7",
        "RECEIVER_HOST": "localhost",
        "RESTORE_TO": _minutes_ago(10),
        "DOWN_SINCE": _minutes_ago(28 * 24 * 60),
        "FAILED_SINCE": _minutes_ago(60),
        "SECRET_ID": operate(stack, "list-signing-secrets", tenant)["signing_secrets"][0]["id"],
        "SECRET_NAME": "",
        "ROW_PK": f"{REGION}#29000000#0",
        "ROW_SK": "00000#exe_10",
        "TAG": "earlier",
        "COMMIT": "HEAD",
        "OTHER_STAGE": "dev",
        "LANE": "Standard",
        "EXECUTORS": str(int(concurrency["Standard"]) + 1),
        "FEWER": "2",
        "CALLS_PER_SECOND": "default",
        "CONCURRENCY": "20",
        "DUE_PER_MINUTE": "20000",
        "SERVICE_CODE": "lambda",
        "QUOTA_CODE": "L-B99A9384",
        "DESIRED": "3000",
        "STANDARD": concurrency["Standard"],
        "FORMER": concurrency["Standard"],
        "SLOW": concurrency["Slow"],
        "BULK": concurrency["Bulk"],
    }


def _minutes_ago(minutes: int) -> str:
    return f"{datetime.now(UTC) - timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_commands_of_a_runbook_run_in_order_and_leave_calls_on(
    page: Path, stack: LocalStack, shell: OperatorShell
) -> None:
    arrange = {"dead-messages": park_a_message, "bad-deployment": publish_a_version}.get(page.stem)
    before, variables = sources_of(stack), variables_of(stack, page)
    if arrange is not None:
        variables |= arrange(stack)
    pages = [page, *(RUNBOOKS / f"{WAYS_BACK[page.stem]}.md" for _ in [0] if page.stem in WAYS_BACK)]
    try:
        shell.paste([INDEX, *pages], variables)
        assert sources_of(stack) == before
    finally:
        tidy(stack)


def park_a_message(stack: LocalStack) -> dict[str, str]:
    """A message that is no wake-up is in a dead-letter queue, and then parked."""
    stack.client("sqs").send_message(QueueUrl=stack.outputs["StandardDeadLetterQueueUrl"], MessageBody="junk")
    while not (parked := operate(stack, "list-parked")["messages"]):
        time.sleep(0.5)
    return {"MESSAGE": parked[0]["id"]}


def publish_a_version(stack: LocalStack) -> dict[str, str]:
    """The watcher has an earlier version."""
    client, name = stack.client("lambda"), stack.functions["watcher"]
    live = client.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
    description = client.get_function_configuration(FunctionName=name, Qualifier=live)["Description"]
    client.update_function_configuration(FunctionName=name, Description="a release")
    made = client.publish_version(FunctionName=name, Description=description)["Version"]
    assert int(made) > int(live)
    client.update_alias(FunctionName=name, Name="live", FunctionVersion=made)
    return {}


def tidy(stack: LocalStack) -> None:
    """Turn on what a page that failed has turned off, and delete restored tables."""
    client = stack.client("lambda")
    for each in client.list_event_source_mappings()["EventSourceMappings"]:
        if each["State"] != "Enabled":
            client.update_event_source_mapping(UUID=each["UUID"], Enabled=True)
    dynamodb = stack.client("dynamodb")
    for name in dynamodb.list_tables()["TableNames"]:
        if re.match(r"local-\d+-", name):
            dynamodb.delete_table(TableName=name)


def test_aliases_move_back_one_version_however_often_and_forward_by_the_printed_line(
    stack: LocalStack, shell: OperatorShell, tmp_path: Path
) -> None:
    client, name = stack.client("lambda"), stack.functions["watcher"]

    def live() -> str:
        return str(client.get_alias(FunctionName=name, Name="live")["FunctionVersion"])

    publish_a_version(stack)
    earlier = live()
    publish_a_version(stack)
    newest, back = live(), Steps(page="bad-deployment", numbers=(2,))
    lines: list[str] = []
    shell.paste_blocks(blocks_of_steps(back, back), {"STAGE": "local"}, lines.append)
    assert live() == earlier
    [undo] = [line for line in lines if line.startswith("aws ") and name in line]
    page = tmp_path / "page.md"
    page.write_text(f"```sh\n{undo}\n```\n", encoding="utf-8")
    shell.paste([INDEX, page], {"STAGE": "local"})
    assert live() == newest


def test_logs_are_the_newest_lines_and_say_when_older_ones_are_cut(
    stack: LocalStack, shell: OperatorShell, tmp_path: Path
) -> None:
    client, now_ms = stack.client("logs"), int(time.time() * 1000)
    settings = stack.client("lambda").get_function_configuration(FunctionName=stack.functions["redriver"])
    group = settings["LoggingConfig"]["LogGroup"]
    client.create_log_stream(logGroupName=group, logStreamName="lines")
    events = [
        {"timestamp": now_ms - (30 - at) * 60_000 + 30_000, "message": f"marked {at}"} for at in range(30)
    ]
    client.put_log_events(logGroupName=group, logStreamName="lines", logEvents=events)
    page = tmp_path / "page.md"
    page.write_text("```sh\nlogs Redriver marked\nlogs Redriver marked 5\n```\n", encoding="utf-8")
    printed = shell.paste([INDEX, page], {"STAGE": "local"}).splitlines()
    [cut] = [at for at, line in enumerate(printed) if line.startswith("cut: ")]
    marked = [line for line in printed[:cut] if line.startswith("marked")]
    assert marked == [f"marked {at}" for at in range(10, 30)]
    assert [line for line in printed[cut:] if line.startswith("marked")] == marked[-5:]


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
