"""Python values become what the API reads, or are refused before anything is sent."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from client.tests.sdk.deployment import HOOK, Deployment, client
from punctual import new_job
from punctual._values import encode, instant, revision_of
from punctual.models import AlertsIn, Job, RetryIn
from punctual.problems import InvalidCursorError, NotFoundError, PreconditionFailedError

NOW = datetime(2025, 2, 19, 12, tzinfo=timezone.utc)
BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("24h", "2025-02-18T12:00:00.000Z"),
        ("90s", "2025-02-19T11:58:30.000Z"),
        ("15m", "2025-02-19T11:45:00.000Z"),
        ("7d", "2025-02-12T12:00:00.000Z"),
        ("2w", "2025-02-05T12:00:00.000Z"),
        (timedelta(minutes=1), "2025-02-19T11:59:00.000Z"),
        (datetime(2025, 2, 19, 13, tzinfo=BERLIN), "2025-02-19T12:00:00.000Z"),
        ("2025-02-19T12:00:00+01:00", "2025-02-19T12:00:00+01:00"),
        ("24 hours", "24 hours"),
        ("-24h", "-24h"),
    ],
)
def test_instant_is_written_in_utc_and_other_text_is_left_to_the_api(value: Any, text: str) -> None:
    assert instant(value, NOW) == text


def test_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        instant(datetime(2025, 2, 19), NOW)  # noqa: DTZ001 - that is the point
    with pytest.raises(ValueError, match="has no time zone"):
        encode({"at": datetime(2025, 2, 19)})  # noqa: DTZ001
    with pytest.raises(ValueError, match="before the first year"):
        instant("999999w", NOW)


TEXTS = st.text(max_size=8) | st.sampled_from(["\ufffd", "a\ufffdb", "\\ufffd", '"', "\u2028"])
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS
BODIES = st.dictionaries(
    TEXTS, st.recursive(VALUES, lambda each: st.lists(each, max_size=3), max_leaves=5), max_size=4
)


@settings(max_examples=50, deadline=None)
@given(BODIES)
def test_body_is_read_as_it_was_given(body: dict[str, Any]) -> None:
    encoded = encode(body)
    assert json.loads(encoded) == body
    assert "\ufffd".encode() not in encoded


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_number_that_json_does_not_have_is_refused_and_not_sent_as_null(number: float) -> None:
    with client() as (p, deployment):
        with pytest.raises(ValueError, match="JSON has no"):
            p.jobs.create(url=HOOK, delay_seconds=1, json={"rows": [1.5, {"x": number}]})
        assert deployment.sent == []


def test_bytes_are_refused_and_not_sent_as_base64() -> None:
    with client() as (p, deployment):
        with pytest.raises(TypeError, match="decode them to a text"):
            p.jobs.create(url=HOOK, delay_seconds=1, body=b"{}")  # type: ignore[arg-type]
        assert deployment.sent == []


@dataclass
class Invoice:
    number: UUID
    at: datetime
    rows: frozenset[float]


def test_dataclass_is_sent_as_an_object_and_checked_like_one() -> None:
    number = UUID(int=7)
    assert json.loads(encode({"json": Invoice(number, NOW, frozenset({1.5}))})) == {
        "json": {"number": str(number), "at": "2025-02-19T12:00:00.000Z", "rows": [1.5]}
    }
    with pytest.raises(ValueError, match="JSON has no nan"):
        encode({"json": Invoice(number, NOW, frozenset({float("nan")}))})
    with pytest.raises(TypeError):
        encode({"json": object()})


def test_flat_and_nested_members_make_the_same_job() -> None:
    flat = new_job(
        url=HOOK,
        json=None,
        cron="0 9 * * *",
        timezone="Europe/Berlin",
        tags=["a"],
        retry=RetryIn(max_attempts=3),
    )
    nested = new_job(
        request={"url": HOOK, "json": None},
        schedule={"cron": "0 9 * * *", "timezone": "Europe/Berlin"},
        tags=["a"],
        retry={"max_attempts": 3},
    )
    assert json.loads(encode(flat)) == nested


def test_member_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="give url either inside request or by itself"):
        new_job(request={"url": HOOK}, url=HOOK, delay_seconds=1)


def test_null_restores_a_default_and_what_is_not_given_stays() -> None:
    with client() as (p, deployment):
        job = p.jobs.create(url=HOOK, cron="0 9 * * *", tags=["a"], lane="bulk", name="x")
        changed = p.jobs.update(job, tags=None, alerts=AlertsIn(url="none"), cron="0 10 * * *")
        assert (changed.tags, changed.lane, changed.name, changed.schedule.cron) == (
            (),
            "bulk",
            "x",
            "0 10 * * *",
        )
        sent = json.loads(deployment.sent[-1].content)
        assert sent == {"tags": None, "alerts": {"url": "none"}, "schedule": {"cron": "0 10 * * *"}}


def test_change_needs_a_revision_and_takes_that_of_the_job() -> None:
    with client() as (p, deployment):
        job = p.jobs.create(url=HOOK, delay_seconds=600)
        with pytest.raises(ValueError, match='if_match="\\*"'):
            p.jobs.update(job.id, name="y")
        assert len(deployment.sent) == 1
        p.jobs.update(job, name="y")
        with pytest.raises(PreconditionFailedError) as error:
            p.jobs.update(job, name="z")
        assert not error.value.maybe_applied
        assert p.jobs.update(job.id, if_match=2, name="z").revision == 3


@pytest.mark.parametrize(("given_tag", "sent"), [(7, '"7"'), ("*", "*"), ('"7"', '"7"')])
def test_revision_gets_its_quotes(given_tag: Any, sent: str) -> None:
    assert revision_of("job_1", given_tag) == sent


@pytest.mark.parametrize("job_id", ["", ".", ".."])
def test_id_that_would_lead_to_another_path_is_refused(job_id: str) -> None:
    with client() as (p, deployment):
        with pytest.raises(ValueError, match="is no id"):
            p.jobs.cancel(job_id)
        assert deployment.sent == []


@pytest.mark.parametrize(
    "job_id", ["a/../../v1/usage", "?limit=1", "a%2Fb", "..%2f", "job 1", "\u00e9", "#x", "\x00"]
)
def test_id_stays_one_segment_of_the_path(job_id: str) -> None:
    with client() as (p, deployment):
        with pytest.raises(NotFoundError):
            p.jobs.get(job_id)
        path = deployment.sent[0].url.raw_path.decode()
        assert path.count("/") == 3
        assert "?" not in path


@pytest.mark.parametrize("subject", [None, 7, b"job_1", {"id": "job_1"}, UNSET])
def test_object_without_an_id_is_refused(subject: Any) -> None:
    with client() as (p, deployment):
        with pytest.raises(TypeError, match="has no id"):
            p.jobs.get(subject)
        assert deployment.sent == []


@pytest.mark.parametrize("key", ["", " ", "a b", "a\nb", "\u00e9", "x" * 256])
def test_idempotency_key_that_cannot_be_a_header_is_refused(key: str) -> None:
    with client() as (p, deployment):
        with pytest.raises(ValueError, match="visible ASCII"):
            p.jobs.create(url=HOOK, delay_seconds=1, idempotency_key=key)
        with pytest.raises(ValueError, match="visible ASCII"):
            p.jobs.batch([new_job(url=HOOK, delay_seconds=1)], idempotency_key=key)
        assert deployment.sent == []


@pytest.mark.parametrize("value", ["a\r\nX-Other: 1", "", "\u20ac"])
def test_other_header_that_cannot_be_sent_is_refused_without_its_value(value: str) -> None:
    with client() as (p, deployment):
        with pytest.raises(ValueError, match="X-Callback-Token cannot be a header") as error:
            p.executions.heartbeat("exe_1", token=value)
        assert not value or value not in str(error.value)
        with pytest.raises(ValueError, match="Punctual-Depth"):
            p.jobs.create(url=HOOK, delay_seconds=1, depth=value)
        assert deployment.sent == []


def test_start_of_a_list_is_computed_once_for_all_of_its_pages() -> None:
    deployment = Deployment()
    with deployment.client() as p:
        for _ in range(3):
            p.jobs.create(url=HOOK, delay_seconds=0)
        deployment.sleep(1)
        found = []
        for run in p.executions.iterate(since="24h", limit=1):
            deployment.sleep(1)
            found.append(run.id)
        assert len(set(found)) == 3
        page = p.executions.list(since="24h", limit=1)
        deployment.sleep(1)
        with pytest.raises(InvalidCursorError):
            p.executions.list(since="24h", limit=1, cursor=page.next_cursor)


def test_objects_are_taken_where_ids_are() -> None:
    with client() as (p, _):
        job = p.jobs.create(url=HOOK, rate_seconds=60, start_at="2025-02-01T00:00:00Z")
        backfill = p.jobs.backfill(job, since="2025-02-02T00:00:00Z", until="2025-02-02T00:05:00Z")
        assert isinstance(backfill, Job)
        assert [each.id for each in p.jobs.iterate(backfill_of=job)] == [backfill.id]
        assert list(p.dead_letters.iterate(job=job)) == []
        plan = p.jobs.backfill(job, since="2025-02-02T00:00:00Z", until="2025-02-02T00:05:00Z", dry_run=True)
        assert plan.count == 5
