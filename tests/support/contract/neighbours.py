"""A deployment with two tenants that have objects of every kind, and an operator."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from functions.api.http.admission import OPERATORS_PATH
from shared.domain.tenancy.quota import Quota
from shared.domain.tenancy.tenant import TenantState
from shared.observability import metrics
from tests.support.api.api_world import JOB, ApiWorld
from tests.support.api.request_factory import Party, ask, failed_of, settle
from tests.support.builders import deletion
from tests.support.contract.gateway import Got, Sent, got
from tests.support.fakes.sender import succeeds
from tests.support.usecases.lanes import Lanes
from tests.support.usecases.reports import async_accepted

NAMES = ("ours", "theirs")
MANY_KEYS = {Quota.API_KEYS: 50}
REPORTABLE = 40
"""The number of running asynchronous attempts of each tenant."""
HOURLY = 10
"""The number of jobs with instants before their creation, which can be backfilled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A running asynchronous attempt."""

    execution_id: str
    token: str

    @property
    def job_id(self) -> str:
        """The job is a one-off, so its id is that of the execution."""
        return self.execution_id.replace("exe_", "job_")


@dataclass(slots=True, kw_only=True)
class Neighbours:
    """The tenant under test, and another tenant that must not be affected."""

    api: ApiWorld
    operator: str
    ours: Party
    theirs: Party
    attempts: list[Attempt]
    """Ours."""
    hourly: list[str]
    """Jobs of the tenant under test that no other operation changes."""
    running: str
    """A running bulk redrive of the tenant under test."""
    queued: str
    """A redrive that never starts."""
    dead_letters: list[str]
    """Ours."""
    begun_run: str
    """A run of a workflow with a running attempt."""
    statuses: dict[str, set[int]] = field(default_factory=dict)
    """The status codes of each operation, by operation id."""

    def answer(self, sent: Sent) -> Got:
        """One request."""
        metrics.clear_metrics()
        # Forged credentials are limited to 20 a second.
        self.api.world.clock.time_ms += 50
        made = got(self.api.api(sent.event(), SimpleNamespace(aws_request_id="contract")))
        self._let_in_again()
        return made

    def _let_in_again(self) -> None:
        """Restore the tenant after a request that suspended it, changed its quotas or revoked its key."""
        tenants = self.api.world.tenants
        for name in NAMES:
            tenants.tenants[name] = replace(tenants.tenants[name], state=TenantState.ACTIVE, quotas=MANY_KEYS)
        for key in (self.ours.key, self.theirs.key, self.operator):
            key_id = key.split("_")[1]
            tenants.keys[key_id] = replace(tenants.keys[key_id], revoked=False, expires_at=None)

    def key_for(self, path: str) -> str:
        """The key for a path."""
        return self.operator if path.startswith(OPERATORS_PATH) else self.ours.key

    @property
    def their_ids(self) -> set[str]:
        """The other tenant's ids, which no response may contain."""
        executions = self.theirs.ids["execution_id"]
        return self.theirs.own_ids | {one.replace("exe_", "job_") for one in executions}


def neighbours(ours: str = NAMES[0]) -> Neighbours:
    """A new deployment, tested as this tenant."""
    api = ApiWorld()
    operator = api.world.create_tenant.operator().api_key
    parties = {name: settle(api, name) for name in NAMES}
    api.world.cases.tenancy.signing_secrets.rotate(ours, overlap_seconds=0, name="billing")
    begun_run = _begun_run(api, parties[ours])
    attempts = {name: _attempts(api, party) for name, party in parties.items()}
    running = _redrive(api, parties[ours])
    Lanes(api.world).until(api.world.clock.time_ms + 1_000)
    queued = _redrive(api, parties[ours])
    api.world.sender.answer_to = succeeds
    # Asked for before: a deletion that began would end the tenant that the requests are about.
    far_ms = api.world.clock.time_ms + 365 * 86_400_000
    api.world.deletions.records[ours] = deletion(tenant_id=ours, next_at=far_ms)
    for name, party in parties.items():
        party.ids["execution_id"] += [each.execution_id for each in attempts[name]]
    theirs = next(name for name in NAMES if name != ours)
    return Neighbours(
        api=api,
        operator=operator,
        ours=parties[ours],
        theirs=parties[theirs],
        attempts=attempts[ours],
        hourly=_hourly(api, parties[ours]),
        running=running,
        queued=queued,
        dead_letters=_dead_letters(api, parties[ours]),
        begun_run=begun_run,
    )


def _hourly(api: ApiWorld, party: Party) -> list[str]:
    job = JOB | {"schedule": {"cron": "0 * * * *"}}
    return [ask(api, party.key, "POST", "/v1/jobs", job).json["id"] for _ in range(HOURLY)]


def _begun_run(api: ApiWorld, party: Party) -> str:
    api.world.sender.answer_to = async_accepted
    run = ask(api, party.key, "POST", f"/v1/workflows/{party.ids['workflow_id'][0]}/runs").json
    Lanes(api.world).until(api.world.clock.time_ms + 1_000)
    return str(run["id"])


def _redrive(api: ApiWorld, party: Party) -> str:
    path = f"/v1/executions/{failed_of(api, party)}/redrive"
    return str(ask(api, party.key, "POST", path).json["id"])


def _dead_letters(api: ApiWorld, party: Party) -> list[str]:
    return [one["id"] for one in ask(api, party.key, "GET", "/v1/dead-letters").json["executions"]]


def _attempts(api: ApiWorld, party: Party) -> list[Attempt]:
    api.world.sender.answer_to = async_accepted
    before = len(api.world.sender.calls)
    job = JOB | {
        "schedule": {"delay_seconds": 0},
        "async_deadline_seconds": 43_200,
        "heartbeat_seconds": 3_600,
    }
    made = {ask(api, party.key, "POST", "/v1/jobs", job).json["id"] for _ in range(REPORTABLE)}
    Lanes(api.world).until(api.world.clock.time_ms + 1_000)
    found = [dict(call.callback.headers) for call in api.world.sender.calls[before:]]
    return [
        Attempt(execution_id=headers["webhook-id"], token=headers["X-Callback-Token"])
        for headers in found
        if headers["X-Job-Id"] in made
    ]
