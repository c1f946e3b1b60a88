"""The demo's tenant: kept across starts, with a key that can do everything that a tenant may."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.local.demo import load_demo
from infra.local.stack import Tenant
from infra.local.state_dir import StateDir


class Stack:
    """A stack whose API answers every request with one status."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.created: list[str] = []

    def api(self, key: str) -> Any:
        return SimpleNamespace(key=key, request=lambda *_: SimpleNamespace(status=self.status))

    def create_tenant(self, name: str, *, scopes: str) -> Tenant:
        self.created.append(scopes)
        return Tenant(name=name, api_key="pk_new", signing_secret="whsec_new")


@pytest.fixture
def home(tmp_path: Path) -> StateDir:
    return StateDir(tmp_path)


def key_of(stack: Any, home: StateDir) -> str:
    return load_demo(stack, home).tenant.api_key


def test_first_start_creates_a_tenant_whose_key_manages_keys_too(home: StateDir) -> None:
    stack = Stack(200)
    assert key_of(stack, home) == "pk_new"
    assert stack.created == ["read,write,admin"]


@pytest.mark.parametrize(
    ("status", "key"), [(200, "pk_old"), (500, "pk_old"), (401, "pk_new"), (403, "pk_new")]
)
def test_saved_tenant_is_kept_unless_its_key_is_refused(home: StateDir, status: int, key: str) -> None:
    home.write("demo.json", {"api_key": "pk_old", "signing_secret": "whsec_old", "tenant": "t", "jobs": []})
    assert key_of(Stack(status), home) == key
