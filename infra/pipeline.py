"""Who deploys a stage without a person at the keyboard: the workflows of one repository on GitHub."""

import re
from dataclasses import dataclass

ISSUER = "token.actions.githubusercontent.com"
AUDIENCE = "sts.amazonaws.com"
_PART = r"[A-Za-z0-9_.-]+(@[0-9]+)?"
_REPOSITORY = re.compile(rf"{_PART}/{_PART}")
_ENVIRONMENT = re.compile(r"[A-Za-z0-9_.-]{1,255}")
_PROVIDER = re.compile(rf"arn:aws[a-z-]*:iam::[0-9]{{12}}:oidc-provider/{re.escape(ISSUER)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    repository: str
    """As in the subject of its tokens: `owner/name`, or `owner@1/name@2` where GitHub adds the ids."""
    environment: str
    """The environment of the repository whose jobs may deploy."""
    provider_arn: str | None = None
    """An identity provider that the account has already. None creates one: an account has at most one."""

    def __post_init__(self) -> None:
        """Raise ValueError for values that would trust other workflows, or none."""
        if not _REPOSITORY.fullmatch(self.repository):
            raise ValueError(
                "pipeline.repository is an owner and a name, such as 'example/punctual' or 'example@1/punctual@2', "
                f"not {self.repository!r}"
            )
        if not _ENVIRONMENT.fullmatch(self.environment):
            raise ValueError(
                "pipeline.environment is 1 to 255 letters, digits and _.-, such as 'prod', "
                f"not {self.environment!r}"
            )
        if self.provider_arn is not None and not _PROVIDER.fullmatch(self.provider_arn):
            raise ValueError(
                "pipeline.provider is the ARN of an identity provider, as in "
                f"'arn:aws:iam::111111111111:oidc-provider/{ISSUER}', not {self.provider_arn!r}"
            )

    @property
    def deploys(self) -> str:
        """The subject of jobs in the environment."""
        return f"repo:{self.repository}:environment:{self.environment}"

    @property
    def proposes(self) -> str:
        """The subject of jobs of pull requests. GitHub gives none to forks."""
        return f"repo:{self.repository}:pull_request"
