"""Every put of an open execution is preceded by the check that its shard is scanned and its bucket is open."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.sources import modules, parsed

FILES = {
    "put_if_absent",
    "put_all_if_absent",
    "put_reminder",
    "move",
    "create",
    "create_backfill",
    "jump",
    "file_if_active",
    "file_beside",
    "replace",
}
"""The methods of ports that put executions or retry reminders; a new one belongs here."""
STORES = {"store", "batches", "one_offs", "jobs", "runs"}
CHECKS = {"prepare", "ensure_scanned", "_scanned"}
ENDED_ONLY = {
    "shared/usecases/chains/complete_transition.py:_delete",
    "shared/usecases/chains/end_chain.py:_tombstone",
    "shared/usecases/chains/mark_deleting.py:execute",
    "shared/usecases/chains/start_chain.py:_complete",
    "shared/usecases/chains/update_job.py:_update_paused",
    "shared/usecases/dead_letters/redrive_execution.py:file_cancelled",
    "shared/usecases/filing/file_successor.py:_complete",
    "shared/usecases/filing/record_dst_skips.py:execute",
    "shared/usecases/outcomes/file_alert.py:_suppress",
    "shared/usecases/workflows/begin_run.py:block",
    "shared/usecases/workflows/stop_tasks.py:_cancelled",
}
"""Functions that put records in terminal states alone: no scan has to find such a record."""


def test_put_of_an_open_execution_follows_the_check_of_its_shard() -> None:
    unchecked = {name for name, function in _functions() if not _is_checked(function)}
    assert unchecked == ENDED_ONLY


def test_methods_that_put_executions_are_called_by_use_cases_alone() -> None:
    """Otherwise the check above does not see the call."""
    elsewhere = [
        str(module)
        for module in modules("functions", "shared")
        if not module.is_relative_to("shared/usecases") and any(_puts(parsed(module)))
    ]
    assert elsewhere == []


def test_every_method_of_the_ports_that_puts_executions_is_known() -> None:
    ports = [parsed(Path(f"shared/ports/{name}.py")) for name in ("executions", "jobs")]
    taking = {
        function.name
        for tree in ports
        for owner in ast.walk(tree)
        if isinstance(owner, ast.ClassDef)
        and owner.name in {"ExecutionStore", "OneOffStore", "OneOffBatches", "JobStore"}
        for function in owner.body
        if isinstance(function, ast.FunctionDef) and _takes_executions(function)
    }
    assert taking - CHANGES == FILES


CHANGES = {"finish", "extend_lease", "give_up", "edit", "postpone", "note_beside"}
"""Methods that take an execution and change, or only mention, a stored one."""


def _takes_executions(function: ast.FunctionDef) -> bool:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    spelt = " ".join(ast.unparse(each.annotation) for each in arguments if each.annotation)
    return "Execution" in spelt.replace("ExecutionId", "") or "RetryReminder" in spelt


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each function of the use cases that calls a method that puts executions."""
    for module in modules("shared"):
        if module.is_relative_to("shared/usecases"):
            for node in ast.walk(parsed(module)):
                if isinstance(node, ast.FunctionDef) and any(_puts(node)):
                    yield f"{module}:{node.name}", node


def _puts(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILES:
            is_swap = node.func.attr == "replace"
            if _owner(node.func) in STORES and (not is_swap or _names(node, "executions")):
                yield node


def _names(call: ast.Call, keyword: str) -> bool:
    return any(each.arg == keyword for each in call.keywords)


def _owner(method: ast.Attribute) -> str:
    """The last name before the method: `store` in `self.store.put_if_absent`."""
    value = method.value
    return value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""


def _is_checked(function: ast.FunctionDef) -> bool:
    checks = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHECKS
    ]
    return bool(checks) and min(checks) < min(put.lineno for put in _puts(function))
