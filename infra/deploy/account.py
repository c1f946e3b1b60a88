"""What a deployment asks of the account: a port, so that tests answer in place of AWS."""

from dataclasses import dataclass
from typing import Protocol

from infra.provisioned import UnitsPerSecond


class UnansweredError(Exception):
    """AWS gave no answer. The message says what to do, and ends without a full stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency:
    """Concurrent executions of Lambda in the account and region."""

    quota: int
    unreserved: int
    """The part of the quota that no function reserves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitQuotas:
    """The units per second that DynamoDB allows."""

    table: UnitsPerSecond
    """For a table or an index."""
    account: UnitsPerSecond
    """For all provisioned units of the account and region."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    status: str
    names: tuple[str, ...]
    """Host names, of which the first label may be a star."""


class Account(Protocol):
    """The account and region of the credentials. Every method may raise UnansweredError."""

    def account_id(self) -> str: ...

    def bootstrap_version(self) -> int | None:
        """The version of the CDK's bootstrap stack; None where there is none."""

    def has_parameter(self, name: str) -> bool:
        """Whether the Parameter Store has a parameter of this name."""

    def concurrency(self) -> Concurrency: ...

    def reserved_by(self, stack: str) -> int:
        """Concurrent executions that the functions of a stack reserve; 0 where there is no such stack."""

    def unit_quotas(self) -> UnitQuotas: ...

    def certificate(self, arn: str) -> Certificate | None:
        """None where there is no such certificate."""
