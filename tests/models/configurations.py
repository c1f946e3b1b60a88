"""The sizes in which the models are searched: small ones by the tests, large ones by `python -m tests.models`."""

from dataclasses import replace
from typing import Any

from shared.domain.jobs.job import JobState
from tests.models import attempt_world, chain_change_world, chain_world, filing_world
from tests.models.attempts import Attempts
from tests.models.bucket_rules import Clocks
from tests.models.chain import ChainModel
from tests.models.chain_changes import ChangeModel
from tests.models.explorer import Model
from tests.models.filing import FilingModel
from tests.models.limit_slots import Flaw as LimitFlaw
from tests.models.limit_slots import LimitModel

Models = dict[str, Model[Any]]

APART = Clocks(writer_ms=-2_000, tick_ms=2_000)
"""The worst that two clocks may do: the writer sees the scan later than it is, the watcher sooner."""

IDLE = ChangeModel(instants=4, changers=2, kinds=(JobState.PAUSING,), revisions=2, works=False)
"""Nothing starts, so that time may pass while two end the same chain."""

ATTEMPTS: Models = {
    "two workers, two attempts": Attempts(),
    "two workers, one attempt": Attempts(most=1),
    "three workers, two attempts": Attempts(workers=3, messages=3),
    "messages alone lead on, without a sweeper": Attempts(sweeps=False),
    "workers that stand still": Attempts(stalls=True),
    "lost answers alone": Attempts(only_lost_answers=True),
    "receivers that work on": Attempts(async_accepted=True),
}
FILING: Models = {
    "one writer, a watcher, a sweeper": FilingModel(clocks=APART),
    "one writer, two watchers": FilingModel(clocks=APART, watchers=2, sweepers=0),
    "one writer, two sweepers": FilingModel(clocks=APART, watchers=0, sweepers=2),
    "two writers, a watcher": FilingModel(clocks=APART, rows=2, sweepers=0, asks_again=False),
    "a late writer, two sweepers": FilingModel(
        clocks=APART, rows=2, watchers=0, sweepers=2, asks_again=False, late=True
    ),
}
CHAIN: Models = {
    "four instants, two filers": ChainModel(deleters=0, counts_messages=True),
    "four instants, a filer, a deletion": ChainModel(filers=1),
    "three instants, two filers, an auditor, a deletion": ChainModel(instants=3, audits=True),
    "two instants, a filer, two deletions": ChainModel(instants=2, filers=1, deleters=2),
    "two instants with retries, a filer, a deletion": ChainModel(instants=2, filers=1, retries=True),
}
CHANGES: Models = {
    "three instants, pauses": ChangeModel(kinds=(JobState.PAUSING,)),
    "three instants, an update": ChangeModel(kinds=(JobState.UPDATING,), audits=True),
    "two instants, two who pause or update": ChangeModel(instants=2, changers=2),
    "four instants, two who pause, no executor": IDLE,
}
LIMITS: Models = {
    "two processes, one slot": LimitModel(),
    "two processes, two slots": LimitModel(limit=2),
    "two processes, a breaker": LimitModel(breaks=True),
}
LARGE: Models = {
    "three workers that stand still, three attempts": Attempts(workers=3, most=3, messages=3, stalls=True),
    "two writers, a sweeper": FilingModel(clocks=APART, rows=2, watchers=0),
    "two writers, a watcher, clients that ask again": FilingModel(clocks=APART, rows=2, sweepers=0),
    "four instants, two filers, a deletion": ChainModel(counts_messages=True),
    "three instants, a filer, two deletions": ChainModel(instants=3, filers=1, deleters=2),
    "two instants with retries, two deletions": ChainModel(instants=2, filers=1, retries=True, deleters=2),
    "three instants, an auditor, pauses and updates": ChangeModel(audits=True),
    "three instants, two who pause": ChangeModel(kinds=(JobState.PAUSING,), changers=2),
}


def flawed_attempts(flaw: attempt_world.Flaw) -> Attempts:
    """The size in which a fault shows: where messages must not be lost there is no sweeper to make it good."""
    kinds = attempt_world.Flaw
    needs_messages = (
        kinds.DROPPED_WHILE_LEASED,
        kinds.EARLY_RETRY_DROPPED,
        kinds.DELETED_BEFORE_COMPLETION,
    )
    return Attempts(
        sweeps=flaw not in needs_messages,
        only_lost_answers=flaw is kinds.OWN_CLAIM_UNKNOWN,
        async_accepted=flaw is kinds.REPORT_UNFENCED,
        flaw=flaw,
    )


def flawed_filing(flaw: filing_world.Flaw) -> FilingModel:
    """The size in which a fault shows: a page more for paging, a shard that was closed for its versions."""
    kinds = filing_world.Flaw
    if flaw in (kinds.FIRST_PAGE_WATCHED, kinds.CURSOR_BEFORE_SEND):
        return FilingModel(clocks=APART, rows=2, sweepers=0, asks_again=False, flaw=flaw)
    if flaw in (kinds.FIRST_PAGE_SWEPT, kinds.VERSION_ANEW):
        late: dict[str, Any] = {"rows": 2, "watchers": 0, "sweepers": 2, "asks_again": False, "late": True}
        return FilingModel(clocks=APART, flaw=flaw, **late)
    return FilingModel(clocks=APART, flaw=flaw)


def flawed_chain(flaw: chain_world.Flaw) -> ChainModel:
    """The size in which a fault shows: four instants for a jump that leaves a hole, fewer for everything else."""
    kinds = chain_world.Flaw
    match flaw:
        case kinds.RETRIES_NOT_ASKED:
            return ChainModel(instants=2, filers=1, retries=True, flaw=flaw)
        case kinds.DONE_TOO_EARLY:
            return ChainModel(instants=2, filers=1, deleters=0, counts_messages=True, flaw=flaw)
        case kinds.JUMP_UNGUARDED | kinds.PROBED_TOO_EARLY:
            return ChainModel(filers=1, flaw=flaw)
    return ChainModel(flaw=flaw)


def flawed_change(flaw: chain_change_world.Flaw) -> ChangeModel:
    """The size in which a fault shows: two rivals for what is between them, and time for what others left behind."""
    kinds = chain_change_world.Flaw
    match flaw:
        case kinds.EDITED_WITHOUT_IF_MATCH:
            return ChangeModel(instants=2, changers=2, flaw=flaw)
        case kinds.RECORD_PASSED_BY | kinds.RECORD_IN_ONE_PLACE:
            return replace(IDLE, flaw=flaw)
    return ChangeModel(flaw=flaw)


def flawed_limits(flaw: LimitFlaw) -> LimitModel:
    """The size in which a fault shows: a breaker for those of probes."""
    return LimitModel(breaks=flaw in (LimitFlaw.NEVER_PROBES, LimitFlaw.ALL_PROBE), flaw=flaw)
