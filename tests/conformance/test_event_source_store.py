"""EventSourceStore: the routes of accounts, each version written over the one before."""

from dataclasses import replace

from shared.domain.triggers.event_source import EventRoute, EventSource
from tests.support.builders import DUE_AT
from tests.support.conformance.labs import Lab

S3 = EventRoute(source_prefix="aws.s3", tenant_id="acme")
FIRST = EventSource(account="111122223333", version=1, changed_at=DUE_AT, routes=(S3,))
SECOND = replace(
    FIRST, version=2, routes=(EventRoute(source_prefix="größe.", tenant_id="acme-2"), replace(S3))
)


def test_event_source_is_read_as_it_was_put(lab: Lab) -> None:
    assert lab.event_sources.get(FIRST.account) is None
    for before, source in ((None, FIRST), (FIRST, SECOND)):
        assert lab.event_sources.put(source, before)
        assert lab.event_sources.get(FIRST.account) == source


def test_event_source_is_written_over_the_one_that_was_read_alone(lab: Lab) -> None:
    assert not lab.event_sources.put(SECOND, FIRST)
    assert lab.event_sources.put(FIRST, None)
    assert not lab.event_sources.put(SECOND, None)
    assert not lab.event_sources.put(SECOND, replace(FIRST, changed_at=DUE_AT + 1))
    assert lab.event_sources.get(FIRST.account) == FIRST


def test_event_source_write_succeeds_again_when_its_answer_was_lost(lab: Lab) -> None:
    for _ in range(2):
        assert lab.event_sources.put(FIRST, None)
    for _ in range(2):
        assert lab.event_sources.put(SECOND, FIRST)
    assert not lab.event_sources.delete(FIRST)
    for _ in range(2):
        assert lab.event_sources.delete(SECOND)


def test_event_sources_are_listed_by_account(lab: Lab) -> None:
    others = [replace(FIRST, account=account) for account in ("999999999999", "000000000001")]
    for source in (FIRST, *others):
        lab.event_sources.put(source, None)
    found = lab.event_sources.all()
    assert [each.account for each in found] == ["000000000001", FIRST.account, "999999999999"]
    assert lab.tenants.ids(after=None, limit=10) == []
