"""The real AWS command line, in this process: starting it takes seconds of processor time for each command.

Flags and parameters are checked by its own parser and its own models of the services. An operation that no emulator
here offers is answered from a table, after these checks and without a request.
"""

import importlib
import io
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from types import SimpleNamespace
from typing import Any

from tests.support.sources import ROOT

FOLDER = ROOT / ".tools" / "aws"
Answers = Mapping[str, Mapping[str, Any]]
"""What operations answer that cannot run here, by names such as `dynamodb.ListBackups`."""


class AwsCommand:
    """Runs commands against an endpoint, with the credentials of this process's environment."""

    def __init__(self, endpoint: str, answers: Answers) -> None:
        sys.path.append(str(FOLDER))
        try:
            self._driver = importlib.import_module("awscli.clidriver").create_clidriver()
        finally:
            sys.path.remove(str(FOLDER))
        self._answers = answers
        session = self._driver.session
        session.register("before-call", self._answer)
        # An asynchronous run would fail where nobody sees it.
        session.register("provide-client-params.lambda.Invoke", _wait_for_run)
        session.register("after-call.lambda.Invoke", _check_run)
        # Making a client takes most of the time of a command, and all commands have the same settings.
        make = session.create_client
        session.create_client = cache(lambda service, **_: make(service, endpoint_url=endpoint))
        self.used: set[str] = set()
        """Operations that were requested, or answered from the table."""

    def run(self, words: list[str]) -> tuple[int, str]:
        """The exit status, and what the command prints, errors included."""
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            try:
                status = int(self._driver.main(words) or 0)
            except SystemExit as ended:
                status = int(ended.code or 0)
        return status, printed.getvalue()

    def _answer(self, model: Any, **_: Any) -> tuple[Any, Mapping[str, Any]] | None:
        operation = f"{model.service_model.service_name}.{model.name}"
        self.used.add(operation)
        if operation not in self._answers:
            return None
        return SimpleNamespace(status_code=200), self._answers[operation]


def _wait_for_run(params: dict[str, Any], **_: Any) -> dict[str, Any]:
    return {**params, "InvocationType": "RequestResponse"}


def _check_run(parsed: Mapping[str, Any], **_: Any) -> None:
    assert "FunctionError" not in parsed, parsed["Payload"].read()
