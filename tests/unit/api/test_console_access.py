"""Quotas, keys, tenants and lanes as the console says them."""

from functools import partial
from typing import Any

from functions.api.resources.lanes.examples import LANE_PAGE
from functions.api.resources.usage.examples import USAGE_OUT
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import Scope
from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld

say = partial(console_modules.result, "lib/access.js")
tell = partial(console_modules.result, "lib/operator.js")
NOW = 1_740_000_000_000


def test_every_quota_has_words_and_the_fullest_come_first() -> None:
    rows = say("quotaRows", USAGE_OUT["one_recurring_job"])
    assert {row["name"] for row in rows} == {quota.value for quota in Quota}
    shares = [row["share"] for row in rows if row["share"] is not None]
    assert shares == sorted(shares, reverse=True)
    words = {row["name"]: row["words"] for row in rows}
    assert words["recurring_jobs"] == "1 of 1,000, 999 left"
    assert words["calls_per_second"] == "unlimited"
    assert words["payload_bytes"] == "at most 205 kB; larger ones are refused"


def test_quota_that_is_used_up_says_what_happens() -> None:
    def words(**fields: Any) -> str:
        quota = {"limit": 10, "used": 10, "is_enforced": True, "is_lower_bound": False} | fields
        row = say("quotaRows", {"quotas": {"api_keys": quota}})[0]
        return str(row["words"])

    assert words() == "10 of 10, used up: new ones are refused"
    assert words(used=9) == "9 of 10, nearly used up"
    assert words(used=12, is_lower_bound=True) == "at least 12 of 10, used up: new ones are refused"


def test_form_of_a_key_offers_every_scope_and_its_body_is_taken() -> None:
    scopes = console_modules.results("lib/access.js", ("SCOPES", []))[0]
    assert {scope["name"] for scope in scopes} == {scope.value for scope in Scope}
    made = "m.newKey({name: ' ci ', scopes: new Set(['write', 'read']), days: 90})"
    body = console_modules.evaluated("lib/access.js", made)["body"]
    assert body == {"scopes": ["read", "write"], "name": "ci", "expires_in_seconds": 7_776_000}
    api = ApiWorld()
    api.limit_to(Scope.ADMIN)
    answer = api.post(body, "/v1/keys")
    assert (answer.status, answer.json["name"]) == (201, "ci")
    unlimited = console_modules.evaluated(
        "lib/access.js", "m.newKey({name: '', scopes: new Set(['read']), days: 0})"
    )
    assert unlimited == {"body": {"scopes": ["read"]}}
    none = console_modules.evaluated("lib/access.js", "m.newKey({name: 'x', scopes: new Set(), days: 1})")
    assert "at least one scope" in none["problem"]


def test_revocation_of_the_key_in_use_says_that_it_signs_out() -> None:
    key = {"id": "k1", "name": "ci"}
    assert "signed out" in say("revocation", key, "k1")
    assert "signed out" not in say("revocation", key, "k2")


def test_secrets_without_a_name_can_be_rotated_even_if_others_have_names() -> None:
    secrets = [{"name": "billing"}, {"name": None}, {"name": "billing"}, {"name": "audit"}]
    assert say("secretNames", secrets) == [None, "audit", "billing"]


def test_empty_default_is_removed() -> None:
    texts = {"on_success": " ", "on_failure": " https://example.com/hooks/failed "}
    assert say("settingsPatch", texts) == {
        "on_success": None,
        "on_failure": "https://example.com/hooks/failed",
    }


def test_lanes_say_for_how_long_they_are_behind() -> None:
    page = LANE_PAGE["open_breaker"]
    rows = tell("laneRows", page, 1_739_999_400_000)
    assert [(row["name"], row["isBehind"]) for row in rows] == [
        ("critical", False),
        ("standard", True),
        ("bulk", False),
    ]
    assert rows[1]["words"].startswith("behind for ")
    scopes = tell("scopeRows", page["hot_scopes"])
    assert [scope["words"] for scope in scopes] == ["circuit breaker open", "a quota holds calls back"]


def test_tenant_that_will_be_suspended_is_shown_with_the_instant() -> None:
    tenant = {"state": "suspended", "effective_at": "2025-02-19T21:11:12.345Z"}
    before, after = 1_739_999_400_000, 1_740_999_400_000
    assert tell("tenantState", tenant, before, "UTC")["word"].startswith("suspended from 19 Feb 2025")
    assert tell("tenantState", tenant, after, "UTC") == {"kind": "wait", "word": "suspended"}
    assert tell("tenantState", {"state": "active", "effective_at": None}, after, "UTC")["kind"] == "ok"


def test_busiest_tenants_have_the_sums_of_their_jobs() -> None:
    jobs = [
        {"tenant_id": "a", "ended": 5, "failed": 1},
        {"tenant_id": "b", "ended": 7, "failed": 0},
        {"tenant_id": "a", "ended": 4, "failed": 2},
    ]
    assert tell("busiestTenants", {"jobs": jobs}) == [
        {"tenantId": "a", "ended": 9, "failed": 3},
        {"tenantId": "b", "ended": 7, "failed": 0},
    ]
    day = {"jobs": jobs, "job_count": 9, "ended": 40, "complete": False}
    sentence = tell("busiestSentence", day)
    assert sentence.startswith("40 runs ended on that day, and more may be counted. The sums are of the 3")
