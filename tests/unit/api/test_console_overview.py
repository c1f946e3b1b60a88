"""What the console's overview asks for, and what it says about the answers."""

from functools import partial
from typing import Any

from functions.api.resources.dead_letters.examples import DEAD
from functions.api.resources.jobs.run_notes import PAUSED
from functions.api.resources.statistics.examples import STATISTICS_OUT
from tests.support.api import console_modules
from tests.support.api.api_world import ApiWorld

NOW = 1_740_000_612_345
BY_HOUR, BY_MINUTE = STATISTICS_OUT["by_hour"], STATISTICS_OUT["by_minute"]
say = partial(console_modules.result, "lib/overview.js")


def test_queries_of_every_range_are_taken_by_the_api() -> None:
    api = ApiWorld()
    now = api.world.clock.time_ms
    for name in ("1h", "24h", "14d", "nonsense", None):
        assert api.get("/v1/stats", **say("statsQuery", name, now)).status == 200
        failures = {key: str(value) for key, value in say("failuresQuery", name, now).items()}
        assert api.get("/v1/dead-letters", **failures).status == 200
    density = {key: str(value) for key, value in say("densityQuery", now).items()}
    assert len(api.get("/v1/upcoming/density", **density).json["steps"]) in (24, 25)


def test_runs_that_no_hour_counts_yet_are_shown_as_due_and_their_failures_as_failed() -> None:
    steps = [say("outcomesOf", bucket) for bucket in BY_HOUR["buckets"]]
    assert steps[0] == {"succeeded": 116, "failed": 2, "skipped": 2, "cancelled": 0, "uncounted": 0}
    assert steps[1] == {"succeeded": 0, "failed": 1, "skipped": 0, "cancelled": 0, "uncounted": 120}


def test_chart_names_only_outcomes_that_occur() -> None:
    chart = say("outcomeChart", BY_HOUR)
    assert [each["key"] for each in chart["series"]] == ["succeeded", "failed", "skipped", "uncounted"]
    assert chart["at"] == [1_739_988_000, 1_739_991_600]
    assert [each["key"] for each in say("outcomeChart", BY_MINUTE)["series"]][:2] == ["succeeded", "failed"]


def test_sentences_have_the_figures_of_the_answer() -> None:
    sentence = say("outcomeSentence", BY_HOUR, "24h")
    assert sentence == (
        "121 runs ended in the last 24 hours: 116 succeeded, 3 failed, 2 skipped. "
        "120 more were due; how they ended is not counted yet."
    )
    assert say("lagSentence", BY_HOUR, "24h") == (
        "Half of 118 first calls began within 38 ms of their due time, 99 of 100 within 412 ms."
    )
    empty = BY_HOUR | {"buckets": BY_HOUR["buckets"][:0], "total": {"lag": {"count": 0}}}
    assert say("outcomeSentence", empty, "1h") == "No run was due in the last hour."
    assert "no call of the last hour is counted yet" in say("lagSentence", empty, "1h")


def test_end_of_the_complete_steps_is_said_in_words() -> None:
    def said(**changes: Any) -> str:
        sentence: str = say("completeSentence", BY_HOUR | changes, "UTC")
        return sentence

    assert said().startswith("The counts are complete until 19 Feb 2025, 19:00:00 UTC.")
    assert said(complete_until=None).startswith("No step of this range is complete yet.")
    assert said(complete_until=BY_HOUR["until_at"]) == "The counts are complete."
    assert "Too many runs" in said(buckets=[{"uncounted_due": None}])


def test_failures_are_grouped_by_job_and_reason_and_lead_to_their_dead_letters() -> None:
    letter = DEAD
    other = letter | {"last_status": None, "last_reason": "timeout", "id": "exe_other"}
    groups = say("groupFailures", [letter, other, letter])
    assert [(group["reason"], group["count"]) for group in groups] == [("HTTP 410", 2), ("timeout", 1)]
    assert groups[0]["query"] == {"job": letter["job_id"], "status": "410"}
    assert groups[1]["query"] == {"job": letter["job_id"], "reason": "timeout"}
    api = ApiWorld()
    assert [api.get("/v1/dead-letters", **group["query"]).status for group in groups] == [200, 200]


def test_job_is_shown_as_paused_by_its_receiver_only_if_that_answered_410() -> None:
    jobs = [{"no_next_run": f"{PAUSED} Reason: gone"}, {"no_next_run": f"{PAUSED} Reason: gone fishing"}]
    assert say("pausedByReceiver", [*jobs, {"no_next_run": PAUSED}, {"no_next_run": None}]) == jobs[:1]


def test_sentence_on_paused_jobs_says_whether_all_were_looked_at() -> None:
    said = [say("pausedSentence", found, more) for found in (0, 1, 30) for more in (False, True)]
    assert said == [
        "No job is paused by its receiver.",
        "No job that was looked at is paused by its receiver.",
        "1 job paused by the receiver.",
        "1 job or more paused by the receiver.",
        "30 jobs paused by the receiver.",
        "30 jobs or more paused by the receiver.",
    ]


def test_strip_has_levels_from_none_to_the_most() -> None:
    counts = [0, 1, 25, 50, 100]
    cells = say("heat", [{"at": "2025-02-19T21:00:00Z", "count": count} for count in counts])
    assert [cell["level"] for cell in cells] == [0, 1, 1, 2, 4]
    steps = {"steps": cells, "complete": False, "until": "2025-02-19T22:00:00Z"}
    sentence = say("densitySentence", steps, "UTC")
    assert sentence.startswith("176 runs in the next 6 hours; the busiest quarter of an hour has 100, from")
    assert "Counted until 19 Feb 2025, 22:00:00 UTC" in sentence
    assert say("densitySentence", steps | {"estimated": True}, "UTC").startswith("About 176 runs")
    nothing = {"steps": cells[:1], "complete": True, "estimated": True}
    assert say("densitySentence", nothing, "UTC") == "No run is planned in the next 6 hours, by a sample."


def test_bars_are_stacked_and_axes_have_few_whole_numbers() -> None:
    series = [{"key": "a", "values": [1, 2]}, {"key": "b", "values": [3, None]}]
    bands = console_modules.result("lib/chart_data.js", "bands", series)
    assert [(each["key"], each["values"]) for each in bands] == [("b", [4, 2]), ("a", [1, 2])]
    for most, expected in ((1, [0, 1]), (7, [0, 2, 4, 6]), (410, [0, 100, 200, 300, 400])):
        assert console_modules.result("lib/chart_data.js", "axisSteps", 0, most) == expected


def test_time_axis_names_the_day_where_it_changes_and_has_room_for_whole_bars() -> None:
    midnight = 1_740_009_600
    labels = partial(console_modules.result, "lib/chart_data.js", "timeLabels")
    assert labels([midnight - 3_600, midnight, midnight + 3_600], "UTC") == [
        "23:00\n19 Feb",
        "00:00\n20 Feb",
        "01:00",
    ]
    assert labels([midnight, midnight + 86_400], "UTC") == ["20 Feb", "21 Feb"]
    padded = partial(console_modules.result, "lib/chart_data.js", "padded")
    assert (padded([100, 160, 220]), padded([])) == ([70, 250], [0, 1])
