"""Dead letters in the console: filters, the bodies of redrives, and acts on chosen runs."""

from functools import partial
from typing import Any

import pytest

from functions.api.resources.redrives.examples import REDRIVE_OUT
from shared.domain.delivery.callback import Reason
from shared.domain.executions.states import EndReason
from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld

say = partial(console_modules.result, "lib/dead_letters.js")
RUNNING: dict[str, Any] = REDRIVE_OUT["running"]
JOB = "job_r001jmg0r03szjym089eyz6ab9d1"


def test_filter_of_an_address_is_taken_by_the_list_and_by_the_redrive() -> None:
    api = ApiWorld()
    address = {"job": JOB, "status": "503", "lane": "bulk", "since": "24h", "unknown": "x", "tag": ""}
    criteria = say("filterOf", address, api.world.clock.time_ms)
    assert set(criteria) == {"job", "status", "lane", "from"}
    assert api.get("/v1/dead-letters", **criteria).status == 200
    dry_run = say("redriveBody", criteria, {"isDryRun": True})
    assert (dry_run["status"], dry_run["dry_run"]) == (503, True)
    assert api.post(dry_run, "/v1/dead-letters/redrive").status == 200
    started = api.post(say("redriveBody", criteria, {"rate": 5}), "/v1/dead-letters/redrive")
    assert (started.status, started.json["rate"]) == (202, 5)


@pytest.mark.parametrize("query", [{}, {"since": "all"}, {"since": "__proto__"}, {"since": "toString"}])
def test_filter_without_a_range_has_no_beginning(query: dict[str, str]) -> None:
    assert say("filterOf", query, 0) == {}


def test_every_reason_of_the_filter_exists() -> None:
    known = {reason.value for reason in EndReason} | {reason.word for reason in Reason}
    offered = console_modules.results("lib/dead_letters.js", ("REASONS", []))[0]
    assert set(offered) <= known


@pytest.mark.parametrize("rate", ["1", "10", " 5 ", "1000"])
def test_pace_that_the_api_takes_is_accepted(rate: str) -> None:
    assert say("rateProblem", rate) is None


@pytest.mark.parametrize("rate", ["", "0", "1001", "2.5", "-1", "1e2", "ten", "9" * 400])
def test_pace_that_the_api_refuses_is_refused(rate: str) -> None:
    assert "from 1 to 1,000" in say("rateProblem", rate)


def test_plan_says_how_many_would_be_redriven_and_how_long_that_takes() -> None:
    plan = {"count": 48, "already_redriven": 3, "redrives": 45, "complete": True}
    assert say("planSentence", plan, 5) == (
        "48 dead letters match. 3 of them have a redrive already, or one of the same run, and will be skipped. "
        "45 would be redriven. At 5 a second that takes 9 s."
    )
    assert say("planSentence", plan | {"count": 1, "already_redriven": 0, "redrives": 1}, 0) == (
        "1 dead letter matches. 1 would be redriven."
    )
    assert say("planSentence", plan | {"complete": False}, 0).startswith("At least 48")
    assert say("planSentence", {"count": 0, "already_redriven": 0, "redrives": 0, "complete": True}, 5) == (
        "No dead letter matches."
    )


def test_progress_follows_the_range_and_ends_at_one() -> None:
    share = say("progressOf", RUNNING)
    assert 0 < share < 1
    assert say("progressOf", RUNNING | {"from": None}) is None
    assert say("progressOf", RUNNING | {"progress_at": None}) == 1
    assert say("progressOf", RUNNING | {"state": "undone"}) == 1
    assert say("progressSentence", RUNNING) == "At most 5 a second. 50 redriven; 2 skipped."


def test_redrive_that_stands_in_the_way_is_found_in_the_refusal() -> None:
    api = ApiWorld()
    first = api.post({"rate": 1}, "/v1/dead-letters/redrive").json
    refused = {"status": 409, "problem": {"detail": f"redrive {first['id']} is still open"}}
    assert say("openRedriveOf", refused) == first["id"]
    assert say("openRedriveOf", refused | {"status": 422}) is None
    assert say("openRedriveOf", {"status": 409, "problem": {}}) is None


SEQUENCE = """
(async () => {
  const seen = [], slept = [], progress = [];
  const outcomes = await m.runEach(['a', 'b', 'c'], async (id) => {
    seen.push(id);
    if (id === 'b') throw new Error('refused');
    return id.toUpperCase();
  }, {perSecond: 4, sleep: async (ms) => slept.push(ms), onProgress: (done) => progress.push(done.length),
      isStopped: () => STOPPED});
  return {seen, slept, progress, ends: outcomes.map((each) => each.value ?? each.error.message)};
})()
"""


def test_chosen_runs_are_acted_on_in_order_at_the_pace_and_a_refusal_stops_no_other() -> None:
    found = console_modules.evaluated("lib/sequence.js", SEQUENCE.replace("STOPPED", "false"))
    assert found == {
        "seen": ["a", "b", "c"],
        "slept": [250, 250],
        "progress": [1, 2, 3],
        "ends": ["A", "refused", "C"],
    }


def test_stop_lets_the_present_run_end_and_begins_no_other() -> None:
    found = console_modules.evaluated("lib/sequence.js", SEQUENCE.replace("STOPPED", "seen.length === 1"))
    assert (found["seen"], found["ends"]) == (["a"], ["A"])


def test_choice_survives_a_new_list_where_its_rows_are_still_there() -> None:
    expression = "[...m.stillChosen(new Set(['a', 'b']), ['b', 'c'])]"
    assert console_modules.evaluated("lib/sequence.js", expression) == ["b"]
    same = "(() => { const s = new Set(['a']); return m.stillChosen(s, ['a', 'b']) === s; })()"
    assert console_modules.evaluated("lib/sequence.js", same) is True


def test_seldom_loads_again_only_after_its_time_or_an_error() -> None:
    script = """
    (async () => {
      let now = 0, loads = 0;
      const ask = async () => { loads += 1; if (loads === 2) throw new Error('no'); return loads; };
      const load = m.seldom(ask, 60, () => now);
      const seen = [await load(), await load()];
      now = 60;
      seen.push(await load().catch(() => 'error'), await load());
      return seen;
    })()
    """
    assert console_modules.evaluated("lib/sequence.js", script) == [1, 1, "error", 3]
