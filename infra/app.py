"""The CDK application: two stacks per stage.

`cdk synth -c stage=prod -c preset=medium -c region=eu-west-1` runs this file; tests and the local stack call `synth`.
"""

import json
import os
from pathlib import Path

from aws_cdk import App, DefaultStackSynthesizer, Validations, cx_api
from cdk_nag import AwsSolutionsChecks

from infra.config import StageConfig
from infra.stacks.data import DataStack
from infra.stacks.service import ServiceStack
from infra.stages import cloud_stage

CDK_JSON = Path(__file__).resolve().parents[1] / "cdk.json"


def build(app: App, stage: StageConfig) -> None:
    """Add the stacks of one stage to an application."""
    # Strong references become exports: CloudFormation then refuses to replace a table that the service uses.
    app.node.set_context("@aws-cdk/core:defaultCrossStackReferences", "strong")
    data = DataStack(app, stage)
    ServiceStack(app, stage, data)
    if not stage.emulated:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def synth(stage: StageConfig, outdir: Path) -> cx_api.CloudAssembly:
    """Write the templates and assets of a stage to a directory.

    The feature flags are those that the CDK's command line reads.
    """
    app = App(
        context=json.loads(CDK_JSON.read_text())["context"],
        outdir=str(outdir),
        analytics_reporting=False,
        builtin_cloud_formation_validation=not stage.emulated,
        default_stack_synthesizer=DefaultStackSynthesizer(
            # The version check reads a parameter that exists only in a bootstrapped account.
            generate_bootstrap_version_rule=not stage.emulated
        ),
    )
    build(app, stage)
    return app.synth()


def main() -> None:
    """Synthesise the stage, preset and region of the CDK context."""
    app = App(analytics_reporting=False)
    name = app.node.try_get_context("stage") or "dev"
    region = app.node.try_get_context("region") or os.environ.get("CDK_DEFAULT_REGION") or "us-east-1"
    preset = app.node.try_get_context("preset") or "small"
    build(app, cloud_stage(name, region, os.environ.get("CDK_DEFAULT_ACCOUNT"), preset=preset))
    app.synth()


if __name__ == "__main__":
    main()
