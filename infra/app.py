"""The CDK application: two stacks per stage, and the stack of its pipeline by itself.

`cdk synth -c stage=prod` runs this file for the stage of stages/prod.toml. `-c rollout=at_once` replaces its
`api_rollout`, and `-c only=pipeline` makes the stack of its pipeline in place of the others.
`-c stages=DIRECTORY` names another directory of stage files. Tests and the local stack call `synth`.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from aws_cdk import App, DefaultStackSynthesizer, Validations, cx_api
from cdk_nag import AwsSolutionsChecks

from infra.config import StageConfig
from infra.stacks.data import DataStack
from infra.stacks.pipeline import PipelineStack
from infra.stacks.service import ServiceStack
from infra.stage_files.environment import stage_of_environment
from infra.stage_files.read import STAGES_DIR
from infra.stage_files.values import StageFileError

DEFAULT_STAGE = "dev"
CDK_JSON = Path(__file__).resolve().parents[1] / "cdk.json"


def build(app: App, stage: StageConfig) -> None:
    """Add the stacks of one stage to an application."""
    # Strong references become exports: CloudFormation then refuses to replace a table that the service uses.
    app.node.set_context("@aws-cdk/core:defaultCrossStackReferences", "strong")
    data = DataStack(app, stage)
    ServiceStack(app, stage, data)
    if not stage.emulated:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def build_pipeline(app: App, stage: StageConfig) -> None:
    """Add the stack of a stage's pipeline to an application; StageFileError for a stage without one."""
    if stage.pipeline is None:
        raise StageFileError(
            f"stages/{stage.name}.toml has no pipeline: add a line such as pipeline.repository = "
            '"example/punctual"'
        )
    PipelineStack(app, stage, stage.pipeline)
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
    """Synthesise the stage of the CDK context; exit with a sentence for a stage that cannot be deployed."""
    app = App(analytics_reporting=False)
    try:
        stage = _stage(app)
        if app.node.try_get_context("only") == "pipeline":
            build_pipeline(app, stage)
        else:
            build(app, stage)
    except StageFileError as error:
        sys.exit(str(error))
    app.synth()


def _stage(app: App) -> StageConfig:
    """The stage file decides, but for an account that it leaves to the credentials."""
    for name in ("preset", "region"):
        if app.node.try_get_context(name) is not None:
            raise StageFileError(f"-c {name} has no effect: write {name} into the file of the stage instead")
    directory = Path(app.node.try_get_context("stages") or STAGES_DIR)
    stage = stage_of_environment(str(app.node.try_get_context("stage") or DEFAULT_STAGE), directory)
    rollout = app.node.try_get_context("rollout") or stage.api_rollout
    try:
        return replace(
            stage, account=stage.account or os.environ.get("CDK_DEFAULT_ACCOUNT"), api_rollout=rollout
        )
    except ValueError as error:
        raise StageFileError(f"-c rollout={rollout}: {error}") from None


if __name__ == "__main__":
    main()
