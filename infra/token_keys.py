"""The numbers of the keys that sign the identity tokens of a stage. The first one signs, and all are published."""

from collections.abc import Sequence

SIGN, SHOW_KEY = ("kms:Sign",), ("kms:GetPublicKey",)
TOKEN_KEYS = "token-keys"  # noqa: S105 - a name, not a secret
"""The name of the keys in the table of grants."""
MAX_KEYS = 5
"""More than a rotation needs. Each costs a request of KMS when the public keys are read."""


def check_token_keys(numbers: Sequence[int], *, has_issuer: bool) -> None:
    """Raise ValueError for numbers that name no keys, or without a name of the issuer that lasts."""
    if len(set(numbers)) != len(numbers) or any(not 1 <= number <= 1_000 for number in numbers):
        raise ValueError(f"token_keys is a list of numbers from 1 to 1000, each once, not {list(numbers)}")
    if len(numbers) > MAX_KEYS:
        raise ValueError(f"token_keys has at most {MAX_KEYS} numbers, not {len(numbers)}")
    if numbers and not has_issuer:
        raise ValueError(
            "token_keys needs domain, because receivers trust the issuer by its URL: give the stage a domain, or "
            "leave out token_keys"
        )
