"""The engines, each started once for all suites, and the implementations that these run over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from moto import mock_aws

from infra.local.clients import CREDENTIALS
from infra.local.dynamodb_local import DynamoDbLocal
from infra.local.emulator import Emulator
from infra.local.state_dir import StateDir
from shared.adapters.aws.client import AwsClient
from shared.adapters.clock import SystemClock
from shared.adapters.dynamodb.executions.grouped_writes import GroupedWrites
from shared.adapters.kms.vault import KmsVault
from shared.adapters.s3.object_store import S3ObjectStore
from shared.adapters.s3.search_files import S3SearchFiles
from shared.adapters.s3.signed_urls import SignedUrls
from shared.adapters.s3.trail_segments import S3TrailSegments
from shared.adapters.ssm.parameters import SsmParameters
from shared.names import QueueName, Transport
from shared.ports.archive import ObjectStore
from shared.ports.audit_trail import TrailSegments
from shared.ports.canary import Parameters
from shared.ports.delivery import Vault
from shared.ports.executions import Claimer, OneOffBatches
from shared.ports.searches import SearchFiles
from tests.support.conformance.accepted import Acceptance, FakeAcceptance, LoggedAcceptance
from tests.support.conformance.alarms import AlarmLab, CloudWatchAlarmLab, FakeAlarmLab
from tests.support.conformance.aws_account import LOG_SECONDS, RECEIVE_TRIES, AwsAccount
from tests.support.conformance.aws_opt_in import RefusedError
from tests.support.conformance.clients import Clients, GroupOfOne
from tests.support.conformance.deviations import (
    AWS,
    GROUPED,
    IMPLEMENTATIONS,
    OVER_SDK,
    deviates,
    engine_of,
    variants,
)
from tests.support.conformance.dynamo_lab import DynamoLab
from tests.support.conformance.event_queues import EventQueues, FakeEventQueues, SqsEventQueues
from tests.support.conformance.interference import ClaimerWithoutItems
from tests.support.conformance.labs import FakeLab, Lab
from tests.support.conformance.lanes import FakeLanes, Lanes, SqsLanes
from tests.support.conformance.tables import TableNames, create_tables, delete_tables, empty_tables
from tests.support.conformance.tokens import FakeTokenLab, KmsTokenLab, TokenLab
from tests.support.fakes.archive import FakeObjectStore
from tests.support.fakes.audit_trail import LOCK_DAYS, FakeTrailSegments
from tests.support.fakes.clock import SeededEntropy
from tests.support.fakes.parameters import FakeParameters
from tests.support.fakes.search_files import FakeSearchFiles
from tests.support.fakes.vault import FakeVault


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each suite over every chosen implementation, except where the table of deviations names one."""
    module = Path(metafunc.module.__file__).stem
    chosen = tuple(metafunc.config.getoption("engines").split(","))
    for fixture, names in IMPLEMENTATIONS.items():
        if fixture in metafunc.fixturenames:
            lawful = [
                name
                for name in variants(names, module)
                if name.startswith(chosen) and not deviates(name, module, metafunc.definition.originalname)
            ]
            metafunc.parametrize(fixture, lawful, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """AWS is not on this machine: its tests alone may open sockets elsewhere."""
    for item in items:
        chosen = getattr(item, "callspec", None)
        if chosen and any(str(chosen.params.get(fixture, "")).startswith(AWS) for fixture in IMPLEMENTATIONS):
            item.add_marker(pytest.mark.enable_socket)


@pytest.fixture(scope="package")
def clients() -> Iterator[Clients]:
    """Clients of every engine."""
    made = Clients()
    yield made
    made.close()


@pytest.fixture(scope="package")
def ministack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of a running ministack."""
    emulator = Emulator(StateDir(tmp_path_factory.mktemp("ministack")))
    emulator.start()
    yield emulator.endpoint
    emulator.stop()


@pytest.fixture(scope="package")
def dynamodb_local() -> Iterator[str]:
    """The endpoint of a running DynamoDB Local."""
    with DynamoDbLocal() as engine:
        yield engine.endpoint


@pytest.fixture(scope="module")
def moto() -> Iterator[None]:
    """Calls to AWS go to moto; those of clients with an endpoint pass it by."""
    with mock_aws():
        yield None


@pytest.fixture(scope="module")
def moto_tables(moto: None, clients: Clients) -> Iterator[TableNames]:
    """Tables of this module's own."""
    yield from _tables(clients("dynamodb", moto, Transport.BOTO3))


@pytest.fixture(scope="module")
def ministack_tables(ministack: str, clients: Clients) -> Iterator[TableNames]:
    """Tables of this module's own."""
    yield from _tables(clients("dynamodb", ministack))


@pytest.fixture(scope="module")
def dynamodb_local_tables(dynamodb_local: str, clients: Clients) -> Iterator[TableNames]:
    """Tables of this module's own."""
    yield from _tables(clients("dynamodb", dynamodb_local))


@pytest.fixture(scope="package")
def aws() -> Iterator[AwsAccount]:
    """The account that the environment names; without one, the run ends."""
    try:
        account = AwsAccount.open()
    except RefusedError as error:
        pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
    yield account
    account.close()


@pytest.fixture(scope="package")
def aws_tables(aws: AwsAccount) -> Iterator[TableNames]:
    """Tables of all modules, because AWS takes seconds to create one."""
    with aws.tables() as names:
        yield names


def _tables(client: Any) -> Iterator[TableNames]:
    names = create_tables(client)
    yield names
    delete_tables(client, names)


def _lab(name: str, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """Empty stores of one implementation."""
    if name == "fake":
        yield FakeLab()
        return
    names = request.getfixturevalue(f"{engine_of(name).replace('-', '_')}_tables")
    client = _client("dynamodb", name, request)
    if name.endswith(GROUPED):
        groups = GroupedWrites(client.call, client.call, names.executions, lambda fault: None, GroupOfOne)
        client = AwsClient(groups)
    made = DynamoLab(client, names)
    yield made
    empty_tables(client, made.used)


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The stores of the fake and of every engine."""
    yield from _lab(request.param, request)


@pytest.fixture
def engine_lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The adapters over every engine, for what only stored items show."""
    yield from _lab(request.param, request)


def _engine_and_way(name: str) -> tuple[str, str]:
    if name == "fake":
        return name, ""
    engine, _, way = name.removesuffix(OVER_SDK).rpartition("-")
    return (engine + OVER_SDK if name.endswith(OVER_SDK) else engine), way


@pytest.fixture
def claiming(request: pytest.FixtureRequest) -> Iterator[tuple[Lab, Claimer]]:
    """Every way to claim."""
    engine, way = _engine_and_way(request.param)
    for made in _lab(engine, request):
        if not isinstance(made, DynamoLab):
            yield made, made.claimer
            continue
        claimer: Claimer = made.batch_claimer if way.startswith("batch") else made.claimer
        if not way.endswith("_without_items"):
            yield made, claimer
            continue
        without_items = ClaimerWithoutItems(claimer)
        with without_items.hiding(made.client):
            yield made, without_items


@pytest.fixture
def putting(request: pytest.FixtureRequest) -> Iterator[tuple[Lab, OneOffBatches]]:
    """Every way to put many executions."""
    engine, way = _engine_and_way(request.param)
    for made in _lab(engine, request):
        yield made, made.batch_batches if isinstance(made, DynamoLab) and way == "batch" else made.batches


def _client(service: str, name: str, request: pytest.FixtureRequest) -> AwsClient:
    """The client of an engine; the one that moto catches has no endpoint."""
    engine: str | AwsAccount | None = request.getfixturevalue(engine_of(name).replace("-", "_"))
    clients: Clients = request.getfixturevalue("clients")
    transport = Transport.BOTO3 if name.endswith(OVER_SDK) else Transport.HTTP
    return clients(service, engine, transport)


def _sqs_lanes(name: str, request: pytest.FixtureRequest) -> Iterator[SqsLanes]:
    """Queues of this test's own."""
    client = _client("sqs", name, request)
    suffix = uuid4().hex[:12]
    if engine_of(name) == AWS:
        aws: AwsAccount = request.getfixturevalue(AWS)
        with aws.queues({lane: f"{lane}-{suffix}" for lane in QueueName}) as made:
            yield SqsLanes(client, made, tries=RECEIVE_TRIES)
        return
    urls = {lane: client.create_queue(QueueName=f"{lane}-{suffix}")["QueueUrl"] for lane in QueueName}
    yield SqsLanes(client, urls)
    for url in urls.values():
        client.delete_queue(QueueUrl=url)


@pytest.fixture
def sqs(request: pytest.FixtureRequest) -> Iterator[SqsLanes]:
    """The adapter over every engine, for what only SQS shows."""
    yield from _sqs_lanes(request.param, request)


@pytest.fixture
def lanes(request: pytest.FixtureRequest) -> Iterator[Lanes]:
    """The lanes of the fake and of every engine."""
    if request.param == "fake":
        yield FakeLanes()
    else:
        yield from _sqs_lanes(request.param, request)


def _sqs_event_queues(name: str, request: pytest.FixtureRequest) -> Iterator[SqsEventQueues]:
    """Queues of this test's own."""
    client = _client("sqs", name, request)
    suffix = uuid4().hex[:12]
    urls = [
        client.create_queue(QueueName=f"{queue}-{suffix}")["QueueUrl"] for queue in ("events", "events-dead")
    ]
    yield SqsEventQueues(client, *urls)
    for url in urls:
        client.delete_queue(QueueUrl=url)


@pytest.fixture
def event_queues(request: pytest.FixtureRequest) -> Iterator[EventQueues]:
    """The queues of the event bus of the fake and of every engine."""
    if request.param == "fake":
        yield FakeEventQueues()
    else:
        yield from _sqs_event_queues(request.param, request)


@pytest.fixture
def sqs_event_queues(request: pytest.FixtureRequest) -> Iterator[SqsEventQueues]:
    """The adapter over every engine, for what only SQS shows."""
    yield from _sqs_event_queues(request.param, request)


def _kms_vault(name: str, request: pytest.FixtureRequest) -> KmsVault:
    client = _client("kms", name, request)
    if engine_of(name) == AWS:
        return KmsVault(client, request.getfixturevalue(AWS).key(), SeededEntropy())
    return KmsVault(client, client.create_key()["KeyMetadata"]["KeyId"], SeededEntropy())


@pytest.fixture
def vault(request: pytest.FixtureRequest) -> Vault:
    """The vault of the fake and of every engine."""
    if request.param == "fake":
        return FakeVault(SeededEntropy())
    return _kms_vault(request.param, request)


@pytest.fixture
def kms_vault(request: pytest.FixtureRequest) -> KmsVault:
    """The adapter over every engine, for what only KMS shows."""
    return _kms_vault(request.param, request)


@pytest.fixture
def token_lab(request: pytest.FixtureRequest) -> Iterator[TokenLab]:
    """Identity tokens of the fake and of every engine, with two keys that are made as the data stack makes them."""
    if request.param == "fake":
        yield FakeTokenLab()
    else:
        yield KmsTokenLab(_client("kms", request.param, request))


def _ssm_parameters(name: str, request: pytest.FixtureRequest) -> SsmParameters:
    return SsmParameters(_client("ssm", name, request))


@pytest.fixture
def parameters(request: pytest.FixtureRequest) -> Parameters:
    """The parameters of the fake and of every engine."""
    return FakeParameters() if request.param == "fake" else _ssm_parameters(request.param, request)


@pytest.fixture
def ssm_parameters(request: pytest.FixtureRequest) -> SsmParameters:
    """The adapter over every engine, for what only Systems Manager shows."""
    return _ssm_parameters(request.param, request)


def _cloudwatch_alarms(name: str, request: pytest.FixtureRequest) -> CloudWatchAlarmLab:
    engine: str | None = request.getfixturevalue(name)
    return CloudWatchAlarmLab(request.getfixturevalue("clients")("cloudwatch", engine, Transport.BOTO3))


@pytest.fixture
def alarm_lab(request: pytest.FixtureRequest) -> AlarmLab:
    """The alarms of the fake and of every engine."""
    return FakeAlarmLab() if request.param == "fake" else _cloudwatch_alarms(request.param, request)


@pytest.fixture
def cloudwatch_alarms(request: pytest.FixtureRequest) -> CloudWatchAlarmLab:
    """The adapter over every engine, for what only CloudWatch shows."""
    return _cloudwatch_alarms(request.param, request)


def _s3_objects(name: str, request: pytest.FixtureRequest) -> S3ObjectStore:
    engine: str | None = request.getfixturevalue(name)
    client: AwsClient = request.getfixturevalue("clients")("s3", engine, Transport.BOTO3)
    bucket = f"archive-{uuid4().hex[:12]}"
    client.create_bucket(Bucket=bucket)
    return S3ObjectStore(client, bucket)


def _s3_trail(name: str, request: pytest.FixtureRequest) -> S3TrailSegments:
    """A bucket that locks each version."""
    engine: str | None = request.getfixturevalue(name)
    client: AwsClient = request.getfixturevalue("clients")("s3", engine, Transport.BOTO3)
    bucket = f"trail-{uuid4().hex[:12]}"
    client.create_bucket(Bucket=bucket, ObjectLockEnabledForBucket=True)
    retention = {"Mode": "GOVERNANCE", "Days": LOCK_DAYS}
    client.put_object_lock_configuration(
        Bucket=bucket,
        ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": retention}},
    )
    return S3TrailSegments(client, bucket, "eu-west-1")


@pytest.fixture
def trail(request: pytest.FixtureRequest) -> TrailSegments:
    """The segments of the fake and of every engine."""
    if request.param == "fake":
        return FakeTrailSegments(SystemClock().now_ms)
    return _s3_trail(request.param, request)


@pytest.fixture
def s3_trail(request: pytest.FixtureRequest) -> S3TrailSegments:
    """The adapter over every engine, for what only S3 shows."""
    return _s3_trail(request.param, request)


def _s3_search_files(name: str, request: pytest.FixtureRequest) -> S3SearchFiles:
    """A bucket that keeps versions, as that of the archive."""
    engine: str | None = request.getfixturevalue(name)
    client: AwsClient = request.getfixturevalue("clients")("s3", engine, Transport.BOTO3)
    bucket = f"searches-{uuid4().hex[:12]}"
    client.create_bucket(Bucket=bucket)
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    # The emulator compares signatures with its own credentials.
    for variable, value in CREDENTIALS.items():
        patch.setenv(variable, value)
    if engine is not None:
        patch.setenv("AWS_ENDPOINT_URL", engine)
    return S3SearchFiles(client, bucket, SignedUrls("us-east-1", bucket))


@pytest.fixture
def search_files(request: pytest.FixtureRequest) -> SearchFiles:
    """The files of searches of the fake and of every engine."""
    return FakeSearchFiles() if request.param == "fake" else _s3_search_files(request.param, request)


@pytest.fixture
def s3_search_files(request: pytest.FixtureRequest) -> S3SearchFiles:
    """The adapter over every engine, for what only S3 shows."""
    return _s3_search_files(request.param, request)


@pytest.fixture
def objects(request: pytest.FixtureRequest) -> ObjectStore:
    """The objects of the fake and of every engine."""
    return FakeObjectStore() if request.param == "fake" else _s3_objects(request.param, request)


@pytest.fixture
def s3_objects(request: pytest.FixtureRequest) -> S3ObjectStore:
    """The adapter over every engine, for what only S3 shows."""
    return _s3_objects(request.param, request)


def _logged_acceptance(name: str, request: pytest.FixtureRequest) -> Iterator[LoggedAcceptance]:
    client = _client("logs", name, request)
    if engine_of(name) == AWS:
        with request.getfixturevalue(AWS).log_group() as group:
            yield LoggedAcceptance(client, group, settle_seconds=LOG_SECONDS)
        return
    group = f"/conformance/{uuid4().hex[:12]}"
    client.create_log_group(logGroupName=group)
    yield LoggedAcceptance(client, group)


@pytest.fixture
def acceptance(request: pytest.FixtureRequest) -> Iterator[Acceptance]:
    """The log of acknowledgements of the fake and of every engine."""
    if request.param == "fake":
        yield FakeAcceptance()
    else:
        yield from _logged_acceptance(request.param, request)


@pytest.fixture
def logged_acceptance(request: pytest.FixtureRequest) -> Iterator[LoggedAcceptance]:
    """The adapter over every engine, for what only logs show."""
    yield from _logged_acceptance(request.param, request)
