"""Calendars of a tenant."""

from typing import Any

from functions.api.examples import NOW, Examples

_IN: dict[str, Any] = {"country": "DE", "dates_in": ["2026-11-28"], "dates_out": ["2026-12-24", "2026-12-31"]}
_CALENDAR: dict[str, Any] = {"name": "plant", "version": 1, "weekend": None, "changed_at": NOW, **_IN}
CALENDAR_IN: Examples = {
    "country_and_own_dates": _IN,
    "own_weekend": {"weekend": ["friday", "saturday"]},
    "of_a_set": {"country": "US-CA", "set": "billing"},
}
CALENDAR_OUT: Examples = {"plant": _CALENDAR}
_SHARED = {**_CALENDAR, "name": "operator/deployments"}
CALENDARS_OUT: Examples = {"one": {"calendars": [_CALENDAR], "shared": [_SHARED]}}
SHARED_CALENDARS_OUT: Examples = {"one": {"calendars": [_SHARED]}}
