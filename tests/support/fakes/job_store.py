"""Definitions of recurring jobs in memory, with their transactions."""

from collections.abc import Sequence
from dataclasses import replace

from shared.domain.errors import UnreadableItemError
from shared.domain.executions.execution import Execution
from shared.domain.ids import backfilled_job
from shared.domain.jobs.job import ENDED, Chain, Job, JobState
from shared.domain.listings.position import IndexPosition, history_position
from shared.ports.jobs import Payload
from tests.support.fakes.table import FakeTable


class FakeJobStore:
    """Each transaction is atomic."""

    def __init__(self, table: FakeTable) -> None:
        self._table = table

    def create(self, job: Job, first: Execution) -> Job | None:
        key = (job.tenant_id, job.id)
        if key in self._table.jobs:
            return self._table.jobs[key]
        if first.id in self._table.executions:
            raise UnreadableItemError(f"an execution of {job.id} stands without its definition")
        self._table.insert(first, None)
        self._table.jobs[key] = job
        return None

    def get(self, tenant_id: str, job_id: str) -> Job | None:
        return self._table.jobs.get((tenant_id, job_id))

    def jump(self, skipped: Execution, target: Execution, expires_at_s: int) -> bool:
        key = (target.tenant_id, target.job_id)
        job = self._table.jobs.get(key)
        if job is None or job.state is not JobState.ACTIVE or job.chain_revision != target.revision:
            return False
        is_filed = skipped.id in self._table.executions or target.id in self._table.executions
        if is_filed or job.chain_from >= target.nominal_at:
            return False
        self._table.insert(skipped, expires_at_s)
        self._table.insert(target, None)
        self._table.jobs[key] = replace(job, chain_from=target.nominal_at)
        return True

    def file_if_active(self, execution: Execution) -> bool:
        job = self._table.jobs.get((execution.tenant_id, execution.job_id))
        if job is None or job.state is not JobState.ACTIVE or job.chain_revision != execution.revision:
            return False
        if execution.id in self._table.executions:
            return False
        self._table.insert(execution, None)
        return True

    def replace(
        self,
        before: Job,
        after: Job,
        *,
        past: Chain | None = None,
        executions: Sequence[Execution] = (),
        expires_at_s: int | None = None,
    ) -> bool:
        key = (before.tenant_id, before.id)
        standing = self._table.jobs.get(key)
        if standing == after and past is None and not executions:
            self._expire_key(after, expires_at_s)
            return True
        if standing is None or _guard(standing) != _guard(before):
            return False
        if any(one.id in self._table.executions for one in executions):
            return False
        for one in executions:
            self._table.insert(one, expires_at_s if one.state.is_terminal else None)
        if past is not None:
            self._table.past_chains[past.tenant_id, past.job_id, past.revision] = past
        self._table.jobs[key] = after
        if after.state in ENDED and expires_at_s is not None:
            self._table.job_expires_at_s[key] = expires_at_s
        self._expire_key(after, expires_at_s)
        return True

    def _expire_key(self, job: Job, expires_at_s: int | None) -> None:
        if job.state not in ENDED or job.key is None or expires_at_s is None:
            return
        assigned = self._table.keyed_ids.get((job.tenant_id, job.key))
        if assigned is not None and assigned.job_id == job.id:
            self._table.key_expires_at_s[job.tenant_id, job.key] = expires_at_s

    def file_beside(self, job: Job, execution: Execution, expires_at_s: int) -> bool:
        standing = self._table.jobs.get((job.tenant_id, job.id))
        if standing is None or standing.revision != job.revision:
            return False
        if standing.state not in (JobState.ACTIVE, JobState.PAUSED) or execution.id in self._table.executions:
            return False
        self._table.insert(execution, None)
        self._table.extras[job.tenant_id, job.id, history_position(execution)] = expires_at_s
        return True

    def create_backfill(self, job: Job, backfill: Job, first: Execution) -> bool:
        standing = self._table.jobs.get((job.tenant_id, job.id))
        if standing is None or standing.revision != job.revision:
            return False
        if standing.state not in (JobState.ACTIVE, JobState.PAUSED, JobState.COMPLETED):
            return False
        key = (backfill.tenant_id, backfill.id)
        if key in self._table.jobs or first.id in self._table.executions:
            return False
        self._table.insert(first, None)
        self._table.jobs[key] = backfill
        return True

    def backfills(self, tenant_id: str, job_id: str) -> list[str]:
        return sorted(
            job.id
            for job in self._table.jobs.values()
            if job.tenant_id == tenant_id
            and backfilled_job(job.id) == job_id
            and job.state is not JobState.DELETED
        )

    def extras(
        self, tenant_id: str, job_id: str, *, before: IndexPosition | None, limit: int
    ) -> list[IndexPosition]:
        places = [key[2] for key in self._table.extras if key[:2] == (tenant_id, job_id)]
        earlier = (place for place in places if before is None or place < before)
        return sorted(earlier, reverse=True)[:limit]

    def past_chains(
        self, tenant_id: str, job_id: str, *, limit: int, before: int | None = None
    ) -> list[Chain]:
        found = [past for key, past in self._table.past_chains.items() if key[:2] == (tenant_id, job_id)]
        earlier = [past for past in found if before is None or past.revision < before]
        return sorted(earlier, key=lambda past: past.revision, reverse=True)[:limit]

    def put_payload(self, payload: Payload) -> None:
        key = (payload.tenant_id, payload.payload_id)
        if key in self._table.payloads:
            return
        self._table.payloads[key], self._table.payload_stored_at[key] = payload.sealed, payload.stored_at
        if payload.expires_at_s is not None:
            self._table.payload_expires_at_s[key] = payload.expires_at_s

    def get_payload(self, tenant_id: str, payload_id: str) -> bytes:
        if (tenant_id, payload_id) not in self._table.payloads:
            raise UnreadableItemError(f"the request {payload_id} is missing")
        return self._table.payloads[tenant_id, payload_id]

    def expire_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> None:
        key = (tenant_id, payload_id)
        if key in self._table.payloads:
            standing = self._table.payload_expires_at_s.get(key, 0)
            self._table.payload_expires_at_s[key] = max(standing, expires_at_s)

    def keep_payload(self, tenant_id: str, payload_id: str, expires_at_s: int) -> bool:
        if (tenant_id, payload_id) in self._table.payload_expires_at_s:
            self.expire_payload(tenant_id, payload_id, expires_at_s)
        return (tenant_id, payload_id) in self._table.payloads

    def note_beside(self, execution: Execution, expires_at_s: int) -> None:
        key = (execution.tenant_id, execution.job_id, history_position(execution))
        self._table.extras[key] = expires_at_s


def _guard(job: Job) -> tuple[JobState, int, int]:
    return job.state, job.revision, job.chain_from
