"""Calendars of schedules: where runs move, and which days decide."""

from tests.mutants.mutant import Mutant

_RULE_FILE = "shared/domain/schedules/calendar_rule.py"
_CHANGES_FILE = "shared/domain/schedules/calendar_changes.py"
_RULE = "tests/unit/domain/schedules/test_calendar_rule.py"
_PROPERTIES = "tests/property/test_calendar_properties.py"
_CHANGES = "tests/unit/domain/schedules/test_calendar_changes.py"
_RECOMPUTE = "tests/unit/usecases/chains/test_recompute_calendar.py"
_API = "tests/unit/api/test_calendars.py"
_SHARED = "tests/unit/api/test_shared_calendars.py"
_OWN = "tests/unit/api/test_own_calendars.py"
_STORE = "tests/conformance/test_calendar_store.py"
_CHANGE = "tests/unit/usecases/chains/test_change_calendar.py"

CALENDARS = (
    Mutant(
        name="modified following that leaves its month",
        file=_RULE_FILE,
        old="if each is not None and each in month), None)",
        new="if each is not None), None)",
        killer=_RULE,
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
        old="        found.append(days_outdated_from(series.calendar, now_ms, until_ms, own))\n",
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
        old="    first = from_ms // DAY_MS - MARGIN_DAYS\n",
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
    Mutant(
        name="own calendar whose dates out win over its dates in",
        file="shared/domain/schedules/own_calendar.py",
        old="    is_business = day in dates_in or (day not in dates_out and base.is_business(day))\n",
        new="    is_business = day not in dates_out and (day in dates_in or base.is_business(day))\n",
        killer=_OWN,
    ),
    Mutant(
        name="own weekend beside the weekend of its country",
        file="shared/domain/schedules/own_calendar.py",
        old="        if self.weekend is None:\n            return days\n",
        new="        if days:\n            return days\n",
        killer=_OWN,
    ),
    Mutant(
        name="calendar whose versions restart after a deletion",
        file="shared/usecases/tenancy/manage_calendars.py",
        old="            version = self.store.last_version(tenant_id, wanted.name) + 1\n",
        new="            version = (before.version if before else 0) + 1\n",
        killer=_OWN,
    ),
    Mutant(
        name="calendar that is written over a version that was not read",
        file="shared/adapters/dynamodb/jobs/calendar_store.py",
        old='            "ConditionExpression": "cv = :before",\n',
        new='            "ConditionExpression": "cv >= :before",\n',
        killer=_STORE,
    ),
    Mutant(
        name="slow creation of a calendar that repeats a deleted version",
        file="shared/adapters/dynamodb/jobs/calendar_store.py",
        old='            "ConditionExpression": "attribute_not_exists(cv) OR cv < :version",\n',
        new='            "ConditionExpression": "attribute_not_exists(zz) OR cv < :version",\n',
        killer=_STORE,
    ),
    Mutant(
        name="deletion of a calendar that raises no mark",
        file="shared/adapters/dynamodb/jobs/calendar_store.py",
        old="                if self._mark(tenant_id) >= raised:\n",
        new="                if raised:\n",
        killer=_STORE,
    ),
    Mutant(
        name="calendar of the operators that is read as one of the tenant",
        file="shared/domain/schedules/own_calendar.py",
        old="        return SHARED_OWNER, name.removeprefix(SHARED_PREFIX)\n",
        new="        return tenant_id, name.removeprefix(SHARED_PREFIX)\n",
        killer=_SHARED,
    ),
    Mutant(
        name="calendar of the operators that is read again for each tenant",
        file="shared/usecases/reading/read_calendar.py",
        old="self._remembered(place, 0) if place[0] == SHARED_OWNER else self.calendars.get(*place)",
        new="self.calendars.get(*place)",
        killer=_SHARED,
    ),
    Mutant(
        name="calendar in use that is deleted",
        file="shared/usecases/tenancy/manage_calendars.py",
        old="            if tenant_id != SHARED_OWNER and (users := self._users(tenant_id, name)):\n",
        new="            if (users := self._users(tenant_id, name)) is None:\n",
        killer=_OWN,
    ),
    Mutant(
        name="changed calendar that moves no run",
        file="shared/usecases/chains/recompute_job.py",
        old="        return outdated_from(job.schedule, now_ms, own)\n",
        new="        return outdated_from(job.schedule, now_ms)\n",
        killer=_CHANGE,
    ),
    Mutant(
        name="recomputed job that keeps the days of the calendar before its change",
        file="shared/usecases/chains/recompute_job.py",
        old="            change=replace(job.definition, schedule=schedule),\n",
        new="            change=job.definition,\n",
        killer=_CHANGE,
    ),
    Mutant(
        name="repeated creation that is another one after a change of its calendar",
        file="shared/domain/jobs/new_job.py",
        old="encode_schedule(new.timing.without_rules)",
        new="encode_schedule(new.timing)",
        killer=_OWN,
    ),
    Mutant(
        name="backfill without the days of an own calendar before the job",
        file="shared/usecases/jobs/backfill_job.py",
        old="planned(self.read_calendar.known_since(job, new.from_at), new, record",
        new="planned(job, new, record",
        killer=_OWN,
    ),
    Mutant(
        name="recomputed job that goes back to the older calendar of a cache",
        file="shared/usecases/reading/read_calendar.py",
        old=" or known.version < least_version:",
        new=":",
        killer=_CHANGE,
    ),
    Mutant(
        name="calendar that a reconciler reads once and for all",
        file="shared/usecases/reading/read_calendar.py",
        old="now_ms - read_at >= REMEMBER_MS",
        new="now_ms < read_at",
        killer=_CHANGE,
    ),
    Mutant(
        name="recomputation without a report of its job",
        file="shared/usecases/chains/recompute_job.py",
        old="        tell(_recomputed(job, job.schedule, present, parted_at, now_ms))\n        updating = replace(\n",
        new="        updating = replace(\n",
        killer=_CHANGE,
    ),
    Mutant(
        name="recomputation of a calendar over a change that was not read",
        file="shared/usecases/chains/recompute_job.py",
        old="        if not self.jobs.replace(job, updating):\n",
        new="        if not self.jobs.replace(self.jobs.get(job.tenant_id, job.id) or job, updating):\n",
        killer=_CHANGE,
    ),
    Mutant(
        name="reconciler that judges an update by the job that it read before it completed it",
        file="shared/usecases/ticks/reconcile_definitions.py",
        old="                job = self.recompute.jobs.get(job.tenant_id, job.id)\n",
        new="                return None\n",
        killer=_CHANGE,
    ),
)
