"""A version of the standard lane's executor cannot be imported, and the alias is on it."""

import io
import zipfile

from infra.components.function_specs import LIVE
from tests.drills.drill import Drill, Steps
from tests.drills.laptop import Laptop

SERVICE = "executor-standard"
VISIBILITY_SECONDS = 60
"""In place of 7.5 minutes, so that the messages of failed executors return within the drill."""


def deploy_broken_version(laptop: Laptop) -> None:
    laptop.load()
    stack = laptop.stack
    stack.client("sqs").set_queue_attributes(
        QueueUrl=stack.outputs["StandardQueueUrl"], Attributes={"VisibilityTimeout": str(VISIBILITY_SECONDS)}
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as code:
        code.writestr("functions/executor/handler.py", "from shared.bootstrap import no_such_module\n")
    lambdas, name = stack.client("lambda"), stack.functions[SERVICE]
    good = lambdas.get_function_configuration(FunctionName=name, Qualifier=LIVE)
    lambdas.update_function_code(FunctionName=name, ZipFile=archive.getvalue())
    # The description names the tables, and a version goes back to one of the same tables alone.
    version = lambdas.publish_version(FunctionName=name, Description=good["Description"])["Version"]
    lambdas.update_alias(FunctionName=name, Name=LIVE, FunctionVersion=version)


DRILL = Drill(
    name="bad-deployment",
    summary="the new version of the standard lane's executor fails at its start",
    minutes=11,
    break_stack=deploy_broken_version,
    signals=("ErrorsExecutorStandard",),
    act=(
        Steps(page="bad-deployment", section="Confirm", numbers=(1, 2)),
        Steps(page="bad-deployment", numbers=(1, 2)),
    ),
)
