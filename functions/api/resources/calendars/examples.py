"""Calendars of a tenant."""

from typing import Any

from functions.api.examples import NOW, Examples

_BLACKOUTS = [{"from": "2026-12-24T21:00:00.000Z", "until": "2026-12-27T05:00:00.000Z", "reason": "shutdown"}]
_IN: dict[str, Any] = {
    "country": "DE",
    "dates_in": ["2026-11-28"],
    "dates_out": ["2026-12-24", "2026-12-31"],
    "blackouts": _BLACKOUTS,
}
_CALENDAR: dict[str, Any] = {"name": "plant", "version": 1, "weekend": None, "changed_at": NOW, **_IN}
CALENDAR_IN: Examples = {
    "country_and_own_dates": _IN,
    "windows_alone": {
        "weekend": [],
        "blackouts": [{"from": "2026-12-01T22:00:00+01:00", "until": "2026-12-02T02:00:00+01:00"}],
    },
    "own_weekend": {"weekend": ["friday", "saturday"]},
    "of_a_set": {"country": "US-CA", "set": "billing"},
}
CALENDAR_OUT: Examples = {"plant": _CALENDAR}
_SHARED = {**_CALENDAR, "name": "operator/deployments"}
CALENDARS_OUT: Examples = {"one": {"calendars": [_CALENDAR], "shared": [_SHARED]}}
SHARED_CALENDARS_OUT: Examples = {"one": {"calendars": [_SHARED]}}
