"""Schemas of targets in AWS, to which a job sends in place of an HTTP request."""

from collections.abc import Collection
from functools import cached_property
from typing import Annotated, Any, Self

import orjson
from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from functions.api.models import LEFT_OUT, Representation, Schema
from shared.domain.delivery.alerts import Alerts
from shared.domain.delivery.aws_target import (
    GROUP,
    MAX_ARN_CHARACTERS,
    MAX_GROUP_CHARACTERS,
    QUEUE_ARN,
    QUEUE_URL,
    AwsTarget,
    TargetKind,
    queue_arn,
    target_errors,
)
from shared.domain.delivery.request import Request
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


class SqsTargetIn(Schema):
    """A message to a queue. Exactly one of `arn` and `queue_url`, and exactly one of `body` and `json`."""

    model_config = ConfigDict(
        json_schema_extra=none_of(*both_or_neither(*_QUEUE), *both_or_neither(*_BODIES))
    )

    arn: Annotated[str, Field(max_length=MAX_ARN_CHARACTERS)] | SkipJsonSchema[None] = Field(
        None,
        description="The ARN of the queue, whose region and account the message goes to.",
        examples=["arn:aws:sqs:eu-west-1:111122223333:orders"],
        json_schema_extra={"pattern": QUEUE_ARN},
    )
    queue_url: Annotated[str, Field(max_length=MAX_ARN_CHARACTERS)] | SkipJsonSchema[None] = Field(
        None,
        description="The URL of the queue in the place of its ARN.",
        examples=["https://sqs.eu-west-1.amazonaws.com/111122223333/orders"],
        json_schema_extra={"pattern": QUEUE_URL},
    )
    body: (
        Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_PAYLOAD_BYTES})]
        | SkipJsonSchema[None]
    ) = Field(None, description=f"The message as it is, in UTF-8; at most {MAX_PAYLOAD_BYTES:,} bytes.")
    json_: Any = Field(None, alias="json", description="Any value; the message is its JSON.")
    message_group_id: (
        Annotated[str, Field(max_length=MAX_GROUP_CHARACTERS, json_schema_extra={"pattern": GROUP})] | None
    ) = Field(
        None, description="The message group: required for a FIFO queue, and the tenant of a fair queue."
    )

    @model_validator(mode="after")
    def _is_lawful(self) -> Self:
        check_no_null(self, "a string", "arn", "queue_url", "body")
        given = {name.removesuffix("_") for name in self.model_fields_set if getattr(self, name) is not None}
        check_exactly_one(given, _QUEUE)
        check_exactly_one(
            given | ({"json"} & {name.removesuffix("_") for name in self.model_fields_set}), _BODIES
        )
        try:
            target = self.target
        except InvalidValueError as error:
            raise InvalidValueError(str(error), path=("queue_url",)) from error
        raise_any(
            InvalidValueError(str(error), path=(self._member(error.path[-1]),))
            for error in target_errors(target, self.content)
        )
        return self

    def _member(self, name: str) -> str:
        """The member that was sent in the place of this one."""
        return "json" if name == "body" and self.body is None else name

    @cached_property
    def target(self) -> AwsTarget:
        """InvalidValueError for a URL that is none of a queue."""
        arn = self.arn if self.arn is not None else queue_arn(self.queue_url or "")
        return AwsTarget(kind=TargetKind.SQS, arn=arn, message_group_id=self.message_group_id)

    @cached_property
    def content(self) -> bytes:
        """The body as it is sent."""
        return orjson.dumps(self.json_) if self.body is None else self.body.encode()


class AwsTargetIn(Schema):
    """Where to send in place of an HTTP request: exactly one service of AWS."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    sqs: SqsTargetIn | SkipJsonSchema[None] = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        check_no_null(self, "an object", *TargetKind)
        if self.sqs is None:
            raise InvalidValueError(f"name the service: one of {', '.join(TargetKind)}", path=("sqs",))
        return self

    def request(
        self, *, on_success: str | None = None, on_failure: str | None = None, alerts: Alerts | None = None
    ) -> Request:
        assert self.sqs is not None
        return Request(
            body=self.sqs.content,
            target=self.sqs.target,
            on_success=on_success,
            on_failure=on_failure,
            alerts=alerts,
        )


class SqsTargetOut(Representation):
    """A queue, without the message, which may hold secrets and is never shown again."""

    arn: str
    message_group_id: str | SkipJsonSchema[None] = LEFT_OUT


class AwsTargetOut(Representation):
    """The service that a job sends to."""

    sqs: SqsTargetOut | SkipJsonSchema[None] = LEFT_OUT


def target_out(target: AwsTarget) -> AwsTargetOut:
    return AwsTargetOut(sqs=SqsTargetOut(arn=target.arn, message_group_id=target.message_group_id))


def listed_target(arn: str | None) -> AwsTargetOut | None:
    """The target as a list shows it, without what is stored with the message; None without a target."""
    return None if arn is None else AwsTargetOut(sqs=SqsTargetOut(arn=arn))


def target_document(request: Request) -> dict[str, Any]:
    """The `target` that would create the job as it is now."""
    assert request.target is not None
    group = request.target.message_group_id
    members = {"arn": request.target.arn, "body": request.body.decode()}
    return {request.target.kind.value: members | ({} if group is None else {"message_group_id": group})}
