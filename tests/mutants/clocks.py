"""Clocks that differ from the clock of SQS."""

from tests.mutants.mutant import Mutant

CLOCKS = (
    Mutant(
        name="due time judged by a fast clock",
        file="shared/usecases/attempts/due_clock.py",
        old="self._lead_ms = max(0, skew_ms)",
        new="self._lead_ms = 0",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="early message judged without the clock of SQS",
        file="shared/usecases/attempts/run_attempts.py",
        old="delivery.wakeup.not_before - self.due_clock.now_ms()",
        new="delivery.wakeup.not_before - self.clock.now_ms()",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="call that waits for the fast clock only",
        file="shared/usecases/attempts/call_receiver.py",
        old="claimed.not_before - self.due_clock.now_ms()",
        new="claimed.not_before - self.clock.now_ms()",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="wait that outlasts the function after a step of the clock",
        file="shared/usecases/attempts/call_receiver.py",
        old="if early_ms > LEASE_MARGIN_MS:",
        new="if early_ms < 0:",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="lane reported late by a fast clock",
        file="shared/usecases/attempts/run_attempts.py",
        old="self._report_progress(ready, self.due_clock.now_ms())",
        new="self._report_progress(ready, self.clock.now_ms())",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="work taken for late by a fast clock",
        file="shared/bootstrap/attempts.py",
        old="progress=ports.progress, clock=self._due_clock, entropy",
        new="progress=ports.progress, clock=ports.clock, entropy",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="execution given up by a fast clock",
        file="shared/usecases/attempts/call_receiver.py",
        old="self.due_clock.now_ms() > execution.gives_up_at",
        new="now_ms > execution.gives_up_at",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="job accepted by a process whose clock is behind",
        file="shared/domain/dispatch/clock_skew.py",
        old="received_at - now_ms > GUARD_MS",
        new="received_at - now_ms > 600 * GUARD_MS",
        killer="tests/unit/api/test_app.py",
    ),
    Mutant(
        name="refund that makes an early claim due at once",
        file="shared/usecases/attempts/settle_attempt.py",
        old="max(self.clock.now_ms() + delay_ms, execution.not_before)",
        new="self.clock.now_ms() + delay_ms",
        killer="tests/unit/usecases/attempts/test_execute_skewed_clock.py",
    ),
    Mutant(
        name="redelivered message taken for evidence of a fast clock",
        file="shared/domain/dispatch/clock_skew.py",
        old="message.receive_count == 1 and ",
        new="",
        killer="tests/unit/domain/dispatch/test_clock_skew.py",
    ),
    Mutant(
        name="malformed time of receive taken for evidence of a fast clock",
        file="shared/domain/dispatch/clock_skew.py",
        old=" and received_at >= message.sent_at > 0",
        new="",
        killer="tests/unit/domain/dispatch/test_clock_skew.py",
    ),
    Mutant(
        name="clock behind SQS that is not reported",
        file="shared/domain/dispatch/clock_skew.py",
        old="if is_ahead or skew_ms < -LAG_TOLERANCE_MS else 0",
        new="if is_ahead else 0",
        killer="tests/unit/domain/dispatch/test_clock_skew.py",
    ),
)
