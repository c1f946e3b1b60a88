"""Calendars of schedules: where runs move, and which days decide."""

from tests.mutants.mutant import Mutant

_RULE_FILE = "shared/domain/schedules/calendar_rule.py"
_CHANGES_FILE = "shared/domain/schedules/calendar_changes.py"
_RULE = "tests/unit/domain/schedules/test_calendar_rule.py"
_PROPERTIES = "tests/property/test_calendar_properties.py"
_CHANGES = "tests/unit/domain/schedules/test_calendar_changes.py"
_RECOMPUTE = "tests/unit/usecases/chains/test_recompute_calendar.py"
_API = "tests/unit/api/test_calendars.py"

CALENDARS = (
    Mutant(
        name="modified following that leaves its month",
        file=_RULE_FILE,
        old="if each is not None and each in month), None)",
        new="if each is not None), None)",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="modified following of a month without a business day that goes back into the month before",
        file=_RULE_FILE,
        old="            return next((each for each in moves if each is not None and each in month), None)\n",
        new="            return next((each for each in moves if each is not None and each in month), moves[1])\n",
        killer=_RULE,
    ),
    Mutant(
        name="moved run that is lost when the search starts after its own day",
        file=_RULE_FILE,
        old="        return after - MAX_DISTANCE - 1 if last is None else last\n",
        new="        return after\n",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="next that is not strictly later",
        file=_RULE_FILE,
        old="            if moved is not None and moved > after:\n",
        new="            if moved is not None and moved >= after:\n",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="nth business day that is searched for from the next month on",
        file=_RULE_FILE,
        old="        return month_of(after)[0] - 1\n",
        new="        return month_of(after)[-1]\n",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="nth business day beside the day fields of a line",
        file=_RULE_FILE,
        old='        if self.business_day is not None and (day, weekday) != ("*", "*"):\n',
        new='        if self.business_day is not None and day == "?":\n',
        killer=_RULE,
    ),
    Mutant(
        name="weekend of every country on Saturday and Sunday",
        file="shared/domain/schedules/country_calendars.py",
        old="    weekend = frozenset(_holidays(name, LAST_YEAR).weekend)\n",
        new="    weekend = frozenset((5, 6))\n",
        killer=_RULE,
    ),
    Mutant(
        name="subdivision without holidays of its own",
        file="shared/domain/schedules/country_calendars.py",
        old="        country, subdiv=subdivision or None, years=year, expand=False\n",
        new="        country, subdiv=None, years=year, expand=False\n",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="run of the last year of a line that is not counted in the next one",
        file="shared/domain/schedules/cron.py",
        old="(1 if line.calendar is None else 3)",
        new="1",
        killer=_RULE,
    ),
    Mutant(
        name="chain that goes by whatever days of a calendar are installed",
        file=_RULE_FILE,
        old="        if self.days is not None:\n            return from_frozen(self.days)\n",
        new="",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="days of a calendar that are left out of storage",
        file="shared/domain/schedules/schedule_codec.py",
        old="        _DAYS: calendar.days,\n",
        new="",
        killer=_RULE,
    ),
    Mutant(
        name="item with a calendar that an older release computes without it",
        file="shared/adapters/dynamodb/codec/versions.py",
        old="        yield inner.calendar.when_excluded\n",
        new="        yield None\n",
        killer="tests/conformance/test_versions.py",
    ),
    Mutant(
        name="newer days of a calendar that move nothing",
        file="shared/domain/schedules/zone_changes.py",
        old="        found.append(days_outdated_from(series.calendar, now_ms, until_ms))\n",
        new="",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="changed day that moves no run before it",
        file=_CHANGES_FILE,
        old="    return max((changed - _REACH_DAYS) * DAY_MS, now_ms)\n",
        new="    return max(changed * DAY_MS, now_ms)\n",
        killer=_CHANGES,
    ),
    Mutant(
        name="days of a calendar that are frozen from today on",
        file=_CHANGES_FILE,
        old="    first = from_ms // DAY_MS - _MARGIN_DAYS\n",
        new="    first = from_ms // DAY_MS\n",
        killer=_CHANGES,
    ),
    Mutant(
        name="calendar that is taken with an interval",
        file="functions/api/resources/schedules/models.py",
        old="        if not isinstance(timing, Cron):\n            raise",
        new="        if not timing:\n            raise",
        killer=_API,
    ),
)
