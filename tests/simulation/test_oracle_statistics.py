"""The oracle counts statistics itself: forged ones that do not fit the records and their calls."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.archived import ArchivedRun
from tests.simulation.clients import LOAD_MS, Clients
from tests.simulation.evidence import Evidence, Outcome, Reading, Statistics
from tests.simulation.faults import FaultMix
from tests.simulation.honest_evidence import DUE_AT, ONCE, SERIES, call, honest, record, set_record
from tests.simulation.oracle import verdict
from tests.simulation.oracle_statistics import counted
from tests.simulation.run import run_seed
from tests.simulation.verdicts import Verdict
from tests.simulation.world import World

MINUTE = DUE_AT // 60_000
TENANTS = ("acme", "globex")
SEEDS = range(3)


def with_statistics() -> Evidence:
    """Honest ones of both tenants and of all, after one pass."""
    evidence = honest()
    started = Outcome(attempt=1, status=200, reason="ok", started_at=DUE_AT + 50)
    set_record(evidence, ONCE, 0, outcomes=(started,), due_at=DUE_AT)
    stored = {"acme": list(evidence.history[ONCE]), "globex": list(evidence.history[SERIES])}
    calls = {made.execution_id: made for made in evidence.calls}
    statistics = [
        *(counted(name, stored[name], calls) for name in TENANTS),
        counted(None, [each for records in stored.values() for each in records], calls),
    ]
    evidence.readings = [Reading(stored=stored, statistics=statistics)]
    return evidence


def statistics_of(evidence: Evidence) -> list[Statistics]:
    return evidence.readings[0].statistics


def found(evidence: Evidence) -> list[str]:
    return [fault.text for fault in verdict(evidence) if fault.verdict is Verdict.STATISTICS]


def record_that_is_not_counted(evidence: Evidence) -> None:
    statistics_of(evidence)[0] = replace(statistics_of(evidence)[0], states={})


def record_that_counts_twice(evidence: Evidence) -> None:
    statistics_of(evidence)[0] = replace(statistics_of(evidence)[0], states={"succeeded": 2})


def record_of_another_tenant(evidence: Evidence) -> None:
    statistics_of(evidence)[0] = replace(statistics_of(evidence)[1], tenant="acme")


def success_among_the_failures(evidence: Evidence) -> None:
    ended, failed, lags = statistics_of(evidence)[0].minutes[MINUTE]
    statistics_of(evidence)[0].minutes[MINUTE] = ended, failed + 1, lags


def lag_of_another_call(evidence: Evidence) -> None:
    evidence.calls[0] = call(began_at=DUE_AT + 5_000, caller_began_at=DUE_AT + 5_000)


def hour_that_is_not_complete(evidence: Evidence) -> None:
    statistics_of(evidence)[2] = replace(statistics_of(evidence)[2], is_complete=False)


def call_without_a_record(evidence: Evidence) -> None:
    evidence.calls.append(call(execution_id="exe_1stray", job_id="job_1stray"))


def record_that_clients_see_otherwise(evidence: Evidence) -> None:
    evidence.readings[0].stored["acme"] = [record(state="failed")]


FORGED: dict[Callable[[Evidence], None], str] = {
    record_that_is_not_counted: "states of acme: {'succeeded': None} in place of {'succeeded': 1}",
    record_that_counts_twice: "states of acme: {'succeeded': 2} in place of {'succeeded': 1}",
    record_of_another_tenant: "states of acme",
    success_among_the_failures: "minutes of acme",
    lag_of_another_call: "minutes of acme",
    hour_that_is_not_complete: "is_complete of None: False in place of True",
    call_without_a_record: "called, and not counted",
    record_that_clients_see_otherwise: "not counted as it is",
}


@pytest.mark.parametrize("forge", FORGED, ids=lambda forge: forge.__name__)
def test_forged_statistic_is_found(forge: Callable[[Evidence], None]) -> None:
    evidence = with_statistics()
    assert found(evidence) == []
    forge(evidence)
    assert [text for text in found(evidence) if FORGED[forge] in text]


def test_report_of_a_receiver_counts_from_the_claim() -> None:
    evidence = with_statistics()
    evidence.orders[0].async_accepted = True
    lag_of_another_call(evidence)
    assert found(evidence) == []


def test_statistics_keep_an_expired_record_and_gain_one_that_is_put_late() -> None:
    world = World(1, FaultMix())
    try:
        world.functions.start_ticks(lambda: world.start_ms + 2 * LOAD_MS)
        Clients(world).order(delay_seconds=20, cancelled=0)
        world.hub.run_until(world.start_ms + 2 * LOAD_MS)
        archived = ArchivedRun(world)
        archived.read_at_rest()
        world.hub.run_until(world.start_ms + 15 * 86_400_000)
        world.table.drop_expired(world.hub.now_ms, lambda: True)
        assert not world.table.executions
        archived.read_after_expiry()
        archived.read_after_a_late_put()
        whole = [reading.statistics[-1].states for reading in archived.readings]
        assert [sum(states.values()) for states in whole] == [1, 1, 2]
        assert archived.broken == []
    finally:
        world.hub.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_reading_of_statistics_leaves_the_trace_of_a_seed_as_it_is(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_archive = run_seed(seed).trace_hash
    for reading in ("read_at_rest", "read_after_expiry", "read_after_a_late_put"):
        monkeypatch.setattr(ArchivedRun, reading, lambda _: None)
    assert run_seed(seed).trace_hash == with_archive
