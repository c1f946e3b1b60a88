"""What the emulator cannot show, by the name of a flag: the reason, the steps that show it on AWS, and what tests it
meanwhile.

The first flags are fields of the stage `local` that leave something out of its templates. docs/design/deviations.md
has the same rows; tests compare the three.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    reason: str
    steps: tuple[str, ...]
    """The steps that show it on AWS."""
    tested_by: str
    """A test file that covers as much as can be covered here."""


STAGE_FLAGS: Mapping[str, Gap] = {
    "api_rollout": Gap(
        reason="the emulator has no CodeDeploy, so the API's alias switches at once",
        steps=("S1", "S10"),
        tested_by="tests/infra/test_rollout.py",
    ),
    "emulated": Gap(
        reason="the emulator refuses alarms on expressions, and its topic has no policy",
        steps=("S9",),
        tested_by="tests/infra/test_alarms.py",
    ),
    "bundle": Gap(
        reason="the emulator runs functions in its own interpreter, without the wheels of the bundle",
        steps=("S5",),
        tested_by="tests/infra/test_bundle.py",
    ),
    "protect_data": Gap(
        reason="the local stage's tables are not retained",
        steps=("S12",),
        tested_by="tests/integration/test_operator_journey.py",
    ),
    "reserved": Gap(
        reason="the emulator's account has no quota of concurrent executions",
        steps=("S0",),
        tested_by="tests/infra/test_deploy.py",
    ),
    "dashboard": Gap(
        reason="the local stage has no dashboard",
        steps=("S1",),
        tested_by="tests/infra/test_dashboard.py",
    ),
    "dial_exceptions": Gap(
        reason="calls go to a receiver on the loopback address, without TLS",
        steps=("S6",),
        tested_by="tests/delivery/test_tls.py",
    ),
}
"""By the field of StageConfig in which the stage `local` differs."""

BEHAVIOURS: Mapping[str, Gap] = {
    "account": Gap(
        reason="the emulator's account has no quotas, no bootstrap stack and no certificates",
        steps=("S0",),
        tested_by="tests/infra/test_deploy.py",
    ),
    "drift": Gap(
        reason="the emulator detects no drift",
        steps=("S1",),
        tested_by="tests/infra/test_synth.py",
    ),
    "units": Gap(
        reason="the emulator counts one unit for each statement of a batch, and none for a refused one",
        steps=("S2",),
        tested_by="tests/conformance/test_unit_rules.py",
    ),
    "queue_limits": Gap(
        reason="the emulator accepts delays outside 0 to 900 seconds, deduplication ids and long visibilities",
        steps=("S3",),
        tested_by="tests/conformance/test_sqs_requests.py",
    ),
    "fair_queues": Gap(
        reason="the emulator receives in the order of arrival, without regard to message groups",
        steps=("S3",),
        tested_by="tests/simulation/test_fairness.py",
    ),
    "group_in_dlq": Gap(
        reason="the emulator's dead-letter queue is its own, and no capture says what AWS keeps",
        steps=("S3",),
        tested_by="tests/conformance/test_messages.py",
    ),
    "gateway": Gap(
        reason="the emulator's gateway has no limits of size, and its events differ in details",
        steps=("S4",),
        tested_by="tests/conformance/test_aws_facts.py",
    ),
    "iam": Gap(
        reason="the emulator enforces no permissions",
        steps=("S5", "S14"),
        tested_by="tests/integration/test_grants.py",
    ),
    "signatures": Gap(
        reason="the emulator has no host of AWS, which a signed request calls",
        steps=("S14",),
        tested_by="tests/unit/adapters/test_signed_sender.py",
    ),
    "ramp": Gap(
        reason="the emulator starts functions without a ramp, in processes that are warm",
        steps=("S6",),
        tested_by="tests/simulation/test_simulation.py",
    ),
    "timeouts": Gap(
        reason="the emulator does not run the version of a changed timeout",
        steps=("S8",),
        tested_by="tests/integration/test_crashes.py",
    ),
    "aws_metrics": Gap(
        reason="the emulator makes no metrics of AWS's services and reads none from logs",
        steps=("S9", "S11"),
        tested_by="tests/infra/test_alarm_scenarios.py",
    ),
    "throttling": Gap(
        reason="the emulator throttles no request",
        steps=("S9",),
        tested_by="tests/conformance/test_dynamodb_faults.py",
    ),
    "releases": Gap(
        reason="the laptop stack deploys the checkout alone",
        steps=("S10",),
        tested_by="tests/simulation/test_newer_release.py",
    ),
    "recursion": Gap(
        reason="the emulator detects no recursion",
        steps=("S11",),
        tested_by="tests/infra/test_functions.py",
    ),
    "backups": Gap(
        reason="the emulator has no point-in-time recovery",
        steps=("S12",),
        tested_by="tests/integration/test_lifecycle.py",
    ),
    "tagging": Gap(
        reason="the emulator's resources are gone with its process",
        steps=("S13",),
        tested_by="tests/smoke/test_leftovers.py",
    ),
}
"""By a name of their own: behaviours of AWS that the emulator lacks."""

GAPS: Mapping[str, Gap] = {**STAGE_FLAGS, **BEHAVIOURS}
