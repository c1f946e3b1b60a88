"""Keys of bulk redrives, of bulk operations on jobs and of searches of executions."""

JOB_TASK_PREFIX = "bulk-task#"
REDRIVE_PREFIX = "redrive#"
SEARCH_PREFIX = "search#"


def redrive_task_key(tenant_id: str, task_id: str) -> tuple[str, str]:
    """A bulk redrive in the jobs table."""
    return tenant_id, f"{REDRIVE_PREFIX}{task_id}"


def open_redrive_key(region: str, tenant_id: str) -> tuple[str, str]:
    """A tenant's entry in the list of open bulk redrives, in the leases table."""
    return f"{region}#redrives", tenant_id


def job_task_key(tenant_id: str, task_id: str) -> tuple[str, str]:
    """A bulk operation on jobs, in the jobs table; a tenant's newest sorts last."""
    return tenant_id, f"{JOB_TASK_PREFIX}{task_id}"


def bulk_page_key(tenant_id: str, task_id: str, number: int) -> tuple[str, str]:
    """The record of a page of a bulk operation, in the jobs table."""
    return tenant_id, f"bulk#{task_id}#{number:08d}"


def open_job_task_key(region: str, tenant_id: str, task_id: str) -> tuple[str, str]:
    """The entry of a bulk operation in the list of open ones, in the leases table."""
    return f"{region}#bulk", f"{tenant_id}#{task_id}"


def search_task_key(tenant_id: str, task_id: str) -> tuple[str, str]:
    """A search of executions, in the jobs table; a tenant's newest sorts last."""
    return tenant_id, f"{SEARCH_PREFIX}{task_id}"


def open_search_key(region: str, tenant_id: str, task_id: str) -> tuple[str, str]:
    """The entry of a search in the list of open ones, in the leases table."""
    return f"{region}#searches", f"{tenant_id}#{task_id}"
