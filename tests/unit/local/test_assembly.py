"""Reading a cloud assembly."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from infra.local.assembly import read_assembly

BUCKET = "assets-${AWS::AccountId}-${AWS::Region}"


def stack(name: str, *dependencies: str) -> dict[str, Any]:
    return {
        "type": "aws:cloudformation:stack",
        "properties": {
            "templateFile": f"{name}.template.json",
            "stackTemplateAssetObjectUrl": f"s3://{BUCKET}/{name}.json",
        },
        "dependencies": [*dependencies, f"{name}.assets"],
    }


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    artifacts: dict[str, Any] = {"service": stack("service", "data"), "data": stack("data")}
    for name in ("service", "data"):
        artifacts[f"{name}.assets"] = {
            "type": "cdk:asset-manifest",
            "properties": {"file": f"{name}.assets.json"},
        }
        (tmp_path / f"{name}.template.json").write_text(f'{{"Description": "{name}"}}')
        files = {
            "t": {
                "source": {"path": f"{name}.template.json", "packaging": "file"},
                "destinations": {"d": {"bucketName": BUCKET, "objectKey": f"{name}.json"}},
            },
            "c": {
                "source": {"path": "code", "packaging": "zip"},
                "destinations": {"d": {"bucketName": BUCKET, "objectKey": "code.zip"}},
            },
        }
        (tmp_path / f"{name}.assets.json").write_text(json.dumps({"files": files}))
    (tmp_path / "code" / "shared" / "__pycache__").mkdir(parents=True)
    (tmp_path / "code" / "shared" / "a.py").write_text("A = 1\n")
    (tmp_path / "code" / "shared" / "__pycache__" / "a.pyc").write_bytes(b"x")
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    return tmp_path


def test_stacks_come_after_what_they_depend_on(directory: Path) -> None:
    stacks = read_assembly(directory, account="000000000000", region="eu-west-1")
    assert [one.name for one in stacks] == ["data", "service"]
    assert stacks[0].url_path == "assets-000000000000-eu-west-1/data.json"
    assert json.loads(stacks[0].body()) == {"Description": "data"}


def test_directories_are_zipped_without_caches(directory: Path) -> None:
    [data, _] = read_assembly(directory, account="1", region="r")
    template, code = data.assets
    assert template.content() == (directory / "data.template.json").read_bytes()
    assert code.bucket == "assets-1-r"
    with zipfile.ZipFile(io.BytesIO(code.content())) as archive:
        assert archive.namelist() == ["shared/a.py"]
