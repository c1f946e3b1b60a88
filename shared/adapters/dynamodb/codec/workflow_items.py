"""Items of workflows in the jobs table: a small head, and one item for each revision."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.dynamodb.codec.attributes import Item, Plain, Value, encode_all
from shared.adapters.dynamodb.codec.execution_fields import call_attributes, read_call
from shared.adapters.dynamodb.codec.items import MALFORMED, plain_item
from shared.adapters.dynamodb.codec.notification_fields import (
    ALERTS,
    callback_attributes,
    encode_alerts,
    read_alerts,
    read_callbacks,
)
from shared.adapters.dynamodb.codec.versions import MAPS, RUN_INPUTS, WORKFLOWS, call_version, known
from shared.adapters.dynamodb.codec.workflow_keys import PAYLOADS, head_key, key_key, revision_key
from shared.domain.delivery.call_spec import CallSpec
from shared.domain.delivery.outcome_callbacks import OutcomeCallbacks
from shared.domain.errors import UnreadableItemError
from shared.domain.workflows.graph import Graph, Node, OnFailure, RunIf
from shared.domain.workflows.task_map import TaskMap
from shared.domain.workflows.workflow import Workflow, WorkflowHead
from shared.names import Attr, Lane

CALLBACKS = "cb"
"""The URLs that are called after runs: a map, since their attributes have names that tasks and policy use."""


def head_item(head: WorkflowHead, expires_at_s: int | None = None) -> Item:
    pk, sk = head_key(head.tenant_id, head.id)
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            Attr.TTL: expires_at_s,
            "v": WORKFLOWS,
            "id": head.id,
            "t": head.tenant_id,
            "rv": head.revision,
            "c": head.created_at,
            "n": head.name,
            "tg": list(head.tags) or None,
            "nt": head.tasks,
            "fp": head.fingerprint,
            "dd": head.is_deleted or None,
            "ky": head.key,
            "sn": head.set_name,
            Attr.LIVE_PK: None if head.is_deleted else head.tenant_id,
        }
    )


def read_head(item: Mapping[str, Value]) -> WorkflowHead:
    """UnknownVersionError for a newer version, UnreadableItemError for a broken item."""
    plain = plain_item(item)
    try:
        return WorkflowHead(
            id=plain["id"],
            tenant_id=plain["t"],
            revision=plain["rv"],
            created_at=plain["c"],
            name=plain.get("n"),
            tags=tuple(plain.get("tg", ())),
            tasks=plain["nt"],
            fingerprint=plain["fp"],
            is_deleted=plain.get("dd", False),
            key=plain.get("ky"),
            set_name=plain.get("sn"),
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"workflow {plain.get('id')} is broken") from error


def key_item(workflow: Workflow, key: str) -> Item:
    """The record that the key belongs to this workflow; it is gone with the workflow's deletion."""
    pk, sk = key_key(workflow.tenant_id, key)
    return encode_all({Attr.PK: pk, Attr.SK: sk, "v": WORKFLOWS, "id": workflow.id})


def read_key(item: Mapping[str, Value]) -> str:
    """The id of the workflow that has a key. Raises like `read_head`."""
    plain = plain_item(item)
    if not isinstance(plain.get("id"), str):
        raise UnreadableItemError("the record of a key names no workflow")
    return str(plain["id"])


def revision_item(workflow: Workflow) -> Item:
    pk, sk = revision_key(workflow.tenant_id, workflow.id, workflow.revision)
    pairs = zip(workflow.graph.nodes, workflow.calls, strict=True)
    payloads = [call.payload_id for call in workflow.calls if call.payload_id is not None]
    return encode_all(
        {
            Attr.PK: pk,
            Attr.SK: sk,
            "v": _version(workflow),
            "id": workflow.id,
            "t": workflow.tenant_id,
            "rv": workflow.revision,
            "c": workflow.created_at,
            "of": workflow.graph.on_failure.value,
            "dl": workflow.deadline_seconds,
            "n": workflow.name,
            "tg": list(workflow.tags) or None,
            CALLBACKS: _callbacks(workflow.callbacks),
            ALERTS: encode_alerts(workflow.alerts),
            "fp": workflow.fingerprint,
            "ky": workflow.key,
            "sn": workflow.set_name,
            PAYLOADS: list(payloads) or None,
            "ts": [_task_attributes(node, call) for node, call in pairs],
        }
    )


def _version(workflow: Workflow) -> int:
    calls = max(WORKFLOWS, *map(call_version, workflow.calls))
    if any(node.takes_input for node in workflow.graph.nodes):
        return max(RUN_INPUTS, calls)
    return max(MAPS, calls) if workflow.graph.has_maps else calls


def read_workflow(item: Mapping[str, Value]) -> Workflow:
    """Raises like `read_head`."""
    plain = plain_item(item)
    try:
        return Workflow(
            id=plain["id"],
            tenant_id=plain["t"],
            revision=plain["rv"],
            created_at=plain["c"],
            graph=Graph(
                nodes=tuple(_read_node(task) for task in plain["ts"]),
                on_failure=known(OnFailure, plain["of"]),
            ),
            calls=tuple(_read_call(task) for task in plain["ts"]),
            deadline_seconds=plain["dl"],
            callbacks=read_callbacks(plain.get(CALLBACKS, {})),
            alerts=read_alerts(plain.get(ALERTS)),
            name=plain.get("n"),
            tags=tuple(plain.get("tg", ())),
            fingerprint=plain["fp"],
            key=plain.get("ky"),
            set_name=plain.get("sn"),
        )
    except MALFORMED as error:
        raise UnreadableItemError(f"a revision of {plain.get('id')} is broken") from error


def _callbacks(callbacks: OutcomeCallbacks) -> dict[str, Plain] | None:
    stored = callback_attributes(callbacks)
    return {name: value for name, value in stored.items() if value is not None} or None


def _task_attributes(node: Node, call: CallSpec) -> dict[str, Any]:
    attributes = {
        "k": node.key,
        "af": list(node.after) or None,
        "nd": list(node.needs) or None,
        "mp": [node.map.over, node.map.path] if node.map is not None else None,
        "in": node.takes_input or None,
        "ri": node.run_if.value if node.run_if is not RunIf.ALL_SUCCEEDED else None,
        "ln": call.lane.value,
        **call_attributes(call),
        "rt": [call.retry.base_seconds, call.retry.factor, call.retry.cap_seconds],
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _read_node(plain: Mapping[str, Any]) -> Node:
    return Node(
        key=plain["k"],
        after=tuple(plain.get("af", ())),
        needs=tuple(plain.get("nd", ())),
        takes_input=plain.get("in", False),
        run_if=known(RunIf, plain.get("ri", RunIf.ALL_SUCCEEDED.value)),
        map=_read_map(plain["mp"]) if "mp" in plain else None,
    )


def _read_map(stored: Sequence[str]) -> TaskMap:
    over, path = stored
    return TaskMap(over=over, path=path)


def _read_call(plain: Mapping[str, Any]) -> CallSpec:
    return read_call(plain, known(Lane, plain["ln"]), plain["rt"])
