"""Acts on many jobs in the console, and the heat map of the future: the logic without a browser."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld
from tests.support.api.console_files import STATIC

BULK = "lib/bulk.js"
HEAT = "lib/heat.js"
BULK_PATH = "/v1/jobs/bulk"
CHOICE: dict[str, Any] = console_modules.result(BULK, "EMPTY_CHOICE")
ROW = {"id": "job_1", "revision": 3, "tags": ["a", "b"], "state": "active"}


@pytest.mark.parametrize("action", console_modules.result(BULK, "ACTIONS"))
def test_dry_run_of_each_act_is_taken_by_the_api_and_so_is_its_plan(action: str) -> None:
    world = ApiWorld()
    world.create(schedule={"rate_seconds": 60}, tags=["a"])
    choice = CHOICE | {"lane": "bulk", "addTags": "slow"}
    filters = {"tag": "a", "state": "active"}
    dry = world.post(console_modules.result(BULK, "bulkBody", action, filters, choice), BULK_PATH)
    assert (dry.status, dry.json["count"]) == (200, 1)
    body = console_modules.result(BULK, "bulkBody", action, filters, choice, dry.json["plan"])
    assert (body["rate"], body["plan"]) == (20, dry.json["plan"])
    assert world.post(body, BULK_PATH).status == 202


def test_filters_that_a_bulk_operation_lacks_are_said_and_never_left_out() -> None:
    why = console_modules.results(
        BULK,
        ("whyNoBulk", [{"backfill_of": "job_1"}, "pause"]),
        ("whyNoBulk", [{"kind": "once", "set": "billing"}, "delete"]),
        ("whyNoBulk", [{"kind": "once"}, "pause"]),
        ("whyNoBulk", [{"kind": "once"}, "delete"]),
        ("whyNoBulk", [{"tag": "a"}, "pause"]),
        ("whyNoBulk", [{"set": "billing"}, "pause"]),
    )
    assert "backfill_of" in why[0]
    assert "no set" in why[1]
    assert "only be deleted" in why[2]
    assert why[3:] == [None, None, None]


def test_filter_by_set_reaches_the_api() -> None:
    body = console_modules.result(BULK, "bulkBody", "pause", {"set": "billing", "state": "active"}, CHOICE)
    assert body["filter"] == {"set": "billing", "state": "active"}
    answer = ApiWorld().post(body, BULK_PATH)
    assert (answer.status, answer.json["count"]) == (200, 0)


def test_single_rows_are_changed_only_as_they_were_seen() -> None:
    choice = CHOICE | {"reason": " moving ", "addTags": "c", "removeTags": "a"}
    requests = console_modules.results(
        BULK, *(("requestFor", [action, ROW, choice]) for action in ("pause", "trigger", "patch", "delete"))
    )
    assert [(each["method"], each["path"], each.get("body")) for each in requests] == [
        ("POST", "/v1/jobs/job_1/pause", {"reason": "moving"}),
        ("POST", "/v1/jobs/job_1/trigger", None),
        ("PATCH", "/v1/jobs/job_1", {"tags": ["b", "c"]}),
        ("DELETE", "/v1/jobs/job_1", None),
    ]
    assert {each["ifMatch"] for each in requests} == {'"3"'}


def task(**members: Any) -> dict[str, Any]:
    counts = {"done": 40, "deleted": 0, "undone": 0, "refused": {}}
    return {
        "action": "pause",
        "state": "running",
        "total": 100,
        "total_is_exact": True,
        "left": 60,
        "grace_hours": None,
        "counts": counts,
    } | members


@pytest.mark.parametrize(
    ("members", "can_undo", "can_cancel"),
    [
        ({}, True, True),
        ({"state": "finished", "left": 0}, True, False),
        ({"state": "undone"}, False, False),
        ({"state": "waiting", "action": "delete", "grace_hours": 24, "deletes_at": "x"}, True, True),
        ({"state": "finished", "action": "delete", "grace_hours": 0}, False, False),
        (
            {"state": "finished", "counts": {"done": 0, "deleted": 0, "undone": 0, "refused": {}}},
            False,
            False,
        ),
    ],
)
def test_progress_offers_an_undo_where_the_api_has_one(
    members: dict[str, Any], can_undo: bool, can_cancel: bool
) -> None:
    progress = console_modules.result(BULK, "progressOf", task(**members))
    assert (progress["canUndo"], progress["canCancel"]) == (can_undo, can_cancel)
    assert progress["sentence"].endswith(".")


def test_selection_of_rows_and_of_all_that_match() -> None:
    chosen = console_modules.results(
        "lib/selection.js",
        ("toggled", [{"isAll": False, "ids": ["a"]}, "b", ["a", "b", "c"]]),
        ("toggled", [{"isAll": True, "ids": []}, "b", ["a", "b", "c"]]),
        ("toggledShown", [{"isAll": False, "ids": ["a", "b"]}, ["a", "b"]]),
        ("kept", [{"isAll": False, "ids": ["a", "gone"]}, ["a", "b"]]),
    )
    assert [each["ids"] for each in chosen] == [["a", "b"], ["a", "c"], [], ["a"]]
    assert not any(each["isAll"] for each in chosen)


def test_shade_grows_with_the_count_and_a_run_is_never_shown_as_none() -> None:
    shades = [console_modules.result(HEAT, "shadeOf", count, 10_000) for count in (0, 1, 20, 400, 10_000)]
    assert shades == [0, 1, 1, 2, 4]
    assert console_modules.result(HEAT, "shadeOf", 1, 1) == 1


_ROWS = """
(async ({ clocks, steps, zone }) => {
  const clock = (await import(clocks)).localClock(zone, 'week');
  const rows = m.heatRows('week', { steps }, {
    offsetOf: clock.offset, labelOf: clock.label, rowLabelOf: clock.rowLabel,
  });
  const last = { row: rows.length - 1, column: 0 };
  return { rows, down: m.moved(rows, last, 'ArrowDown'), other: m.moved(rows, last, 'q') };
})
"""


def week(first: int, zone: str, hours: int = 168) -> Any:
    """The heat map of hours from an instant in seconds on."""
    instants = [datetime.fromtimestamp(first + 3600 * each, UTC) for each in range(hours)]
    given = {
        "clocks": (STATIC / "lib" / "zone_clock.js").as_uri(),
        "steps": [{"at": instant.isoformat(), "count": 1} for instant in instants],
        "zone": zone,
    }
    return console_modules.evaluated(HEAT, f"{_ROWS.strip()}({json.dumps(given)})")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Asia/Kolkata"])
def test_every_step_of_a_week_is_in_one_cell_of_its_local_day_and_hour(zone: str) -> None:
    made = week(1_774_461_600, zone)  # 2026-03-25T18:00:00Z, before the clocks of Berlin change.
    cells = [cell for row in made["rows"] for cell in row["cells"] if cell]
    assert sum(cell["count"] for cell in cells) == 168
    assert all(len(row["cells"]) == 24 for row in made["rows"])
    assert len({row["label"] for row in made["rows"]}) == len(made["rows"])
    assert made["down"] == {"row": len(made["rows"]) - 1, "column": 0}
    assert made["other"] is None


def test_repeated_hour_of_a_clock_change_shares_a_cell() -> None:
    made = week(1_792_864_800, "Europe/Berlin", 48)  # From 2026-10-24T18:00:00Z on.
    cells = [cell for row in made["rows"] for cell in row["cells"] if cell]
    assert sorted(cell["count"] for cell in cells)[-2:] == [1, 2]


def test_window_of_a_cell_is_what_is_left_of_its_step() -> None:
    at = "2025-02-20T10:00:00.000Z"
    asked = console_modules.results(
        HEAT,
        ("windowOf", [at, 3600, 1_740_000_000_000]),
        ("windowOf", [at, 3600, 1_740_045_600_000 + 600_000]),
        ("windowOf", [at, 3600, 1_740_045_600_000 + 3_600_000]),
    )
    assert asked == [
        {"from": at, "within": 3600, "limit": 100},
        {"from": "2025-02-20T10:10:00.000Z", "within": 3000, "limit": 100},
        None,
    ]


def test_clock_change_is_said_in_a_sentence() -> None:
    change = {
        "local_before": "2026-03-29T02:00:00",
        "local_after": "2026-03-29T03:00:00",
        "effect": "shifted",
        "count": 1,
        "local_times": ["2026-03-29T02:30:00"],
    }
    said = console_modules.result("lib/job_words.js", "clockChangeSentence", change)
    assert said == (
        "On 2026-03-29 the clock goes from 02:00 to 03:00: 02:30 does not exist and runs right after the change."
    )


def test_snippets_quote_every_value_and_have_no_key() -> None:
    body = {
        "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        "request": {"method": "POST", "url": "https://example.com/a?b=1&c=$(id)", "body": "it's `id`"},
        "tags": ["billing"],
        "retry": {"delays_seconds": [60, 600]},
        "alerts": {
            "url": "https://a.example/?t=$(id)",
            "events": ["failed", "late"],
            "late_after_seconds": 60,
        },
    }
    found = console_modules.result(
        "lib/job_snippets.js", "creationSnippets", body, "", "https://api.example.com"
    )
    texts = {each["label"]: each["text"] for each in found}
    assert "'it'\\''s `id`'" in texts["command"]
    assert "--retry-delays 60s,600s" in texts["command"]
    assert "--alerts-url 'https://a.example/?t=$(id)'" in texts["command"]
    assert "--alert failed \\\n  --alert late \\\n  --alert-late-after 60s" in texts["command"]
    assert "--cron '30 2 * * *'" in texts["command"]
    assert 'cron="30 2 * * *"' in texts["Python"]
    assert "$PUNCTUAL_KEY" in texts["curl"]
    assert "pk_" not in "".join(texts.values())
    compile(texts["Python"], "snippet", "exec")
