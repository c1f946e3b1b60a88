"""Acts on deployed stacks through the CloudFormation API, and waits for the end of each act."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

POLL_SECONDS = 2.0
UNDER_REVIEW = "REVIEW_IN_PROGRESS"
"""The status of a stack that was never created: it has a change set alone."""
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"]


class LifecycleError(RuntimeError):
    """The command cannot continue; the message says what to do."""


class Stacks:
    """The stacks of one account and region. `bucket` takes templates, because an inline one has at most 50 KB.

    `url` is where CloudFormation reads them, with the fields `bucket` and `key`.
    """

    def __init__(
        self,
        client: Callable[[str], Any],
        *,
        bucket: str,
        url: str,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self.client = client
        self._cloudformation = client("cloudformation")
        self._bucket = bucket
        self._url = url
        self._poll_seconds = poll_seconds

    def exists(self, name: str) -> bool:
        return self._status(name) not in (None, UNDER_REVIEW)

    def check_idle(self, name: str) -> None:
        """Raise LifecycleError while another command changes the stack."""
        status = self._status(name)
        if status is not None and status != UNDER_REVIEW and status.endswith("IN_PROGRESS"):
            raise LifecycleError(f"stack {name} is {status}: wait until it is done, and repeat the command")

    def resources(self, name: str) -> dict[str, str]:
        """Return the physical ids of a stack's resources by their logical ids, also of those that it retained."""
        pages = self._cloudformation.get_paginator("list_stack_resources").paginate(StackName=name)
        return {
            made["LogicalResourceId"]: made["PhysicalResourceId"]
            for page in pages
            for made in page["StackResourceSummaries"]
            if "PhysicalResourceId" in made and made["ResourceStatus"] != "DELETE_COMPLETE"
        }

    def exports(self) -> dict[str, str]:
        pages = self._cloudformation.get_paginator("list_exports").paginate()
        return {export["Name"]: export["Value"] for page in pages for export in page["Exports"]}

    def template(self, name: str) -> dict[str, Any]:
        """Return the template that a stack was deployed with."""
        body = self._cloudformation.get_template(StackName=name, TemplateStage="Original")["TemplateBody"]
        template: dict[str, Any] = json.loads(body) if isinstance(body, str) else dict(body)
        return template

    def delete(self, name: str) -> None:
        """Delete a stack, although it refuses deletion. Retained resources stay."""
        status = self._status(name)
        if status is None:
            return
        if status != UNDER_REVIEW:
            self._cloudformation.update_termination_protection(
                StackName=name, EnableTerminationProtection=False
            )
        self._cloudformation.delete_stack(StackName=name)
        self._await(name, "DELETE_COMPLETE")

    def empty_buckets(self, name: str) -> None:
        """Delete all objects of a stack's buckets with all their versions: CloudFormation deletes empty ones alone.

        A bucket that the stack retains keeps its objects.
        """
        kinds = {
            logical_id: made["Type"]
            for logical_id, made in self.template(name)["Resources"].items()
            if made.get("DeletionPolicy") != "Retain"
        }
        s3 = self.client("s3")
        for logical_id, bucket in self.resources(name).items():
            if kinds.get(logical_id) != "AWS::S3::Bucket":
                continue
            for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
                found = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
                if found:
                    objects = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]
                    s3.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})

    def update(self, name: str, template: Mapping[str, Any]) -> None:
        try:
            self._cloudformation.update_stack(
                StackName=name, TemplateURL=self._upload(name, template), Capabilities=CAPABILITIES
            )
        except ClientError as error:
            if "No updates are to be performed" in str(error):
                return
            raise
        self._await(name, "UPDATE_COMPLETE")

    def create_by_import(
        self, name: str, template: Mapping[str, Any], resources: Sequence[Mapping[str, Any]]
    ) -> None:
        """Create a stack of existing resources."""
        self._cloudformation.create_change_set(
            StackName=name,
            ChangeSetName="attach",
            ChangeSetType="IMPORT",
            ResourcesToImport=[*resources],
            TemplateURL=self._upload(name, template),
            Capabilities=CAPABILITIES,
        )
        self._await_change_set(name, "attach")
        self._cloudformation.execute_change_set(StackName=name, ChangeSetName="attach")
        self._await(name, "IMPORT_COMPLETE")

    def _upload(self, name: str, template: Mapping[str, Any]) -> str:
        key = f"lifecycle/{name}.json"
        self.client("s3").put_object(Bucket=self._bucket, Key=key, Body=json.dumps(template).encode())
        return self._url.format(bucket=self._bucket, key=key)

    def _await(self, name: str, wanted: str) -> None:
        """Wait for a status. A stack without one is deleted."""
        while (status := self._status(name) or "DELETE_COMPLETE") != wanted:
            if not status.endswith("IN_PROGRESS"):
                raise LifecycleError(f"stack {name} ended {status}: {self._reasons(name)}")
            time.sleep(self._poll_seconds)

    def _await_change_set(self, name: str, change_set: str) -> None:
        while True:
            found = self._cloudformation.describe_change_set(StackName=name, ChangeSetName=change_set)
            if found["Status"] == "CREATE_COMPLETE":
                return
            if found["Status"] == "FAILED":
                raise LifecycleError(f"stack {name} cannot be attached: {found['StatusReason']}")
            time.sleep(self._poll_seconds)

    def _status(self, name: str) -> str | None:
        try:
            stacks = self._cloudformation.describe_stacks(StackName=name)["Stacks"]
        except ClientError as error:
            if error.response["Error"]["Code"] == "ValidationError":
                return None
            raise
        status = stacks[0]["StackStatus"] if stacks else "DELETE_COMPLETE"
        return None if status == "DELETE_COMPLETE" else status

    def _reasons(self, name: str) -> str:
        try:
            events = self._cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        except ClientError:
            return "it is gone"
        failed = [
            f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"
            for event in events
            if event["ResourceStatus"].endswith("FAILED")
        ]
        return "; ".join(failed) or "no reason given"
