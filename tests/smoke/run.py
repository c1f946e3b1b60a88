"""Runs the chosen steps within bounds of time and cost, and tears down whatever happened."""

import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from tests.smoke.catalogue import DEPLOY, PREFLIGHT, TEARDOWN, Step
from tests.smoke.findings import Findings
from tests.smoke.probe import stack
from tests.smoke.receivers import Calls, LoopbackCalls, TableCalls
from tests.smoke.stacks import probe_stack
from tests.smoke.world import DeploymentTarget, Size, SmokeError, World

Say = Callable[[Findings], object]


def check_bounds(steps: Sequence[Step], *, dollars: float) -> None:
    """SmokeError if the steps cost more than the bound, by their estimates."""
    cost = sum(step.dollars for step in steps)
    if cost > dollars:
        raise SmokeError(
            f"these steps cost about ${cost:.2f}, and the bound is ${dollars:.2f}: raise it with --dollars"
        )


def check_kept(steps: Sequence[Step], *, reuses: bool) -> None:
    """SmokeError if a stage is to be kept and a step would put other tables into its place."""
    if reuses and "S12" in {step.name for step in steps}:
        raise SmokeError("S12 replaces tables of the stage and deletes the old ones: leave --reuse out")


class Run:
    """One run against one target. Every step has its findings in the end, also those that did not run."""

    def __init__(
        self, target: DeploymentTarget, steps: Sequence[Step], size: Size, *, minutes: float, say: Say
    ) -> None:
        self._target, self._steps, self._size, self._say = target, steps, size, say
        self._ends = time.monotonic() + minutes * 60
        self._blocked = ""
        self._deployed = False
        self.found: list[Findings] = []

    def execute(self) -> list[Findings]:
        with ExitStack() as exits:
            world: World | None = None
            try:
                for step in self._steps:
                    if step.on_world is not None and world is None and not self._reason(step):
                        world = self._open(exits)
                    if step.name != TEARDOWN:
                        self._one(step, world)
            finally:
                # Also after an interruption: what costs money does not outlive its run.
                for step in self._steps:
                    if step.name == TEARDOWN:
                        self._one(step, None)
        return self.found

    def _one(self, step: Step, world: World | None) -> None:
        findings = Findings(step.name, emulated=self._target.emulated)
        self.found.append(findings)
        if reason := self._reason(step):
            findings.not_run = reason
            self._say(findings)
            return
        began = time.monotonic()
        self._deployed |= step.name == DEPLOY
        try:
            if step.on_target is not None:
                step.on_target(self._target, findings)
            elif step.on_world is not None and world is not None:
                step.on_world(world, findings)
        except Exception as error:  # noqa: BLE001 - a fault of one step fails that step, and the run goes on
            findings.check("the step ran to its end", False, _told(error))
        findings.seconds = time.monotonic() - began
        if step.name in (PREFLIGHT, DEPLOY) and findings.failed:
            self._blocked = f"{step.name} failed"
        self._say(findings)

    def _reason(self, step: Step) -> str:
        """Why a step does not run; empty if it does."""
        if step.name == TEARDOWN:
            return "" if self._deployed else "nothing was deployed"
        if self._blocked:
            return self._blocked
        if time.monotonic() > self._ends:
            return "the bound of time was reached: raise it with --minutes"
        return ""

    def _open(self, exits: ExitStack) -> World | None:
        """Deploy the probe beside the stage."""
        try:
            probe = stack.create(
                self._target.client,
                probe_stack(self._target.stage),
                self._target.stage.name,
                self._target.outputs()["AlarmTopicArn"],
                poll_seconds=0.2 if self._target.emulated else stack.POLL_SECONDS,
            )
        except Exception as error:  # noqa: BLE001 - the reason of all steps that need the probe
            self._blocked = f"the probe was not deployed: {_told(error)}"
            return None
        receiver: Calls
        if self._target.emulated:
            loopback = LoopbackCalls()
            exits.enter_context(loopback.receiver)
            receiver = loopback
        else:
            receiver = TableCalls(
                self._target.client("dynamodb"), probe["CallsTable"], probe["ReceiverUrl"].rstrip("/")
            )
        return World(target=self._target, receiver=receiver, probe=probe, size=self._size)


def _told(error: Exception) -> str:
    if isinstance(error, SmokeError | AssertionError):
        return str(error)
    return "".join(traceback.format_exception_only(error)).strip() + " at " + _place_of(error)


def _place_of(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/')[2]}:{last.lineno}"
