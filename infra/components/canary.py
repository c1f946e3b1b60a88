"""The canary: the URL of its receiver, and the tick of its prober."""

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.components.functions import Functions
from infra.components.http_entry import HttpEntry
from shared.names import Env

PROBER, RECEIVER = "canary-prober", "canary-receiver"


class Canary(Construct):
    """Connects the prober with the public URLs of the API and of the receiver."""

    def __init__(self, scope: Construct, functions: Functions, entry: HttpEntry) -> None:
        super().__init__(scope, "Canary")
        # AWS cannot authorise the executors, which call public URLs alone: the receiver verifies signatures.
        url = functions.live[RECEIVER].add_function_url(auth_type=lambda_.FunctionUrlAuthType.NONE)
        prober = functions.by_service[PROBER]
        prober.add_environment(Env.CANARY_RECEIVER_URL, url.url)
        prober.add_environment(Env.API_URL, entry.public_url)
