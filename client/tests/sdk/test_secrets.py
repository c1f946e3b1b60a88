"""Keys, tokens and stored requests are in no text that ends up in a log or a report."""

import copy
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest
import rich.pretty

from client.tests.sdk.deployment import HOOK, Deployment, Fate, client, script
from punctual import _operations
from punctual._operation import Call, Secret
from punctual.errors import PunctualError
from punctual.models import FailedRequest, Header, NewKey, NewSecret, NewTenant, RequestIn
from tests.support.api.request_factory import ALL_SCOPES


def texts(value: Any) -> str:
    return f"{value!r} {value} {rich.pretty.pretty_repr(value)}"


def test_key_is_in_no_text_of_a_client_or_of_its_parts() -> None:
    deployment = Deployment()
    p, a = deployment.client(), deployment.async_client()
    p.health.get()
    parts = [p, p._client, p._client.link, p._client.link.config, p._client.connections, p.jobs, a, a._client]
    for part in parts:
        assert deployment.key not in texts(part)


def failure(act: Callable[[], Any]) -> str:
    """The traceback and the texts of an error."""
    try:
        act()
    except PunctualError as error:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__)) + texts(error)
    return ""


@pytest.mark.parametrize("fate", Fate)
def test_key_and_token_are_in_no_log_line_and_no_traceback(
    fate: Fate, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token, password = "ct1_" + "secret", "hunt" + "er2"
    with client(*[fate] * 9, max_elapsed=2) as (p, deployment):
        told = "".join(
            failure(act)
            for act in (
                lambda: p.jobs.create(url=HOOK, delay_seconds=1, json={"password": password}),
                lambda: p.executions.heartbeat("exe_1", token=token),
                lambda: p.jobs.get("job_1"),
            )
        )
        for secret in (deployment.key, token, password):
            assert secret not in told
        logged = "\n".join(f"{record.getMessage()} {record.args!r}" for record in caplog.records)
        for secret in (deployment.key, token, password):
            assert secret not in logged


def test_key_is_in_no_local_variable_of_a_traceback() -> None:
    with client(Fate.LOST, max_elapsed=0) as (p, deployment):
        try:
            p.jobs.get("job_1")
        except PunctualError as error:
            ours = [
                frame
                for frame, _ in traceback.walk_tb(error.__traceback__)
                if "/punctual/" in frame.f_code.co_filename
            ]
            assert ours
            told = " ".join(repr(value) for frame in ours for value in frame.f_locals.values())
            assert deployment.key not in told


def test_secret_hides_itself_and_is_not_pickled() -> None:
    secret = Secret("pk_1")
    assert "pk_1" not in f"{secret} {secret!r} {[secret]}"
    for leak in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            leak(secret)


def test_call_shows_neither_its_body_nor_its_token() -> None:
    call = Call(_operations.CREATE_JOB, "/v1/jobs", body=b"hunter2", token=Secret("ct1"))
    assert "hunter2" not in repr(call)
    assert "ct1" not in repr(call)


def test_new_key_is_read_and_not_shown() -> None:
    deployment = Deployment()
    admin = deployment.world.world.create_tenant.execute("second", ALL_SCOPES).api_key
    with deployment.client(admin) as p:
        made: NewKey = p.keys.create(scopes=["read"])
        assert made.api_key.startswith("pk_")
        secret: NewSecret = p.signing_secrets.rotate(overlap_seconds=60)
        assert secret.signing_secret.startswith("whsec_")
        for model, value in ((made, made.api_key), (secret, secret.signing_secret)):
            assert value not in texts(model)
            assert "[hidden]" in texts(model)
            assert model.id in texts(model)


def test_new_tenant_and_revealed_request_are_read_and_not_shown() -> None:
    deployment = Deployment(fate=script())
    operator = deployment.world.world.create_tenant.operator().api_key
    with deployment.client(operator) as p:
        made: NewTenant = p.admin.tenants.create(id="third")
        assert made.api_key not in texts(made)
        assert made.signing_secret not in texts(made)
    revealed = FailedRequest(
        body="hunter2",
        body_bytes=7,
        headers=(Header(name="X-Token", value="hunter2"),),
        method="POST",
        revealed=True,
        url=HOOK,
    )
    assert "hunter2" not in texts(revealed)
    request = RequestIn(url=HOOK, headers={"X-Token": "hunter2"}, json={"password": "hunter2"})
    assert "hunter2" not in texts(request)
