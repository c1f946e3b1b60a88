"""Values from outside the file in differences and in errors: what is hidden, and what is still told."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctual.applying.hiding import shown_fields, without_secrets
from punctual.applying.wanted import WantedJob
from punctual.errors import NoAnswerError, UnexpectedAnswerError
from punctual.models import FieldChange
from punctual.problems import CallbackUrlNotAllowedError, ValidationFailedError

HOOK = "https://hooks.example/a"
CHAT = "https://chat.example:8443/services/T0000000/B0000000/s3cret%2FS3CRET?token=abcdefgh12"


def job(*secrets: str, hidden: tuple[str, ...] = ()) -> WantedJob:
    return WantedJob("s.a", 3, {}, frozenset(hidden), secrets)


def refusal(detail: str) -> CallbackUrlNotAllowedError:
    return CallbackUrlNotAllowedError(
        status=422,
        type="callback-url-not-allowed",
        title="The callback URL is not allowed",
        detail=detail,
        instance="urn:punctual:request:1",
        errors=[("/on_failure", detail)],
        operation="putJob",
    )


@pytest.mark.parametrize(
    "quoted",
    [
        CHAT,
        CHAT.upper(),
        f"«{CHAT}»",
        "/services/T0000000/B0000000/s3cret%2FS3CRET",
        "s3cret/S3CRET",
        "s3cret%2fs3cret",
        "abcdefgh12",
        "chat.example:8443/services/T0000000/B0000000",
    ],
)
def test_error_that_quotes_a_url_or_a_part_of_it_hides_that(quoted: str) -> None:
    hidden = without_secrets(refusal(f"the URL {quoted} may not be called"), job(CHAT))
    told = f"{hidden}{hidden.detail}{hidden.errors}{hidden.args}{hidden.title}".lower()
    assert not {part for part in ("s3cret", "abcdefgh12", "b0000000", "t0000000") if part in told}
    assert hidden.detail.startswith("the URL ")
    assert hidden.detail.endswith(" may not be called")
    assert (hidden.status, hidden.pointer, hidden.instance) == (422, "/on_failure", "urn:punctual:request:1")
    assert isinstance(hidden, CallbackUrlNotAllowedError)
    assert "s3cret" not in repr(pickle.loads(pickle.dumps(hidden)))


def test_error_without_a_value_from_outside_stays_as_it_is() -> None:
    error = refusal("the URL's host may not be called: it is not a public address")
    assert without_secrets(error, job()) is error
    assert str(without_secrets(error, job(CHAT, "1", "s3cret"))) == str(error)


def test_header_inside_of_a_longer_text_is_hidden() -> None:
    error = ValidationFailedError(
        status=422, type="validation-failed", title="t", detail="got 'Bearer s3cret, x'", operation="putJob"
    )
    assert without_secrets(error, job("Bearer s3cret")).detail == "got '(hidden), x'"


def test_page_of_a_proxy_that_repeats_a_request_hides_its_values() -> None:
    error = UnexpectedAnswerError(f"200 <p>you sent {CHAT}</p>", operation="putJob", attempts=2)
    hidden = without_secrets(error, job(CHAT))
    assert (str(hidden), hidden.attempts) == ("200 <p>you sent (hidden)</p>", 2)


def test_lost_answer_is_still_told_as_one() -> None:
    error = NoAnswerError("lost", operation="putJob", maybe_applied=True)
    assert without_secrets(error, job("s3cret")).maybe_applied


@given(
    st.text("abc/?=&%.:@", max_size=12),
    st.text("abc ", max_size=6),
    st.sampled_from(["https://chat.example/", "", "https://"]),
)
def test_no_value_of_four_characters_is_left_in_an_error(value: str, around: str, scheme: str) -> None:
    secret = f"{scheme}{value}".strip()
    hidden = without_secrets(refusal(f"{around}{secret}{around}"), job(secret))
    assert len(secret) < 4 or secret not in hidden.detail


def test_object_that_is_removed_shows_the_host_of_its_url() -> None:
    alerts = {"url": CHAT, "events": ["failed"]}
    (shown,) = shown_fields((FieldChange(pointer="/alerts", before=alerts, after=None, hidden=False),), job())
    assert shown.before == {"url": "https://chat.example:8443/…", "events": ["failed"]}


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("none", "none"),
        ("https://a.example", "https://a.example"),
        ("https://a.example/", "https://a.example/"),
        ("https://a.example?t=s3cret", "https://a.example/…"),
        ("https://u:s3cret@a.example/x", "https://a.example/…"),
        ("https://a.example/x#s3cret", "https://a.example/…"),
        (None, None),
    ],
)
def test_url_of_before_shows_its_scheme_and_host(before: str | None, shown: str | None) -> None:
    for pointer in ("/request/url", "/on_success", "/on_failure", "/alerts/url"):
        change = FieldChange(pointer=pointer, before=before, after="https://b.example/x", hidden=False)
        (found,) = shown_fields((change,), job())
        assert (found.before, found.after, found.hidden) == (shown, "https://b.example/x", False)


def test_order_of_tasks_is_shown_where_a_task_takes_its_url_from_outside() -> None:
    change = FieldChange(pointer="/tasks", before=["pack", "ship"], after=["ship", "pack"], hidden=False)
    assert shown_fields([change], job(CHAT, hidden=("/tasks/ship/request/url",))) == (change,)


def test_task_that_is_added_shows_the_url_of_the_file_and_a_removed_one_its_host() -> None:
    task = {"key": "ship", "request": {"url": f"{HOOK}/ship?from=shop"}}
    added = FieldChange(pointer="/tasks/ship", before=None, after=task, hidden=False)
    removed = FieldChange(pointer="/tasks/ship", before=task, after=None, hidden=False)
    assert shown_fields([added], job()) == (added,)
    (shown,) = shown_fields([removed], job())
    assert shown.before == {"key": "ship", "request": {"url": "https://hooks.example/…"}}
