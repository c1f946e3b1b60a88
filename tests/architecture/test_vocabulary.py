"""Names follow the vocabulary of the field: a retired name comes back neither in code nor in the API."""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from shared.names import Metric
from tests.support.sources import PRODUCT, ROOT, RUN_TIME, modules, parsed

EVERYWHERE = (*PRODUCT, "tests")

RETIRED_NAMES = {
    # Listings and pagination
    "WantedExecutions": "ExecutionFilter",
    "WantedJobs": "JobFilter",
    "WantedDeadLetters": "DeadLetterFilter",
    "Place": "IndexPosition",
    "Stretch": "IndexPage",
    "Merged": "IndexPage",
    # Dispatch and limits
    "Pointer": "RetryReminder",
    "TroubleBoard": "HotScopes",
    "trouble_board": "hot_scopes",
    "ProgressBoard": "LaneProgressStore",
    "ParkingLot": "ParkedMessageStore",
    "WaitSigns": "ThrottleStatus",
    "wait_signs": "throttle_status",
    "Signs": "ThrottleSnapshot",
    "GiveWay": "ApplyBackpressure",
    "give_way": "apply_backpressure",
    "SilentScopes": "ScopeCooldowns",
    "Silence": "Cooldown",
    "is_left_alone": "is_cooling_down",
    "LimitStates": "LimitCache",
    "limit_states": "limit_cache",
    "outrun_before_ms": "ms_since_conflict",
    "written_before_ms": "ms_since_write",
    "_unsaid": "_pending_notes",
    "_mute_until": "_notes_backoff_until",
    "GateCalls": "ThrottleBatch",
    "gate_calls": "throttle_batch",
    "Held": "DeferredKey",
    "Bounds": "ScopeLimits",
    "too_many": "concurrency_reason",
    "too_fast": "rate_reason",
    "Purse": "LeasedTokens",
    "Portion": "TokenLease",
    "short_of": "deficit",
    "SurveyLanes": "LaneSnapshot",
    "survey_lanes": "lane_snapshot",
    # Executions and their chains
    "TurnStore": "RunLockStore",
    "Turn": "RunLock",
    "ConcludeExecution": "FinalizeExecution",
    "conclude_execution": "finalize_execution",
    "HealNotifications": "RepairNotifications",
    "heal_notifications": "repair_notifications",
    "Untold": "MissingNotifications",
    "RescueDeadLetters": "HandleDeadMessages",
    "rescue_dead_letters": "handle_dead_messages",
    "WorkOffRedrives": "ProcessBulkRedrives",
    "work_off_redrives": "process_bulk_redrives",
    "RecordPassedOver": "RecordSkippedInstants",
    "record_passed_over": "record_skipped_instants",
    "passed_from": "skipped_from",
    "passed_from_of": "skipped_from",
    "SettleChange": "CompleteTransition",
    "settle_change": "complete_transition",
    "StopStarted": "StopRunningExecutions",
    "stop_started": "stop_running_executions",
    "SendHead": "ResendChainHead",
    "send_head": "resend_chain_head",
    "FollowMoves": "ResolveMoved",
    "follow_moves": "resolve_moved",
    "Dropped": "DstSkips",
    "Missed": "SkippedRange",
    "Expected": "ExpectedRuns",
    "payload_apart": "payload_id",
    "receiver_is_gone": "receiver_gone",
    "starts_at": "not_before",
    "works_on": "async_accepted",
    "WORKS_ON": "ASYNC_ACCEPTED",
    "WORKING_ON": "ASYNC_ACCEPTED",
    "run_on": "extend_lease",
    "RUN_ON": "EXTEND",
    "FRESH": "Progress()",
    "Undecided": "WriteUnknown",
    "Listener": "CallbackTarget",
    "UNSAID": "INHERIT",
    # The API
    "passed_over": "skipped",
    "redriven_before": "already_redriven",
    "walked_to": "progress_at",
    "too_late": "already_started",
    "Admitted": "AuthenticatedRequest",
    "_Ended": "_RouteError",
    "_carry_out": "_reraise",
    # Wiring
    "ApiParts": "UseCases",
    "CallbackParts": "UseCases",
    "Core": "CoreUseCases",
    # Tests
    "Assassin": "ProcessKiller",
    "assassin": "process_killer",
    "Nursery": "ProcessPool",
    "nursery": "process_pool",
    "Office": "AdminClient",
    "office": "admin_client",
    "graveyard": "failed_jobs",
    "Judge": "Oracle",
}
"""Identifiers of types, functions, attributes, parameters and variables, each with its successor."""

RETIRED_IN_THE_PRODUCT = {
    "Answer": "CallbackResponse",
    "Span": "PositionRange",
    "Refused": "ClaimRejected",
    "NOBODY": "NO_TARGET",
    "Caution": "ScheduleWarning",
    "parking_lot": "parked_messages",
}
"""Words that tests may use in another sense."""

RETIRED_IN_THE_API = {
    "fault": "error",
}
"""Words that other parts may use: a fault is what the simulation injects, and why a message is unreadable."""

RETIRED_MODULES = {
    "wanted": "filters",
    "place": "position",
    "pointer": "retry_reminder",
    "trouble_board": "hot_scopes",
    "boards": "lane_progress, parked_messages",
    "wait_signs": "throttle_status",
    "give_way": "apply_backpressure",
    "silent_scopes": "scope_cooldowns",
    "limit_states": "limit_cache",
    "gate_calls": "throttle_batch",
    "conclude_execution": "finalize_execution",
    "heal_notifications": "repair_notifications",
    "rescue_dead_letters": "handle_dead_messages",
    "work_off_redrives": "process_bulk_redrives",
    "survey_lanes": "lane_snapshot",
    "passed_over": "record_skipped_instants",
    "settle_change": "complete_transition",
    "stop_started": "stop_running_executions",
    "send_head": "resend_chain_head",
    "follow_moves": "resolve_moved",
    "dropped": "dst_skips",
    "missed": "skipped_range",
    "expected": "expected_runs",
    "cautions": "schedule_warnings",
    "promise_alarms": "slo_alarms",
    "assassin": "process_killer",
    "nursery": "process_pool",
    "office": "admin_client",
    "graveyard": "failed_jobs",
    "recipes": "request_factory",
    "verbs": "job_requests",
    "hurrying": "concurrent_requests",
    "trespassing": "cross_tenant",
    "kept": "model_state",
    "promised": "expectations",
    "older_tables": "tzdata_upgrade",
}
"""File names without their suffix, anywhere."""

RETIRED_FILES = {
    "shared/bootstrap/callbacks.py": "shared/bootstrap/jobs.py",
    "functions/api/faults.py": "error_mapping.py",
    "functions/api/gate.py": "admission.py",
    "functions/api/reading.py": "request.py",
    "functions/api/views.py": "presenters.py",
    "functions/api/service.py": "operations.py",
    "functions/api/openapi/chapters.py": "tags.py",
    "infra/local/gaps.py": "emulator_workarounds.py",
    "infra/local/home.py": "state_dir.py",
    "infra/local/screen.py": "console.py",
    "infra/local/warm.py": "prewarm.py",
}
"""Files whose names are apt in other folders."""

RETIRED_METRICS = {
    "Found": "DueFound",
    "Sent": "WakeupsSent",
    "Returned": "MessagesReturned",
    "Poison": "UnreadableMessages",
    "Unaccounted": "MissingExecutions",
    "LostFound": "ChainsRepaired",
    "LimitsUnanswered": "LimitStoreErrors",
    "BudgetsUnanswered": "QuotaStoreErrors",
    "WorkingOn": "AsyncAccepted",
    "Undone": "RedrivesUndone",
}

RETIRED_MEMBERS = {
    "passed_over": "skipped",
    "redriven_before": "already_redriven",
    "walked_to": "progress_at",
    "too_late": "already_started",
    "cautions": "warnings",
}
"""Members and values of the public API."""


@cache
def identifiers(module: Path) -> frozenset[str]:
    """Every name that the module defines or uses: types, functions, parameters, attributes, variables."""
    return frozenset(_identifiers(parsed(module)))


def _identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg() | ast.keyword() if node.arg:
                yield node.arg
            case ast.Name():
                yield node.id
            case ast.Attribute():
                yield node.attr
            case ast.alias():
                yield node.asname or node.name
            case _:
                pass


def retired_in(roots: tuple[str, ...], retired: dict[str, str]) -> str:
    """Every module of these packages that still says a retired name, with the name to use, or `none`."""
    offenders = [
        f"{module}: {name} is now {retired[name]}"
        for module in modules(*roots)
        for name in sorted(identifiers(module) & retired.keys())
    ]
    return "\n".join(offenders) or "none"


def members(node: Any) -> Iterator[str]:
    """Names of properties and parameters, and values of enumerations, of an OpenAPI document."""
    if isinstance(node, dict):
        properties = node.get("properties")
        yield from properties if isinstance(properties, dict) else ()
        yield from (str(value) for value in node.get("enum", ()))
        if "in" in node and isinstance(node.get("name"), str):
            yield node["name"]
        for value in node.values():
            yield from members(value)
    elif isinstance(node, list):
        for value in node:
            yield from members(value)


def test_no_retired_name_is_used_anywhere() -> None:
    assert retired_in(EVERYWHERE, RETIRED_NAMES) == "none"


def test_no_retired_name_is_used_in_the_product() -> None:
    assert retired_in(RUN_TIME, RETIRED_IN_THE_PRODUCT) == "none"
    assert retired_in(("functions/api",), RETIRED_IN_THE_API) == "none"


def test_no_module_has_a_retired_file_name() -> None:
    offenders = [str(module) for module in modules(*EVERYWHERE) if module.stem in RETIRED_MODULES]
    offenders += [name for name in RETIRED_FILES if (ROOT / name).exists()]
    assert offenders == []


def test_no_metric_has_a_retired_name() -> None:
    assert [value for value in vars(Metric).values() if value in RETIRED_METRICS] == []


def test_no_member_of_the_api_has_a_retired_name() -> None:
    published = set(members(json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))))
    assert {"skipped", "next_cursor"} <= published
    assert sorted(published & RETIRED_MEMBERS.keys()) == []


def test_the_scan_finds_types_functions_attributes_parameters_and_imports() -> None:
    source = "from a import B as C\nclass D:\n  def e(self, f):\n    self.g = h(i=f)\n"
    assert {"C", "D", "e", "f", "g", "h", "i"} <= set(_identifiers(ast.parse(source)))
