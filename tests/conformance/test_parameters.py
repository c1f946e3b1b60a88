"""Parameters: a text is read as it was last written, encrypted, and no error repeats it."""

from typing import Any
from uuid import uuid4

import pytest

from shared.adapters.ssm.parameters import SsmParameters
from shared.domain.errors import UnavailableError
from shared.ports.canary import Parameters
from tests.support.conformance.interference import answering, failure

TEXT = "pk_0123456789abcdef_secret whsec_++/="


def _name() -> str:
    return f"/punctual/test{uuid4().hex[:8]}/canary/api-key"


def test_parameter_that_was_never_written_is_none(parameters: Parameters) -> None:
    assert parameters.read(_name()) is None


def test_parameter_is_read_as_it_was_last_written(parameters: Parameters) -> None:
    name, other = _name(), _name()
    for text in (TEXT, "shorter", TEXT):
        parameters.write(name, text)
        assert parameters.read(name) == text
    assert parameters.read(other) is None


def test_parameter_is_stored_encrypted(ssm_parameters: SsmParameters) -> None:
    name = _name()
    ssm_parameters.write(name, TEXT)
    client: Any = ssm_parameters._client
    stored = client.get_parameter(Name=name, WithDecryption=False)["Parameter"]
    assert stored["Type"] == "SecureString"
    assert stored["Value"] != TEXT


@pytest.mark.parametrize("code", ["AccessDeniedException", "ThrottlingException", "InternalServerError"])
def test_refusal_is_unavailable_and_names_action_and_parameter_but_no_secret(
    ssm_parameters: SsmParameters, code: str
) -> None:
    name, client = _name(), ssm_parameters._client
    with (
        answering(client, "GetParameter", failure(code)),
        pytest.raises(UnavailableError, match=f"^ssm:GetParameter of {name} failed: {code}$"),
    ):
        ssm_parameters.read(name)
    with (
        answering(client, "PutParameter", failure(code)),
        pytest.raises(UnavailableError, match=f"^ssm:PutParameter of {name} failed: {code}$"),
    ):
        ssm_parameters.write(name, TEXT)
