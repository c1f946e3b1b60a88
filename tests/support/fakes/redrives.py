"""Bulk redrives in memory."""

from shared.domain.dead_letters.redrive_task import RedriveTask


class FakeRedriveTasks:
    """Each change is atomic."""

    def __init__(self) -> None:
        self.tasks: dict[tuple[str, str], RedriveTask] = {}
        self.slots: dict[str, str] = {}
        self.expires_at_s: dict[tuple[str, str], int] = {}

    def create(self, task: RedriveTask) -> str | None:
        if task.tenant_id in self.slots:
            return self.slots[task.tenant_id]
        if (task.tenant_id, task.id) in self.tasks:
            return task.id
        self.tasks[task.tenant_id, task.id] = task
        self.slots[task.tenant_id] = task.id
        return None

    def get(self, tenant_id: str, task_id: str) -> RedriveTask | None:
        return self.tasks.get((tenant_id, task_id))

    def replace(self, before: RedriveTask, after: RedriveTask, expires_at_s: int | None = None) -> bool:
        key = (before.tenant_id, before.id)
        if key not in self.tasks or self.tasks[key].version != before.version:
            return False
        if after.is_open and self.slots.get(after.tenant_id, after.id) != after.id:
            return False
        self.tasks[key] = after
        self.expires_at_s.pop(key, None)
        if expires_at_s is not None:
            self.expires_at_s[key] = expires_at_s
        if after.is_open:
            self.slots[after.tenant_id] = after.id
        else:
            self.slots.pop(after.tenant_id, None)
        return True

    def open(self) -> list[tuple[str, str]]:
        return sorted(self.slots.items())
