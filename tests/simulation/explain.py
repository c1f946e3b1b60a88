"""A failing seed for people: what broke, how to see it again, and what happened to the execution in question."""

from collections.abc import Iterator

from tests.simulation.run import Outcome

FAULTS = 10
LINES = 400


def explain(outcome: Outcome, *, whole: bool) -> Iterator[str]:
    """The lines to print. Above all the trace of the one execution, or job, that the first fault is about."""
    first = outcome.faults[0]
    yield f"seed {outcome.seed} ({outcome.trace_hash}): {first}"
    yield f"  replay: python -m tests.simulation --of {outcome.of} --first {outcome.seed} --seeds 1 --trace"
    yield f"  {outcome.mix}"
    for fault in outcome.faults[1:FAULTS]:
        yield f"  also: {fault}"
    if outcome.trace is None:
        return
    about = outcome.trace.about(first.execution_id, first.job_id)
    yield f"  {first.execution_id or first.job_id or 'no execution'}: {len(about)} steps"
    yield from about[:LINES]
    if len(about) > LINES:
        yield f"  and {len(about) - LINES} more"
    if whole:
        yield f"  the whole run: {len(outcome.trace.lines)} steps"
        yield from map(str, outcome.trace.lines)
