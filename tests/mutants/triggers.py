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
        old="            pattern.accepts_absence and self._is_absent(pattern.path)\n",
        new="            pattern.accepts_absence and not [*self._elements(value)]\n",
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
        old="            record = chosen if new is None else self._claim(tenant, trigger, event, chosen)\n",
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
        name="large request of an event under one ID for all tries of its run",
        file=_EVENT_FILE,
        old="new_payload_id(job.id, self.entropy.bits(ENTROPY_BITS))",
        new="new_payload_id(job.id, due_at)",
        killer=_CRASHES,
    ),
    Mutant(
        name="run of an event that shares the large request of its job",
        file=_EVENT_FILE,
        old="        if informed is request and call.payload_id is None:\n",
        new="        if informed is request:\n",
        killer=_API,
    ),
    Mutant(
        name="runs of an event that no quota counts",
        file=_EVENT_FILE,
        old="        self.check_quota.runs(tenant, ",
        new="        list(",
        killer=_API,
    ),
    Mutant(
        name="array of an event whose elements do not count as comparisons",
        file=_PATTERN_FILE,
        old="                self._count(len(top))\n",
        new="                self._count(1)\n",
        killer=_PATTERN,
    ),
    Mutant(
        name="text of an event whose length does not count as comparisons",
        file=_PATTERN_FILE,
        old=" + length * pattern.readings // _TEXT_UNIT)",
        new=")",
        killer=_PATTERN,
    ),
    Mutant(
        name="message of an event without the event",
        file="shared/domain/triggers/event.py",
        old="    if request.workflow_id is not None or request.method in _WITHOUT_BODY:\n",
        new="    if not request.method or request.method in _WITHOUT_BODY:\n",
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
