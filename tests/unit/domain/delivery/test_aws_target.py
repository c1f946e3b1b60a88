"""ARNs and URLs of queues, as strangers write them."""

import time

import pytest

from shared.domain.delivery.aws_target import (
    AwsTarget,
    TargetKind,
    check_queue_arn,
    queue_arn,
    split_arn,
    target_errors,
)
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
    ],
)
def test_arn_of_a_queue_is_accepted_in_each_partition(arn: str) -> None:
    check_queue_arn(arn)
    assert arn.endswith(split_arn(arn).name)


@pytest.mark.parametrize(
    ("arn", "says"),
    [
        ("", "must be the ARN of a queue"),
        ("orders", "must be the ARN of a queue"),
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
        check_queue_arn(arn)


@pytest.mark.parametrize("text", ["arn:aws:sqs:" * 100_000, QUEUE + "x" * 1_000_000, "a" * 1_000_000])
def test_megabyte_in_the_place_of_an_arn_is_refused_at_once_and_not_repeated(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(InvalidValueError) as refused:
        check_queue_arn(text)
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
