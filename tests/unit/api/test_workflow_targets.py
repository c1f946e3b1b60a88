"""Tasks with targets in AWS: what is accepted and shown, what reaches a target, and results of functions."""

import json
from typing import Any

import pytest

from shared.domain.delivery.aws_target import InvocationType, TargetCall
from shared.domain.delivery.callback import CallbackResponse, Reason
from tests.support.api.api_world import ApiWorld
from tests.support.api.job_requests import send
from tests.support.fakes.targets import accepts
from tests.unit.api.test_targets import SECRET, api, errors
from tests.unit.api.test_workflows import created, started, states, task, wait

ACCOUNT = "eu-west-1:111122223333"
QUEUE = f"arn:aws:sqs:{ACCOUNT}:orders"
FUNCTION = f"arn:aws:lambda:{ACCOUNT}:function:close"
MACHINE = f"arn:aws:states:{ACCOUNT}:stateMachine:close"
WAITS = {"arn": FUNCTION, "invocation_type": "request_response"}
RESULT = b'{"n":1.10,"t":"\xef\xbf\xbf"}'


def to(key: str, service: str, *after: str, arn: str = QUEUE, **members: Any) -> dict[str, Any]:
    own = {name: members.pop(name) for name in ("invocation_type", "json", "body") if name in members}
    message = own if {"json", "body"} & set(own) else {"json": {"of": key}, **own}
    return {"key": key, "after": list(after), "target": {service: {"arn": arn, **message}}, **members}


def answers_with(body: bytes) -> Any:
    """Functions that are waited for answer with this, and other targets take what they get."""

    def answer(call: TargetCall) -> CallbackResponse:
        if call.target.invocation_type is InvocationType.REQUEST_RESPONSE:
            return CallbackResponse(reason=Reason.OK, duration_ms=5, status=200, body=body[: call.kept_bytes])
        return accepts(call)

    return answer


def refused(world: ApiWorld, *tasks: dict[str, Any]) -> dict[str, str]:
    return errors(world.post({"tasks": list(tasks)}, "/v1/workflows"))


def test_tasks_with_targets_are_created_and_shown_without_their_messages() -> None:
    world = api()
    tasks = [
        task("http"),
        to("queue", "sqs", "http", body=SECRET),
        to("function", "lambda", "http", **WAITS, json={"secret": SECRET}),
        to("machine", "step_functions", "function", arn=MACHINE),
    ]
    workflow = created(world, *tasks)
    answer = world.get(f"/v1/workflows/{workflow['id']}")
    shown = {each["key"]: each for each in answer.json["tasks"]}
    assert SECRET not in answer.text
    assert (shown["http"]["request"]["method"], "target" in shown["http"]) == ("POST", False)
    assert (shown["queue"]["request"], shown["queue"]["target"]) == (None, {"sqs": {"arn": QUEUE}})
    assert shown["function"]["target"] == {"lambda": WAITS}
    assert shown["machine"]["target"] == {"step_functions": {"arn": MACHINE}}


@pytest.mark.parametrize(
    ("tasks", "pointer", "says"),
    [
        ([{"key": "a"}], "/tasks/0/request", "exactly one of request and target"),
        ([to("a", "sqs") | {"request": {"url": "https://a.example"}}], "/tasks/0/target", "exactly one of"),
        ([to("a", "sqs") | {"target": None}], "/tasks/0/target", "must be an object"),
        ([to("a", "sqs", arn="x")], "/tasks/0/target/sqs/arn", "the ARN of a queue"),
        ([task("a"), to("b", "lambda", arn=QUEUE)], "/tasks/1/target/lambda/arn", "send it as target.sqs"),
        (
            [task("a"), to("b", "sqs", arn=QUEUE.replace("1111", "9999"))],
            "/tasks/1/target/sqs/arn",
            "no role is registered",
        ),
        (
            [to("a", "sqs"), task("b", "a", needs=["a"])],
            "/tasks/0/target/sqs",
            "only functions that are waited for",
        ),
        (
            [to("a", "lambda", arn=FUNCTION), task("b", "a", needs=["a"])],
            "/tasks/0/target/lambda",
            "only functions that are waited for",
        ),
        (
            [task("a"), to("b", "sqs", "a", body="no json", needs=["a"])],
            "/tasks/1/target/sqs/body",
            "the body is JSON, and",
        ),
    ],
)
def test_task_with_a_target_that_cannot_be_is_refused_at_its_place(
    tasks: list[dict[str, Any]], pointer: str, says: str
) -> None:
    found = refused(api(), *tasks)
    assert says in found.get(pointer, ""), found


def test_run_sends_to_targets_and_names_itself_there() -> None:
    world = api()
    run = started(world, created(world, to("a", "sqs"), to("b", "step_functions", "a", arn=MACHINE)))
    wait(world)
    assert states(world, run) == {"a": "succeeded", "b": "succeeded"}
    first, second = (each.call for each in world.world.targets.calls)
    assert [each.target.arn for each in (first, second)] == [QUEUE, MACHINE]
    said = dict(first.attributes)
    assert (said["Punctual-Run"], said["Punctual-Task"]) == (run, "a")
    assert first.deduplication_id != second.deduplication_id
    assert world.world.sender.calls == []


def test_result_of_a_function_reaches_targets_and_requests_that_need_it() -> None:
    world = api()
    world.world.targets.answer_to = answers_with(b" " + RESULT + b"\n")
    workflow = created(
        world,
        to("function", "lambda", **WAITS),
        to("queue", "sqs", "function", needs=["function"]),
        to("other", "lambda", "function", arn=FUNCTION, needs=["function"]),
        task("http", "function", needs=["function"]),
    )
    run = started(world, workflow)
    wait(world)
    assert set(states(world, run).values()) == {"succeeded"}
    bodies = {
        dict(each.call.attributes)["Punctual-Task"]: each.call.body for each in world.world.targets.calls
    }
    wanted = {"state": "succeeded", "result": json.loads(RESULT)}
    for key in ("queue", "other"):
        assert json.loads(bodies[key]) == {"body": {"of": key}, "results": {"function": wanted}}
        # SQS takes no U+FFFF, and numbers arrive as they were sent.
        assert b'"n":1.10,"t":"\\uffff"' in bodies[key]
    [call] = world.world.sender.calls
    assert json.loads(call.callback.body)["results"] == {"function": wanted}


def test_answer_of_a_function_that_is_no_result_fails_its_task_without_a_retry() -> None:
    world = api()
    world.world.targets.answer_to = answers_with(b"null and void")
    tasks = (to("function", "lambda", **WAITS), task("http", "function", needs=["function"]))
    run = started(world, created(world, *tasks))
    wait(world, 60)
    assert states(world, run) == {"function": "failed", "http": "cancelled"}
    assert len(world.world.targets.calls) == 1


def test_patch_of_a_workflow_keeps_the_messages_of_its_tasks() -> None:
    world = api()
    workflow = created(world, to("a", "sqs", body=SECRET))
    path = f"/v1/workflows/{workflow['id']}"
    answer = send(world, "PATCH", path, {"name": "other"}, **{"if-match": "*"})
    assert answer.status == 200, answer.text
    started(world, workflow)
    wait(world)
    [sent] = world.world.targets.calls
    assert sent.call.body.decode() == SECRET


def test_description_of_a_keyed_workflow_never_shows_a_message() -> None:
    world = api()

    def put(*tasks: dict[str, Any]) -> Any:
        answer = send(world, "PUT", "/v1/workflows/by-key/shop", {"tasks": list(tasks)})
        assert SECRET not in answer.text
        return answer.json

    assert put(task("a"))["change"] == "created"
    changed = put(to("a", "sqs", body=SECRET), to("b", "lambda", arn=FUNCTION, json={"a": SECRET}))
    fields = {each["pointer"]: each for each in changed["fields"]}
    assert fields["/tasks/a/target"]["after"] == {"sqs": {"arn": QUEUE}}
    assert fields["/tasks/b"]["after"]["target"] == {"lambda": {"arn": FUNCTION, "invocation_type": "event"}}
    same = (to("a", "sqs", body=SECRET), to("b", "lambda", arn=FUNCTION, json={"a": SECRET}))
    assert put(*same)["change"] == "unchanged"
    other = put(to("a", "sqs", body="other"), same[1])
    assert [(each["pointer"], each["hidden"]) for each in other["fields"]] == [
        ("/tasks/a/target/sqs/body", True)
    ]
    gone = put(same[1])
    assert gone["fields"][0]["before"]["target"] == {"sqs": {"arn": QUEUE}}


def test_task_with_a_target_gets_the_input_of_its_run() -> None:
    world = api()
    workflow = created(world, to("a", "sqs", input=True))
    answer = send(world, "POST", f"/v1/workflows/{workflow['id']}/runs", {"input": {"order": "\uffff"}})
    assert answer.status == 201, answer.text
    wait(world)
    [sent] = world.world.targets.calls
    body = json.loads(sent.call.body)
    assert (body["body"], body["input"]) == ({"of": "a"}, {"order": "\uffff"})
    assert "\uffff".encode() not in sent.call.body


def test_map_sends_each_element_to_its_target() -> None:
    world = api()
    world.world.targets.answer_to = answers_with(b"[1,2]")
    workflow = created(
        world,
        to("list", "lambda", **WAITS),
        to("each", "step_functions", "list", arn=MACHINE, map={"over": "list"}),
    )
    run = started(world, workflow)
    wait(world)
    assert states(world, run)["each"] == "succeeded"
    items = [each.call for each in world.world.targets.calls if each.call.target.arn == MACHINE]
    assert sorted(json.loads(each.body)["item"]["value"] for each in items) == [1, 2]
    assert len({each.deduplication_id for each in items}) == 2


def test_map_of_functions_joins_their_answers() -> None:
    world = api()
    world.world.targets.answer_to = answers_with(b"[1,2]")
    workflow = created(
        world,
        to("list", "lambda", **WAITS),
        to("each", "lambda", "list", **WAITS, map={"over": "list"}),
        to("all", "sqs", "each", needs=["each"]),
    )
    run = started(world, workflow)
    wait(world)
    assert set(states(world, run).values()) == {"succeeded"}
    [last] = [each.call for each in world.world.targets.calls if each.call.target.arn == QUEUE]
    assert json.loads(last.body)["results"]["each"]["result"] == [[1, 2], [1, 2]]
