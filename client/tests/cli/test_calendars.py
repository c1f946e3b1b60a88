"""`punctual calendars put` with iCalendar files."""

from pathlib import Path

import pytest

from client.tests.cli.scene import Scene
from punctual.cli.exits import Exit

SHUTDOWN = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//plant//EN\r
BEGIN:VEVENT\r
UID:shutdown\r
DTSTAMP:20300101T000000Z\r
DTSTART;VALUE=DATE:20301224\r
DTEND;VALUE=DATE:20301228\r
END:VEVENT\r
END:VCALENDAR\r
"""


def test_calendar_takes_its_days_from_icalendar_files(tmp_path: Path) -> None:
    file = tmp_path / "shutdown.ics"
    file.write_text(SHUTDOWN, newline="")
    scene = Scene()
    scene.shell.ok(
        *("calendars", "put", "plant", "--country", "DE", "--out", "2030-01-02"),
        *("--out-ics", str(file), "--since", "2030-01-01", "--until", "2030-12-27"),
    )
    shown = scene.shell.json("calendars", "get", "plant")
    assert shown["dates_out"] == ["2030-01-02", "2030-12-24", "2030-12-25", "2030-12-26"]
    scene.shell.ok(
        "calendars",
        "put",
        "plant",
        "--in-ics",
        "-",
        "--since",
        "2030-12-27",
        "--until",
        "2031-01-01",
        stdin=SHUTDOWN,
    )
    shown = scene.shell.json("calendars", "get", "plant")
    assert (shown["dates_in"], shown["dates_out"]) == (["2030-12-27"], [])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--out-ics", "-"], "standard input: no iCalendar"),
        (["--out-ics", "missing.ics"], "missing.ics: No such file"),
        (["--out-ics", "-", "--since", "yesterday"], "--since needs a date such as 2027-12-31"),
        (["--until", "2030-01-01"], "--since and --until limit what is taken"),
    ],
)
def test_days_that_cannot_be_taken_leave_the_calendar_alone(options: list[str], error: str) -> None:
    scene = Scene()
    scene.shell.ok("calendars", "put", "plant", "--out", "2030-01-02")
    refused = scene.shell.run("calendars", "put", "plant", *options, stdin="{}")
    assert refused.code == Exit.USAGE
    assert error in refused.err
    assert scene.shell.json("calendars", "get", "plant")["version"] == 1


def test_calendar_takes_blackout_windows_with_their_reasons() -> None:
    scene = Scene()
    scene.shell.ok(
        *(
            "calendars",
            "put",
            "plant",
            "--blackout",
            "2030-12-24T20:00:00+01:00/2030-12-26T06:00:00Z a freeze",
        ),
        *("--blackout", "2030-12-20T20:00:00Z/2030-12-20T22:00:00Z"),
    )
    shown = scene.shell.json("calendars", "get", "plant")["blackouts"]
    assert [(each["from"], each["until"], each["reason"]) for each in shown] == [
        ("2030-12-20T20:00:00.000Z", "2030-12-20T22:00:00.000Z", ""),
        ("2030-12-24T19:00:00.000Z", "2030-12-26T06:00:00.000Z", "a freeze"),
    ]
    listed = scene.shell.ok("calendars", "get", "plant").out
    assert "2030-12-24T19:00Z/2030-12-26T06:00Z a freeze" in " ".join(listed.split())
    refused = scene.shell.run("calendars", "put", "plant", "--blackout", "2030-12-24T20:00:00Z")
    assert refused.code == Exit.USAGE
    assert "--blackout needs FROM/UNTIL" in refused.err
