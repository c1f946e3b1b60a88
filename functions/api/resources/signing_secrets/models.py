"""Schemas of signing secrets. A secret itself is shown once, in the response that creates it."""

from typing import Literal

from pydantic import Field

from functions.api.models import InstantOut, Representation, Schema, SecretName, with_examples
from functions.api.resources.keys.models import Overlap
from functions.api.resources.signing_secrets import examples


class SecretRotationIn(Schema):
    """How long the old secrets of the same name sign besides the new one."""

    model_config = with_examples(examples.SECRET_ROTATION_IN)

    overlap_seconds: Overlap = 86_400
    name: SecretName | None = Field(
        None,
        description=(
            "Jobs with this `signing_secret` are signed with the secrets of this name alone. Null: the secrets "
            "that sign all other jobs."
        ),
    )


class SecretOut(Representation):
    """A signing secret, without the secret itself."""

    model_config = with_examples(examples.SECRET_OUT)

    id: str
    name: str | None = Field(description="Null: signs the jobs that name no secret.")
    state: Literal["current", "overlapping", "retired"]
    created_at: InstantOut
    ends_at: InstantOut | None


class NewSecretOut(SecretOut):
    """A new signing secret. `signing_secret` is shown only once."""

    model_config = with_examples(examples.NEW_SECRET_OUT)

    signing_secret: str


class SecretsOut(Representation):
    """The secrets that sign calls: those without a name, then those of each name, the current one first."""

    model_config = with_examples(examples.SECRETS_OUT)

    signing_secrets: list[SecretOut]
