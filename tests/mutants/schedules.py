"""Cron lines: what fires where a month is short, and what is refused."""

from tests.mutants.mutant import Mutant

_PROPERTIES = "tests/property/test_cron_properties.py"
_GRAMMAR = "tests/unit/domain/schedules/test_cron_grammar.py"

SCHEDULES = (
    Mutant(
        name="31W of EventBridge that falls back to the last day of a short month",
        file="shared/domain/schedules/cron_years.py",
        old="            if length >= required_day:\n",
        new="            if length:\n",
        killer=_PROPERTIES,
    ),
    Mutant(
        name="range of minutes that wraps",
        file="shared/domain/schedules/cron_rules.py",
        old='MINUTE: Final = FieldRule(name="minute", low=0, high=59, top=59, wraps=False)\n',
        new='MINUTE: Final = FieldRule(name="minute", low=0, high=59, top=59)\n',
        killer=_GRAMMAR,
    ),
    Mutant(
        name="alias that is read in lower case only",
        file="shared/domain/schedules/cron_line.py",
        old="        alias = bare.lower()\n",
        new="        alias = bare\n",
        killer=_GRAMMAR,
    ),
)
