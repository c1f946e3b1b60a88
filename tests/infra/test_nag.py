"""cdk-nag: nothing that it objects to goes unanswered, and it does look."""

from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack, Validations
from aws_cdk import aws_sqs as sqs
from cdk_nag import AwsSolutionsChecks

from infra.components.nag import REASONS
from tests.infra.conftest import Synthesised


def _report(stacks: Synthesised) -> dict[str, Any]:
    plugins = stacks.json("validation-report.json")["pluginReports"]
    assert isinstance(plugins, list)
    (report,) = (plugin for plugin in plugins if plugin["pluginName"] == "AwsSolutions")
    return dict(report)


def test_no_finding_is_left_unanswered(cloud: Synthesised) -> None:
    report = _report(cloud)
    assert report["conclusion"] == "success"
    assert report["violations"] == []


def test_every_acknowledgement_is_needed_and_justified_in_words(cloud: Synthesised) -> None:
    suppressed = {
        f"AwsSolutions::{made['ruleName'].partition('[Resource::')[0]}"
        for made in _report(cloud)["suppressedViolations"]
    }
    assert suppressed == REASONS.keys()
    assert all(len(reason.split()) >= 12 for reason in REASONS.values())


def test_the_check_would_fail_a_synth(tmp_path: Path) -> None:
    app = App(outdir=str(tmp_path), builtin_cloud_formation_validation=False)
    sqs.Queue(Stack(app, "Careless"), "WithoutDeadLetters")
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
