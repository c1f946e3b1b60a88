"""The execution store in DynamoDB."""

from collections.abc import Sequence
from typing import Any

from shared.adapters.aws.client import AwsClient
from shared.adapters.dynamodb.batch_reads import Backoff, BatchReads
from shared.adapters.dynamodb.codec.attributes import Item, encode
from shared.adapters.dynamodb.codec.conditions import (
    ABSENT,
    at_revision,
    expired_lease,
    extends_lease,
    in_source_state,
    not_ended,
    own_claim,
    postponable_before,
    redrivable,
    stale_in,
    with_result_until,
)
from shared.adapters.dynamodb.codec.due_rows import DUE_ROW_ATTRIBUTES
from shared.adapters.dynamodb.codec.errors import ConditionRefused, translated
from shared.adapters.dynamodb.codec.execution_fields import (
    REFUNDS,
    RESULT,
    async_until_text,
    encode_redriven_by,
    encode_refunds,
    pack_outcomes,
)
from shared.adapters.dynamodb.codec.failure_index import failure_entry
from shared.adapters.dynamodb.codec.items import (
    STATE_CODES,
    SUCCESSOR_SENT,
    execution_item,
    read_execution,
    reminder_item,
)
from shared.adapters.dynamodb.codec.keys import execution_key, item_key, shard_pk
from shared.adapters.dynamodb.codec.stages import STAGES, pack_stages
from shared.adapters.dynamodb.executions.execution_scans import DynamoExecutionScans, page_of, sort_key_of
from shared.adapters.dynamodb.executions.execution_updates import ExecutionUpdates
from shared.domain.dispatch.retry_reminder import RetryReminder
from shared.domain.dispatch.sweep import DueRow
from shared.domain.errors import NotFoundError, UnavailableError, UnknownVersionError, UnreadableItemError
from shared.domain.executions.execution import EARLY_MS, Execution
from shared.domain.executions.redrive import RedrivenBy
from shared.domain.executions.stages import Stages
from shared.domain.executions.states import EndReason, State, Transition
from shared.domain.ids import ExecutionId
from shared.ports.executions import Finish, ScanPage


class DynamoExecutionStore(DynamoExecutionScans):
    """One conditional write for each change; all reads of the base table are strongly consistent."""

    def __init__(self, client: AwsClient, table: str, region: str, backoff: Backoff) -> None:
        super().__init__(client, table, region)
        self._batch_reads = BatchReads(client, table, backoff)
        self._row_reads = BatchReads(client, table, backoff, attributes=DUE_ROW_ATTRIBUTES)
        self._updates = ExecutionUpdates(client, table, region)

    def put_if_absent(self, execution: Execution, *, expires_at_s: int | None = None) -> Execution | None:
        existing = self._put(execution_item(execution, self._region, expires_at_s))
        return read_execution(existing) if existing is not None else None

    def postpone(self, execution: Execution) -> Execution | None:
        condition = postponable_before(execution)
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=execution_item(execution, self._region),
                    ConditionExpression=condition.expression,
                    ExpressionAttributeNames={"#s": "s", "#v": "v"},
                    ExpressionAttributeValues=condition.values,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise NotFoundError("no such execution") from refused
            return read_execution(refused.items[0])
        return None

    def put_reminder(self, reminder: RetryReminder) -> bool:
        return self._put(reminder_item(reminder, self._region)) is None

    def _put(self, item: Item) -> Item | None:
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=item,
                    ConditionExpression=ABSENT,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionRefused as refused:
            if not refused.items[0]:
                raise UnavailableError("PutItem was refused without the existing item") from refused
            return refused.items[0]
        return None

    def get(self, execution_id: ExecutionId) -> Execution | None:
        with translated():
            answer = self._client.get_item(
                TableName=self._table,
                Key=self._key(execution_id),
                ConsistentRead=True,
            )
        item = answer.get("Item")
        return read_execution(item) if item else None

    def get_many(self, execution_ids: Sequence[ExecutionId]) -> dict[ExecutionId, Execution]:
        keys = [self._key(execution_id) for execution_id in dict.fromkeys(execution_ids)]
        executions = map(read_execution, self._batch_reads.read_all(keys))
        return {execution.id: execution for execution in executions}

    def read_rows(self, bucket: int, shard: int, sort_keys: Sequence[str]) -> ScanPage:
        pk = shard_pk(self._region, bucket, shard)
        items = self._row_reads.read_all([item_key(pk, sort_key) for sort_key in sort_keys])
        items.sort(key=sort_key_of)  # BatchGetItem returns them in any order.
        return page_of(items, None, bucket, shard)

    def finish(self, execution: Execution, finish: Finish) -> Execution | None:
        condition = own_claim(execution, finish.transition)
        sets: dict[str, Any] = {"oc": pack_outcomes(finish.outcomes), "lb": finish.last_body or None}
        sets |= _refund(execution, finish.refunded_since) | {STAGES: pack_stages(finish.stages)}
        sets[SUCCESSOR_SENT] = finish.successor_sent or None
        sets[RESULT] = finish.result or None
        removes = ["ow"]
        if finish.next_attempt_at is not None:
            sets |= {"na": finish.next_attempt_at, "ca": finish.next_attempt_at - EARLY_MS}
        else:
            removes.append("ca")
        entry = failure_entry(finish.transition.target, execution.tenant_id, execution.id)
        # An execution that never waited for a retry has no entry: its success must not touch the index.
        has_entry = execution.progress.next_attempt_at is not None
        return self._updates.change(
            execution.id, condition, finish, sets, removes, entry=entry if entry or has_entry else None
        )

    def extend_lease(
        self,
        execution: Execution,
        *,
        lease_until: int,
        async_until: int | None = None,
        stages: Stages | None = None,
        successor_sent: bool = False,
    ) -> Execution | None:
        condition = extends_lease(execution, lease_until + 1, calls=async_until is None)
        expression, values = "SET ca = :ca", dict[str, Any]()
        if async_until is not None:
            expression += ", au = :au"
            values[":au"] = encode(async_until_text(execution.progress.claims, async_until))
        packed = pack_stages(stages)
        if packed is not None:
            expression += f", {STAGES} = :{STAGES}"
            values[f":{STAGES}"] = encode(packed)
        if successor_sent:
            expression += f", {SUCCESSOR_SENT} = :{SUCCESSOR_SENT}"
            values[f":{SUCCESSOR_SENT}"] = encode(True)
        existing = self._updates.update(execution.id, expression, condition, values)
        return read_execution(existing) if existing is not None else None

    def give_up(
        self,
        execution: Execution,
        *,
        reason: EndReason,
        now_ms: int,
        expires_at_s: int,
        notification: ExecutionId | None = None,
    ) -> bool:
        finish = Finish(
            transition=Transition.GIVE_UP,
            outcomes=(),
            end_reason=reason,
            expires_at_s=expires_at_s,
            notification=notification,
        )
        condition = expired_lease(execution, now_ms)
        entry = failure_entry(State.FAILED, execution.tenant_id, execution.id)
        try:
            existing = self._updates.change(execution.id, condition, finish, {}, ["ow", "ca"], entry=entry)
        except NotFoundError:
            return False
        return existing is None

    def cancel(
        self,
        execution_id: ExecutionId,
        transition: Transition,
        *,
        reason: EndReason,
        expires_at_s: int,
        revision: int | None = None,
        notification: ExecutionId | None = None,
    ) -> Execution | None:
        allowed = in_source_state(transition)
        condition = allowed if revision is None else at_revision(allowed, revision)
        finish = Finish(
            transition=transition,
            outcomes=(),
            end_reason=reason,
            expires_at_s=expires_at_s,
            notification=notification,
        )
        sets: dict[str, Any] = {"ec": True} if transition is Transition.END_CHAIN else {}
        return self._updates.change(execution_id, condition, finish, sets, ["ca"], entry={})

    def stop_retries(self, execution_id: ExecutionId) -> bool:
        condition = in_source_state(Transition.FAIL)
        try:
            existing = self._updates.update(execution_id, "SET sr = :yes", condition, {":yes": encode(True)})
        except NotFoundError:
            return False
        return existing is None

    def keep_result(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        values: dict[str, Any] = {":ttl": encode(expires_at_s)}
        try:
            existing = self._updates.update(execution_id, "SET #ttl = :ttl", with_result_until(), values)
        except NotFoundError:
            return False
        return existing is None or read_execution(existing).progress.result != b""

    def mark_redriven(self, execution_id: ExecutionId, redriven_by: RedrivenBy) -> Execution | None:
        values: dict[str, Any] = {":rd": encode(encode_redriven_by(redriven_by) or "")}
        existing = self._updates.update(execution_id, "SET rd = :rd", redrivable(), values)
        return read_execution(existing) if existing is not None else None

    def repair_index(self, row: DueRow) -> bool:
        entry = failure_entry(row.state, row.tenant_id, row.id)
        try:
            existing = self._updates.write_entry(row.id, stale_in(row.state), entry)
        except NotFoundError:
            return False
        return existing is None

    def mark_unreadable(self, execution_id: ExecutionId, expires_at_s: int) -> bool:
        """Reads the item again first, so that an item that can be decoded is not changed."""
        if not self._is_broken(execution_id):
            return False
        values: dict[str, Any] = {
            ":to": encode(STATE_CODES[State.FAILED]),
            ":ttl": encode(expires_at_s),
            ":rs": encode(EndReason.UNREADABLE.value),
        }
        expression = "SET #s = :to, #ttl = :ttl, rs = :rs REMOVE ca"
        try:
            return self._updates.update(execution_id, expression, not_ended(), values) is None
        except NotFoundError:
            return False

    def _is_broken(self, execution_id: ExecutionId) -> bool:
        try:
            self.get(execution_id)
        except UnknownVersionError:
            return False
        except UnreadableItemError:
            return True
        return False

    def _key(self, execution_id: ExecutionId) -> Item:
        return item_key(*execution_key(self._region, execution_id))


def _refund(execution: Execution, since: int | None) -> dict[str, Any]:
    """One more claim that may be granted, so that the refunded claim costs no attempt of the policy."""
    if since is None:
        return {}
    refunded = execution.progress.refunded + 1
    return {"mx": execution.call.retry.max_attempts + refunded, REFUNDS: encode_refunds(refunded, since)}
