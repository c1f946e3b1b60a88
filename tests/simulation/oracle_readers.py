"""Checks what readers of the API were shown: only their own, all of it, for as long as it is kept, and never unsaid."""

from collections.abc import Iterator, Mapping

from tests.simulation.evidence import Evidence, Order, Record, Sighting
from tests.simulation.verdicts import Fault, Verdict

Known = Mapping[str, Order]
FREED = {"job_paused", "job_updated", "job_deleted"}
"""Such a tombstone goes where its instant becomes that of a later chain, which accounts for it, or where it lies
behind what two who ended a chain at once have agreed on as its end. Whatever lies before is checked by
`verify_instants`.
"""


def check_readers(evidence: Evidence, known: Known) -> Iterator[Fault]:
    """Everything that anybody was shown, while the load was on and at rest."""
    for sighting in evidence.foreign:
        if sighting.records is not None:
            yield Fault(verdict=Verdict.LEAK, text=f"{sighting.tenant} was shown it", job_id=sighting.job_id)
    for sighting in evidence.sightings:
        yield from _sighting(evidence, known, sighting)
    yield from _dead_letters(evidence, known)
    for job_id, records in evidence.history.items():
        yield from _kept(records, evidence.kept.get(job_id, []), evidence.leftovers.get(job_id, []))


def _sighting(evidence: Evidence, known: Known, sighting: Sighting) -> Iterator[Fault]:
    order = known.get(sighting.job_id)
    if order is not None and order.tenant != sighting.tenant:
        yield Fault(verdict=Verdict.LEAK, text=f"{sighting.tenant} was shown it", job_id=sighting.job_id)
    if sighting.records is None:
        if order is not None and order.acked_at is not None and order.acked_at < sighting.asked_at:
            yield Fault(verdict=Verdict.LOST, text="acknowledged, and then not found", job_id=sighting.job_id)
        return
    final = {record.execution_id: record for record in evidence.history.get(sighting.job_id, [])}
    for record in sighting.records if order is not None and order.acked_at is not None else ():
        is_replaced = record.reason in FREED and record.execution_id not in final
        if record.has_ended and final.get(record.execution_id) != record and not is_replaced:
            yield _fault(Verdict.HISTORY, f"was shown as {record.state}, and changed", record)


def _dead_letters(evidence: Evidence, known: Known) -> Iterator[Fault]:
    """Each dead letter is shown to its tenant and to nobody else."""
    for tenant, letters in evidence.dead_letters.items():
        for record in letters:
            owner = known.get(record.job_id)
            if owner is not None and owner.tenant != tenant:
                yield _fault(Verdict.LEAK, f"{tenant} was shown a dead letter of {owner.tenant}", record)
            if record.state != "failed":
                yield _fault(Verdict.HISTORY, f"{record.state}, and among the dead letters", record)
    for job_id, records in evidence.history.items():
        order = known.get(job_id)
        listed = evidence.dead_letters.get(order.tenant, []) if order is not None else []
        shown = {record.execution_id for record in listed}
        for record in records:
            if record.state == "failed" and record.execution_id not in shown:
                yield _fault(Verdict.HISTORY, "failed, and not among the dead letters", record)


def _kept(records: list[Record], kept: list[Record], leftovers: list[Record]) -> Iterator[Fault]:
    """Every record is there until it may be dropped; what is still there afterwards says what it always said."""
    still = {record.execution_id: record for record in kept}
    for record in records:
        if still.get(record.execution_id) != record:
            yield _fault(Verdict.HISTORY, "changed or gone before the end of the retention", record)
    before = {record.execution_id: record for record in records}
    for record in leftovers:
        if before.get(record.execution_id) != record:
            yield _fault(Verdict.HISTORY, "changed when others were dropped", record)


def _fault(verdict: Verdict, text: str, record: Record) -> Fault:
    return Fault(verdict=verdict, text=text, job_id=record.job_id, execution_id=record.execution_id)
