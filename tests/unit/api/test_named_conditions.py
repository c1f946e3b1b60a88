"""Calendars and triggers: sets, dry runs, and changes on condition of a version."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api.api_world import Answer, Request
from tests.support.api.event_shop import LARGE, Shop
from tests.support.api.job_requests import send
from tests.support.builders import TENANT


@dataclass
class Named:
    """What has a name of its own: its path, a body, and a member that differs."""

    shop: Shop
    path: str
    body: dict[str, Any]
    other: dict[str, Any]

    def put(
        self, *, dry_run: str | None = None, match: str | None = None, none: str | None = None, **changes: Any
    ) -> Answer:
        api = self.shop.api
        headers = api.credential | {"content-type": "application/json"}
        headers |= {"if-match": match} if match is not None else {}
        headers |= {"if-none-match": none} if none is not None else {}
        query = {"dry_run": dry_run} if dry_run is not None else {}
        body = json.dumps(self.body | changes)
        return api.handle(Request(method="PUT", path=self.path, headers=headers, query=query, body=body))

    def delete(self, match: str | None = None) -> Answer:
        return send(self.shop.api, "DELETE", self.path, match=match)

    def shown(self) -> Answer:
        return self.shop.api.get(self.path)

    def audited(self) -> int:
        return len(list(self.shop.api.world.audit_log.of(TENANT)))


@pytest.fixture(params=["calendars", "triggers"])
def named(request: pytest.FixtureRequest) -> Named:
    shop = Shop()
    if request.param == "calendars":
        return Named(shop, "/v1/calendars/plant", {"country": "DE"}, {"dates_out": ["2025-12-24"]})
    body = {"pattern": LARGE, "job_id": shop.job["id"]}
    return Named(shop, "/v1/triggers/small", body, {"delay_seconds": 5})


def test_set_is_shown_and_is_part_of_the_content(named: Named) -> None:
    assert "set" not in named.put().json
    owned = named.put(set="billing").json
    assert (owned["set"], owned["version"]) == ("billing", 2)
    assert named.put(set="billing").json["version"] == 2
    assert named.shown().json["set"] == "billing"
    listed = named.shop.api.get(named.path.rpartition("/")[0]).json
    assert "billing" in [each.get("set") for each in next(iter(listed.values()))]
    assert "set" not in named.put().json


def test_set_that_cannot_be_is_refused_at_its_place(named: Named) -> None:
    refused = named.put(set="no set")
    assert refused.status == 422
    assert [each["pointer"] for each in refused.json["errors"]] == ["/set"]


def test_dry_run_shows_what_would_be_and_changes_nothing(named: Named) -> None:
    for dry_run, status in (("true", 404), ("false", 200)):
        assert named.put(dry_run=dry_run).json["version"] == 1
        assert named.shown().status == status
    before, audited = named.shown().json, named.audited()
    would = named.put(dry_run="true", set="billing", **named.other).json
    assert would == before | named.other | {"set": "billing", "version": 2, "changed_at": would["changed_at"]}
    assert named.shown().json == before
    assert named.audited() == audited
    assert named.put(dry_run="true").json == before


def test_dry_run_refuses_what_a_change_would_refuse(named: Named) -> None:
    assert named.put(dry_run="true", unknown=1).status == 422
    assert named.put(dry_run="true", match='"1"').status == 412
    assert named.put(dry_run="maybe").status == 400


def test_change_is_made_at_the_version_of_if_match_alone(named: Named) -> None:
    assert named.put().headers["ETag"] == '"1"'
    assert named.put(match='"1"', **named.other).headers["ETag"] == '"2"'
    refused = named.put(match='"1"', set="billing")
    assert (refused.status, refused.problem, refused.headers["ETag"]) == (412, "precondition-failed", '"2"')
    assert "at version 2" in refused.json["detail"]
    assert named.shown().headers["ETag"] == '"2"'
    assert named.put(match="*", set="billing").json["version"] == 3


def test_condition_does_not_keep_a_repetition_from_its_answer(named: Named) -> None:
    named.put()
    changed = named.put(match='"1"', **named.other).json
    assert named.put(match='"1"', **named.other).json == changed
    assert named.put(none="*", **named.other).json == changed


def test_missing_one_is_not_created_under_if_match(named: Named) -> None:
    assert [named.put(match=match).status for match in ('"1"', "*")] == [412, 412]
    assert named.shown().status == 404


def test_standing_one_is_not_changed_under_if_none_match(named: Named) -> None:
    assert named.put(none="*").status == 200
    refused = named.put(none="*", **named.other)
    assert (refused.status, refused.problem, refused.headers["ETag"]) == (412, "already-exists", '"1"')
    assert named.put(none='"1"').status == 400
    assert named.shown().json["version"] == 1


def test_deletion_is_made_at_the_version_of_if_match_alone(named: Named) -> None:
    named.put()
    refused = named.delete('"2"')
    assert (refused.status, refused.problem) == (412, "precondition-failed")
    assert named.shown().status == 200
    assert named.delete('"1"').status == 200
    assert named.delete('"1"').status == 404
