"""The entry point of the emulator's process: the emulator and two helper threads.

This file is started by path, never imported. The project must not be importable in this process: the
functions' workers inherit the import path and would find modules that their bundle lacks.
"""

import importlib
import os
import runpy
import signal
import sys
import threading
import time
from typing import Any

EVENT_SOURCE_POLL_SECONDS = 0.1
UPLOADS = "cdk-"
"""Prefix of the bucket from which a deployment reads its files. After the deployment, no function reads them."""
OF_OBJECTS = ("object_versions", "object_tags", "object_retention", "object_legal_hold")
"""What the emulator knows of objects outside of their buckets."""


def stop_with_parent() -> None:
    """Stop the emulator in an orderly way when the parent process dies, even if it was killed.

    Standard input is a pipe that the parent keeps open and never writes to.
    """
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def wake_event_sources() -> None:
    """Deliver a delayed message to its function as soon as its delay ends.

    The emulator polls its queues when a message is sent, and otherwise once per second. AWS keeps long polls
    open and therefore delivers a message as soon as it is visible.
    """
    wake = importlib.import_module("ministack.core.concurrency").esm_wake
    while True:
        time.sleep(EVENT_SOURCE_POLL_SECONDS)
        wake.set()


def reject_double_keys() -> None:
    """Reject a batch with two statements of one key as a whole, as DynamoDB does; the emulator runs both."""
    dynamodb: Any = importlib.import_module("ministack.services.dynamodb")
    run_batch = dynamodb._batch_execute_statement

    def checked(data: dict[str, Any]) -> Any:
        found = [_key(dynamodb, statement) for statement in data.get("Statements", ())]
        keys = [key for key in found if key is not None]
        if len(set(keys)) != len(keys):
            text = "Provided list of item keys contains duplicates"
            return dynamodb.error_response_json("ValidationException", text, 400)
        return run_batch(data)

    dynamodb._batch_execute_statement = checked


def import_global_tables() -> None:
    """Let a stack take over global tables, as CloudFormation does. The emulator does so with other tables.

    The name of an imported table is not the one that the stack would give to a new table. The next update keeps it.
    """
    provisioners: Any = importlib.import_module("ministack.services.cloudformation.provisioners")
    change_sets: Any = importlib.import_module("ministack.services.cloudformation.changesets")
    handlers, lookups = provisioners._RESOURCE_HANDLERS, change_sets._IMPORT_LOOKUPS
    table, update = handlers["AWS::DynamoDB::GlobalTable"], provisioners._ddb_global_table_update

    def keep_name(name: str, old: dict[str, Any], new: dict[str, Any], stack: str) -> Any:
        return update(name, {**old, "TableName": name}, {**new, "TableName": name}, stack)

    table["import"] = handlers["AWS::DynamoDB::Table"]["import"]
    table["update"] = keep_name
    lookups["AWS::DynamoDB::GlobalTable"] = lookups["AWS::DynamoDB::Table"]


def keep_objects() -> None:
    """Save the objects of buckets with the rest of the state: content, versions, tags and locks.

    The emulator saves buckets without their objects. Its option `S3_PERSIST` writes each object at once, and forgets
    the locks. After an end without a save, the buckets would then be ahead of the tables.
    """
    s3: Any = importlib.import_module("ministack.services.s3")
    get_state = s3.get_state
    # Both the save and the restore go through this registry.
    s3._PERSISTED_BUCKET_DICTS.update({name: getattr(s3, f"_{name}") for name in OF_OBJECTS})

    def with_objects() -> dict[str, Any]:
        state: dict[str, Any] = get_state()
        for (account, bucket), saved in state["buckets_meta"]._data.items():
            if not bucket.startswith(UPLOADS):
                saved["objects"] = s3._buckets._data[account, bucket]["objects"]
        for name in OF_OBJECTS:
            # The key of an entry: the account, and a tuple that begins with the bucket.
            entries = state[name]._data
            state[name]._data = {
                key: each for key, each in entries.items() if not key[1][0].startswith(UPLOADS)
            }
        return state

    s3.get_state = with_objects


def log_scheduled_runs() -> None:
    """Log what a function prints when a rule invokes it. The emulator does so for all other invocations."""
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    run = functions._execute_function_with_config_scope

    def logged(function: dict[str, Any], event: Any) -> Any:
        result = run(function, event)
        if result.get("log"):
            functions.logger.info("Lambda %s output:\n%s", function["config"]["FunctionName"], result["log"])
        return result

    functions._execute_function_with_config_scope = logged


def _key(dynamodb: Any, statement: dict[str, Any]) -> tuple[str, str, str] | None:
    """The table and the key of a statement in one of the product's tables; None if it cannot be parsed."""
    try:
        parsed = dynamodb._parse_partiql(statement["Statement"], statement.get("Parameters", []))
    except ValueError:
        return None
    equal = {name: value for name, operator, value in parsed["conditions"] if operator == "="}
    named = parsed.get("item") or equal
    return parsed["table"], str(named.get("pk")), str(named.get("sk"))


def main() -> None:
    """Run the emulator until SIGTERM, on which it saves its state."""
    reject_double_keys()
    import_global_tables()
    keep_objects()
    log_scheduled_runs()
    for target in (stop_with_parent, wake_event_sources):
        threading.Thread(target=target, daemon=True, name=target.__name__).start()
    runpy.run_module("ministack", run_name="__main__")


if __name__ == "__main__":
    main()
