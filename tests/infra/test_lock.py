"""requirements.lock: the whole closure of what the functions import, and nothing else, for both interpreters."""

import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.bundling import ARCHIVE_LOCK, LOCK, ROOT

INTERPRETERS = ("3.11", "3.13")


def _pins() -> dict[str, str]:
    lines = [line for line in LOCK.read_text().splitlines() if line and not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    assert len(pins) == len(lines)
    return pins


def _declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(line) for line in project["dependencies"]]


def _needs(distribution: Distribution, interpreter: str) -> Iterator[Requirement]:
    environment = {"python_version": interpreter, "python_full_version": f"{interpreter}.0", "extra": ""}
    for line in distribution.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            yield requirement


@pytest.fixture(scope="session")
def installed(host_bundle: Path) -> dict[str, Distribution]:
    return {canonicalize_name(found.name): found for found in distributions(path=[str(host_bundle)])}


def test_the_bundle_has_exactly_what_is_pinned(installed: dict[str, Distribution]) -> None:
    assert {name: found.version for name, found in installed.items()} == _pins()


def test_every_declared_dependency_is_pinned_within_its_bounds() -> None:
    for requirement in _declared():
        assert requirement.specifier.contains(_pins()[canonicalize_name(requirement.name)]), requirement


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_requirement_of_a_locked_package_is_locked_at_a_fitting_version(
    installed: dict[str, Distribution], interpreter: str
) -> None:
    for found in installed.values():
        for requirement in _needs(found, interpreter):
            pin = _pins().get(canonicalize_name(requirement.name))
            assert pin and requirement.specifier.contains(pin), f"{found.name} needs {requirement}"


def test_no_package_is_locked_without_need(installed: dict[str, Distribution]) -> None:
    wanted = {canonicalize_name(requirement.name) for requirement in _declared()}
    waiting = list(wanted)
    while waiting:
        for interpreter in INTERPRETERS:
            found = {canonicalize_name(need.name) for need in _needs(installed[waiting[-1]], interpreter)}
            waiting[:0] = found - wanted
            wanted |= found
        waiting.pop()
    assert wanted == _pins().keys()


def test_bundle_of_the_archiver_has_one_package_more_which_needs_no_other(archive_bundle: Path) -> None:
    lines = [line for line in ARCHIVE_LOCK.read_text().splitlines() if line and not line.startswith("#")]
    pins = dict(line.split("==") for line in lines)
    found = {canonicalize_name(each.name): each for each in distributions(path=[str(archive_bundle)])}
    assert {name: each.version for name, each in found.items()} == _pins() | pins
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [Requirement(line) for line in project["optional-dependencies"]["archive"]]
    assert {requirement.name for requirement in wanted} == pins.keys()
    for requirement in wanted:
        assert requirement.specifier.contains(pins[requirement.name])
        for interpreter in INTERPRETERS:
            assert list(_needs(found[canonicalize_name(requirement.name)], interpreter)) == []


def test_laptop_has_the_library_of_the_archiver_in_the_same_version() -> None:
    pinned = [line for line in ARCHIVE_LOCK.read_text().splitlines() if "==" in line]
    locked = (ROOT / "requirements-dev.lock").read_text().splitlines()
    assert set(pinned) <= set(locked)


def test_the_sdk_is_the_one_that_the_local_tools_pin() -> None:
    assert _pins()["boto3"] == _pins()["botocore"] == "1.43.106"
