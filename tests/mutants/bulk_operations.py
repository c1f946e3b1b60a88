"""Bulk operations on jobs: what was planned, each job once, at a pace, and undone where nobody has changed it since."""

from tests.mutants.mutant import Mutant

_PATCHES = "tests/unit/usecases/bulk/test_bulk_patches.py"
_OPERATIONS = "tests/unit/usecases/bulk/test_bulk_operations.py"
_PLANS = "tests/unit/usecases/bulk/test_bulk_plans.py"
_UNDO = "tests/unit/usecases/bulk/test_bulk_undo.py"
_WORKER = "tests/unit/usecases/bulk/test_bulk_worker.py"
_STORE = "tests/conformance/test_job_tasks.py"
_API = "tests/unit/api/test_bulk_tasks.py"
_ACT = "shared/usecases/bulk/act_on_job.py"
_BACK = "shared/usecases/bulk/take_back_job.py"
_PROCESS = "shared/usecases/bulk/process_job_tasks.py"
_LOOP = "shared/usecases/bulk/process_bulk_tasks.py"
_START = "shared/usecases/bulk/start_job_task.py"
_SIGN = "shared/usecases/bulk/sign_plan.py"
_TASK = "shared/domain/bulk/job_task.py"

BULK_OPERATIONS = (
    Mutant(
        name="bulk operation that lists a recorded page again",
        file=_PROCESS,
        old="        recorded = self.pages.get(task.tenant_id, task.id, task.page)\n"
        "        if recorded is None:\n            tenant",
        new="        recorded = None\n        if recorded is None:\n            tenant",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="record of a page that a later writer replaces",
        file="shared/adapters/dynamodb/bulk/bulk_pages.py",
        old="        return self._put(page, expires_at_s, ABSENT)\n",
        new='        return self._put(page, expires_at_s, "attribute_not_exists(d)")\n',
        killer=_STORE,
    ),
    Mutant(
        name="results of a page that a slow worker replaces",
        file="shared/adapters/dynamodb/bulk/bulk_pages.py",
        old=" AND attribute_not_exists(d)",
        new="",
        killer=_STORE,
    ),
    Mutant(
        name="bulk operation that changes a job at any revision",
        file=_ACT,
        old="        elif not is_own_change(task, entry, job):\n            return entry.refused(Refusal.CHANGED)\n",
        new="",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="bulk operation that takes its own change for that of others",
        file=_ACT,
        old="        elif not is_own_change(task, entry, job):\n",
        new="        else:\n",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="bulk pause that takes any pause for its own",
        file=_ACT,
        old=" and job.pause_reason == task.pause_reason\n",
        new="\n",
        killer=_UNDO,
    ),
    Mutant(
        name="bulk trigger that chooses another run for a repetition",
        file=_ACT,
        old="            self.trigger.execute(job, entry.execution, may_exist=True)\n",
        new="            chosen = self.trigger.choose(job.id, self.trigger.clock.now_ms())\n"
        "            self.trigger.execute(job, chosen, may_exist=True)\n",
        killer=_WORKER,
    ),
    Mutant(
        name="refused job that stops its bulk operation",
        file=_ACT,
        old="            except (InvalidStateError, PreconditionFailedError):\n                continue",
        new="            except PreconditionFailedError:\n                continue",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="deletion that ignores its grace",
        file=_PROCESS,
        old="        if now_ms < (task.deletes_at or 0):\n",
        new="        if now_ms < 0:\n",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="deletion that takes a job that was changed in the grace",
        file=_BACK,
        old="        if job.revision != entry.after and not is_begun:\n",
        new="        if job.state in GONE and not is_begun:\n",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="undo of a job that was changed since",
        file=_BACK,
        old="        if job.revision != own and not is_undone:\n",
        new="        if job.revision < own and not is_undone:\n",
        killer=_UNDO,
    ),
    Mutant(
        name="undo of what the operation has not changed",
        file=_BACK,
        old="        if entry.result is not Result.DONE:\n",
        new="        if entry.result is Result.REFUSED:\n",
        killer=_UNDO,
    ),
    Mutant(
        name="undo of a bulk operation that walks over its records but once",
        file=_PROCESS,
        old="is JobTaskState.UNDOING and not task.is_last_pass:\n",
        new="is JobTaskState.UNDOING and task.pass_began_at is None:\n",
        killer=_UNDO,
    ),
    Mutant(
        name="undo that closes the record of a page in progress",
        file=_PROCESS,
        old="            if not task.is_last_pass:\n",
        new="            if task.pass_began_at is None:\n",
        killer=_UNDO,
    ),
    Mutant(
        name="undo that knows of no page in progress",
        file=_TASK,
        old="            return self.page >= self.pages + self.is_last_pass\n",
        new="            return self.page >= self.pages\n",
        killer=_UNDO,
    ),
    Mutant(
        name="undo of a resume that forgets why the job was paused",
        file=_BACK,
        old="reason=entry.pause_reason, revision=job.revision",
        new="revision=job.revision",
        killer=_UNDO,
    ),
    Mutant(
        name="patch that is made twice after a crash",
        file=_ACT,
        old="        if not patch.changes(job.definition):\n"
        "            return self.find_settled.execute(job.tenant_id, job.id)\n",
        new="",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="patch beyond the quota of tags",
        file="shared/domain/bulk/patch.py",
        old="        return len(self.of(definition).tags) > max(self.max_tags, len(definition.tags))\n",
        new="        return False\n",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="patch that makes a job with too long a life",
        file="shared/domain/bulk/actions.py",
        old="patch is not None and not patch.suits(job.definition)",
        new="patch is None and action is None",
        killer=_PATCHES,
    ),
    Mutant(
        name="call of a backfill that a patch changes",
        file="shared/domain/bulk/actions.py",
        old="(patch is not None and bool(patch.values))",
        new="False",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="undo of a patch that restores its tags alone",
        file="shared/domain/bulk/patch.py",
        old="return replace(with_values(definition, self.values), tags=self.tags)",
        new="return replace(definition, tags=self.tags)",
        killer=_PATCHES,
    ),
    Mutant(
        name="patch with the URL of a forbidden host",
        file="shared/usecases/bulk/start_job_task.py",
        old="            check_callback_target(member.value, values.get(member), self.policy)\n",
        new="            pass\n",
        killer=_PATCHES,
    ),
    Mutant(
        name="URL of a patch that is stored in plain",
        file="shared/usecases/bulk/start_job_task.py",
        old="            values[member] = seal_callback_target(self.vault, tenant, values[member])\n",
        new="            pass\n",
        killer=_PATCHES,
    ),
    Mutant(
        name="plan of another subscription",
        file="shared/usecases/bulk/sign_plan.py",
        old="return value.url, sorted(rules.events), rules.late_after_seconds, rules.format",
        new="return value.url",
        killer=_PATCHES,
    ),
    Mutant(
        name="record of a page with more URLs than an item holds",
        file="shared/usecases/bulk/process_job_tasks.py",
        old="task.patch is not None and task.patch.has_urls else PAGE",
        new="task.patch is None and task.rate else PAGE",
        killer=_PATCHES,
    ),
    Mutant(
        name="null of a patch that leaves the member as it is",
        file="functions/api/resources/bulk_tasks/patch_models.py",
        old="if member.value in self.model_fields_set",
        new="if getattr(self, member.value) is not None",
        killer="tests/unit/api/test_bulk_tasks.py",
    ),
    Mutant(
        name="undo of a patch that resumes in place of restoring",
        file=_BACK,
        old="        elif former is not None:\n",
        new="        elif former is None and entry.execution:\n",
        killer=_UNDO,
    ),
    Mutant(
        name="bulk operation without a pace",
        file=_TASK,
        old=" + -(-items * 1000 // self.rate)\n",
        new="\n",
        killer=_WORKER,
    ),
    Mutant(
        name="page larger than the rate",
        file=_PROCESS,
        old="                limit=min(_page_size(task), task.rate),\n",
        new="                limit=_page_size(task),\n",
        killer=_WORKER,
    ),
    Mutant(
        name="bulk operations of a tenant that run side by side",
        file=_LOOP,
        old="        by_tenant.setdefault(tenant_id, deque()).append(task_id)\n",
        new='        by_tenant.setdefault(f"{tenant_id}{task_id}", deque()).append(task_id)\n',
        killer=_WORKER,
    ),
    Mutant(
        name="unreadable bulk task that holds up its tenant",
        file=_LOOP,
        old="            step = Rest.ENDED\n        if",
        new="            step = Rest.HELD\n        if",
        killer=_WORKER,
    ),
    Mutant(
        name="first page before an older operation has ended",
        file=_PROCESS,
        old="            if older is not None and older.has_work:\n                return None\n",
        new="            if older is not None and older.has_work:\n                continue\n",
        killer=_WORKER,
    ),
    Mutant(
        name="page under way that a cancellation does not count",
        file=_PROCESS,
        old="        if is_first_pass:\n            self._count_cancelled(leased, after)\n",
        new="",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="bulk operation on what is created after it",
        file=_START,
        old="    before = now_ms + 1 if criteria.created_before is None"
        " else min(criteria.created_before, now_ms + 1)\n",
        new="    before = criteria.created_before\n",
        killer=_OPERATIONS,
    ),
    Mutant(
        name="large bulk operation without a plan",
        file=_START,
        old="            if extent.count > FREE_OF_PLAN:\n",
        new="            if extent.count > COUNTED_AT_MOST:\n",
        killer=_PLANS,
    ),
    Mutant(
        name="plan that covers more jobs than it has shown",
        file=_START,
        old="        if extent.count > planned:\n",
        new="        if planned < 0:\n",
        killer=_PLANS,
    ),
    Mutant(
        name="plan that never gets too old",
        file=_SIGN,
        old="        if self.clock.now_ms() - made_at > PLAN_MS:\n",
        new="        if made_at > self.clock.now_ms():\n",
        killer=_PLANS,
    ),
    Mutant(
        name="plan for any filter",
        file=_SIGN,
        old='        data = b"|".join((canonical(new), b"%d|%d" % (made_at, count)))\n',
        new='        data = b"%d|%d" % (made_at, count)\n',
        killer=_PLANS,
    ),
    Mutant(
        name="bulk operation of a tenant that may open any number",
        file=_START,
        old="        if len(self.tasks.open_of(tenant.id)) >= MAX_OPEN:\n",
        new="        if self.tasks.open_of(tenant.id) is None:\n",
        killer=_PLANS,
    ),
    Mutant(
        name="one-off jobs in a bulk operation that cannot change them",
        file="functions/api/resources/bulk_tasks/models.py",
        old="            recurs=self.kind is not Kind.ONCE,\n",
        new="            recurs=False,\n",
        killer=_API,
    ),
    Mutant(
        name="bulk operation that is on no record",
        file="functions/api/resources/bulk_tasks/routes.py",
        old='    context.audit.record(request, "changeJobs", operation.id, None, operation)\n',
        new="",
        killer=_API,
    ),
)
