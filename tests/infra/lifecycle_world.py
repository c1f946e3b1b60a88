"""An account whose stacks, tables, buckets and functions are values, for the commands of a stage's life."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from infra.lifecycle.attachment import ARCHIVE, KEY, TRAIL, parts, policies
from infra.lifecycle.stacks import LifecycleError, Stacks
from tests.infra.conftest import Synthesised

DATA, SERVICE = "punctual-test-data", "punctual-test-service"


def absent(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no such thing"}}, "Describe")


class World(Stacks):
    """Stacks that were deployed from the templates of a stage. `acts` has what was changed, in order."""

    def __init__(self, stacks: Synthesised, *, deployed: bool = True) -> None:
        self._stage = stacks
        self.names = {name: f"own-{name}" for name in parts(stacks.data.body)}
        self.templates: dict[str, Mapping[str, Any]] = {}
        self.physical: dict[str, dict[str, str]] = {}
        self.acts: list[str] = []
        self.busy: str | None = None
        self.fails: str | None = None
        others = (KEY, ARCHIVE, TRAIL)
        self.tables = {table: self._table(name) for name, table in self.names.items() if name not in others}
        self.buckets: dict[str, dict[str, Any]] = {
            self.names[name]: {"lock": name == TRAIL, "policy": name == TRAIL, "folders": ["v1/"]}
            for name in (ARCHIVE, TRAIL)
            if name in self.names
        }
        """A teardown deletes the policy of the archive alone."""
        self.key = {"KeyId": self.names[KEY], "KeyState": "Enabled"}
        self.restored: set[str] = set()
        self.domains: set[str] = set()
        self.reserved: dict[str, int] = {}
        self.updated: list[dict[str, Any]] = []
        self.imported: Sequence[Mapping[str, Any]] = ()
        if deployed:
            self._deploy()

    def restore(self, name: str, table: str, **changes: Any) -> None:
        """Add a table that a restore has made of one of the stage."""
        self.tables[table] = self._table(name) | {"TableName": table} | changes
        self.restored.add(table)

    def forget(self) -> None:
        """Lose both stacks, but none of the tables."""
        self.templates.clear()
        self.physical.clear()

    def cdk(self, arguments: Sequence[str]) -> int:
        self.acts.append(f"cdk {arguments[0]}")
        if self.fails == arguments[0]:
            return 1
        if arguments[0] == "synth":
            path = Path(arguments[arguments.index("--output") + 1])
            (path / f"{DATA}.template.json").write_bytes(
                (self._stage.outdir / f"{DATA}.template.json").read_bytes()
            )
        else:
            self._deploy()
        return 0

    def exists(self, name: str) -> bool:
        return name in self.templates

    def check_idle(self, name: str) -> None:
        if name == self.busy:
            raise LifecycleError(f"stack {name} is busy")

    def resources(self, name: str) -> dict[str, str]:
        return self.physical[name]

    def exports(self) -> dict[str, str]:
        return {
            made["Export"]["Name"]: f"value of {name}"
            for name, made in self._stage.data.body["Outputs"].items()
            if "Export" in made
        }

    def template(self, name: str) -> dict[str, Any]:
        return dict(self.templates[name])

    def delete(self, name: str) -> None:
        self._act(f"delete {name}")
        self.templates.pop(name, None)
        self.physical.pop(name, None)

    def empty_buckets(self, name: str) -> None:
        self._act(f"empty {name}")

    def update(self, name: str, template: Mapping[str, Any]) -> None:
        self._act(f"update {name}")
        self.templates[name] = template

    def create_by_import(
        self, name: str, template: Mapping[str, Any], resources: Sequence[Mapping[str, Any]]
    ) -> None:
        self._act(f"import {name}")
        self.templates[name] = template
        made = template["Resources"]
        for policy in policies(template).values():
            assert made[policy]["Properties"]["Bucket"]["Ref"] in made
        self.imported = resources
        self.physical[name] = {
            each["LogicalResourceId"]: next(iter(each["ResourceIdentifier"].values())) for each in resources
        }

    def client(self, service: str) -> Any:
        return self

    # The clients of DynamoDB, KMS, S3, API Gateway and Lambda.

    def describe_table(self, **request: str) -> dict[str, Any]:
        if request["TableName"] not in self.tables:
            raise absent("ResourceNotFoundException")
        return {"Table": self.tables[request["TableName"]]}

    def describe_time_to_live(self, **request: str) -> dict[str, Any]:
        status = "DISABLED" if request["TableName"] in self.restored else "ENABLED"
        return {"TimeToLiveDescription": {"TimeToLiveStatus": status}}

    def update_item(self, **request: Any) -> None:
        self._act("mark")
        self.updated.append(request)

    def describe_key(self, **request: str) -> dict[str, Any]:
        if not request["KeyId"].endswith(self.key["KeyId"]):
            raise absent("NotFoundException")
        return {"KeyMetadata": self.key}

    def head_bucket(self, **request: str) -> dict[str, str]:
        if request["Bucket"] not in self.buckets:
            raise absent("404")
        return {"BucketRegion": self.buckets[request["Bucket"]].get("region", self._stage.stage.region)}

    def get_object_lock_configuration(self, **request: str) -> dict[str, Any]:
        if not self.buckets[request["Bucket"]]["lock"]:
            raise absent("ObjectLockConfigurationNotFoundError")
        return {"ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}}

    def get_bucket_policy(self, **request: str) -> dict[str, str]:
        if not self.buckets[request["Bucket"]]["policy"]:
            raise absent("NoSuchBucketPolicy")
        return {"Policy": "{}"}

    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        assert request["Delimiter"] == "/"
        found = self.buckets[request["Bucket"]]["folders"][: request["MaxKeys"]]
        return {
            "CommonPrefixes": [{"Prefix": each} for each in found if each.endswith("/")],
            "Contents": [{"Key": each} for each in found if not each.endswith("/")],
        }

    def get_domain_name(self, **request: str) -> None:
        if request["DomainName"] not in self.domains:
            raise absent("NotFoundException")

    def put_function_concurrency(self, **request: Any) -> None:
        reserved = request["ReservedConcurrentExecutions"]
        if self.acts[-1] not in ("pause", "resume"):
            self.acts.append("resume" if reserved else "pause")
        self.reserved[request["FunctionName"]] = reserved

    def delete_function_concurrency(self, **request: str) -> None:
        self.reserved.pop(request["FunctionName"], None)

    def _act(self, act: str) -> None:
        self.acts.append(act)
        if act == self.fails:
            raise LifecycleError(f"{act} failed")

    def _deploy(self) -> None:
        present = self.physical.get(DATA, {})
        known = parts(self._stage.data.body)
        for name, template in ((DATA, self._stage.data.body), (SERVICE, self._stage.service.body)):
            self.templates[name] = template
            self.physical[name] = {logical_id: logical_id for logical_id in template["Resources"]}
        self.physical[DATA] = {known[name]: self.names[name] for name in known} | present

    def _table(self, name: str) -> dict[str, Any]:
        template = self._stage.data.body
        properties = template["Resources"][parts(template)[name]]["Properties"]
        return {
            "TableName": self.names[name],
            "TableStatus": "ACTIVE",
            "KeySchema": properties["KeySchema"],
            "GlobalSecondaryIndexes": properties.get("GlobalSecondaryIndexes", []),
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        }
