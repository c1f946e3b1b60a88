"""Time passes: with everything running, or with nothing."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.api_machine import documents
from tests.api_machine.executions import Behaviour
from tests.api_machine.machine import MOST_RECORDS, ApiMachine, picks, some_job, some_job_goes_on


class PassingTime(ApiMachine):
    """Watcher, sweeper and executors, on a virtual clock."""

    @some_job
    @rule(seconds=st.sampled_from([1, 3, 20, 61, 130, 400, 1_000, 3_700]), part_ms=st.integers(0, 999))
    def pass_time(self, seconds: int, part_ms: int) -> None:
        """Everything runs."""
        self.let_time_pass(seconds * 1000 + part_ms)

    @some_job_goes_on
    @rule(pick=picks)
    def wait_for_the_next_call(self, pick: int) -> None:
        """Everything runs until something happens to a job."""
        self.let_time_pass(self.until_called(self.going_on[pick % len(self.going_on)]))

    @precondition(lambda self: 0 < self.longest_history < MOST_RECORDS)
    @rule(seconds=st.sampled_from([10, 90, 600]))
    def stand_still(self, seconds: int) -> None:
        """Nothing runs, and everything is late afterwards."""
        self.deployment.stand_still(seconds * 1000)

    @some_job_goes_on
    @rule(pick=picks, behaviour=documents.behaviours)
    def change_receiver(self, pick: int, behaviour: Behaviour) -> None:
        """The receiver of a job answers differently from now on."""
        self.going_on[pick % len(self.going_on)].behaviour = behaviour
