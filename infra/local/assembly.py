"""Reads a synthesised cloud assembly: its stacks in deployment order, and their assets."""

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file that a template refers to, such as function code or another template."""

    source: Path
    packed: bool
    """Whether `source` is a directory that is uploaded as a zip file."""
    bucket: str
    key: str

    def content(self) -> bytes:
        return _zip(self.source) if self.packed else self.source.read_bytes()


@dataclass(frozen=True, slots=True, kw_only=True)
class StackArtifact:
    name: str
    file: Path
    """The template."""
    url_path: str
    """The location of the uploaded template: bucket, slash, key."""
    assets: tuple[Asset, ...]

    def body(self) -> str:
        return self.file.read_text()


def read_assembly(directory: Path, *, account: str, region: str) -> tuple[StackArtifact, ...]:
    """Return the stacks of an assembly, each after its dependencies."""
    artifacts = json.loads((directory / "manifest.json").read_text())["artifacts"]
    values = {"${AWS::AccountId}": account, "${AWS::Region}": region, "${AWS::Partition}": "aws"}
    return tuple(_stack(directory, name, artifacts, values) for name in _in_order(artifacts))


def _in_order(artifacts: dict[str, Any]) -> list[str]:
    """Return stack names, dependencies first.

    A dependency may also be an asset manifest, which is not a stack.
    """
    stacks = [name for name, value in artifacts.items() if value["type"] == "aws:cloudformation:stack"]
    ordered: list[str] = []

    def visit(name: str) -> None:
        for dependency in artifacts[name].get("dependencies", ()):
            if dependency in stacks:
                visit(dependency)
        if name not in ordered:
            ordered.append(name)

    for name in stacks:
        visit(name)
    return ordered


def _stack(directory: Path, name: str, artifacts: dict[str, Any], values: dict[str, str]) -> StackArtifact:
    properties = artifacts[name]["properties"]
    manifests = [
        artifacts[dependency]["properties"]["file"]
        for dependency in artifacts[name].get("dependencies", ())
        if artifacts[dependency]["type"] == "cdk:asset-manifest"
    ]
    assets = tuple(asset for file in manifests for asset in _assets(directory, file, values))
    return StackArtifact(
        name=properties.get("stackName", name),
        file=directory / properties["templateFile"],
        url_path=_fill(properties["stackTemplateAssetObjectUrl"], values).removeprefix("s3://"),
        assets=assets,
    )


def _assets(directory: Path, manifest: str, values: dict[str, str]) -> list[Asset]:
    files = json.loads((directory / manifest).read_text())["files"].values()
    return [
        Asset(
            source=directory / file["source"]["path"],
            packed=file["source"]["packaging"] == "zip",
            bucket=_fill(destination["bucketName"], values),
            key=_fill(destination["objectKey"], values),
        )
        for file in files
        for destination in file["destinations"].values()
    ]


def _fill(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _zip(directory: Path) -> bytes:
    """Zip the directory's files under relative names.

    Links are followed, so that the archive holds the code.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(directory.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(directory).as_posix())
    return buffer.getvalue()
