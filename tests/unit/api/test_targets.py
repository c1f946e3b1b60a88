"""Jobs with a target over HTTP: what is accepted, what is shown, and what a refusal says."""

import json
from dataclasses import replace
from typing import Any

import orjson
import pytest

from shared.domain.tenancy.tenant import Scope
from tests.support.api.api_world import Answer, ApiWorld, Request
from tests.support.builders import TENANT

ROLE = "arn:aws:iam::111122223333:role/punctual/acme"
QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"
URL = "https://sqs.eu-west-1.amazonaws.com/111122223333/orders"
SECRET = "the secret of the message"
NIGHTLY: dict[str, Any] = {"schedule": {"cron": "0 2 * * *"}}


def api(*roles: str) -> ApiWorld:
    made = ApiWorld()
    made.world.tenants.tenants[TENANT] = replace(made.world.tenant, target_roles=roles or (ROLE,))
    return made


def sqs(**members: Any) -> dict[str, Any]:
    return {"target": {"sqs": {"arn": QUEUE, "json": {"n": 1}} | members}}


def without(name: str, **members: Any) -> dict[str, Any]:
    queue = sqs(**members)["target"]["sqs"]
    del queue[name]
    return {"target": {"sqs": queue}}


def errors(answer: Answer) -> dict[str, str]:
    assert answer.status == 422, answer.text
    return {each["pointer"]: each["detail"] for each in answer.json["errors"]}


def refused(document: dict[str, Any], made: ApiWorld | None = None) -> dict[str, str]:
    return errors((made or api()).post({"schedule": {"delay_seconds": 60}} | document))


def admin(made: ApiWorld, change: Any, method: str = "PATCH") -> Answer:
    operator = made.world.create_tenant.operator().api_key
    return made.handle(
        Request(
            method=method,
            path=f"/v1/admin/tenants/{TENANT}",
            headers={"authorization": f"Bearer {operator}", "content-type": "application/json"},
            body=orjson.dumps(change),
        )
    )


LAMBDA = "arn:aws:lambda:eu-west-1:111122223333:function:close"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:orders"
BUS = "arn:aws:events:eu-west-1:111122223333:event-bus/orders"
MACHINE = "arn:aws:states:eu-west-1:111122223333:stateMachine:close"
EVENT = {"source": "com.example", "detail_type": "Day closed"}
SHOWN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("lambda", {"arn": LAMBDA}, {"arn": LAMBDA, "invocation_type": "event"}),
    (
        "lambda",
        {"arn": f"{LAMBDA}:live", "invocation_type": "request_response"},
        {"arn": f"{LAMBDA}:live", "invocation_type": "request_response"},
    ),
    ("sns", {"arn": TOPIC}, {"arn": TOPIC}),
    (
        "sns",
        {"arn": f"{TOPIC}.fifo", "message_group_id": "g"},
        {"arn": f"{TOPIC}.fifo", "message_group_id": "g"},
    ),
    ("eventbridge", {"arn": BUS, **EVENT}, {"arn": BUS, **EVENT}),
    ("step_functions", {"arn": MACHINE}, {"arn": MACHINE}),
]


def to(service: str, **members: Any) -> dict[str, Any]:
    return {"target": {service: {"json": {"n": 1}} | members}}


@pytest.mark.parametrize(("service", "members", "shown"), SHOWN)
def test_job_with_a_target_of_each_service_is_created_and_shown_without_its_message(
    service: str, members: dict[str, Any], shown: dict[str, Any]
) -> None:
    made = api()
    answer = made.post(NIGHTLY | {"target": {service: {**members, "body": json.dumps({"a": SECRET})}}})
    assert answer.status == 201, answer.text
    job = made.get(f"/v1/jobs/{answer.json['id']}")
    assert job.json["target"] == {service: shown}
    assert SECRET not in job.text
    [listed] = made.get("/v1/jobs").json["jobs"]
    assert listed["target"] == {service: {"arn": members["arn"]}}
    again = patched(made, answer.json, {"name": "other"})
    assert again.json["target"] == {service: shown}
    stored = made.world.table.jobs[TENANT, answer.json["id"]]
    request = made.world.open_request.execute(made.world.tenant, stored.described)
    assert json.loads(request.body) == {"a": SECRET}


def test_patch_turns_a_target_of_one_service_into_another_as_a_whole() -> None:
    made = api()
    job = made.post(NIGHTLY | sqs(arn=f"{QUEUE}.fifo", message_group_id="g")).json
    changed = patched(made, job, to("lambda", arn=LAMBDA))
    assert changed.json["target"] == {"lambda": {"arn": LAMBDA, "invocation_type": "event"}}
    waits = patched(made, job, {"target": {"lambda": {"invocation_type": "request_response"}}})
    assert waits.json["target"] == {"lambda": {"arn": LAMBDA, "invocation_type": "request_response"}}
    assert "/target/sns/body" in errors(patched(made, job, {"target": {"sns": {"arn": TOPIC}}}))


@pytest.mark.parametrize(
    ("document", "pointer", "says"),
    [
        (to("lambda"), "/target/lambda/arn", "required"),
        (to("lambda", arn=QUEUE), "/target/lambda/arn", "send it as target.sqs"),
        (to("lambda", arn=LAMBDA, invocation_type="dry_run"), "/target/lambda/invocation_type", "event"),
        (to("lambda", arn=LAMBDA, invocation_type=None), "/target/lambda/invocation_type", ""),
        (to("lambda", arn=LAMBDA, json=[1]), "/target/lambda/json", "must be an object"),
        (to("lambda", arn=LAMBDA, json=None), "/target/lambda/json", "a JSON object"),
        ({"target": {"lambda": {"arn": LAMBDA, "body": "[1]"}}}, "/target/lambda/body", "a JSON object"),
        (to("lambda", arn=LAMBDA, json={"punctual": 1}), "/target/lambda/json", "the member punctual"),
        (to("lambda", arn=LAMBDA, message_group_id="g"), "/target/lambda/message_group_id", ""),
        (to("sns", arn=f"{TOPIC}.fifo"), "/target/sns/message_group_id", "needs a message group"),
        (to("sns", arn=TOPIC, body="x"), "/target/sns/json", "exactly one of body and json"),
        (to("eventbridge", arn=BUS), "/target/eventbridge/source", "required"),
        (to("eventbridge", arn=BUS, **EVENT | {"source": "aws.s3"}), "/target/eventbridge/source", "of AWS"),
        (to("eventbridge", arn=BUS, **EVENT, json="text"), "/target/eventbridge/json", "must be an object"),
        (
            to("step_functions", arn=f"{MACHINE}/x"),
            "/target/step_functions/arn",
            "the ARN of a state machine",
        ),
        (
            {"target": {"step_functions": {"arn": MACHINE, "body": "x"}}},
            "/target/step_functions/body",
            "JSON",
        ),
        ({"target": sqs()["target"] | to("sns", arn=TOPIC)["target"]}, "/target/sns", "has one target"),
        (to("sns", arn=TOPIC.replace("1111", "9999")), "/target/sns/arn", "no role is registered"),
    ],
)
def test_refusal_of_each_service_names_the_member_and_what_to_send(
    document: dict[str, Any], pointer: str, says: str
) -> None:
    found = refused(document)
    assert pointer in found, found
    assert says in found[pointer]


@pytest.mark.parametrize(
    "target",
    [
        sqs(),
        sqs(arn=f"{QUEUE}.fifo", message_group_id="g"),
        without("arn", queue_url=URL),
        without("json", body="plain text"),
        sqs(json=None),
        sqs(message_group_id=None),
    ],
)
def test_job_with_a_target_is_created_and_shown_without_its_message(target: dict[str, Any]) -> None:
    made = api()
    answer = made.post(NIGHTLY | target)
    assert answer.status == 201, answer.text
    shown = made.get(f"/v1/jobs/{answer.json['id']}").json
    assert shown["request"] is None
    assert shown["target"]["sqs"]["arn"].startswith(QUEUE)
    assert set(shown["target"]["sqs"]) <= {"arn", "message_group_id"}
    [listed] = made.get("/v1/jobs").json["jobs"]
    assert listed["target"] == {"sqs": {"arn": shown["target"]["sqs"]["arn"]}}


def test_job_with_a_request_shows_no_target() -> None:
    made = api()
    job = made.create()
    assert "target" not in job
    assert "target" not in made.get("/v1/jobs").json["jobs"][0]


@pytest.mark.parametrize(
    ("document", "pointer", "says"),
    [
        ({}, "/request", "exactly one of request, workflow and target"),
        (
            sqs() | {"request": {"url": "https://example.com/"}},
            "/target",
            "exactly one of request, workflow and target",
        ),
        ({"target": {}}, "/target/sqs", "name the service"),
        ({"target": {"sns": {}}}, "/target/sns/arn", "required"),
        ({"target": {"kinesis": {}}}, "/target/kinesis", ""),
        ({"target": {"lambda": None}}, "/target/lambda", "must be an object"),
        (without("arn"), "/target/sqs/arn", "exactly one of arn and queue_url"),
        (sqs(queue_url=URL), "/target/sqs/queue_url", "exactly one of arn and queue_url"),
        (without("json"), "/target/sqs/body", "exactly one of body and json"),
        (sqs(body="x"), "/target/sqs/json", "exactly one of body and json"),
        (sqs(arn="orders"), "/target/sqs/arn", "such as arn:aws:sqs:"),
        (sqs(arn="arn:aws:lambda:eu-west-1:111122223333:function:f"), "/target/sqs/arn", "an ARN of lambda"),
        (sqs(arn="a" * 100_000), "/target/sqs/arn", "at most 320 characters"),
        (sqs(arn=7), "/target/sqs/arn", "must be a string"),
        (without("arn", queue_url="https://example.com/q"), "/target/sqs/queue_url", "the URL of a queue"),
        (sqs(arn=f"{QUEUE}.fifo"), "/target/sqs/message_group_id", "needs a message group"),
        (sqs(message_group_id="a b"), "/target/sqs/message_group_id", "printable"),
        (without("json", body=""), "/target/sqs/body", "needs a body"),
        (without("json", body="\x00"), "/target/sqs/body", "control characters"),
        (sqs(json="x" * 204_800), "/target/sqs/json", "at most 204800 bytes"),
        (sqs(colour="red"), "/target/sqs/colour", ""),
        (sqs() | {"signing_secret": "billing"}, "/signing_secret", "no signature"),
        (
            sqs(arn=QUEUE.replace("1111", "9999")),
            "/target/sqs/arn",
            "no role is registered for the account 9999",
        ),
    ],
)
def test_refusal_names_the_member_and_what_to_send(document: dict[str, Any], pointer: str, says: str) -> None:
    found = refused(document)
    assert pointer in found, found
    assert says in found[pointer]
    assert len(str(found)) < 2_000


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (URL, "send a target with sqs"),
        (f"{URL}?Action=SendMessage", "send a target with sqs"),
        ("https://SQS.eu-west-1.amazonaws.com:443/111122223333/orders", "send a target with sqs"),
        ("https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/f/invocations", "function URL"),
        ("https://lambda.eu-west-1.amazonaws.com/", "send a target with lambda and the ARN of the function"),
        ("https://sns.cn-north-1.amazonaws.com.cn/", "send a target with sns and the ARN of the topic"),
        ("https://events.eu-west-1.api.aws", "send a target with eventbridge and the ARN of the event bus"),
        (
            "https://states.us-east-1.amazonaws.com/",
            "send a target with step_functions and the ARN of the state",
        ),
        (LAMBDA, "send a target with lambda and this arn"),
        ("arn:aws:kinesis:eu-west-1:111122223333:stream/x", "an ARN cannot be called"),
    ],
)
def test_url_of_aws_that_needs_a_signature_is_refused(url: str, says: str) -> None:
    answer = api().post({"schedule": {"delay_seconds": 60}, "request": {"url": url}})
    assert answer.problem == "callback-url-not-allowed"
    assert says in errors(answer)["/request/url"]


@pytest.mark.parametrize(
    "url",
    [
        "https://abcdefghijklmnopqrstuvwxyz012345.lambda-url.eu-west-1.on.aws/",
        "https://a1b2c3.execute-api.eu-west-1.amazonaws.com/prod/hook",
        "https://sqs.example.com/hook",
        "https://example.com/sqs.eu-west-1.amazonaws.com/1/q",
    ],
)
def test_url_of_aws_that_needs_none_is_accepted(url: str) -> None:
    assert api().post({"schedule": {"delay_seconds": 60}, "request": {"url": url}}).status == 201


def test_role_makes_the_target_lawful_within_the_same_minute() -> None:
    made = ApiWorld()
    made.world.tenants.tenants[TENANT] = replace(made.world.tenant, target_roles=())
    made.world.clock.time_ms += 60_000
    assert "no role is registered" in refused(sqs(), made)["/target/sqs/arn"]
    changed = admin(made, {"target_roles": [ROLE]})
    assert changed.json["target_roles"] == [ROLE]
    assert len(changed.json["target_external_id"]) == 32
    assert made.post(NIGHTLY | sqs()).status == 201
    made.get("/v1/audit")
    [record] = [each for each in made.world.audit_log.records.values() if each.operation == "changeTenant"]
    assert record.before != record.after


@pytest.mark.parametrize(
    ("roles", "pointer"),
    [
        (["arn:aws:iam::111122223333:role/other"], "/target_roles/0"),
        (["role"], "/target_roles/0"),
        ([ROLE, ROLE], "/target_roles/1"),
        ([7], "/target_roles/0"),
        (["x" * 100_000], "/target_roles/0"),
        (None, "/target_roles"),
    ],
)
def test_role_that_may_not_be_registered_is_refused_at_its_place(roles: Any, pointer: str) -> None:
    assert pointer in errors(admin(ApiWorld(), {"target_roles": roles}))


def test_stage_without_roles_registers_none() -> None:
    found = errors(admin(ApiWorld(target_roles=None), {"target_roles": [ROLE]}))
    assert "set target_roles in its stage file" in found["/target_roles"]


def test_roles_are_removed_by_an_empty_array_and_are_no_part_of_what_a_tenant_sees() -> None:
    made = api()
    assert admin(made, {"target_roles": []}).json["target_external_id"] is None
    assert Scope.ADMIN
    assert "target_roles" not in made.get("/v1/settings").text


def patched(made: ApiWorld, job: Any, change: dict[str, Any]) -> Answer:
    return made.handle(
        Request(
            method="PATCH",
            path=f"/v1/jobs/{job['id']}",
            headers=made.credential | {"content-type": "application/json", "if-match": "*"},
            body=orjson.dumps(change),
        )
    )


def test_patch_changes_the_queue_keeps_the_message_and_turns_one_call_into_the_other() -> None:
    made = api()
    job = made.post(NIGHTLY | without("json", body=SECRET)).json
    other = patched(made, job, {"target": {"sqs": {"queue_url": f"{URL}2"}}})
    assert other.json["target"]["sqs"]["arn"] == f"{QUEUE}2"
    stored = made.world.table.jobs[TENANT, job["id"]]
    request = made.world.open_request.execute(made.world.tenant, stored.described)
    assert request.body.decode() == SECRET
    to_http = patched(made, job, {"request": {"url": "https://example.com/hook"}})
    assert (to_http.json["request"]["url"], "target" in to_http.json) == ("https://example.com/hook", False)
    back = patched(made, job, sqs())
    assert (back.json["target"]["sqs"]["arn"], back.json["request"]) == (QUEUE, None)
    assert patched(made, job, {"tags": ["a"]}).json["target"]["sqs"]["arn"] == QUEUE
    assert errors(patched(made, job, {"target": None}))["/request"].startswith("a job has exactly one")
    assert "/target/sqs/arn" in errors(patched(made, job, {"target": {"sqs": {"arn": f"{QUEUE}.x"}}}))


def put(made: ApiWorld, body: dict[str, Any], **query: str) -> Answer:
    return made.handle(
        Request(
            method="PUT",
            path="/v1/jobs/by-key/nightly",
            headers=made.credential | {"content-type": "application/json"},
            query=query,
            body=orjson.dumps(body),
        )
    )


def test_description_of_a_key_never_shows_a_message_or_a_header_not_even_when_the_kind_changes() -> None:
    made = api()
    http = {"request": {"url": "https://example.com/", "headers": {"X-Token": SECRET}, "body": SECRET}}
    assert put(made, NIGHTLY | http).json["change"] == "created"
    message = NIGHTLY | without("json", body=SECRET)
    answer = put(made, message)
    assert answer.json["change"] == "updated"
    assert SECRET not in answer.text
    fields = {each["pointer"]: each for each in answer.json["fields"]}
    assert fields["/request"]["before"] == {"method": "POST", "url": "https://example.com/"}
    assert fields["/target"]["after"] == {"sqs": {"arn": QUEUE}}
    assert put(made, message).json["change"] == "unchanged"
    changed = put(made, NIGHTLY | without("json", body="other"), dry_run="true")
    assert [each["pointer"] for each in changed.json["fields"]] == ["/target/sqs/body"]
    other = put(made, NIGHTLY | to("lambda", arn=LAMBDA, json={"a": SECRET}))
    assert (other.json["change"], SECRET in other.text) == ("updated", False)
    more = put(made, NIGHTLY | to("lambda", arn=LAMBDA, json={"a": 2}), dry_run="true")
    assert [(each["pointer"], each["hidden"]) for each in more.json["fields"]] == [
        ("/target/lambda/body", True)
    ]
    assert SECRET not in more.text


def test_batch_judges_each_target_by_itself() -> None:
    made = api()
    jobs = [NIGHTLY | sqs(), NIGHTLY | sqs(arn=QUEUE.replace("1111", "9999")), NIGHTLY | sqs(arn="x")]
    answer = made.post({"jobs": jobs}, path="/v1/jobs/batch")
    assert [each["status"] for each in answer.json["results"]] == [201, 422, 422]
