"""Identity tokens of KMS: when it is asked, who shares an answer, and what happens while it does not answer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from shared.adapters.aws.client import AwsClient, Params
from shared.adapters.aws.errors import AwsError, NoAnswerError
from shared.adapters.greenlets import in_greenlet
from shared.adapters.kms import identity_tokens, token_keys
from shared.adapters.kms.identity_tokens import KmsIdentityTokens
from shared.adapters.kms.token_keys import KmsTokenKeys
from shared.domain.delivery.identity_token import PublishedKeys, key_set
from shared.domain.errors import UnavailableError
from tests.support.builders import DUE_AT
from tests.support.delivery.tokens import header_of, verified
from tests.support.fakes.clock import VirtualClock
from tests.support.fakes.identity_tokens import private_key

ISSUER, AUDIENCE = "https://api.example.com", "https://reports.example.com"
HALF_MS = 1_800_000


def refusal(code: str) -> AwsError:
    return AwsError("Sign", {"Error": {"Code": code, "Message": "no"}})


@dataclass
class Kms:
    """Signs with one key, unless it is told to fail; keeps what it was asked."""

    fault: Exception | None = None
    meanwhile: Callable[[], object] = int
    asked: list[tuple[str, Params]] = field(default_factory=list)

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        self.asked.append((operation, params))
        self.meanwhile()
        if self.fault is not None:
            raise self.fault
        if operation == "Sign":
            assert (params["MessageType"], params["SigningAlgorithm"]) == ("RAW", "RSASSA_PKCS1_V1_5_SHA_256")
            return {"Signature": private_key().sign(params["Message"], PKCS1v15(), SHA256())}
        assert operation == "GetPublicKey"
        public = private_key().public_key()
        return {"PublicKey": public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)}


def tokens(
    kms: Any, clock: VirtualClock | None = None, numbers: tuple[int, ...] = (2, 1)
) -> KmsIdentityTokens:
    return KmsIdentityTokens.of(AwsClient(kms), "prod", ISSUER, numbers, clock or VirtualClock(DUE_AT))


def keys(kms: Any, clock: VirtualClock | None = None, numbers: tuple[int, ...] = (2, 1)) -> KmsTokenKeys:
    return KmsTokenKeys(AwsClient(kms), "prod", numbers, clock or VirtualClock(DUE_AT))


def test_token_is_signed_by_the_first_key_and_verified_with_the_published_one() -> None:
    kms = Kms()
    token = tokens(kms).token("acme", AUDIENCE)
    claims = verified(token, key_set(keys(kms).public_keys().keys))
    assert (claims["iss"], claims["sub"], claims["aud"]) == (ISSUER, "acme", AUDIENCE)
    assert header_of(token)["kid"] == "2"
    assert kms.asked[0][1]["KeyId"] == "alias/punctual-prod-token-2"
    assert [params["KeyId"][-1] for _, params in kms.asked[1:]] == ["2", "1"]


def test_token_is_reused_until_half_its_life_is_left() -> None:
    kms, clock = Kms(), VirtualClock(DUE_AT)
    own = tokens(kms, clock)
    first = own.token("acme", AUDIENCE)
    clock.time_ms += HALF_MS - 61_000
    assert own.token("acme", AUDIENCE) == first
    clock.time_ms += 1_000
    second = own.token("acme", AUDIENCE)
    assert (second != first, len(kms.asked)) == (True, 2)
    assert verified(second, key_set(keys(Kms()).public_keys().keys))["exp"] * 1000 > clock.time_ms + HALF_MS


def test_tenants_and_audiences_share_no_token() -> None:
    kms = Kms()
    own = tokens(kms)
    made = {
        (tenant, audience): own.token(tenant, audience) for tenant in ("acme", "globex") for audience in "ab"
    }
    assert len(set(made.values())) == len(kms.asked) == 4
    for (tenant, audience), token in made.items():
        claims = verified(token, key_set(keys(Kms()).public_keys().keys))
        assert (claims["sub"], claims["aud"]) == (tenant, audience)


def test_greenlets_that_need_the_same_token_share_one_signature() -> None:
    asked = 0

    async def sign(params: Params) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.01)
        return Kms()("Sign", params)

    from shared.adapters.greenlets import wait_for

    own = tokens(lambda _, params: wait_for(sign(params)))

    async def all_of() -> list[str]:
        return await asyncio.gather(*(in_greenlet(own.token, "acme", AUDIENCE) for _ in range(20)))

    assert len(set(asyncio.run(all_of()))) == asked == 1


def test_threads_that_need_the_same_token_share_one_signature() -> None:
    asks, goes_on, found = Event(), Event(), list[str]()

    def wait() -> None:
        asks.set()
        goes_on.wait(5)

    kms = Kms(meanwhile=wait)
    own = tokens(kms)
    threads = [Thread(target=lambda: found.append(own.token("acme", AUDIENCE))) for _ in range(4)]
    threads[0].start()
    assert asks.wait(5)
    for thread in threads[1:]:
        thread.start()
    goes_on.set()
    for thread in threads:
        thread.join(5)
    assert (len(found), len(set(found)), len(kms.asked)) == (4, 1, 1)


@pytest.mark.parametrize(
    "fault",
    [
        refusal("ThrottlingException"),
        refusal("AccessDeniedException"),
        refusal("DisabledException"),
        refusal("NotFoundException"),
        refusal("KMSInternalException"),
        NoAnswerError("silence"),
    ],
    ids=lambda each: getattr(each, "code", "silence"),
)
def test_token_that_kms_does_not_sign_is_unavailable_and_the_next_question_asks_again(
    fault: Exception,
) -> None:
    kms = Kms(fault=fault)
    own = tokens(kms)
    for _ in range(2):
        with pytest.raises(UnavailableError):
            own.token("acme", AUDIENCE)
    kms.fault = None
    assert own.token("acme", AUDIENCE)
    assert len(kms.asked) == 3


def test_token_that_cannot_be_renewed_is_used_on_until_shortly_before_its_end() -> None:
    kms, clock = Kms(), VirtualClock(DUE_AT)
    own = tokens(kms, clock)
    first = own.token("acme", AUDIENCE)
    kms.fault = refusal("ThrottlingException")
    clock.time_ms += HALF_MS
    assert [own.token("acme", AUDIENCE) for _ in range(5)] == [first] * 5
    assert len(kms.asked) == 2
    clock.time_ms += identity_tokens.PAUSE_MS
    assert own.token("acme", AUDIENCE) == first
    assert len(kms.asked) == 3
    clock.time_ms = DUE_AT + 3_540_000 - 300_000 + 1_000
    with pytest.raises(UnavailableError):
        own.token("acme", AUDIENCE)
    kms.fault = None
    assert own.token("acme", AUDIENCE) != first


@pytest.mark.parametrize(("issuer", "numbers"), [(None, (1,)), (ISSUER, ())])
def test_stage_without_keys_has_no_token_for_now(issuer: str | None, numbers: tuple[int, ...]) -> None:
    with pytest.raises(UnavailableError, match="no token_keys"):
        KmsIdentityTokens.of(AwsClient(Kms()), "prod", issuer, numbers, VirtualClock(DUE_AT))


def test_tenant_with_many_audiences_costs_no_other_tenant_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity_tokens, "MAX_KNOWN", 3)
    kms = Kms()
    own = tokens(kms)
    for tenant, audience in (("globex", "x"), *(("acme", str(number)) for number in range(5))):
        own.token(tenant, audience)
    asked = len(kms.asked)
    own.token("globex", "x")
    assert len(kms.asked) == asked
    own.token("acme", "0")
    assert len(kms.asked) == asked + 1


def ids(found: PublishedKeys) -> tuple[list[str], bool]:
    return [key.id for key in found.keys], found.is_complete


@dataclass
class KmsOfKeys:
    """Shows each key, unless it has a fault."""

    faults: dict[str, Exception] = field(default_factory=dict)
    """By the number of the key."""
    asked: list[str] = field(default_factory=list)

    def __call__(self, operation: str, params: Params) -> dict[str, Any]:
        number = params["KeyId"].rpartition("-")[2]
        self.asked.append(number)
        if number in self.faults:
            raise self.faults[number]
        return Kms()(operation, params)


def test_tenant_with_an_audience_for_each_job_takes_a_part_of_the_signatures_alone() -> None:
    kms, clock = Kms(), VirtualClock(DUE_AT)
    signer = tokens(kms, clock)
    for number in range(identity_tokens.BURST):
        signer.token("acme", f"https://{number}.example.com")
    with pytest.raises(UnavailableError, match="many audiences"):
        signer.token("acme", AUDIENCE)
    assert len(kms.asked) == identity_tokens.BURST
    assert signer.token("acme", "https://0.example.com"), "what is known costs no signature"
    assert signer.token("globex", AUDIENCE)
    clock.time_ms += identity_tokens.SIGNING_MS
    assert signer.token("acme", AUDIENCE)
    with pytest.raises(UnavailableError, match="many audiences"):
        signer.token("acme", "https://next.example.com")


def test_public_keys_are_read_once_in_fifteen_minutes_and_published_on_while_kms_fails() -> None:
    kms, clock = Kms(), VirtualClock(DUE_AT)
    own = keys(kms, clock)
    first = own.public_keys()
    clock.time_ms += 899_999
    assert (own.public_keys(), len(kms.asked)) == (first, 2)
    clock.time_ms += 1
    kms.fault = refusal("ThrottlingException")
    assert [own.public_keys() for _ in range(5)] == [first] * 5
    assert first.is_complete
    assert len(kms.asked) == 3
    clock.time_ms += token_keys.PAUSE_MS
    kms.fault = None
    assert own.public_keys() == first
    assert len(kms.asked) == 5


@pytest.mark.parametrize(
    "fault",
    [NoAnswerError("silence"), refusal("ThrottlingException"), refusal("AccessDeniedException")],
    ids=["silence", "throttled", "denied"],
)
def test_public_keys_that_were_never_read_are_unavailable_and_asked_for_again_after_a_cooldown(
    fault: Exception,
) -> None:
    kms, clock = Kms(fault=fault), VirtualClock(DUE_AT)
    own = keys(kms, clock, numbers=(1,))
    for _ in range(5):
        with pytest.raises(UnavailableError):
            own.public_keys()
    assert len(kms.asked) == 1
    kms.fault = None
    clock.time_ms += token_keys.PAUSE_MS
    assert ids(own.public_keys()) == (["1"], True)


@pytest.mark.parametrize(
    "fault",
    [refusal("AccessDeniedException"), refusal("NotFoundException")],
    ids=["denied", "not-found"],
)
def test_key_that_iam_does_not_know_yet_keeps_no_other_key_from_receivers(fault: Exception) -> None:
    kms, clock = KmsOfKeys(faults={"2": fault}), VirtualClock(DUE_AT)
    own = keys(kms, clock, numbers=(1, 2, 3))
    for _ in range(5):
        assert ids(own.public_keys()) == (["1", "3"], False)
    assert kms.asked == ["1", "2", "3"]
    clock.time_ms += token_keys.PAUSE_MS
    assert ids(own.public_keys()) == (["1", "3"], False)
    assert kms.asked[3:] == ["2"]
    kms.faults.clear()
    clock.time_ms += token_keys.PAUSE_MS
    assert ids(own.public_keys()) == (["1", "2", "3"], True)


def test_set_without_the_key_that_signs_is_never_published() -> None:
    kms = KmsOfKeys(faults={"2": refusal("AccessDeniedException")})
    own = keys(kms, numbers=(2, 1))
    for _ in range(5):
        with pytest.raises(UnavailableError, match="of the signer"):
            own.public_keys()
    assert kms.asked == ["2", "1"]


def test_keys_that_kms_did_not_show_for_a_throttle_are_asked_for_once_together() -> None:
    """Else each silent question of five would use up the time of the request."""
    kms = KmsOfKeys(faults=dict.fromkeys("345", refusal("ThrottlingException")))
    own = keys(kms, numbers=(1, 2, 3, 4, 5))
    assert ids(own.public_keys()) == (["1", "2"], False)
    assert kms.asked == ["1", "2", "3"]


@pytest.mark.parametrize("code", ["DisabledException", "KMSInvalidStateException"])
@pytest.mark.parametrize(("disabled", "others"), [("1", ["2"]), ("2", ["1"])])
def test_key_that_an_operator_disabled_is_published_no_more(
    code: str, disabled: str, others: list[str]
) -> None:
    """Even the one that signs: it signs nothing any more, and tokens of the other one are still valid."""
    kms, clock = KmsOfKeys(), VirtualClock(DUE_AT)
    own = keys(kms, clock, numbers=(2, 1))
    own.public_keys()
    kms.faults[disabled] = refusal(code)
    clock.time_ms += token_keys.KNOWN_FOR_MS
    assert ids(own.public_keys()) == (others, True)
    assert ids(keys(kms, clock, numbers=(2, 1)).public_keys()) == (others, True)


def test_set_without_any_key_in_use_is_never_published() -> None:
    """Receivers would keep the empty set, and refuse every call until they ask again."""
    kms = KmsOfKeys(faults=dict.fromkeys("12", refusal("DisabledException")))
    with pytest.raises(UnavailableError, match="no key is in use"):
        keys(kms).public_keys()
    with pytest.raises(UnavailableError):
        keys(Kms(), numbers=()).public_keys()


def test_key_of_another_kind_is_not_published() -> None:
    public = generate_private_key(SECP256R1()).public_key()
    other = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    for found in (other, b"no key"):
        with pytest.raises(UnavailableError):
            keys(lambda *_, found=found: {"PublicKey": found}).public_keys()
