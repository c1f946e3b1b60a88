"""What operators are woken for, and what is left to be done again: waits apart from outages, newer records."""

from tests.mutants.mutant import Mutant

_OVERDUE = "tests/unit/usecases/ticks/test_overdue.py"
_NOTIFICATIONS = "tests/unit/usecases/dead_letters/test_redrive_notifications.py"
_WINDOWS = "tests/unit/usecases/ticks/test_window_sends.py"

WATCHING = (
    Mutant(
        name="batches of one page sent one after another",
        file="shared/adapters/sqs/wakeup_queue.py",
        old="self._spread(send, list(_batches(wakeups)))",
        new="map(send, _batches(wakeups))",
        killer="tests/conformance/test_sqs_requests.py",
    ),
    Mutant(
        name="message that waits for a message group that SQS refuses",
        file="shared/adapters/sqs/wakeup_queue.py",
        old="        if refused:\n",
        new="        if len(refused) > len(entries):\n",
        killer="tests/conformance/test_sqs_requests.py",
    ),
    Mutant(
        name="lane that is idle since its calls were due long ago",
        file="shared/usecases/ticks/lane_snapshot.py",
        old="max(self._begun_at.get(row.lane, 0), row.begun_at)",
        new="max(self._begun_at.get(row.lane, 0), row.id.dispatch_at)",
        killer=_OVERDUE,
    ),
    Mutant(
        name="outage of a slow path as a wait",
        file="shared/usecases/ticks/lane_snapshot.py",
        old="not is_slow_alone(states.get(scope, ScopeState()), now_ms))",
        new="scope in self.hot_scopes)",
        killer=_OVERDUE,
    ),
    Mutant(
        name="excuse by a destination of which nothing can be read",
        file="shared/usecases/ticks/lane_snapshot.py",
        old="            states = self._states_in_trouble(now_ms)\n",
        new="            states = self._states_in_trouble(now_ms) or {}\n",
        killer=_OVERDUE,
    ),
    Mutant(
        name="limit of a slow destination that excuses nobody",
        file="shared/domain/dispatch/sweep.py",
        old="    return circuit.slow and not has_limit and ",
        new="    return circuit.slow and ",
        killer=_OVERDUE,
    ),
    Mutant(
        name="call in work that began when it was last heard of",
        file="shared/adapters/dynamodb/codec/due_rows.py",
        old='    return read_async_policy(plain.get("ap")).claimed_at(async_until)\n',
        new="    return async_until\n",
        killer="tests/conformance/test_execution_scan.py",
    ),
    Mutant(
        name="row that tells of its first attempt",
        file="shared/adapters/dynamodb/codec/execution_fields.py",
        old="    row = packed[-_WIDTH:]\n",
        new="    row = packed[:_WIDTH]\n",
        killer="tests/conformance/test_execution_scan.py",
    ),
    Mutant(
        name="move that uses up its receives in a moment",
        file="shared/usecases/limits/throttle_batch.py",
        old="max(UNSENT_WAIT_SECONDS, -(-self.deferral.wait_ms // 1000))",
        new="-(-self.deferral.wait_ms // 1000)",
        killer="tests/unit/usecases/limits/test_admit.py",
    ),
    Mutant(
        name="deletion that takes its time for each backfill anew",
        file="shared/usecases/chains/complete_transition.py",
        old="partial(self.execute, stops_at=stops_at)",
        new="partial(self.execute, stops_at=None)",
        killer="tests/unit/usecases/dead_letters/test_delete_redrives.py",
    ),
    Mutant(
        name="notification whose execution is lost to an older version",
        file="shared/usecases/dead_letters/redrive_execution.py",
        old="        except UnknownVersionError:\n            raise\n",
        new="",
        killer=_NOTIFICATIONS,
    ),
    Mutant(
        name="bulk redrive that refuses what is newer",
        file="shared/usecases/dead_letters/redrive_outcome.py",
        old="    except (ServiceError, UnknownVersionError):\n",
        new="    except ServiceError:\n",
        killer=_NOTIFICATIONS,
    ),
    Mutant(
        name="hint that a call is slow which waits for a breaker",
        file="shared/domain/dispatch/wait_hint.py",
        old="    match circuit.phase(now_ms):\n",
        new="    match Phase.CLOSED if circuit.slow else circuit.phase(now_ms):\n",
        killer="tests/unit/api/test_waiting_for.py",
    ),
    Mutant(
        name="newer record that is a fault of ours",
        file="functions/api/http/error_mapping.py",
        old="    (errors.UnknownVersionError, Problem.SERVICE_UNAVAILABLE),\n",
        new="",
        killer="tests/unit/api/test_error_mapping.py",
    ),
    Mutant(
        name="stage with too few watchers for its rates",
        file="infra/config.py",
        old="        if self.watchers < needed:\n",
        new="        if self.watchers < 1:\n",
        killer="tests/infra/test_config.py",
    ),
    Mutant(
        name="lane whose pollers count as executors",
        file="infra/concurrency.py",
        old="source.maximum * BATCHES_PER_POLLER",
        new="source.maximum",
        killer="tests/infra/test_config.py",
    ),
    Mutant(
        name="urgent message that waits for its window",
        file="shared/usecases/ticks/window_sends.py",
        old="        urgent_before = max(hold_until, self.clock.now_ms()) + URGENT_MS\n",
        new="        urgent_before = 0\n",
        killer=_WINDOWS,
    ),
    Mutant(
        name="message that is held as long as there are others",
        file="shared/usecases/ticks/window_sends.py",
        old="            holds = now_ms + wait_ms < hold_until\n",
        new="            holds = True\n",
        killer=_WINDOWS,
    ),
    Mutant(
        name="one message that waits for its window",
        file="shared/usecases/ticks/window_sends.py",
        old="        holds = len(wakeups) - len(urgent) >= FEWEST\n",
        new="        holds = True\n",
        killer=_WINDOWS,
    ),
    Mutant(
        name="message that finds no place in its window",
        file="shared/usecases/ticks/window_sends.py",
        old="                if members[AT_ONCE:]:\n",
        new="                if False:\n",
        killer=_WINDOWS,
    ),
    Mutant(
        name="window that opens at the fraction itself",
        file="shared/domain/dispatch/send_window.py",
        old="    since_opening = (now_ms + LEAD_MS - slot) % SECOND_MS\n",
        new="    since_opening = (now_ms - slot) % SECOND_MS\n",
        killer="tests/unit/domain/dispatch/test_send_window.py",
    ),
    Mutant(
        name="delays of many messages that are counted from one look at the clock",
        file="shared/usecases/ticks/window_sends.py",
        old="        refused: list[Wakeup] = []\n        for start in range(0, len(wakeups), AT_ONCE):\n"
        "            refused += self.queue.send(wakeups[start : start + AT_ONCE], self.clock.now_ms())\n"
        "        return refused\n",
        new="        return self.queue.send(wakeups, self.clock.now_ms()) if wakeups else []\n",
        killer=_WINDOWS,
    ),
)
