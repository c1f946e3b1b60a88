"""Calendars of a tenant: created, replaced, previewed, named by jobs, and deleted, though jobs name them.

The tenant is that of the workflows, whose jobs the model of the other jobs does not know.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.api_machine.deployment import TENANTS, WORKFLOWS_TENANT
from tests.api_machine.instants import MINUTE_MS
from tests.api_machine.machine import ApiMachine, picks
from tests.api_machine.sightings import SEEN
from tests.support.api.api_world import Answer

NAMES = ("plant", "office")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
YEARLY = "0 12 1 1 *"
"""No machine runs until then, so no change of a calendar moves a run in it."""
MOST_USERS = 4
SHOWN_RUNS, LONGEST_DAYS = 4, 400
weekends = st.sampled_from([None, ["friday", "saturday"], ["sunday"]])
days_ahead = st.sets(st.integers(0, 9), max_size=3)
some_calendar = precondition(lambda self: self.calendars)
some_user = precondition(lambda self: self.calendar_users)


@dataclass(slots=True, kw_only=True)
class PromisedCalendar:
    """As its owner put it last. Dates are texts."""

    version: int
    weekend: list[str] | None
    dates_in: list[str]
    dates_out: list[str]
    closed: list[str]
    """Dates with a blackout window around noon."""

    @property
    def content(self) -> dict[str, Any]:
        """All that a request says."""
        blackouts = [
            {"from": f"{day}T11:30:00.000Z", "until": f"{day}T12:30:00.000Z", "reason": "release"}
            for day in self.closed
        ]
        return {
            "weekend": self.weekend,
            "dates_in": self.dates_in,
            "dates_out": self.dates_out,
            "blackouts": blackouts,
        }

    def has_noon(self, day: date) -> bool:
        """Whether a run begins at noon; counted out by hand."""
        return self._is_business(day) and day.isoformat() not in self.closed

    def _is_business(self, day: date) -> bool:
        weekend = ["saturday", "sunday"] if self.weekend is None else self.weekend
        is_out = day.isoformat() in self.dates_out or WEEKDAYS[day.weekday()] in weekend
        return day.isoformat() in self.dates_in or not is_out


@dataclass(slots=True, kw_only=True)
class PromisedUser:
    """A job that names a calendar."""

    id: str
    calendar: str
    is_deleted: bool = field(default=False)


class Calendars(ApiMachine):
    """/v1/calendars, and schedules with `calendar`."""

    @initialize()
    def begin_calendars(self) -> None:
        """Nothing is there yet."""
        self.calendars: dict[str, PromisedCalendar] = {}
        self.calendar_users: list[PromisedUser] = []
        self.calendar_versions: dict[str, int] = {}
        """The last version that each name had; a deletion takes one."""
        self.deleted_version = 0
        """The largest version that was deleted."""

    @rule(name=st.sampled_from(NAMES), weekend=weekends, ins=days_ahead, outs=days_ahead, closed=days_ahead)
    def put_calendar(
        self, name: str, weekend: list[str] | None, ins: set[int], outs: set[int], closed: set[int]
    ) -> None:
        """A new one, another content, or the same one."""
        wanted = PromisedCalendar(
            version=0,
            weekend=weekend,
            dates_in=self._dates(ins),
            dates_out=self._dates(outs),
            closed=self._dates(closed),
        )
        standing = self.calendars.get(name)
        answer = self._ask_calendar("PUT", name, wanted.content)
        assert answer.status == 200, answer.text
        assert {member: answer.json[member] for member in wanted.content} == wanted.content
        version = answer.json["version"]
        if standing is None:
            assert version > max(self.deleted_version, self.calendar_versions.get(name, 0))
            SEEN["calendar created" if name not in self.calendar_versions else "calendar created again"] += 1
        elif standing.content == wanted.content:
            assert version == standing.version
            SEEN["calendar unchanged"] += 1
        else:
            assert version == standing.version + 1
            SEEN["calendar replaced"] += 1
        wanted.version = self.calendar_versions[name] = version
        self.calendars[name] = wanted
        self._check_calendars()

    @some_calendar
    @rule(pick=picks)
    def preview_by_calendar(self, pick: int) -> None:
        """The next runs are those of its business days outside its windows, as it is now."""
        name = self._calendar(pick)
        document = {"cron": "0 12 * * *", "calendar": name}
        answer = self.deployment.send(WORKFLOWS_TENANT, "POST", "/v1/schedules/preview", document)
        assert answer.status == 200, answer.text
        shown = [run["local"] for run in answer.json["runs"][:SHOWN_RUNS]]
        first = date(1970, 1, 1) + timedelta(days=(self.now_ms + 720 * MINUTE_MS) // (1_440 * MINUTE_MS))
        days = (first + timedelta(days=distance) for distance in range(LONGEST_DAYS))
        noons = (day for day in days if self.calendars[name].has_noon(day))
        expected = [f"{next(noons).isoformat()}T12:00:00" for _ in range(SHOWN_RUNS)]
        assert shown == expected
        SEEN["calendar previewed"] += 1
        if self.calendars[name].closed:
            SEEN["calendar with windows previewed"] += 1

    @rule(name=st.sampled_from(NAMES), is_foreign=st.booleans())
    def use_calendar(self, name: str, is_foreign: bool) -> None:
        """By a job of its tenant; one that is gone, or is another tenant's, is refused."""
        if len(self.calendar_users) == MOST_USERS:
            return
        tenant = TENANTS[0] if is_foreign else WORKFLOWS_TENANT
        document = {
            "schedule": {"cron": YEARLY, "calendar": name, "when_excluded": "next"},
            "request": {"url": "https://calendars.receiver.example/"},
        }
        answer = self.deployment.send(tenant, "POST", "/v1/jobs", document)
        if is_foreign or name not in self.calendars:
            assert (answer.status, answer.problem) == (422, "validation-failed"), answer.text
            assert [each["pointer"] for each in answer.json["errors"]] == ["/schedule/calendar"]
            SEEN["calendar refused to a job"] += 1
            return
        assert answer.status == 201, answer.text
        self.calendar_users.append(PromisedUser(id=answer.json["id"], calendar=name))
        SEEN["calendar used"] += 1

    @some_user
    @rule(pick=picks)
    def delete_user(self, pick: int) -> None:
        """Then its calendar may go."""
        user = self.calendar_users[pick % len(self.calendar_users)]
        answer = self.deployment.ask(WORKFLOWS_TENANT, "DELETE", f"/v1/jobs/{user.id}")
        assert answer.status == 200, answer.text
        user.is_deleted = True

    @some_calendar
    @rule(pick=picks)
    def delete_calendar(self, pick: int) -> None:
        """Refused while jobs name it, with some of them; else it is gone, and a second time is a 404."""
        name = self._calendar(pick)
        users = {each.id for each in self.calendar_users if each.calendar == name and not each.is_deleted}
        answer = self._ask_calendar("DELETE", name)
        if users:
            assert (answer.status, answer.problem) == (409, "invalid-state"), answer.text
            assert all(user in answer.json["detail"] for user in users)
            SEEN["calendar kept for its jobs"] += 1
        else:
            standing = self.calendars.pop(name)
            assert (answer.status, answer.json["version"]) == (200, standing.version), answer.text
            self.deleted_version = max(self.deleted_version, standing.version)
            assert self._ask_calendar("DELETE", name).problem == "not-found"
            SEEN["calendar deleted"] += 1
        self._check_calendars()

    def _check_calendars(self) -> None:
        """The list and each one by itself; another tenant has none of them."""
        listed = self.deployment.ask(WORKFLOWS_TENANT, "GET", "/v1/calendars").json["calendars"]
        assert {each["name"]: each["version"] for each in listed} == {
            name: calendar.version for name, calendar in self.calendars.items()
        }
        for name in NAMES:
            shown = self._ask_calendar("GET", name)
            assert (shown.status == 200) == (name in self.calendars)
            if name in self.calendars:
                assert shown.json in listed
            foreign = self.deployment.ask(TENANTS[0], "GET", f"/v1/calendars/{name}")
            assert (foreign.status, foreign.problem) == (404, "not-found")

    def _ask_calendar(self, method: str, name: str, document: Any = None) -> Answer:
        return self.deployment.send(WORKFLOWS_TENANT, method, f"/v1/calendars/{name}", document)

    def _calendar(self, pick: int) -> str:
        return sorted(self.calendars)[pick % len(self.calendars)]

    def _dates(self, distances: set[int]) -> list[str]:
        today = date(1970, 1, 1) + timedelta(days=self.now_ms // (1_440 * MINUTE_MS))
        return sorted((today + timedelta(days=distance)).isoformat() for distance in distances)
