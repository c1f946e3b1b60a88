"""The custom domain of the API: its name and its certificate."""

import re
from dataclasses import dataclass

_NAME = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])")
_CERTIFICATE = re.compile(
    r"arn:aws[a-z-]*:acm:(?P<region>[a-z0-9-]+):(?P<account>[0-9]{12}):certificate/[A-Za-z0-9-]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDomain:
    name: str
    certificate_arn: str
    """Of AWS Certificate Manager. It is in the region of the stage, as regional domains demand."""

    def __post_init__(self) -> None:
        """Raise ValueError for a name or an ARN that API Gateway refuses."""
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"domain.name is a host name in lower case, such as 'api.example.com', not {self.name!r}"
            )
        if not _CERTIFICATE.fullmatch(self.certificate_arn):
            raise ValueError(
                "domain.certificate is the ARN of a certificate of AWS Certificate Manager, as in "
                f"'arn:aws:acm:eu-west-1:111111111111:certificate/...', not {self.certificate_arn!r}"
            )

    def check(self, region: str, account: str | None) -> None:
        """Raise ValueError for a certificate that the API of the stage could not use."""
        found = _CERTIFICATE.fullmatch(self.certificate_arn)
        if found is not None and found["region"] != region:
            raise ValueError(
                f"domain.certificate is in the region of the stage, {region}, not in {found['region']}: request "
                "one there"
            )
        if found is not None and account is not None and found["account"] != account:
            raise ValueError(
                f"domain.certificate is in the account of the stage, {account}, not in {found['account']}"
            )
