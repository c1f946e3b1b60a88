"""Schemas of targets in AWS, to which a job sends in place of an HTTP request."""

from collections.abc import Collection
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import orjson
from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import Schema
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.aws_target import (
    MAX_ARN_CHARACTERS,
    AwsTarget,
    InvocationType,
    TargetKind,
)
from shared.domain.delivery.request import Request
from shared.domain.delivery.target_rules import (
    FORMS,
    GROUP,
    MAX_DETAIL_TYPE_CHARACTERS,
    MAX_GROUP_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    ORIGIN,
    QUEUE_URL,
    SOURCE,
    queue_arn,
    target_errors,
)
from shared.domain.errors import InvalidValueError, raise_any
from shared.names import MAX_PAYLOAD_BYTES

_QUEUE = ("arn", "queue_url")
_BODIES = ("body", "json")


def none_of(*schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that matches none of these."""
    return {"not": {"type": "object", "anyOf": [*schemas]}}


def both_or_neither(*names: str) -> list[dict[str, Any]]:
    """The schemas of objects that have all of these members, or none of them."""
    return [{"required": [*names]}, {"not": {"anyOf": [{"required": [name]} for name in names]}}]


def check_exactly_one(given: Collection[str], names: Collection[str]) -> None:
    """InvalidValueError for each member too many, or for the first one if there is none."""
    found = [name for name in names if name in given]
    if len(found) != 1:
        every = " and ".join((", ".join([*names][:-1]), [*names][-1]))
        raise_any(
            InvalidValueError(f"exactly one of {every} is needed", path=(name,))
            for name in found[1:] or [*names][:1]
        )


def check_no_null(schema: Schema, kind: str, *names: str) -> None:
    """InvalidValueError for members that were sent as null, in the place of `kind`."""
    raise_any(
        InvalidValueError(f"must be {kind}", path=(name,))
        for name in names
        if name in schema.model_fields_set and getattr(schema, name) is None
    )


_ONE_BODY = both_or_neither(*_BODIES)
Arn = Annotated[str, Field(max_length=MAX_ARN_CHARACTERS)]
Text = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_PAYLOAD_BYTES})]
Group = Annotated[str, Field(max_length=MAX_GROUP_CHARACTERS, json_schema_extra={"pattern": GROUP})]


def _arn(kind: TargetKind, description: str) -> Any:
    form = FORMS[kind]
    return Field(
        description=description, examples=[form.example], json_schema_extra={"pattern": form.pattern}
    )


class _Message(Schema):
    """What all targets have: exactly one of `body` and `json`."""

    kind: ClassVar[TargetKind]

    body: Text | SkipJsonSchema[None] = Field(
        None, description=f"The message as it is, in UTF-8; at most {MAX_PAYLOAD_BYTES:,} bytes."
    )
    json_: Any = Field(None, alias="json", description="Any value; the message is its JSON.")

    @model_validator(mode="after")
    def _is_lawful(self) -> Self:
        check_no_null(self, "a string", *(name for name in self.strings if name in type(self).model_fields))
        sent = {name.removesuffix("_") for name in self.model_fields_set}
        given = {name for name in sent if name == "json" or getattr(self, name) is not None}
        self.check_place(given)
        check_exactly_one(given, _BODIES)
        raise_any(
            InvalidValueError(str(error), path=(self._member(error.path[-1]),))
            for error in target_errors(self.target, self.content)
        )
        return self

    strings: ClassVar = ("arn", "queue_url", "source", "detail_type", "invocation_type", "body")
    """The members that are not null."""

    def check_place(self, given: Collection[str]) -> None:
        """InvalidValueError for members that contradict one another."""

    def _member(self, name: str) -> str:
        """The member that was sent in the place of this one."""
        return "json" if name == "body" and self.body is None else name

    @cached_property
    def target(self) -> AwsTarget:
        raise NotImplementedError

    @cached_property
    def content(self) -> bytes:
        """The body as it is sent."""
        return orjson.dumps(self.json_) if self.body is None else self.body.encode()


_CALLS = ("request", "target")
ONE_CALL = none_of(*both_or_neither(*_CALLS))
"""The schema of an object that has a request or a target, and not both."""


def check_one_call(schema: Schema) -> None:
    """InvalidValueError unless a schema has a request or a target."""
    check_no_null(schema, "an object", *_CALLS)
    check_exactly_one(schema.model_fields_set, _CALLS)


class SqsTargetIn(_Message):
    """A message to a queue. Exactly one of `arn` and `queue_url`, and exactly one of `body` and `json`."""

    model_config = ConfigDict(json_schema_extra=none_of(*both_or_neither(*_QUEUE), *_ONE_BODY))
    kind = TargetKind.SQS

    arn: Arn | SkipJsonSchema[None] = Field(
        None,
        description="The ARN of the queue, whose region and account the message goes to.",
        examples=[FORMS[TargetKind.SQS].example],
        json_schema_extra={"pattern": FORMS[TargetKind.SQS].pattern},
    )
    queue_url: Arn | SkipJsonSchema[None] = Field(
        None,
        description="The URL of the queue in the place of its ARN.",
        examples=["https://sqs.eu-west-1.amazonaws.com/111122223333/orders"],
        json_schema_extra={"pattern": QUEUE_URL},
    )
    message_group_id: Group | None = Field(
        None, description="The message group: required for a FIFO queue, and the tenant of a fair queue."
    )

    def check_place(self, given: Collection[str]) -> None:
        check_exactly_one(given, _QUEUE)
        try:
            _ = self.target
        except InvalidValueError as error:
            raise InvalidValueError(str(error), path=("queue_url",)) from error

    @cached_property
    def target(self) -> AwsTarget:
        """InvalidValueError for a URL that is none of a queue."""
        arn = self.arn if self.arn is not None else queue_arn(self.queue_url or "")
        return AwsTarget(kind=self.kind, arn=arn, message_group_id=self.message_group_id)


def _json_object() -> Any:
    return Field(
        None,
        alias="json",
        description=f"A JSON object, without the member `{ORIGIN}`, which Punctual adds.",
        json_schema_extra=none_of({"required": [ORIGIN]}),
    )


class LambdaTargetIn(_Message):
    """A call of a function. Exactly one of `body` and `json`: a JSON object, to which Punctual adds `punctual`."""

    model_config = ConfigDict(json_schema_extra=none_of(*_ONE_BODY))
    kind = TargetKind.LAMBDA

    arn: Arn = _arn(TargetKind.LAMBDA, "The ARN of the function, with or without a version or alias.")
    json_: dict[str, Any] | SkipJsonSchema[None] = _json_object()
    invocation_type: Annotated[InvocationType, Field(strict=False)] = Field(
        InvocationType.EVENT,
        description="`event`: Lambda queues the event. `request_response`: the attempt waits for the function.",
    )

    @cached_property
    def target(self) -> AwsTarget:
        return AwsTarget(kind=self.kind, arn=self.arn, invocation_type=self.invocation_type)


class SnsTargetIn(_Message):
    """A message to a topic. Exactly one of `body` and `json`."""

    model_config = ConfigDict(json_schema_extra=none_of(*_ONE_BODY))
    kind = TargetKind.SNS

    arn: Arn = _arn(TargetKind.SNS, "The ARN of the topic.")
    message_group_id: Group | None = Field(
        None, description="The message group: required for a FIFO topic, and passed on to fair queues."
    )

    @cached_property
    def target(self) -> AwsTarget:
        return AwsTarget(kind=self.kind, arn=self.arn, message_group_id=self.message_group_id)


class EventBridgeTargetIn(_Message):
    """An event. Exactly one of `body` and `json`: its detail, a JSON object, to which Punctual adds `punctual`."""

    model_config = ConfigDict(json_schema_extra=none_of(*_ONE_BODY))
    kind = TargetKind.EVENTBRIDGE

    arn: Arn = _arn(TargetKind.EVENTBRIDGE, "The ARN of the event bus.")
    json_: dict[str, Any] | SkipJsonSchema[None] = _json_object()
    source: Annotated[str, Field(max_length=MAX_SOURCE_CHARACTERS)] = Field(
        description="The source of the event.",
        examples=["com.example.orders"],
        json_schema_extra={"pattern": SOURCE},
    )
    detail_type: Annotated[str, Field(min_length=1, max_length=MAX_DETAIL_TYPE_CHARACTERS)] = Field(
        description="The detail-type of the event.", examples=["Day closed"]
    )

    @cached_property
    def target(self) -> AwsTarget:
        return AwsTarget(kind=self.kind, arn=self.arn, source=self.source, detail_type=self.detail_type)


class StepFunctionsTargetIn(_Message):
    """An execution of a state machine. Exactly one of `body` and `json`: its input, in JSON."""

    model_config = ConfigDict(json_schema_extra=none_of(*_ONE_BODY))
    kind = TargetKind.STEP_FUNCTIONS

    arn: Arn = _arn(
        TargetKind.STEP_FUNCTIONS, "The ARN of the state machine, with or without a version or alias."
    )

    @cached_property
    def target(self) -> AwsTarget:
        return AwsTarget(kind=self.kind, arn=self.arn)


class AwsTargetIn(Schema):
    """Where to send in place of an HTTP request: exactly one service of AWS."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    sqs: SqsTargetIn | SkipJsonSchema[None] = None
    lambda_: LambdaTargetIn | SkipJsonSchema[None] = Field(None, alias="lambda")
    sns: SnsTargetIn | SkipJsonSchema[None] = None
    eventbridge: EventBridgeTargetIn | SkipJsonSchema[None] = None
    step_functions: StepFunctionsTargetIn | SkipJsonSchema[None] = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        for name in sorted(self.model_fields_set):
            if getattr(self, name) is None:
                raise InvalidValueError("must be an object", path=(name.removesuffix("_"),))
        given = [name.removesuffix("_") for name in type(self).model_fields if name in self.model_fields_set]
        if not given:
            raise InvalidValueError(f"name the service: one of {', '.join(TargetKind)}", path=("sqs",))
        raise_any(
            InvalidValueError(f"a job has one target, and this one has {given[0]} too", path=(name,))
            for name in given[1:]
        )
        return self

    def request(
        self, *, on_success: str | None = None, on_failure: str | None = None, alerts: Alerts | None = None
    ) -> Request:
        [name] = self.model_fields_set
        message: _Message = getattr(self, name)
        return Request(
            body=message.content,
            target=message.target,
            on_success=on_success,
            on_failure=on_failure,
            alerts=alerts,
        )
