"""Targets in AWS: what a job sends its body to, in place of an HTTP request."""

import re
from collections.abc import Iterator
from dataclasses import field
from enum import StrEnum

from shared.dataclass import dataclass
from shared.domain.errors import InvalidValueError, UnreadableItemError
from shared.names import MAX_PAYLOAD_BYTES

MAX_ARN_CHARACTERS = 256
MAX_GROUP_CHARACTERS = 128
ACCOUNT = r"[0-9]{12}"
REGION = r"[a-z]{2}(?:-[a-z]{1,12}){1,3}-[1-9]"
PARTITION = r"aws(?:-[a-z]{1,8}){0,2}"
QUEUE_ARN = rf"^arn:{PARTITION}:sqs:{REGION}:{ACCOUNT}:(?=.{{1,80}}$)[A-Za-z0-9_-]+(?:\.fifo)?$"
"""The form of a queue's ARN."""
QUEUE_URL = rf"^https://sqs\.{REGION}\.amazonaws\.(?:com|com\.cn|eu)/{ACCOUNT}/(?=.{{1,80}}$)[A-Za-z0-9_-]+(?:\.fifo)?$"
"""The form of a queue's URL, as the console of AWS shows it."""
GROUP = r"^[!-~]{1,128}$"
"""The form of a message group."""
_ARN = re.compile(
    rf"arn:(?P<partition>{PARTITION}):(?P<service>[a-z0-9-]{{1,32}}):(?P<region>{REGION})?:(?P<account>{ACCOUNT})?:(?P<rest>.+)"
)
_URL = re.compile(
    rf"https://sqs\.(?P<region>{REGION})\.amazonaws\.(?P<suffix>com|com\.cn|eu)/(?P<account>{ACCOUNT})/(?P<name>[^/]+)"
)
_PARTITIONS = {"com.cn": "aws-cn", "eu": "aws-eusc"}
_EXAMPLE = "arn:aws:sqs:eu-west-1:111122223333:orders"


class TargetKind(StrEnum):
    """The services. The values are the names of the API."""

    SQS = "sqs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arn:
    """The parts of the ARN of a target."""

    partition: str
    region: str
    account: str
    name: str
    """What follows the account, such as the name of a queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsTarget:
    """Where the body of a job goes. The values have been checked by `target_errors`."""

    kind: TargetKind
    arn: str
    message_group_id: str | None = None

    @property
    def is_fifo(self) -> bool:
        """Whether the queue keeps the order of each message group, and drops repeated messages."""
        return self.arn.endswith(".fifo")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCall:
    """One message to one target, with the rights of the tenant's role."""

    tenant_id: str
    target: AwsTarget
    body: bytes = field(repr=False)
    role_arn: str
    external_id: str = field(repr=False)
    """A secret of the tenant."""
    session_name: str
    """The name of the session, which the trail of the tenant's own account shows."""
    deduplication_id: str
    """The same in all attempts of an execution."""
    attributes: tuple[tuple[str, str], ...]
    """What the message carries beside its body: names and texts."""
    not_from: int | None = None
    """The instant from which it must not be sent, because the tenant is suspended."""


def split_arn(arn: str) -> Arn:
    """The parts of a valid ARN; UnreadableItemError for any other text, which is not repeated."""
    match = _ARN.fullmatch(arn) if len(arn) <= MAX_ARN_CHARACTERS else None
    if match is None or match["region"] is None or match["account"] is None:
        raise UnreadableItemError("the stored target is no ARN")
    return Arn(
        partition=match["partition"], region=match["region"], account=match["account"], name=match["rest"]
    )


def queue_arn(url: str) -> str:
    """The ARN of a queue from its URL; InvalidValueError, without a path, for another text."""
    match = _URL.fullmatch(url) if len(url) <= MAX_ARN_CHARACTERS and re.fullmatch(QUEUE_URL, url) else None
    if match is None:
        raise InvalidValueError(
            "must be the URL of a queue, such as https://sqs.eu-west-1.amazonaws.com/111122223333/orders; "
            "or send its ARN as arn"
        )
    partition = _PARTITIONS.get(match["suffix"], "aws")
    if match["region"].startswith("us-gov-"):
        partition = "aws-us-gov"
    return f"arn:{partition}:sqs:{match['region']}:{match['account']}:{match['name']}"


def check_queue_arn(arn: str) -> None:
    """InvalidValueError, without a path, unless the text is the ARN of a queue. No error repeats a long text."""
    if len(arn) > MAX_ARN_CHARACTERS:
        raise InvalidValueError(f"an ARN has at most {MAX_ARN_CHARACTERS} characters")
    if re.fullmatch(QUEUE_ARN, arn):
        return
    match = _ARN.fullmatch(arn)
    if match is not None and match["service"] != "sqs":
        raise InvalidValueError(
            f"is an ARN of {match['service']}: an SQS target takes that of a queue, such as {_EXAMPLE}"
        )
    raise InvalidValueError(f"must be the ARN of a queue, with region and account, such as {_EXAMPLE}")


def target_errors(target: AwsTarget, body: bytes) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that a target breaks; paths start at `target`."""
    own = ("target", target.kind.value)
    try:
        check_queue_arn(target.arn)
    except InvalidValueError as error:
        yield InvalidValueError(str(error), path=(*own, "arn"))
    group = target.message_group_id
    if group is None and target.is_fifo:
        yield InvalidValueError("a FIFO queue needs a message group", path=(*own, "message_group_id"))
    if group is not None and not re.fullmatch(GROUP, group):
        yield InvalidValueError(
            f"must be 1 to {MAX_GROUP_CHARACTERS} printable characters of ASCII, without spaces",
            path=(*own, "message_group_id"),
        )
    yield from (InvalidValueError(text, path=(*own, "body")) for text in _body_errors(body))


def _body_errors(body: bytes) -> Iterator[str]:
    if not body:
        yield "a message needs a body"
    if len(body) > MAX_PAYLOAD_BYTES:
        yield f"may have at most {MAX_PAYLOAD_BYTES} bytes"
    text = body.decode(errors="replace")
    if _FORBIDDEN.search(text):
        yield "SQS takes no control characters but tab, line feed and carriage return, and no U+FFFE and U+FFFF"


_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
