"""Change one job again and again, in a moment or while the receiver works at it."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.api_machine import patches
from tests.api_machine.creating import KEYS
from tests.api_machine.expectations import PromisedJob
from tests.api_machine.machine import ApiMachine, is_series, picks
from tests.api_machine.pausing import ask_to_pause
from tests.api_machine.resuming import ask_to_resume
from tests.api_machine.sightings import SEEN
from tests.api_machine.triggering import ask_to_trigger
from tests.api_machine.updating import ask_to_update

Act = tuple[str, Any]
acts = st.one_of(
    st.tuples(st.just("update"), patches.changes),
    st.tuples(st.just("pause"), st.sampled_from([None, {"reason": "in a hurry"}])),
    st.tuples(st.just("resume"), st.none()),
    st.tuples(st.just("trigger"), st.sampled_from(KEYS)),
)
waits = st.sampled_from([0, 1, 700, 1_500, 30_000, 61_000])


class ConcurrentRequests(ApiMachine):
    """All changes of recurring jobs, one right after the other."""

    @precondition(lambda self: any(is_series(job) for job in self.jobs))
    @rule(pick=picks, steps=st.lists(st.tuples(acts, waits), min_size=2, max_size=5))
    def change_again_and_again(self, pick: int, steps: list[tuple[Act, int]]) -> None:
        """With some time in between."""
        series = [job for job in self.jobs if is_series(job)]
        for act, wait_ms in steps:
            self._do(series[pick % len(series)], act)
            self.every_promise_holds()
            self.let_time_pass(wait_ms)
            self.every_promise_holds()

    @precondition(lambda self: any(is_series(job) for job in self.going_on))
    @rule(pick=picks, several=st.lists(acts, min_size=2, max_size=5))
    def change_again_and_again_while_it_runs(self, pick: int, several: list[Act]) -> None:
        """All during one attempt."""
        series = [job for job in self.going_on if is_series(job)]
        job = series[pick % len(series)]
        self.while_it_runs(job, lambda: self._do_all(job, several))

    def _do_all(self, job: PromisedJob, several: list[Act]) -> None:
        for act in several:
            self._do(job, act)

    def _do(self, job: PromisedJob, act: Act) -> None:
        verb, what = act
        doing: dict[str, Callable[[], None]] = {
            "update": lambda: ask_to_update(self.deployment, job, what, "current"),
            "pause": lambda: ask_to_pause(self.deployment, job, what, None),
            "resume": lambda: ask_to_resume(self.deployment, job, None),
            "trigger": lambda: ask_to_trigger(self.deployment, self.keys, job, what),
        }
        doing[verb]()
        SEEN[f"concurrent: {verb}"] += 1
