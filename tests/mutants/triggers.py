"""Triggers: which events match, and that each event starts each run once, and none is lost."""

from tests.mutants.mutant import Mutant

_PATTERN_FILE = "shared/domain/triggers/pattern.py"
_TESTS_FILE = "shared/domain/triggers/value_tests.py"
_EVENT_FILE = "shared/usecases/triggers/receive_event.py"
_PATTERN = "tests/unit/domain/triggers/test_pattern.py"
_POSTPONE_FILE = "shared/usecases/triggers/postpone_run.py"
_DEBOUNCE = "tests/unit/api/test_debounce.py"
_RECEIVER = "tests/unit/functions/test_event_receiver.py"
_DEBOUNCE_CRASHES = "tests/unit/usecases/triggers/test_debounce_crashes.py"
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
        old="            claimed = record if plan.is_known else self._claim(tenant, plan.key, record)\n",
        new="            claimed = record\n",
        killer=_CRASHES,
    ),
    Mutant(
        name="event that is acknowledged though the wake-up of its run was not sent",
        file=_EVENT_FILE,
        old="            self.file_trigger.file.ensure_sent(stored)\n",
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
        old="        self.check_quota.runs(tenant, [plan.new_run.due_at for",
        new="        list([plan.new_run.due_at for",
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
        old="    if request.method in _WITHOUT_BODY:\n",
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
        old=" + wait_seconds * 1000\n",
        new="\n",
        killer=_API,
    ),
    Mutant(
        name="repeated event whose run has begun without it",
        file=_EVENT_FILE,
        old="        if stored is not None and is_recorded_in(stored, record.created_at):\n",
        new="        if stored is not None:\n",
        killer=_DEBOUNCE_CRASHES,
    ),
    Mutant(
        name="next run of a debounced event under the key of the first",
        file=_EVENT_FILE,
        old='            return trigger, f"{_key(trigger, event)}\\n{claimed.id}"\n',
        new="            return trigger, plan.key\n",
        killer=_DEBOUNCE_CRASHES,
    ),
    Mutant(
        name="event that is recorded at the instant of its process's clock",
        file=_EVENT_FILE,
        old="created_at=max(now_ms, waiting.recorded_at + 1))\n",
        new="created_at=now_ms)\n",
        killer=_DEBOUNCE_CRASHES,
    ),
    Mutant(
        name="debounced run that is filed without a record with its trigger",
        file=_EVENT_FILE,
        old="        if plan.new_run is not None and trigger.records_starts:\n",
        new="        if plan.new_run is not None and trigger.throttle is not None:\n",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="throttled event that starts a run when it races with another",
        file=_EVENT_FILE,
        old="            if not start.is_recorded:\n",
        new="            if not start.is_recorded and trigger.throttle is None:\n",
        killer=_DEBOUNCE_CRASHES,
    ),
    Mutant(
        name="postponed run that takes events after it has begun",
        file="tests/support/fakes/execution_store.py",
        old="        if row.damage is Damage.NEWER or not row.execution.is_postponable or not is_later:\n",
        new="        if row.damage is Damage.NEWER or not is_later:\n",
        killer="tests/conformance/test_postpone.py",
    ),
    Mutant(
        name="condition of a postponement that a claimed run fulfils",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old="#v <= :v AND #s = :waiting AND a = :none AND {EVENT_RECORDED}",
        new="#v <= :v AND (#s = :waiting OR a > :none) AND {EVENT_RECORDED}",
        killer="tests/conformance/test_postpone.py",
    ),
    Mutant(
        name="event that replaces a later one",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old="{EVENT_RECORDED} < :recorded",
        new="{EVENT_RECORDED} <> :recorded",
        killer="tests/conformance/test_postpone.py",
    ),
    Mutant(
        name="stream of events that postpones a run for ever",
        file=_POSTPONE_FILE,
        old="min(wanted_at, latest_at)",
        new="wanted_at",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="postponed run with the data of its first event",
        file=_POSTPONE_FILE,
        old="        call=replace(call, depth=max(call.depth, stored.call.depth)),\n",
        new="        call=stored.call,\n",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="run that is filed as waiting and has no message",
        file="shared/usecases/filing/file_execution.py",
        old="            self.wake_for_retry(execution, execution.not_before)\n        elif",
        new="            pass\n        elif",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="age of a postponed run that counts from its first due time",
        file="shared/domain/executions/execution.py",
        old=" if self.redrive_of is not None else self.due_at\n",
        new=" if self.redrive_of is not None else self.id.dispatch_at\n",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="throttle whose window has one run more",
        file="shared/domain/triggers/trigger.py",
        old="self.started.count >= self.throttle.count",
        new="self.started.count > self.throttle.count",
        killer=_DEBOUNCE,
    ),
    Mutant(
        name="window of a throttle that counts without its condition",
        file="shared/adapters/dynamodb/jobs/trigger_store.py",
        old='                conditions.append("wn < :most")\n',
        new='                conditions.append("wn <> :most OR wn = :most")\n',
        killer="tests/conformance/test_trigger_store.py",
    ),
    Mutant(
        name="event about an object of S3 that is named by its delivery",
        file="shared/domain/triggers/bus_event.py",
        old="_object_id(self.source, kind, detail) or _text",
        new="_text",
        killer=_RECEIVER,
    ),
    Mutant(
        name="event whose shortest prefix names the tenant",
        file="shared/domain/triggers/event_source.py",
        old="return max(matching",
        new="return min(matching",
        killer="tests/unit/domain/triggers/test_bus_event.py",
    ),
    Mutant(
        name="event of the bus that costs no creation",
        file="shared/usecases/triggers/route_event.py",
        old="        self.check_quota.creates(tenant)\n",
        new="",
        killer=_RECEIVER,
    ),
    Mutant(
        name="event of a suspended tenant that starts a run",
        file="shared/usecases/triggers/route_event.py",
        old="        if tenant is None or not _takes_events(tenant):\n",
        new="        if tenant is None:\n",
        killer=_RECEIVER,
    ),
    Mutant(
        name="routes of an account that a process keeps for ever",
        file="shared/usecases/triggers/route_event.py",
        old="        if now_ms - read_at >= KNOWN_FOR_MS:\n",
        new="        if not read_at:\n",
        killer=_RECEIVER,
    ),
    Mutant(
        name="event of a tenant over its quota that is acknowledged",
        file="functions/event_receiver/handler.py",
        old="if result in (REFUSED, LATER)]\n",
        new="if result == REFUSED]\n",
        killer=_RECEIVER,
    ),
    Mutant(
        name="event that is refused and lost",
        file="functions/event_receiver/handler.py",
        old="if result in (REFUSED, LATER)]\n",
        new="if result == LATER]\n",
        killer=_RECEIVER,
    ),
    Mutant(
        name="loop over the event bus without an end",
        file="shared/usecases/triggers/route_event.py",
        old="        self.receive_event.execute(tenant, event, depth=depth)\n",
        new="        self.receive_event.execute(tenant, event)\n",
        killer=_RECEIVER,
    ),
    Mutant(
        name="receiver of events that forgets its deadline",
        file="functions/event_receiver/handler.py",
        old="context.get_remaining_time_in_millis() > STOP_BEFORE_END_MS",
        new="True",
        killer=_RECEIVER,
    ),
    Mutant(
        name="fault of one event that fails its batch",
        file="functions/event_receiver/handler.py",
        old="    except Exception:  # noqa: BLE001",
        new="    except KeyError:  #",
        killer=_RECEIVER,
    ),
)
