"""Secrets in the Parameter Store of Systems Manager, as parameters of the type SecureString."""

from shared.adapters.aws.client import AwsClient
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.domain.errors import UnavailableError


class SsmParameters:
    """Standard parameters, encrypted under the account's key `aws/ssm`: AWS charges for neither."""

    def __init__(self, client: AwsClient) -> None:
        self._client = client

    def read(self, name: str) -> str | None:
        try:
            found = self._client.get_parameter(Name=name, WithDecryption=True)
        except AwsError as error:
            if error.code == "ParameterNotFound":
                return None
            raise _unavailable("GetParameter", name, error.code) from error
        except NoAnswerError as error:
            raise _unavailable("GetParameter", name, "no answer") from error
        return str(found["Parameter"]["Value"])

    def write(self, name: str, text: str) -> None:
        try:
            self._client.put_parameter(Name=name, Value=text, Type="SecureString", Overwrite=True)
        except AwsError as error:
            raise _unavailable("PutParameter", name, error.code) from error
        except NoAnswerError as error:
            raise _unavailable("PutParameter", name, "no answer") from error


def _unavailable(action: str, name: str, reason: str) -> UnavailableError:
    return UnavailableError(f"ssm:{action} of {name} failed: {reason}")
