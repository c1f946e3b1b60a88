"""Triggers: which events match, and that each event starts each run once, and none is lost."""

from tests.mutants.mutant import Mutant

_PATTERN_FILE = "shared/domain/triggers/pattern.py"
_TESTS_FILE = "shared/domain/triggers/value_tests.py"
_EVENT_FILE = "shared/usecases/triggers/receive_event.py"
_PATTERN = "tests/unit/domain/triggers/test_pattern.py"
_CRASHES = "tests/unit/usecases/triggers/test_event_crashes.py"
_API = "tests/unit/api/test_triggers.py"

TRIGGERS = (
    Mutant(
        name="members of a pattern that match different elements of an array",
        file=_PATTERN_FILE,
        old="        return any(self._members(pattern, each) for each in found or [{}])\n",
        new="        merged: Any = {}\n"
        "        for each in found:\n"
        "            merged |= {name: [merged.get(name, []), each[name]] for name in each}\n"
        "        return self._members(pattern, merged)\n",
        killer=_PATTERN,
    ),
    Mutant(
        name="field that is absent if one element of an array lacks it",
        file=_PATTERN_FILE,
        old="            any(test.accepts_absence for test in pattern.tests) and self._is_absent(pattern.path)\n",
        new="            any(test.accepts_absence for test in pattern.tests) and not leaves\n",
        killer=_PATTERN,
    ),
    Mutant(
        name="true that equals one",
        file=_TESTS_FILE,
        old="    return isinstance(value, int | float) and not isinstance(value, bool)\n",
        new="    return isinstance(value, int | float)\n",
        killer=_PATTERN,
    ),
    Mutant(
        name="wildcard whose ends overlap",
        file=_TESTS_FILE,
        old="    if len(value) < len(first) + len(last) or not (value",
        new="    if not (value",
        killer=_PATTERN,
    ),
    Mutant(
        name="event whose runs are filed before their IDs are claimed",
        file=_EVENT_FILE,
        old="            record = record or self._claim(tenant, trigger, event, chosen)\n",
        new="            record = chosen\n",
        killer=_CRASHES,
    ),
    Mutant(
        name="event that is acknowledged though the wake-up of its run was not sent",
        file=_EVENT_FILE,
        old="            self.file_trigger.file.ensure_sent(existing)\n",
        new="",
        killer=_CRASHES,
    ),
    Mutant(
        name="large request of an event that is never stored",
        file=_EVENT_FILE,
        old="            self.jobs.put_payload(payload)\n",
        new="            pass\n",
        killer=_API,
    ),
    Mutant(
        name="event whose ID another event may reuse",
        file=_EVENT_FILE,
        old="    if record.fingerprint != fingerprint:\n",
        new="    if not fingerprint:\n",
        killer=_API,
    ),
    Mutant(
        name="run of an event that ignores the delay of its trigger",
        file="shared/domain/triggers/trigger.py",
        old=" + self.delay_seconds * 1000\n",
        new="\n",
        killer=_API,
    ),
)
