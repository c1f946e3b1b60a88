"""`make deploy`: what is checked before a deployment, and the steps that follow."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError
from botocore.stub import Stubber

from infra.api_domain import ApiDomain
from infra.config import StageConfig
from infra.deploy import __main__ as command
from infra.deploy.account import Certificate, Concurrency, UnansweredError, UnitQuotas
from infra.deploy.aws_account import BOOTSTRAP_PARAMETER, AwsAccount
from infra.deploy.cdk import ASSEMBLY
from infra.deploy.preflight import problems
from infra.deploy.steps import deploy
from infra.provisioned import Autoscaled, Provisioned, ProvisionedUnits, UnitsPerSecond
from infra.stages import cloud_stage
from infra.warm_throughput import Units as WarmUnits
from infra.warm_throughput import WarmThroughput

ACCOUNT = "111111111111"
ARN = f"arn:aws:acm:eu-west-1:{ACCOUNT}:certificate/1-a"
STAGE = cloud_stage("prod", "eu-west-1", ACCOUNT)
WITH_DOMAIN = replace(STAGE, domain=ApiDomain(name="api.example.com", certificate_arn=ARN))
_BOTH = ProvisionedUnits(
    reads=Autoscaled(minimum=3_000, maximum=30_000), writes=Autoscaled(minimum=3_000, maximum=41_000)
)
PROVISIONED = replace(STAGE, provisioned=Provisioned(executions=_BOTH, by_tenant=_BOTH, failed=_BOTH))


@dataclass
class FakeAccount:
    """An account that is ready, but for what a test changes. An exception is raised in place of an answer."""

    owner: Any = ACCOUNT
    bootstrap: Any = 28
    concurrent: Any = field(default_factory=lambda: Concurrency(quota=1_000, unreserved=1_000))
    own_reserved: Any = 0
    units: Any = field(
        default_factory=lambda: UnitQuotas(
            table=UnitsPerSecond(reads=40_000, writes=40_000),
            account=UnitsPerSecond(reads=80_000, writes=80_000),
        )
    )
    issued: Any = field(default_factory=lambda: Certificate(status="ISSUED", names=("api.example.com",)))

    parameters: Any = frozenset({"/punctual/prod/canary/api-key", "/punctual/prod/canary/signing-secret"})

    def account_id(self) -> str:
        return _given(self.owner)

    def has_parameter(self, name: str) -> bool:
        return name in _given(self.parameters)

    def bootstrap_version(self) -> int | None:
        return _given(self.bootstrap)

    def concurrency(self) -> Concurrency:
        return _given(self.concurrent)

    def reserved_by(self, stack: str) -> int:
        assert stack == "punctual-prod-service"
        return _given(self.own_reserved)

    def unit_quotas(self) -> UnitQuotas:
        return _given(self.units)

    def certificate(self, arn: str) -> Certificate | None:
        assert arn == ARN
        return _given(self.issued)


def _given(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value


@pytest.mark.parametrize(
    "stage", [STAGE, WITH_DOMAIN, replace(STAGE, account=None), replace(STAGE, canary=True)]
)
def test_account_that_is_ready_has_no_problem(stage: StageConfig) -> None:
    assert problems(stage, FakeAccount()) == []


@pytest.mark.parametrize(
    ("stage", "change", "answer"),
    [
        (
            STAGE,
            {"owner": "222222222222"},
            "belongs to account 111111111111, and the credentials to account 222222222222: choose other credentials",
        ),
        (STAGE, {"owner": UnansweredError("there are no AWS credentials")}, "there are no AWS credentials."),
        (STAGE, {"bootstrap": None}, "run `cdk bootstrap aws://111111111111/eu-west-1`"),
        (STAGE, {"bootstrap": 5}, "has version 5, and 6 is the least: run `cdk bootstrap"),
        (
            STAGE,
            {"bootstrap": UnansweredError("AWS refused ssm:GetParameter")},
            "AWS refused ssm:GetParameter.",
        ),
        (
            STAGE,
            {"concurrent": Concurrency(quota=10, unreserved=10)},
            "'Concurrent executions' is 10, and account_concurrency is 1000: ask Service Quotas for 1000",
        ),
        (
            replace(STAGE, reserved=None, account_concurrency=20),
            {"concurrent": Concurrency(quota=10, unreserved=10)},
            "account_concurrency is 20",
        ),
        (
            replace(STAGE, account_concurrency_quota=3_000),
            {"concurrent": Concurrency(quota=2_500, unreserved=2_500)},
            "'Concurrent executions' is 2500, and the alarm ClaimedConcurrency expects 3000: write "
            "account_concurrency_quota = 2500 into stages/prod.toml.",
        ),
        (
            STAGE,
            {"concurrent": Concurrency(quota=1_000, unreserved=995)},
            "leave 995 of 1000 concurrent executions, and the stage needs 996 for reserved and lanes: ask Service "
            "Quotas for 1001",
        ),
        (
            replace(STAGE, warm_throughput=WarmThroughput(executions=WarmUnits(writes=72_000))),
            {},
            "'Table-level write throughput limit' is 40000, and capacity needs 72000: ask Service Quotas for 72000",
        ),
        (
            replace(
                STAGE, warm_throughput=WarmThroughput(executions=WarmUnits(), failed=WarmUnits(reads=41_000))
            ),
            {},
            "'Table-level read throughput limit' is 40000, and capacity needs 41000",
        ),
        (WITH_DOMAIN, {"issued": None}, "is not in eu-west-1: request one, or correct its ARN"),
        (
            WITH_DOMAIN,
            {"issued": Certificate(status="PENDING_VALIDATION", names=("*.example.com",))},
            "has the status PENDING_VALIDATION: create the DNS records",
        ),
        *(
            (
                replace(STAGE, canary=True),
                {"parameters": found},
                "The canary has no secrets: deploy with canary = false, run the operators' command create-canary",
            )
            for found in (frozenset(), frozenset({"/punctual/prod/canary/api-key"}))
        ),
        (
            replace(STAGE, canary=True),
            {"concurrent": Concurrency(quota=1_000, unreserved=997)},
            "leave 997 of 1000 concurrent executions, and the stage needs 1000",
        ),
        (
            WITH_DOMAIN,
            {"issued": Certificate(status="ISSUED", names=("example.com", "*.api.example.com"))},
            "is for example.com, *.api.example.com, and not for api.example.com: request one",
        ),
    ],
)
def test_failing_check_is_a_sentence_with_what_to_do(
    stage: StageConfig, change: dict[str, Any], answer: str
) -> None:
    [sentence] = problems(stage, FakeAccount(**change))
    assert answer in sentence
    assert sentence.endswith(".")


def test_star_covers_one_label() -> None:
    issued = Certificate(status="ISSUED", names=("example.com", "*.EXAMPLE.com"))
    assert problems(WITH_DOMAIN, FakeAccount(issued=issued)) == []


def test_own_reservations_of_an_earlier_deployment_count_as_free() -> None:
    deployed = Concurrency(quota=1_000, unreserved=826)
    assert problems(STAGE, FakeAccount(concurrent=deployed, own_reserved=174)) == []
    assert problems(STAGE, FakeAccount(concurrent=deployed, own_reserved=167))


def test_quota_of_the_account_may_be_larger_than_the_stage_file_says() -> None:
    account = FakeAccount(concurrent=Concurrency(quota=3_000, unreserved=2_000))
    assert (
        problems(STAGE, account) == problems(replace(STAGE, account_concurrency_quota=3_000), account) == []
    )


def test_stage_without_reservations_needs_the_quota_alone() -> None:
    stage = replace(STAGE, reserved=None, account_concurrency=10)
    found = FakeAccount(
        concurrent=Concurrency(quota=10, unreserved=10), own_reserved=AssertionError("not asked")
    )
    assert problems(stage, found) == []


def test_maximum_units_count_for_a_table_and_together_for_the_account() -> None:
    found = problems(PROVISIONED, FakeAccount())
    assert [sentence.partition(":")[0] for sentence in found] == [
        "The DynamoDB quota 'Account-level read throughput limit' is 80000, and the maximum units of "
        "capacity.provisioned are 90000 together",
        "The DynamoDB quota 'Table-level write throughput limit' is 40000, and capacity needs 41000",
        "The DynamoDB quota 'Account-level write throughput limit' is 80000, and the maximum units of "
        "capacity.provisioned are 123000 together",
    ]


def test_all_failing_checks_are_told_at_once_and_those_of_another_account_not_at_all() -> None:
    found = FakeAccount(
        bootstrap=None,
        concurrent=Concurrency(quota=10, unreserved=10),
        units=UnansweredError("AWS refused dynamodb:DescribeLimits"),
        issued=None,
    )
    assert len(problems(WITH_DOMAIN, found)) == 4
    assert len(problems(replace(WITH_DOMAIN, account="222222222222", domain=None), found)) == 1


class Steps:
    """Runs a deployment, and notes what it does."""

    def __init__(self, **statuses: int) -> None:
        self.statuses = statuses
        self.commands: list[Sequence[str]] = []
        self.lines: list[str] = []
        self.questions: list[str] = []

    def run(
        self, account: FakeAccount, answer: str | Exception | None = "y", *, at_once: bool = False
    ) -> int:
        ask: Callable[[str], str] | None = None if answer is None else lambda text: self._ask(text, answer)
        return deploy(STAGE, account, self._cdk, say=self.lines.append, ask=ask, at_once=at_once)

    def _cdk(self, arguments: Sequence[str]) -> int:
        self.commands.append(arguments)
        return self.statuses.get(arguments[0], 0)

    def _ask(self, text: str, answer: str | Exception) -> str:
        assert self.names == ["synth", "diff"], "the changes are shown first"
        self.questions.append(text)
        found: str = _given(answer)
        return found

    @property
    def names(self) -> list[str]:
        return [each[0] for each in self.commands]


def test_deployment_shows_the_changes_asks_and_deploys_both_stacks() -> None:
    steps = Steps()
    assert steps.run(FakeAccount()) == 0
    assert steps.commands == [
        ("synth", "--quiet", "--output", str(ASSEMBLY), "-c", "stage=prod"),
        ("diff", "--app", str(ASSEMBLY)),
        ("deploy", "--all", "--require-approval", "never", "--app", str(ASSEMBLY)),
    ]
    assert steps.questions == ["Deploy these changes to prod in eu-west-1? [y/N] "]


def test_repair_of_an_outage_switches_at_once() -> None:
    """CodeDeploy begins no rollout while its alarm is active."""
    steps = Steps()
    assert steps.run(FakeAccount(), answer=None, at_once=True) == 0
    assert steps.commands[0][-4:] == ("-c", "stage=prod", "-c", "rollout=at_once")


def test_failing_checks_end_the_deployment_before_any_command() -> None:
    steps = Steps()
    assert steps.run(FakeAccount(bootstrap=None, concurrent=Concurrency(quota=10, unreserved=10))) == 1
    assert steps.commands == []
    assert [line[:2] for line in steps.lines[1:]] == ["- ", "- "]


@pytest.mark.parametrize("answer", ["", "n", "no", "yess", EOFError()])
def test_deployment_needs_a_yes(answer: str | Exception) -> None:
    steps = Steps()
    assert steps.run(FakeAccount(), answer) == 1
    assert steps.names == ["synth", "diff"]
    assert "Nothing was deployed" in steps.lines[-1]


def test_pipelines_confirm_in_advance() -> None:
    steps = Steps()
    assert steps.run(FakeAccount(), answer=None) == 0
    assert (steps.names, steps.questions) == (["synth", "diff", "deploy"], [])


def test_failing_step_ends_the_deployment_with_its_status() -> None:
    steps = Steps(diff=3)
    assert steps.run(FakeAccount()) == 3
    assert steps.names == ["synth", "diff"]
    assert Steps(synth=5).run(FakeAccount()) == 5
    assert Steps(deploy=4).run(FakeAccount()) == 4


def test_stage_without_a_file_is_refused_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["nowhere"]) == 1
    assert "there is no stages/nowhere.toml" in capsys.readouterr().err


class Stubs:
    """Clients of boto3 that check each request, and give the answers of the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._stubbers: dict[str, Stubber] = {}
        self._clients: dict[str, Any] = {}
        monkeypatch.setattr(AwsAccount, "_client", lambda _account, service: self._client(service))

    def _client(self, service: str) -> Any:
        if service not in self._clients:
            make: Any = boto3.client
            client = make(
                service, region_name="eu-west-1", aws_access_key_id="test", aws_secret_access_key="test"
            )
            self._clients[service], self._stubbers[service] = client, Stubber(client)
            self._stubbers[service].activate()
        return self._clients[service]

    def answer(self, service: str, operation: str, answer: dict[str, Any], **request: Any) -> None:
        self._client(service)
        self._stubbers[service].add_response(operation, answer, request)

    def refuse(self, service: str, operation: str, code: str) -> None:
        self._client(service)
        self._stubbers[service].add_client_error(operation, code)

    def check(self) -> None:
        for stubber in self._stubbers.values():
            stubber.assert_no_pending_responses()


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubs]:
    made = Stubs(monkeypatch)
    yield made
    made.check()


AWS = AwsAccount("eu-west-1")


def test_answers_of_aws_are_read(stubs: Stubs) -> None:
    stubs.answer("sts", "get_caller_identity", {"Account": ACCOUNT})
    assert AWS.account_id() == ACCOUNT
    stubs.answer("ssm", "get_parameter", {"Parameter": {"Value": "28"}}, Name=BOOTSTRAP_PARAMETER)
    assert AWS.bootstrap_version() == 28
    stubs.answer(
        "ssm",
        "list_tags_for_resource",
        {"TagList": []},
        ResourceType="Parameter",
        ResourceId="/punctual/prod/canary/api-key",
    )
    assert AWS.has_parameter("/punctual/prod/canary/api-key")
    stubs.refuse("ssm", "list_tags_for_resource", "InvalidResourceId")
    assert not AWS.has_parameter("/punctual/prod/canary/api-key")
    limits = {"ConcurrentExecutions": 1_000, "UnreservedConcurrentExecutions": 826}
    stubs.answer("lambda", "get_account_settings", {"AccountLimit": limits})
    assert AWS.concurrency() == Concurrency(quota=1_000, unreserved=826)
    stubs.answer(
        "dynamodb",
        "describe_limits",
        {
            "TableMaxReadCapacityUnits": 1,
            "TableMaxWriteCapacityUnits": 2,
            "AccountMaxReadCapacityUnits": 3,
            "AccountMaxWriteCapacityUnits": 4,
        },
    )
    assert AWS.unit_quotas() == UnitQuotas(
        table=UnitsPerSecond(reads=1, writes=2), account=UnitsPerSecond(reads=3, writes=4)
    )
    described = {
        "DomainName": "a.example.com",
        "SubjectAlternativeNames": ["a.example.com", "*.b"],
        "Status": "ISSUED",
    }
    stubs.answer("acm", "describe_certificate", {"Certificate": described}, CertificateArn=ARN)
    assert AWS.certificate(ARN) == Certificate(status="ISSUED", names=("a.example.com", "*.b"))


def test_reservations_of_a_stack_are_those_of_its_functions(stubs: Stubs) -> None:
    def listed(name: str, kind: str) -> dict[str, Any]:
        return {
            "LogicalResourceId": name,
            "PhysicalResourceId": name,
            "ResourceType": kind,
            "LastUpdatedTimestamp": "2026-01-01T00:00:00Z",
            "ResourceStatus": "CREATE_COMPLETE",
        }

    functions = [listed("api", "AWS::Lambda::Function"), listed("queue", "AWS::SQS::Queue")]
    stubs.answer(
        "cloudformation",
        "list_stack_resources",
        {"StackResourceSummaries": functions, "NextToken": "more"},
        StackName="punctual-prod-service",
    )
    stubs.answer(
        "cloudformation",
        "list_stack_resources",
        {"StackResourceSummaries": [listed("executor", "AWS::Lambda::Function")]},
        StackName="punctual-prod-service",
        NextToken="more",
    )
    stubs.answer(
        "lambda", "get_function_concurrency", {"ReservedConcurrentExecutions": 150}, FunctionName="api"
    )
    stubs.answer("lambda", "get_function_concurrency", {}, FunctionName="executor")
    assert AWS.reserved_by("punctual-prod-service") == 150


def test_absence_is_no_error(stubs: Stubs) -> None:
    stubs.refuse("ssm", "get_parameter", "ParameterNotFound")
    stubs.refuse("acm", "describe_certificate", "ResourceNotFoundException")
    stubs.refuse("cloudformation", "list_stack_resources", "ValidationError")
    assert (AWS.bootstrap_version(), AWS.certificate(ARN), AWS.reserved_by("x")) == (None, None, 0)


def test_refusal_of_aws_names_the_permission(stubs: Stubs) -> None:
    stubs.refuse("ssm", "get_parameter", "AccessDeniedException")
    with pytest.raises(UnansweredError, match="refused ssm:GetParameter with AccessDeniedException: give"):
        AWS.bootstrap_version()


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (NoCredentialsError(), "there are no AWS credentials: set AWS_PROFILE, or sign in"),
        (EndpointConnectionError(endpoint_url="https://x"), "AWS did not answer sts:GetCallerIdentity"),
    ],
)
def test_error_without_an_answer_is_a_sentence(
    error: Exception, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def client(_account: AwsAccount, _service: str) -> Any:
        raise error

    monkeypatch.setattr(AwsAccount, "_client", client)
    with pytest.raises(UnansweredError, match=answer):
        AWS.account_id()
