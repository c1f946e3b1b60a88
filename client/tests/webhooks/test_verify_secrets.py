"""Signing secrets: those of a rotation verify, those that are none are refused, and no text quotes them."""

import traceback

import pytest

from client.tests.support.calls import EXECUTION, FOREIGN, NEW, OLD, clock, headers_of, secret_of
from punctual.webhooks import SecretError, VerificationError, verify


@pytest.mark.parametrize("known", [OLD, NEW, [OLD], [NEW], [FOREIGN, NEW], (OLD, NEW), iter([NEW])])
def test_secret_of_either_side_of_a_rotation_verifies(known: object) -> None:
    assert verify(headers_of(b"{}", NEW, OLD), b"{}", known, clock=clock).id == EXECUTION  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "secrets",
    [
        [],
        "",
        [""],
        "whsec_",
        "c2VjcmV0",
        "whsec_hunter2hunter2!",
        [NEW, "whsec_"],
        secret_of(b"k" * 23),
        secret_of(b"k" * 65),
        NEW[:-1],
        NEW.upper(),
        NEW[:10] + "!" + NEW[10:],
        NEW[:10] + " " + NEW[10:],
    ],
)
def test_wrong_secret_is_a_mistake_of_the_configuration_and_is_not_quoted(secrets: str | list[str]) -> None:
    """Above all, an empty secret must not verify: anyone can sign with it."""
    with pytest.raises(SecretError) as caught:
        verify(headers_of(b""), b"", secrets, clock=clock)
    told = "".join(traceback.format_exception(caught.value))
    assert "hunter2" not in told and NEW.removeprefix("whsec_") not in told


def test_newline_after_a_secret_does_no_harm() -> None:
    assert verify(headers_of(b""), b"", NEW + "\n", clock=clock).id == EXECUTION


def test_errors_and_representations_tell_no_secret_signature_or_value() -> None:
    genuine = headers_of(b"{}")
    signature, token = genuine["webhook-signature"], genuine["X-Callback-Token"]
    for tampered in (
        {**genuine, "webhook-id": "secret value"},
        {**genuine, "webhook-timestamp": "secret value"},
        {**genuine, "webhook-signature": "secret value"},
        headers_of(b"{}", FOREIGN),
        headers_of(b"{}", at=1),
    ):
        with pytest.raises(VerificationError) as caught:
            verify(tampered, b"{}", NEW, clock=clock)
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
        assert not any(text in told for text in ("secret value", signature, signature[3:], NEW, token))
    call = verify(genuine, b"{}", NEW, clock=clock)
    assert token not in repr(call) and signature not in repr(call)
    assert EXECUTION in repr(call)
