"""ARNs and URLs of queues, as strangers write them."""

import time
from typing import Any

import pytest

from shared.domain.delivery.aws_target import AwsTarget, InvocationType, TargetKind, kind_of, split_arn
from shared.domain.delivery.request import Request, decode_request, encode_request
from shared.domain.delivery.target_rules import check_arn, queue_arn, target_errors
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.names import MAX_PAYLOAD_BYTES

QUEUE = "arn:aws:sqs:eu-west-1:111122223333:orders"
FIFO = f"{QUEUE}.fifo"


def errors(arn: str = QUEUE, body: bytes = b"{}", group: str | None = None) -> dict[str, str]:
    target = AwsTarget(kind=TargetKind.SQS, arn=arn, message_group_id=group)
    return {".".join(map(str, each.path)): str(each) for each in target_errors(target, body)}


@pytest.mark.parametrize(
    "arn",
    [
        QUEUE,
        FIFO,
        "arn:aws-cn:sqs:cn-north-1:111122223333:a",
        "arn:aws-us-gov:sqs:us-gov-west-1:111122223333:Orders_1-2",
        f"arn:aws:sqs:ap-southeast-2:111122223333:{'q' * 80}",
        "arn:aws-eusc:sqs:eusc-de-east-1:111122223333:a",
        "arn:aws:sqs:ap-southeast-10:111122223333:a",
    ],
)
def test_arn_of_a_queue_is_accepted_in_each_partition(arn: str) -> None:
    check_arn(TargetKind.SQS, arn)
    assert arn.endswith(split_arn(arn).name)


@pytest.mark.parametrize(
    ("arn", "says"),
    [
        ("", "must be the ARN of a queue"),
        ("orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-01:111122223333:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-100:111122223333:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:e-west-1:111122223333:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1:1111222233:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs::111122223333:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1.evil.example/:111122223333:orders", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1:111122223333:orders/../other", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1:111122223333:orders\n", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1:111122223333:*", "must be the ARN of a queue"),
        (f"{QUEUE}.fifo.fifo", "must be the ARN of a queue"),
        (f"arn:aws:sqs:eu-west-1:111122223333:{'q' * 81}", "must be the ARN of a queue"),
        ("arn:aws:sqs:eu-west-1:\uff11\uff11\uff11\uff11222233333:orders", "must be the ARN of a queue"),
        ("arn:aws:lambda:eu-west-1:111122223333:function:orders", "is an ARN of lambda"),
        ("arn:aws:iam::111122223333:role/orders", "is an ARN of iam"),
    ],
)
def test_arn_of_something_else_is_refused_with_what_to_send(arn: str, says: str) -> None:
    with pytest.raises(InvalidValueError, match=says):
        check_arn(TargetKind.SQS, arn)


@pytest.mark.parametrize(
    ("kind", "arn"),
    [
        (TargetKind.SNS, f"arn:aws-us-gov:sns:us-gov-west-1:111122223333:{'t' * 256}"),
        (TargetKind.EVENTBRIDGE, f"arn:aws-us-gov:events:us-gov-west-1:111122223333:event-bus/{'b' * 256}"),
    ],
)
def test_arn_with_the_longest_name_is_accepted(kind: TargetKind, arn: str) -> None:
    check_arn(kind, arn)
    assert split_arn(arn).name.endswith(arn[-256:])
    with pytest.raises(InvalidValueError):
        check_arn(kind, f"{arn}x")


@pytest.mark.parametrize("text", ["arn:aws:sqs:" * 100_000, QUEUE + "x" * 1_000_000, "a" * 1_000_000])
def test_megabyte_in_the_place_of_an_arn_is_refused_at_once_and_not_repeated(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(InvalidValueError) as refused:
        check_arn(TargetKind.SQS, text)
    with pytest.raises(InvalidValueError):
        queue_arn(text)
    with pytest.raises(UnreadableItemError):
        split_arn(text)
    assert time.perf_counter() - began < 0.5
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("url", "arn"),
    [
        ("https://sqs.eu-west-1.amazonaws.com/111122223333/orders", QUEUE),
        ("https://sqs.eu-west-1.amazonaws.com/111122223333/orders.fifo", FIFO),
        (
            "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/a",
            "arn:aws-cn:sqs:cn-north-1:111122223333:a",
        ),
        (
            "https://sqs.us-gov-west-1.amazonaws.com/111122223333/a",
            "arn:aws-us-gov:sqs:us-gov-west-1:111122223333:a",
        ),
    ],
)
def test_url_of_a_queue_names_its_arn(url: str, arn: str) -> None:
    assert queue_arn(url) == arn


@pytest.mark.parametrize(
    "url",
    [
        "http://sqs.eu-west-1.amazonaws.com/111122223333/orders",
        "https://sqs.eu-west-1.amazonaws.com.evil.example/111122223333/orders",
        "https://sqs.eu-west-1.amazonaws.com/111122223333/orders?Action=SendMessage",
        "https://sqs.eu-west-1.amazonaws.com/111122223333/orders\n",
        "https://user@sqs.eu-west-1.amazonaws.com/111122223333/orders",
        "https://example.com/111122223333/orders",
    ],
)
def test_url_of_something_else_is_refused(url: str) -> None:
    with pytest.raises(InvalidValueError, match="must be the URL of a queue"):
        queue_arn(url)


def test_fifo_queue_needs_a_group_and_a_standard_queue_may_have_one() -> None:
    assert errors() == {}
    assert errors(group="tenant-1") == {}
    assert errors(FIFO, group="tenant-1") == {}
    assert errors(FIFO) == {"target.sqs.message_group_id": "a FIFO queue needs a message group"}


@pytest.mark.parametrize("group", ["", " ", "a b", "ä", "a" * 129, "a\n", "\x00"])
def test_group_that_sqs_refuses_is_refused_at_creation(group: str) -> None:
    assert list(errors(FIFO, group=group)) == ["target.sqs.message_group_id"]


@pytest.mark.parametrize(
    "body", [b"", b"\x00", b"a\x0bb", b"x" * (MAX_PAYLOAD_BYTES + 1), "\uffff".encode(), b"\x1f"]
)
def test_message_that_sqs_refuses_is_refused_at_creation(body: bytes) -> None:
    assert list(errors(body=body)) == ["target.sqs.body"]


def test_message_may_have_line_breaks_and_the_size_of_a_body() -> None:
    assert errors(body=b"a\r\n\tb") == {}
    assert errors(body=b"x" * MAX_PAYLOAD_BYTES) == {}


ARNS = {
    TargetKind.LAMBDA: "arn:aws:lambda:eu-west-1:111122223333:function:close-the_day",
    TargetKind.SNS: "arn:aws:sns:eu-west-1:111122223333:orders",
    TargetKind.EVENTBRIDGE: "arn:aws:events:eu-west-1:111122223333:event-bus/orders",
    TargetKind.STEP_FUNCTIONS: "arn:aws:states:eu-west-1:111122223333:stateMachine:close",
}
MEMBERS: dict[TargetKind, dict[str, Any]] = {
    TargetKind.LAMBDA: {"invocation_type": InvocationType.EVENT},
    TargetKind.EVENTBRIDGE: {"source": "com.example", "detail_type": "Day closed"},
}


def told(kind: TargetKind, body: bytes = b"{}", **changes: Any) -> dict[str, str]:
    members = {"arn": ARNS[kind], **MEMBERS.get(kind, {}), **changes}
    found = target_errors(AwsTarget(kind=kind, **members), body)
    return {".".join(map(str, each.path[2:])): str(each) for each in found}


@pytest.mark.parametrize(
    ("kind", "arn"),
    [
        *ARNS.items(),
        (TargetKind.LAMBDA, f"{ARNS[TargetKind.LAMBDA]}:$LATEST"),
        (TargetKind.LAMBDA, f"{ARNS[TargetKind.LAMBDA]}:live"),
        (TargetKind.LAMBDA, f"{ARNS[TargetKind.LAMBDA]}:7"),
        (TargetKind.EVENTBRIDGE, "arn:aws-cn:events:cn-north-1:111122223333:event-bus/default"),
        (TargetKind.EVENTBRIDGE, "arn:aws:events:eu-west-1:111122223333:event-bus/aws.partner/example.com/a"),
        (TargetKind.STEP_FUNCTIONS, f"{ARNS[TargetKind.STEP_FUNCTIONS]}:live"),
        (TargetKind.STEP_FUNCTIONS, f"{ARNS[TargetKind.STEP_FUNCTIONS]}:12"),
    ],
)
def test_arn_of_each_service_is_accepted_and_names_its_kind(kind: TargetKind, arn: str) -> None:
    check_arn(kind, arn)
    assert kind_of(arn) is kind
    assert told(kind, arn=arn) == {}


@pytest.mark.parametrize(
    ("kind", "arn", "says"),
    [
        (TargetKind.LAMBDA, "close", "must be the ARN of a function"),
        (
            TargetKind.LAMBDA,
            "arn:aws:lambda:eu-west-1:111122223333:layer:close",
            "must be the ARN of a function",
        ),
        (TargetKind.LAMBDA, f"{ARNS[TargetKind.LAMBDA]}:*", "must be the ARN of a function"),
        (TargetKind.LAMBDA, f"{ARNS[TargetKind.LAMBDA]}/../x", "must be the ARN of a function"),
        (TargetKind.LAMBDA, QUEUE, "is an ARN of sqs: send it as target.sqs"),
        (
            TargetKind.SNS,
            f"{ARNS[TargetKind.SNS]}:6b0e71bd-7e97-4d97-80ce-4a0994e55286",
            "the ARN of a topic",
        ),
        (TargetKind.SNS, ARNS[TargetKind.LAMBDA], "send it as target.lambda"),
        (TargetKind.EVENTBRIDGE, "arn:aws:events:eu-west-1:111122223333:rule/x", "the ARN of an event bus"),
        (TargetKind.EVENTBRIDGE, ARNS[TargetKind.STEP_FUNCTIONS], "send it as target.step_functions"),
        (TargetKind.STEP_FUNCTIONS, ARNS[TargetKind.EVENTBRIDGE], "send it as target.eventbridge"),
        (TargetKind.STEP_FUNCTIONS, f"{ARNS[TargetKind.STEP_FUNCTIONS]}/label", "the ARN of a state machine"),
        (
            TargetKind.STEP_FUNCTIONS,
            ARNS[TargetKind.STEP_FUNCTIONS].replace("stateMachine", "execution"),
            "machine",
        ),
        (
            TargetKind.SNS,
            "arn:aws:kinesis:eu-west-1:111122223333:stream/x",
            "is an ARN of kinesis; this target",
        ),
    ],
)
def test_arn_that_is_none_of_the_service_is_refused_with_what_to_send(
    kind: TargetKind, arn: str, says: str
) -> None:
    assert says in told(kind, arn=arn)["arn"]


@pytest.mark.parametrize("kind", [TargetKind.LAMBDA, TargetKind.EVENTBRIDGE])
@pytest.mark.parametrize(
    "body", [b"", b"text", b"[1]", b"7", b'{"punctual":1}', b"{", b"NaN", b"\xff", b"[" * 99_999]
)
def test_body_that_has_no_room_for_its_origin_is_refused(kind: TargetKind, body: bytes) -> None:
    assert list(told(kind, body=body)) == ["body"]


def test_body_of_a_state_machine_is_any_json_and_that_of_a_topic_any_text() -> None:
    for body in (b"7", b"[1]", b'"x"', b'{"punctual": 1}', b"1" * 5_000):
        assert told(TargetKind.STEP_FUNCTIONS, body=body) == {}
    assert list(told(TargetKind.STEP_FUNCTIONS, body=b"text")) == ["body"]
    assert told(TargetKind.SNS, body=b"text") == {}
    assert list(told(TargetKind.SNS, body=b"\x00")) == ["body"]


@pytest.mark.parametrize(
    ("changes", "member"),
    [
        ({"source": "aws.ec2"}, "source"),
        ({"source": "a b"}, "source"),
        ({"source": ""}, "source"),
        ({"source": None}, "source"),
        ({"source": "x" * 257}, "source"),
        ({"detail_type": ""}, "detail_type"),
        ({"detail_type": "x" * 129}, "detail_type"),
        ({"detail_type": "\x00"}, "detail_type"),
    ],
)
def test_event_that_eventbridge_refuses_is_refused_at_creation(changes: dict[str, Any], member: str) -> None:
    assert list(told(TargetKind.EVENTBRIDGE, **changes)) == [member]


def test_fifo_topic_needs_a_group_and_a_bus_of_that_name_none() -> None:
    assert list(told(TargetKind.SNS, arn=f"{ARNS[TargetKind.SNS]}.fifo")) == ["message_group_id"]
    assert told(TargetKind.SNS, arn=f"{ARNS[TargetKind.SNS]}.fifo", message_group_id="g") == {}
    assert told(TargetKind.EVENTBRIDGE, arn=f"{ARNS[TargetKind.EVENTBRIDGE]}.fifo") == {}


@pytest.mark.parametrize("kind", ARNS)
def test_target_of_each_service_is_stored_and_read_again(kind: TargetKind) -> None:
    target = AwsTarget(kind=kind, arn=ARNS[kind], **MEMBERS.get(kind, {}))
    request = Request(target=target, body=b'{"a": 1}')
    assert decode_request(encode_request(request)) == request


def test_stored_form_of_a_queue_has_no_members_of_other_services() -> None:
    stored = encode_request(Request(target=AwsTarget(kind=TargetKind.SQS, arn=QUEUE), body=b"x"))
    assert stored == f'{{"k":"sqs","r":"{QUEUE}","g":null,"t":"x"}}'.encode()
