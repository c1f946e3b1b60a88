"""The calendar of clock changes says what the runs of the API's preview do."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.tests.cli.shell import Shell
from punctual.cli.clock_changes import Entry, calendar
from punctual.models import ClockChange, PreviewedRun, SchedulePreview

ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kolkata",
    "UTC",
)


def change(**members: object) -> ClockChange:
    given = {
        "at": datetime.fromisoformat("2027-03-28T01:00:00+00:00"),
        "count": 1,
        "effect": "shifted",
        "local_before": "2027-03-28T02:00:00",
        "local_after": "2027-03-28T03:00:00",
        "local_times": ("2027-03-28T02:30:00",),
    } | members
    return ClockChange(**given)  # type: ignore[arg-type]


def test_hours_that_the_clocks_skip_and_repeat() -> None:
    back = change(
        effect="first_time_only",
        local_before="2027-10-31T03:00:00",
        local_after="2027-10-31T02:00:00",
        count=1,
    )
    assert list(calendar([change(), back])) == [
        Entry("Sun 2027-03-28", "02:00 -> 03:00", "skips", "02:30", "runs at 03:00 instead"),
        Entry("Sun 2027-10-31", "03:00 -> 02:00", "repeats", "2027-03-28 02:30", "runs the first time only"),
    ]


def test_many_times_are_counted_and_other_days_are_named() -> None:
    times = tuple(f"2011-12-30T{hour:02}:00:00" for hour in range(10))
    samoa = change(
        effect="skipped",
        local_before="2011-12-30T00:00:00",
        local_after="2011-12-31T00:00:00",
        local_times=times,
        count=24,
    )
    [entry] = calendar([samoa])
    assert (entry.day, entry.clocks) == ("Fri 2011-12-30", "00:00 -> 2011-12-31 00:00")
    assert (entry.times, entry.effect) == ("00:00, 01:00, 02:00 and 21 more", "does not run")


def test_an_effect_of_a_later_release_is_shown_as_it_is() -> None:
    [entry] = calendar([change(effect="delayed")])
    assert entry.effect == "delayed"


LINES = st.builds(
    lambda minute, hours: f"{minute} {','.join(map(str, sorted(hours)))} * * *",
    st.sampled_from(["0", "15", "30", "*/20"]),
    st.sets(st.integers(0, 3), min_size=1, max_size=3),
)
SHELL = Shell()


@given(
    LINES,
    st.sampled_from(ZONES),
    st.sampled_from(["shift", "skip"]),
    st.sampled_from(["first", "second", "both"]),
)
def test_the_runs_of_the_api_do_what_the_calendar_says(line: str, zone: str, gap: str, overlap: str) -> None:
    with SHELL.deployment.client() as client:
        schedule: dict[str, Any] = {"cron": line, "timezone": zone, "dst_gap": gap, "dst_overlap": overlap}
        changes = client.schedules.preview(**schedule).clock_changes[:4]
        for each, entry in zip(changes, calendar(changes), strict=True):
            around: dict[str, Any] = {
                "start_at": each.at - timedelta(hours=3),
                "end_at": each.at + timedelta(hours=3),
            }
            shown = client.schedules.preview(**schedule, **around)
            _check(each, entry, shown)


def _check(change: ClockChange, entry: Entry, shown: SchedulePreview) -> None:
    at_change = [run for run in shown.runs if run.scheduled_at == change.at]
    for local, runs in _by_local_time(change, shown.runs):
        times = len(runs)
        if entry.change == "skips":
            assert times == 0, "a skipped local time has no run"
        elif len(shown.runs) < 10:  # Otherwise the preview may end before the second time.
            assert times == (2 if entry.effect == "runs both times" else 1), local
        if entry.effect == "runs the first time only":
            assert all(run.scheduled_at < change.at for run in runs)
        if entry.effect == "runs the second time only":
            assert all(run.scheduled_at >= change.at for run in runs)
    if "instead" in entry.effect and len(shown.runs) < 10:
        [run] = at_change
        assert f"{datetime.fromisoformat(run.local):%H:%M}" in entry.effect


def _by_local_time(
    change: ClockChange, runs: tuple[PreviewedRun, ...]
) -> Iterator[tuple[str, list[PreviewedRun]]]:
    for local in change.local_times:
        yield local, [run for run in runs if run.local == local]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Australia/Lord_Howe"])
def test_the_command_shows_the_calendar(zone: str) -> None:
    ran = SHELL.ok("preview", "*/30 2 * * *", "--tz", zone)
    [client] = [SHELL.deployment.client()]
    entries = list(calendar(client.schedules.preview(cron="*/30 2 * * *", timezone=zone).clock_changes))
    assert entries
    for entry in entries:
        assert all(part in ran.out for part in (entry.day, entry.clocks, entry.times, entry.effect))
