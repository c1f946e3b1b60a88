"""Newer tables of time zones: a chain goes by its own rules, and another is begun where the tables have others."""

from tests.mutants.mutant import Mutant

_RECOMPUTE = "tests/unit/usecases/chains/test_recompute.py"
_RECONCILE = "tests/unit/usecases/ticks/test_reconcile_zones.py"
_CHANGES = "tests/unit/domain/schedules/test_zone_changes.py"
_RULES = "tests/unit/domain/schedules/test_zone_rules.py"

ZONES = (
    Mutant(
        name="chain that goes by whatever tables are at hand",
        file="shared/domain/schedules/schedule_kinds.py",
        old="        return load_zone(self.timezone) if self.rules is None else zone_from_rules(self.rules)\n",
        new="        return load_zone(self.timezone)\n",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="chain that begins by the rules of the one before",
        file="shared/usecases/chains/start_chain.py",
        old="        schedule = with_frozen_rules(definition.schedule, after_at, now_ms)\n",
        new="        schedule = definition.schedule\n",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="job that is created without the rules of its zone",
        file="shared/usecases/jobs/draft_job.py",
        old="        series = with_frozen_rules(schedule, identity.created_at, identity.created_at)\n",
        new="        series = schedule\n",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="new name that takes its rules from a chain",
        file="shared/usecases/chains/update_job.py",
        old="        definition = definition.keeping_zone_rules_of(job)\n",
        new="",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="newer tables that move nothing",
        file="shared/usecases/ticks/reconcile_definitions.py",
        old="        if parted_at is None:\n",
        new="        if parted_at:\n",
        killer=_RECONCILE,
    ),
    Mutant(
        name="move that nobody is told of",
        file="shared/usecases/chains/recompute_job.py",
        old="        tell(_recomputed(job, job.schedule, present, parted_at, now_ms))\n",
        new="",
        killer=_RECONCILE,
    ),
    Mutant(
        name="job that is recomputed while a client changes it",
        file="shared/usecases/chains/recompute_job.py",
        old="        if not self.jobs.replace(job, updating):\n            return False\n",
        new="        self.jobs.replace(job, updating)\n",
        killer=_RECOMPUTE,
    ),
    Mutant(
        name="rules of the present alone, though the chain is years behind",
        file="shared/domain/schedules/zone_changes.py",
        old="min(from_ms, now_ms), max(",
        new="now_ms, max(",
        killer=_CHANGES,
    ),
    Mutant(
        name="zone that departs from its rule, frozen as if it did not",
        file="shared/domain/schedules/zone_rules.py",
        old="    if explicit_until == from_ms:\n",
        new="    if explicit_until:\n",
        killer=_RULES,
    ),
    Mutant(
        name="rules that are left out of storage",
        file="shared/domain/schedules/schedule_codec.py",
        old="                    rules=_text(stored, _RULES),\n",
        new="",
        killer="tests/conformance/test_execution_filing.py",
    ),
)
