"""What is shown of upcoming runs, lanes and parked messages."""

from tests.mutants.mutant import Mutant

_COUNT = "tests/unit/usecases/listings/test_count_upcoming.py"
_LANES = "tests/unit/api/test_lanes.py"
_PARKED = "tests/unit/api/test_dead_letters.py"

VIEWS = (
    Mutant(
        name="cancelled run that is counted as upcoming",
        file="shared/usecases/listings/count_upcoming.py",
        old="    return basis_of(place.position.at, execution) is not None\n",
        new="    return True\n",
        killer=_COUNT,
    ),
    Mutant(
        name="count of upcoming runs that reads without a bound",
        file="shared/usecases/listings/count_upcoming.py",
        old="        share = max(1, -(-len(stored) // READS_AT_MOST))\n",
        new="        share = 1\n",
        killer=_COUNT,
    ),
    Mutant(
        name="sample of upcoming runs that a pattern of them decides",
        file="shared/usecases/listings/count_upcoming.py",
        old="        chosen = [min(group, key=_CHANCE) for group in groups]\n",
        new="        chosen = [group[0] for group in groups]\n",
        killer=_COUNT,
    ),
    Mutant(
        name="page of paused jobs that is filled with active ones",
        file="shared/adapters/dynamodb/listings/queries.py",
        old="                **only.expression,\n                **start,\n",
        new="                **start,\n",
        killer="tests/conformance/test_queries.py",
    ),
    Mutant(
        name="filed run of a job that is counted twice",
        file="shared/usecases/listings/count_upcoming.py",
        old="        places = (_joined(list(same)) for _, same in together)\n",
        new="        places = (place for _, same in together for place in same)\n",
        killer=_COUNT,
    ),
    Mutant(
        name="entry of the hot scopes that is shown after its end",
        file="shared/usecases/listings/list_lanes.py",
        old="            if now_ms < until and (after is None or scope > after)\n",
        new="            if until and (after is None or scope > after)\n",
        killer=_LANES,
    ),
    Mutant(
        name="lane that stays behind when its report has expired",
        file="shared/usecases/listings/list_lanes.py",
        old="now_ms - report.reported_at < BACKED_UP_MS",
        new="report.reported_at < now_ms + BACKED_UP_MS",
        killer=_LANES,
    ),
    Mutant(
        name="parked message that is removed without a record",
        file="functions/api/resources/parked/routes.py",
        old='    context.audit.record(request, "removeParked", parked_id, document, None)\n',
        new="",
        killer=_PARKED,
    ),
)
