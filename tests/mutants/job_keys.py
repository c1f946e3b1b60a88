"""Keys of jobs: one job of a key at a time, what a repetition changes, and what it tells."""

from tests.mutants.mutant import Mutant

_KEYED = "tests/unit/api/test_keyed_jobs.py"
_KEYS = "tests/conformance/test_job_keys.py"
_PUT = "shared/usecases/jobs/put_job.py"
_ROUTES = "functions/api/resources/jobs/keyed_routes.py"

JOB_KEYS = (
    Mutant(
        name="second job beside that of a creation that has not finished",
        file=_PUT,
        old="            if job is None and assigned.is_unfinished(now_ms):\n",
        new="            if job is None and not assigned:\n",
        killer=_KEYED,
    ),
    Mutant(
        name="id of a deleted job that is used again",
        file=_PUT,
        old="            if job is None and assigned.is_unfinished(now_ms):\n",
        new="            if assigned.is_unfinished(now_ms):\n",
        killer=_KEYED,
    ),
    Mutant(
        name="deleted job that is taken for the job of its key",
        file=_PUT,
        old="        return None if job.state is JobState.DELETED else job\n",
        new="        return job\n",
        killer=_KEYED,
    ),
    Mutant(
        name="completed job that is created anew by the same description",
        file=_PUT,
        old="            if standing is not None and not differs(standing, new):\n",
        new="            if standing and standing.state is not JobState.COMPLETED and not differs(standing, new):\n",
        killer=_KEYED,
    ),
    Mutant(
        name="second job beside one that another request has just created",
        file=_PUT,
        old="            if job is not None and job.state is not JobState.DELETED:\n",
        new="            if job is not None and not job.state:\n",
        killer=_KEYED,
    ),
    Mutant(
        name="job that changed since its creation, and is told of as created",
        file=_PUT,
        old=" if job.revision == drafted.job.revision else None",
        new="",
        killer=_KEYED,
    ),
    Mutant(
        name="change over a revision that the caller never saw",
        file=_PUT,
        old="            precondition(standing)\n",
        new="",
        killer=_KEYED,
    ),
    Mutant(
        name="repetition of a change that is refused because of itself",
        file=_PUT,
        old="            new = wanted(standing)\n",
        new="            new = wanted(standing)\n            precondition(standing)\n",
        killer=_KEYED,
    ),
    Mutant(
        name="creation that changes a job which stands",
        file=_ROUTES,
        old="    if must_create and standing is not None and",
        new="    if must_create and standing is None and",
        killer=_KEYED,
    ),
    Mutant(
        name="creation that is told of as made although the job is in another set",
        file=_PUT,
        old="        if job.definition.set_name != drafted.job.definition.set_name:\n",
        new="        if job.definition.set_name and not drafted.job:\n",
        killer=_KEYED,
    ),
    Mutant(
        name="dry run that creates",
        file=_PUT,
        old="        if is_dry_run:\n            return JobPut(Change.CREATED, standing, None)\n",
        new="",
        killer=_KEYED,
    ),
    Mutant(
        name="change that gives up before a rival's",
        file=_PUT,
        old="            except (PreconditionFailedError, InvalidStateError):\n",
        new="            except PreconditionFailedError:\n",
        killer=_KEYED,
    ),
    Mutant(
        name="large body of another request for the same key",
        file="shared/usecases/jobs/draft_job.py",
        old="job_id if identity.key is None else new_payload_id",
        new="job_id if identity.key != job_id else new_payload_id",
        killer=_KEYED,
    ),
    Mutant(
        name="id that replaces another than the one that was read",
        file="shared/adapters/dynamodb/jobs/job_keys.py",
        old='                "ConditionExpression": "j = :before",\n',
        new='                "ConditionExpression": "j <> :before OR j = :before",\n',
        killer=_KEYS,
    ),
    Mutant(
        name="record of a key that expires under the next job",
        file="shared/adapters/dynamodb/jobs/job_store.py",
        old='                    ConditionExpression="j = :job",\n',
        new='                    ConditionExpression="j <> :job OR j = :job",\n',
        killer=_KEYS,
    ),
    Mutant(
        name="record of a key that outlives its job",
        file="shared/adapters/dynamodb/jobs/job_store.py",
        old="        if after.state in ENDED and after.key is not None and expires_at_s is not None:\n",
        new="        if after.state not in ENDED and after.key is not None and expires_at_s is not None:\n",
        killer=_KEYS,
    ),
    Mutant(
        name="job of which an older release would drop the key",
        file="shared/adapters/dynamodb/codec/job_items.py",
        old="1 if job.key is None else KEYED",
        new="1",
        killer=_KEYS,
    ),
    Mutant(
        name="patch that takes a job out of its set",
        file="shared/usecases/jobs/revise_job.py",
        old="        if keeps_set:\n",
        new="        if not keeps_set:\n",
        killer=_KEYED,
    ),
    Mutant(
        name="rate whose phase moves with each repetition",
        file=_ROUTES,
        old="self.new if standing is None else self.new.keeping_phase_of(standing.schedule)",
        new="self.new",
        killer=_KEYED,
    ),
    Mutant(
        name="header of a request that a difference shows",
        file="functions/api/resources/jobs/differences.py",
        old="    is_hidden = within[:2] in _HIDDEN or within[:3] in _HIDDEN\n",
        new="    is_hidden = within in _HIDDEN\n",
        killer=_KEYED,
    ),
    Mutant(
        name="new set that begins a new chain",
        file="shared/domain/jobs/job.py",
        old="    return replace(definition, name=None, tags=(), set_name=None)\n",
        new="    return replace(definition, name=None, tags=())\n",
        killer=_KEYED,
    ),
)
