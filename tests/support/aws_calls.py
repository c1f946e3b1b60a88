"""The action and the resource that IAM checks for each AWS call of a process.

The file is also a program of its own: copied into a folder of the import path as `sitecustomize.py`, it lists
the calls of each function that the laptop stack runs. So it imports nothing of the project.
"""

import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

UNKNOWN = "?"
"""The resource of a call that this module cannot read; no role has a grant for it."""
LISTED = "calls.jsonl"
TENANT_CONTEXT = "punctual:tenant"
"""Roles allow the use of a key only with this name in the encryption context."""
_PARTS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
_STATEMENT = re.compile(r'\s*(UPDATE|INSERT INTO|DELETE FROM|SELECT .* FROM)\s+"([^"]+)"', re.DOTALL)

Need = tuple[str, str]
"""An action, such as `dynamodb:GetItem`, and the last part of an ARN, such as `table/jobs`."""


def needs(service: str, operation: str, params: Mapping[str, Any]) -> Iterator[Need]:
    """What a role must allow for one call. IAM checks each part of a batch or transaction by itself."""
    if service == "dynamodb":
        for verb, resource in _dynamodb(operation, params):
            yield f"dynamodb:{verb}", resource
    elif service == "sqs" and "QueueUrl" in params:
        yield f"sqs:{operation.removesuffix('Batch')}", params["QueueUrl"].rpartition("/")[2]
    elif service == "kms" and "KeyId" in params and TENANT_CONTEXT in params.get("EncryptionContext", ()):
        yield f"kms:{operation}", f"key/{params['KeyId'].rpartition('/')[2]}"
    elif service == "s3" and "Bucket" in params:
        yield from _s3(operation, params)
    elif service == "lambda" and "FunctionName" in params:
        action = "InvokeFunction" if operation == "Invoke" else operation
        yield f"lambda:{action}", f"function:{params['FunctionName']}"
    elif service == "ssm" and "Name" in params:
        yield f"ssm:{operation}", f"parameter{params['Name']}"
    elif (service, operation) == ("cloudwatch", "DescribeAlarms"):
        yield "cloudwatch:DescribeAlarms", "alarm:*"
    elif service == "logs" and "logGroupName" in params:
        yield f"logs:{operation}", f"log-group:{params['logGroupName']}"
    else:
        yield f"{service}:{operation}", UNKNOWN


def _s3(operation: str, params: Mapping[str, Any]) -> Iterator[Need]:
    bucket = params["Bucket"]
    if operation == "ListObjectVersions":
        yield "s3:ListBucketVersions", f"bucket:{bucket}"
    elif operation == "DeleteObjects":
        for each in params["Delete"]["Objects"]:
            action = "DeleteObjectVersion" if "VersionId" in each else "DeleteObject"
            yield f"s3:{action}", _objects(bucket, each["Key"])
    elif operation == "GetObject" and "VersionId" in params:
        # The lock of a version is shown to those who may read it.
        yield "s3:GetObjectVersion", f"objects:{bucket}"
        yield "s3:GetObjectRetention", f"objects:{bucket}"
    else:
        yield f"s3:{operation}", _objects(bucket, params.get("Key", ""))


def _objects(bucket: str, key: str) -> str:
    """Roles tell the files of searches from the other objects of a bucket."""
    return f"searches:{bucket}" if key.startswith("searches/") else f"objects:{bucket}"


def _dynamodb(operation: str, params: Mapping[str, Any]) -> Iterator[Need]:
    if operation in ("BatchGetItem", "BatchWriteItem"):
        yield from ((operation, f"table/{name}") for name in params["RequestItems"])
    elif operation == "TransactWriteItems":
        for part in params["TransactItems"]:
            ((kind, request),) = part.items()
            yield _PARTS[kind], f"table/{request['TableName']}"
    elif operation == "BatchExecuteStatement":
        for member in params["Statements"]:
            yield _statement(member["Statement"])
    elif operation == "ExecuteStatement":
        yield _statement(params["Statement"])
    elif "TableName" in params:
        index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
        yield operation, f"table/{params['TableName']}{index}"
    else:
        yield operation, UNKNOWN


def _statement(text: str) -> Need:
    matched = _STATEMENT.match(text)
    return (
        (f"PartiQL{matched[1].split()[0].title()}", f"table/{matched[2]}")
        if matched
        else ("PartiQL", UNKNOWN)
    )


class CallList:
    """Appends each new need of this process to a file, one line of JSON each."""

    def __init__(self, path: Path, function: str) -> None:
        self._path = path
        self._function = function
        self._seen: set[Need] = set()

    def note(self, service: str, operation: str, params: Mapping[str, Any]) -> None:
        """Append what a call needs, once."""
        for need in needs(service, operation, params):
            if need not in self._seen:
                self._seen.add(need)
                line = json.dumps([self._function, *need]) + "\n"
                # One short write is never mixed with those of other processes.
                with self._path.open("ab", buffering=0) as file:
                    file.write(line.encode())


class _TransportFinder(MetaPathFinder):
    """Puts itself before the transport when the function imports it, from wherever it does so."""

    def __init__(self, calls: CallList) -> None:
        self._calls = calls

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if fullname != "shared.adapters.aws.http_call":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        assert spec is not None
        assert spec.loader is not None
        loader: Any = spec.loader
        execute = loader.exec_module

        def execute_and_listen(module: Any) -> None:
            execute(module)
            original = module.HttpCall.__call__

            def call(transport: Any, operation: str, params: Mapping[str, Any]) -> Any:
                self._calls.note(transport.service.name, operation, params)
                return original(transport, operation, params)

            module.HttpCall.__call__ = call

        loader.exec_module = execute_and_listen
        return spec


def calls_listed_in(folder: Path) -> set[tuple[str, str, str]]:
    """Function, action and resource of all calls so far."""
    listed = folder / LISTED
    lines = listed.read_text().splitlines() if listed.exists() else []
    return {tuple(json.loads(line)) for line in lines}


if __name__ == "sitecustomize" and "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    listing = CallList(Path(__file__).with_name(LISTED), os.environ["AWS_LAMBDA_FUNCTION_NAME"])
    sys.meta_path.insert(0, _TransportFinder(listing))
