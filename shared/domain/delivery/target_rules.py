"""What targets in AWS take: the forms of their ARNs and URLs, and the rules for their bodies."""

import re
from collections.abc import Iterator

from shared.dataclass import dataclass
from shared.domain.delivery.aws_target import (
    ACCOUNT,
    ARN,
    MAX_ARN_CHARACTERS,
    PARTITION,
    REGION,
    SERVICES,
    AwsTarget,
    TargetKind,
    kind_of,
)
from shared.domain.delivery.json_text import MAX_DEPTH, read_json
from shared.domain.errors import InvalidValueError
from shared.names import MAX_PAYLOAD_BYTES

ORIGIN = "punctual"
"""The member of a JSON body that says which execution it comes from."""
MAX_GROUP_CHARACTERS = 128
GROUP = r"^[!-~]{1,128}$"
"""The form of a message group."""
MAX_SOURCE_CHARACTERS = 256
SOURCE = r"^(?!aws\.)[!-~]{1,256}$"
"""The form of the source of an event; those of AWS begin with `aws.`."""
MAX_DETAIL_TYPE_CHARACTERS = 128
QUEUE_URL = rf"^https://sqs\.{REGION}\.amazonaws\.(?:com|com\.cn|eu)/{ACCOUNT}/(?=.{{1,80}}$)[A-Za-z0-9_-]+(?:\.fifo)?$"
"""The form of a queue's URL, as the console of AWS shows it."""
_URL = re.compile(
    rf"https://sqs\.(?P<region>{REGION})\.amazonaws\.(?P<suffix>com|com\.cn|eu)/(?P<account>{ACCOUNT})/(?P<name>[^/]+)"
)
_PARTITIONS = {"com.cn": "aws-cn", "eu": "aws-eusc"}


@dataclass(frozen=True, slots=True)
class ArnForm:
    """The ARNs of one kind of target, and the words for them in errors."""

    pattern: str
    what: str
    example: str


def _form(kind: TargetKind, rest: str, what: str, example: str) -> ArnForm:
    service = SERVICES[kind]
    return ArnForm(
        rf"^arn:{PARTITION}:{service}:{REGION}:{ACCOUNT}:{rest}$",
        what,
        f"arn:aws:{service}:eu-west-1:111122223333:{example}",
    )


FORMS = {
    TargetKind.SQS: _form(TargetKind.SQS, r"(?=.{1,80}$)[A-Za-z0-9_-]+(?:\.fifo)?", "a queue", "orders"),
    TargetKind.LAMBDA: _form(
        TargetKind.LAMBDA,
        r"function:[A-Za-z0-9_-]{1,64}(?::(?:\$LATEST|[A-Za-z0-9_-]{1,128}))?",
        "a function",
        "function:close-the-day",
    ),
    TargetKind.SNS: _form(TargetKind.SNS, r"(?=.{1,256}$)[A-Za-z0-9_-]+(?:\.fifo)?", "a topic", "orders"),
    TargetKind.EVENTBRIDGE: _form(
        TargetKind.EVENTBRIDGE, r"event-bus/[A-Za-z0-9._/-]{1,256}", "an event bus", "event-bus/default"
    ),
    TargetKind.STEP_FUNCTIONS: _form(
        TargetKind.STEP_FUNCTIONS,
        r"stateMachine:[A-Za-z0-9_-]{1,80}(?::[A-Za-z0-9._-]{1,80})?",
        "a state machine",
        "stateMachine:close-the-day",
    ),
}
_OBJECTS = (TargetKind.LAMBDA, TargetKind.EVENTBRIDGE)
"""Their bodies are JSON objects, to which `ORIGIN` is added."""


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


def check_arn(kind: TargetKind, arn: str) -> None:
    """InvalidValueError, without a path, unless it is the ARN of such a target. No error repeats a long text."""
    if len(arn) > MAX_ARN_CHARACTERS:
        raise InvalidValueError(f"an ARN has at most {MAX_ARN_CHARACTERS} characters")
    form = FORMS[kind]
    if re.fullmatch(form.pattern, arn):
        return
    match = ARN.fullmatch(arn)
    if match is not None and match["service"] != SERVICES[kind]:
        other = kind_of(arn)
        place = f": send it as target.{other}" if other is not None else ""
        raise InvalidValueError(
            f"is an ARN of {match['service']}{place}; this target takes that of {form.what}, such as {form.example}"
        )
    raise InvalidValueError(
        f"must be the ARN of {form.what}, with region and account, such as {form.example}"
    )


def target_errors(target: AwsTarget, body: bytes) -> Iterator[InvalidValueError]:
    """Yield an error for each rule that a target breaks; paths start at `target`."""
    own = ("target", target.kind.value)
    try:
        check_arn(target.kind, target.arn)
    except InvalidValueError as error:
        yield InvalidValueError(str(error), path=(*own, "arn"))
    yield from (InvalidValueError(text, path=(*own, name)) for name, text in _member_errors(target))
    yield from (InvalidValueError(text, path=(*own, "body")) for text in _body_errors(target.kind, body))


def _member_errors(target: AwsTarget) -> Iterator[tuple[str, str]]:
    group = target.message_group_id
    if group is None and target.is_fifo:
        what = FORMS[target.kind].what.removeprefix("a ")
        yield "message_group_id", f"a FIFO {what} needs a message group"
    if group is not None and not re.fullmatch(GROUP, group):
        yield (
            "message_group_id",
            f"must be 1 to {MAX_GROUP_CHARACTERS} printable characters of ASCII, without spaces",
        )
    if target.kind is TargetKind.EVENTBRIDGE:
        yield from _event_errors(target)


def _event_errors(target: AwsTarget) -> Iterator[tuple[str, str]]:
    if not re.fullmatch(SOURCE, target.source or ""):
        yield (
            "source",
            f"must be 1 to {MAX_SOURCE_CHARACTERS} printable characters of ASCII, without spaces, such as "
            "com.example.orders; sources that begin with aws. are those of AWS",
        )
    detail_type = target.detail_type or ""
    if not (0 < len(detail_type) <= MAX_DETAIL_TYPE_CHARACTERS) or _FORBIDDEN.search(detail_type):
        yield "detail_type", f"must be 1 to {MAX_DETAIL_TYPE_CHARACTERS} characters, such as Day closed"


def _body_errors(kind: TargetKind, body: bytes) -> Iterator[str]:
    if not body:
        yield "a message needs a body"
        return
    if len(body) > MAX_PAYLOAD_BYTES:
        yield f"may have at most {MAX_PAYLOAD_BYTES} bytes"
        return
    if kind in (TargetKind.SQS, TargetKind.SNS):
        if _FORBIDDEN.search(body.decode(errors="replace")):
            yield "takes no control characters but tab, line feed and carriage return, and no U+FFFE and U+FFFF"
        return
    try:
        value = read_json(body)
    except InvalidValueError:
        yield f"must be JSON, nested at most {MAX_DEPTH} deep"
        return
    if kind in _OBJECTS:
        yield from _object_errors(value)


def _object_errors(value: object) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"must be a JSON object, to which Punctual adds the member {ORIGIN}"
    elif ORIGIN in value:
        yield f"must not have the member {ORIGIN}, which Punctual adds: choose another name"


_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
