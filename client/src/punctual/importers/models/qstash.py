"""When QStash publishes the message of a schedule.

Sources: "Schedules" of QStash's documentation (features and REST API): five cron fields, evaluated in UTC unless
`CRON_TZ=Zone` stands before them. The documentation does not say what happens at clock changes. So two rules are
tried, and a job counts as the same only if both give the instants of Punctual:

* that of robfig/cron, whose notation `CRON_TZ=` is: skipped in a gap, twice in an overlap;
* that of cron, whose lines the documentation refers to: right after a gap, once in an overlap.

The documentation does not say either what two restricted day fields mean. They are refused if one of them begins
with `*`, which crons read in different ways.
"""

import re

from punctual.importers.models.clock import ZoneClock
from punctual.importers.models.crontab import CrontabInstants, CrontabLine, read_crontab_line
from punctual.importers.models.fields import LineError
from punctual.importers.models.kubernetes import KubernetesInstants, KubernetesLine

_ZONE = re.compile(r"(?:CRON_)?TZ=(\S+)\s+(.*)", re.DOTALL)
UNDOCUMENTED = "QStash does not document what happens at clock changes"


def read_qstash_cron(text: str) -> tuple[str, CrontabLine]:
    """Return the zone, and the line's fields. Raises LineError."""
    match = _ZONE.fullmatch(text.strip())
    zone, bare = (match[1], match[2]) if match else ("UTC", text)
    if bare.strip().startswith("@"):
        raise LineError(f"{bare.strip()[:40]!r}: QStash documents five fields: write them out")
    line = read_crontab_line(bare)
    if any(7 in item.values() and not item.is_wildcard for item in line.weekday.items):
        line.weekday.rule.refuse("7 is not Sunday in every cron: write 0")
    if line.needs_both_days and not (line.day.is_full or line.weekday.is_full):
        raise LineError("two day fields of which one begins with *: crons read them in different ways")
    return zone, line


def possible_instants(line: CrontabLine, clock: ZoneClock) -> tuple[KubernetesInstants, CrontabInstants]:
    """Return the instants under each of the rules that QStash may follow."""
    plain = KubernetesLine(line.minute, line.hour, line.day, line.month, line.weekday)
    return KubernetesInstants(plain, clock), CrontabInstants(line, clock)
