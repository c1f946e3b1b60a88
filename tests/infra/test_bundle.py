"""The bundle: complete without anything that happens to be installed here, small, and made once."""

import subprocess
import sys
import time
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from functions.api.console.assets import assets
from functions.api.reference.pages import PAGES
from infra import bundling
from infra.bundling import HOST_WHEELS, build
from infra.components.function_specs import FunctionSpec, function_specs
from infra.config import FunctionMemory
from tests.infra.conftest import Synthesised
from tests.support.template import environment

UNCHECKED_HASH = 1
LIMIT_BYTES = 250 * 1024 * 1024
# One spec for each package: the executors share theirs.
PACKAGES = {spec.package: spec for spec in function_specs(FunctionMemory(), canary=True, event_bus=True)}
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "eu-west-1",
}
every_package = pytest.mark.parametrize("spec", PACKAGES.values(), ids=PACKAGES.keys())


def _run_isolated(bundle: Path, script: str, variables: dict[str, str]) -> str:
    """Run a script that sees the standard library and the bundle, and nothing else."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", f"import sys; sys.path.append({str(bundle)!r})\n{script}"],
        env=variables | CREDENTIALS,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@every_package
def test_every_handler_can_be_imported_from_the_bundle_alone(
    cloud: Synthesised, host_bundle: Path, spec: FunctionSpec
) -> None:
    function = cloud.service.functions()[spec.service]
    module, _, name = function["Handler"].rpartition(".")
    script = f"import importlib; print(callable(importlib.import_module({module!r}).{name}))"
    assert _run_isolated(host_bundle, script, environment(function)).strip() == "True"


def test_the_docs_page_of_the_api_is_whole_in_the_bundle(host_bundle: Path) -> None:
    script = (
        "from functions.api.reference.pages import PAGES\nprint(*(len(p.read()) for p in PAGES.values()))"
    )
    sizes = [int(size) for size in _run_isolated(host_bundle, script, {}).split()]
    assert len(sizes) == len(PAGES)
    assert min(sizes) > 99


def test_the_console_is_whole_in_the_bundle(host_bundle: Path) -> None:
    script = "from functions.api.console.assets import assets\nprint(assets().digest, *assets().by_name)"
    digest, *names = _run_isolated(host_bundle, script, {}).split()
    assert digest == assets().digest
    assert set(names) == assets().by_name.keys()


def test_the_isolated_interpreter_sees_nothing_else(host_bundle: Path) -> None:
    script = "import importlib.util; print(importlib.util.find_spec('pytest'))"
    assert _run_isolated(host_bundle, script, {}).strip() == "None"


PRUNED = """
import boto3, botocore.exceptions
from botocore.stub import Stubber
for service, call, wanted, answer in (
    ("dynamodb", "get_item", {"TableName": "tbl", "Key": {"pk": {"S": "a"}}}, {"Item": {"pk": {"S": "a"}}}),
    ("sqs", "get_queue_url", {"QueueName": "q"}, {"QueueUrl": "https://q"}),
    ("kms", "decrypt", {"CiphertextBlob": b"c"}, {"Plaintext": b"p"}),
    ("s3", "put_object", {"Bucket": "b", "Key": "k"}, {"ETag": "e"}),
    ("sts", "get_caller_identity", {}, {"Account": "111111111111"}),
):
    client = boto3.client(service)
    with Stubber(client) as stub:
        stub.add_response(call, answer, wanted)
        assert getattr(client, call)(**wanted) == answer
    assert client.meta.endpoint_url == f"https://{service}.eu-west-1.amazonaws.com", client.meta.endpoint_url
assert boto3.client("dynamodb").can_paginate("query")
boto3.client("dynamodb").exceptions.ConditionalCheckFailedException
try:
    boto3.client("ec2")
except botocore.exceptions.UnknownServiceError:
    print("pruned")
"""


def test_the_services_that_are_called_survive_pruning(host_bundle: Path) -> None:
    assert _run_isolated(host_bundle, PRUNED, {}).strip() == "pruned"


MERGED = """
import sys, tempfile, pathlib
from shared.adapters.parquet.files import ParquetFiles
from shared.domain.archive.unit import ArchiveUnit
with ParquetFiles(pathlib.Path(tempfile.gettempdir())).draft(ArchiveUnit(hour=1, group=0)) as draft:
    print(draft.merge(has_old=False).summary.rows)
import boto3
boto3.client("s3")
"""


def test_bundle_of_the_archiver_alone_has_the_library_of_parquet_files(
    archive_bundle: Path, host_bundle: Path
) -> None:
    assert _run_isolated(archive_bundle, MERGED, {}).strip() == "0"
    assert (archive_bundle / "duckdb").exists()
    assert not (host_bundle / "duckdb").exists()


def test_bundle_of_the_archiver_fits_into_a_function(archive_bundle: Path) -> None:
    size = sum(path.stat().st_size for path in archive_bundle.rglob("*") if path.is_file())
    assert size < LIMIT_BYTES


def test_the_bundle_is_small_and_clean(host_bundle: Path) -> None:
    files = [path for path in host_bundle.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LIMIT_BYTES / 4
    assert not [path for path in files if "tests" in path.relative_to(host_bundle).parts]
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in files)
    assert not (host_bundle / "infra").exists()


def test_every_module_has_bytecode_that_is_used_without_a_look_at_its_source(host_bundle: Path) -> None:
    """The code of a function is read-only: what is not compiled in the bundle is compiled at each cold start."""
    modules = [path for path in host_bundle.rglob("*.py") if path.stat().st_size]
    compiled = [Path(cache_from_source(path)) for path in modules]
    assert [path for path in compiled if not path.exists()] == []
    flags = {int.from_bytes(path.read_bytes()[4:8], "little") for path in compiled}
    assert flags == {UNCHECKED_HASH}


def test_bundle_without_an_interpreter_of_the_runtime_is_made_and_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundling, "runtime_interpreter", lambda: None)
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(bundling, "build", lambda *given, **_: asked.append(given))
    bundling.bundle("cloud")
    assert asked == [(bundling.LAMBDA_WHEELS, bundling.ROOT / "build", None)]
    assert "uv python install 3.13" in capsys.readouterr().err


@pytest.mark.parametrize(("version", "is_found"), [(bundling.RUNTIME, True), ("3.9", False), (None, False)])
def test_interpreter_of_the_runtime_is_found_by_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, is_found: bool
) -> None:
    """A shim of that name may start another version, or nothing."""
    shim = tmp_path / f"python{bundling.RUNTIME}"
    shim.write_text(f"#!/bin/sh\necho {version}\n" if version else "#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(bundling, "_found_by_uv", lambda: None)
    assert bundling.runtime_interpreter() == (str(shim) if is_found else None)


def test_the_same_sources_are_bundled_once(tmp_path: Path) -> None:
    first = build(None, tmp_path, None)
    written = first.path.stat().st_mtime_ns
    time.sleep(0.01)
    assert build(None, tmp_path, None) == first
    assert first.path.stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == [first.path.name]


def test_a_changed_source_is_another_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "functions" / "api" / "handler.py"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(bundling, "ROOT", tmp_path)
    source.write_text("handler = 1\n")
    first = build(None, tmp_path / "build", None)
    source.write_text("handler = 2\n")
    second = build(None, tmp_path / "build", None)
    assert first.hash != second.hash
    assert (second.path / "functions" / "api" / "handler.py").read_text() == "handler = 2\n"


def test_without_dependencies_the_bundle_is_the_sources(tmp_path: Path) -> None:
    assert {path.name for path in build(None, tmp_path, None).path.iterdir()} == {
        Path(source).parts[0] for source in bundling.SOURCES
    }
    assert HOST_WHEELS == ()
