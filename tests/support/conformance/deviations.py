"""The known deviations of the engines from AWS: which promise is not asked of which implementation, and why.

The key is (implementation, test); a test is `module::function`, or a whole module. Nothing else leaves a test out.
docs/design/deviations.md shows the same rows.
"""

from collections.abc import Mapping, Sequence

AWS = "aws"
NOT_FOR_THREADS = "one thread only: concurrent conditional writes are not atomic"
ONE_STEP = "in memory and without threads: each call is one step that nothing comes between"

IMPLEMENTATIONS = {
    "lab": ("fake", "moto", "ministack", "dynamodb-local", "aws"),
    "engine_lab": ("moto", "ministack", "dynamodb-local", "aws"),
    "claiming": (
        "fake",
        "moto-update",
        "moto-update_without_items",
        "moto-batch",
        "ministack-update",
        "ministack-batch",
        "ministack-batch_without_items",
        "dynamodb-local-update",
        "dynamodb-local-update_without_items",
        "dynamodb-local-batch",
        "dynamodb-local-batch_without_items",
        "aws-update",
        "aws-update_without_items",
        "aws-batch",
        "aws-batch_without_items",
    ),
    "putting": (
        "fake",
        "moto-put",
        "moto-batch",
        "ministack-put",
        "ministack-batch",
        "dynamodb-local-put",
        "dynamodb-local-batch",
        "aws-put",
        "aws-batch",
    ),
    "lanes": ("fake", "moto", "ministack", "aws"),
    "sqs": ("moto", "ministack", "aws"),
    "event_queues": ("fake", "moto", "ministack"),
    "sqs_event_queues": ("moto", "ministack"),
    "vault": ("fake", "moto", "ministack", "aws"),
    "kms_vault": ("moto", "ministack", "aws"),
    "token_lab": ("fake", "moto", "ministack"),
    "services": ("fake", "moto", "ministack"),
    "acceptance": ("fake", "moto", "ministack", "aws"),
    "logged_acceptance": ("moto", "ministack", "aws"),
    "parameters": ("fake", "moto", "ministack", "aws"),
    "ssm_parameters": ("moto", "ministack", "aws"),
    "alarm_lab": ("fake", "moto", "ministack"),
    "cloudwatch_alarms": ("moto", "ministack"),
    "objects": ("fake", "moto", "ministack"),
    "s3_objects": ("moto", "ministack"),
    "trail": ("fake", "moto", "ministack"),
    "s3_trail": ("moto", "ministack"),
    "search_files": ("fake", "moto", "ministack"),
    "s3_search_files": ("moto", "ministack"),
}
"""By fixture: what the suites run over. `moto-batch` is one of the two ways to claim or to put, over moto.

`aws` runs only where `--engines` names it and the environment names the account.

`_without_items`: a hook removes the items that refused claims show.
"""
OVER_SDK = "@boto3"
"""The suffix of an implementation that calls its engine through the SDK."""
_IN_THIS_PROCESS = ("fake", "moto")
"""moto is a patch of the SDK, so it answers no client in a way of its own."""

_ONE_CLIENT = frozenset(
    {"test_alarms", "test_object_store", "test_search_files", "test_target_services", "test_trail_segments"}
)
"""The suites of services that one client alone calls: the SDK, or the own transport for targets."""

GROUPED = "@grouped"
"""The suffix of an implementation whose conditional writes of executions are statements of a group."""
_GROUPED_ENGINES = ("ministack", "dynamodb-local", "aws")
"""moto crashes on a BatchExecuteStatement with parameters."""
_GROUPED_MODULES = frozenset(
    {
        "test_execution_attempts",
        "test_execution_endings",
        "test_execution_filing",
        "test_extend_lease",
        "test_failure_index",
        "test_hostile_items",
        "test_redrives",
        "test_versions",
    }
)
"""The suites of single conditional writes of executions."""


def variants(implementations: Sequence[str], module: str) -> list[str]:
    """Each engine with a socket is called by the own transport and by the SDK; by groups where a suite writes
    executions."""
    if module in _ONE_CLIENT:
        return list(implementations)
    sdk = [f"{name}{OVER_SDK}" for name in implementations if not name.startswith(_IN_THIS_PROCESS)]
    grouped = [
        f"{name}{GROUPED}"
        for name in implementations
        if name in _GROUPED_ENGINES and module in _GROUPED_MODULES
    ]
    return [*implementations, *sdk, *grouped]


def engine_of(implementation: str) -> str:
    """The implementation without the suffix of its client."""
    return implementation.partition("@")[0]


DEVIATIONS = {
    ("fake", "test_concurrency"): ONE_STEP,
    ("moto", "test_concurrency"): NOT_FOR_THREADS,
    ("moto", "test_hostile_items::test_a_claim_of_a_broken_item_is_undecided"): (
        "crashes where a condition compares a number with a text"
    ),
    ("ministack", "test_accepted_log::test_every_page_of_the_log_is_read"): (
        "answers FilterLogEvents with one page and no token for the next"
    ),
    ("moto-batch", "test_claimer"): "crashes on a BatchExecuteStatement with parameters",
    ("moto-batch", "test_one_off_batches"): "crashes on a BatchExecuteStatement with parameters",
    ("moto", "test_groups"): "crashes on a BatchExecuteStatement with parameters",
    ("moto", "test_one_off_batches_faults"): "crashes on a BatchExecuteStatement with parameters",
    ("moto", "test_redrive_batches"): "crashes on a BatchExecuteStatement with parameters",
    ("moto", "test_audit_log"): "crashes on an INSERT with parameters",
    ("fake", "test_identity_tokens::test_key_of_no_other_number_verifies_a_token"): "has one key",
    ("fake", "test_identity_tokens::test_disabled_key_signs_no_token"): "has no key to disable",
    ("moto", "test_identity_tokens::test_disabled_key_signs_no_token"): "signs with a disabled key",
    (
        "moto",
        "test_target_services::test_event_reaches_the_rules_of_its_bus_with_the_execution_in_its_detail",
    ): "accepts the event, and delivers none",
    (
        "moto",
        "test_target_services::test_event_for_a_bus_that_does_not_exist_is_accepted_and_lost",
    ): "refuses the event, unlike EventBridge",
    (
        "moto",
        "test_target_services::test_function_that_is_waited_for_answers_and_knows_the_execution",
    ): "runs functions in Docker alone",
    (
        "moto",
        "test_target_services::test_function_that_is_not_waited_for_is_a_success_once_the_event_is_queued",
    ): "runs functions in Docker alone",
    ("moto", "test_aws_facts_of_batches"): "crashes on a BatchExecuteStatement with parameters",
    ("dynamodb-local", "test_aws_facts_of_batches::test_b6_two_statements_of_one_key_reject_the_request"): (
        "rejects the request after earlier statements of it ran"
    ),
}


def deviates(
    implementation: str, module: str, function: str, table: Mapping[tuple[str, str], str] = DEVIATIONS
) -> bool:
    """Whether the table excludes this test for this implementation or its engine."""
    implementation = engine_of(implementation)
    return any(
        (name, test) in table
        for name in (implementation, implementation.rpartition("-")[0])
        for test in (module, f"{module}::{function}")
    )
