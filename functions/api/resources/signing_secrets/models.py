"""Schemas of signing secrets. A secret itself is shown once, in the response that creates it."""

from typing import Literal

from pydantic import BaseModel

from functions.api.models import InstantOut, Schema, with_examples
from functions.api.resources.keys.models import Overlap
from functions.api.resources.signing_secrets import examples


class SecretRotationIn(Schema):
    """How long the old secrets sign besides the new one."""

    model_config = with_examples(examples.SECRET_ROTATION_IN)

    overlap_seconds: Overlap = 86_400


class SecretOut(BaseModel):
    """A signing secret, without the secret itself."""

    model_config = with_examples(examples.SECRET_OUT)

    id: str
    state: Literal["current", "overlapping", "retired"]
    created_at: InstantOut
    ends_at: InstantOut | None


class NewSecretOut(SecretOut):
    """A new signing secret. `signing_secret` is shown only once."""

    model_config = with_examples(examples.NEW_SECRET_OUT)

    signing_secret: str


class SecretsOut(BaseModel):
    """The secrets that sign callbacks, the current one first."""

    model_config = with_examples(examples.SECRETS_OUT)

    signing_secrets: list[SecretOut]
