"""Group commit of an executor's writes and sends."""

from tests.mutants.mutant import Mutant

_GROUPS = "shared/adapters/group_commit.py"
_WRITES = "shared/adapters/dynamodb/executions/grouped_writes.py"
_SENDS = "shared/adapters/sqs/grouped_sends.py"
_TESTS = "tests/unit/adapters/test_group_commit.py"
_OF_WRITES = "tests/unit/adapters/test_grouped_writes.py"
_OF_SENDS = "tests/unit/adapters/test_grouped_sends.py"
_READS = "shared/adapters/dynamodb/jobs/grouped_reads.py"
_OF_READS = "tests/unit/adapters/test_grouped_reads.py"

GROUPING = (
    Mutant(
        name="member of a group that goes on before the flush",
        file=_GROUPS,
        old="            return await answer\n",
        new="            return answer.result() if answer.done() else member  # type: ignore\n",
        killer=_TESTS,
    ),
    Mutant(
        name="two statements of one key in a group",
        file=_GROUPS,
        old=" or self._open[0].has_other(key, member):\n",
        new=":\n",
        killer=_TESTS,
    ),
    Mutant(
        name="large request that counts as gone where a group does not see it yet",
        file=_READS,
        old='return {"Item": item} if item is not None else self._call(operation, params)',
        new='return {"Item": item} if item is not None else {}',
        killer=_OF_READS,
    ),
    Mutant(
        name="definition that is read without consistency",
        file=_READS,
        old="        is_payload = key[1].startswith(PAYLOAD_PREFIX)\n",
        new="        is_payload = True\n",
        killer=_OF_READS,
    ),
    Mutant(
        name="runs of one job that read its large request once each",
        file=_GROUPS,
        old="        if len(group.answers) == 1:\n",
        new="        if len(group.members) == 1:\n",
        killer=_OF_READS,
    ),
    Mutant(
        name="cancelled member that cancels its group",
        file=_GROUPS,
        old="            if all(each.cancelled() for _, each in group.answers):\n",
        new="            if True:\n",
        killer=_TESTS,
    ),
    Mutant(
        name="group that waits for its answer for ever",
        file=_GROUPS,
        old="            async with asyncio.timeout(ANSWER_SECONDS):\n",
        new="            async with asyncio.timeout(None):\n",
        killer=_TESTS,
    ),
    Mutant(
        name="statement without a certain answer that counts as written",
        file=_WRITES,
        old="        if error is None:\n            return {}\n",
        new='        if error is None or not error.get("Item"):\n            return {}\n',
        killer=_OF_WRITES,
    ),
    Mutant(
        name="throttled statement that counts as fenced",
        file=_WRITES,
        old="        if existing:\n",
        new="        if error:\n",
        killer=_OF_WRITES,
    ),
    Mutant(
        name="statement of a group without its condition",
        file=_WRITES,
        old="    where = _LIST.sub(",
        new='    condition = "attribute_not_exists(zz)"\n    where = _LIST.sub(',
        killer="tests/conformance/test_execution_attempts.py",
    ),
    Mutant(
        name="groups that go on while each of them fails",
        file=_GROUPS,
        old="            self._cool_from = asyncio.get_running_loop().time()\n",
        new="            pass\n",
        killer=_TESTS,
    ),
    Mutant(
        name="group that takes members of another event loop",
        file=_GROUPS,
        old=" or self._open[1].get_loop() is not loop",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="request of a group that outlives its members",
        file=_GROUPS,
        old="                settled.cancel()\n",
        new="                pass\n",
        killer=_TESTS,
    ),
    Mutant(
        name="condition of a statement that is not bound to its key",
        file=_WRITES,
        old="AND ({where})'",
        new="AND {where}'",
        killer=_OF_WRITES,
    ),
    Mutant(
        name="refused insert that is made once more",
        file=_WRITES,
        old='            existing = self._existing(params["Item"])\n',
        new="            existing = None\n",
        killer=_OF_WRITES,
    ),
    Mutant(
        name="message that keeps its delay after it waited for its group",
        file=_SENDS,
        old='entry.get("DelaySeconds", 0) - waited_s',
        new='entry.get("DelaySeconds", 0)',
        killer=_OF_SENDS,
    ),
    Mutant(
        name="message that its group did not get accepted and that counts as sent",
        file=_SENDS,
        old="        if accepted is None:\n",
        new='        accepted = accepted or {"Id": ""}\n        if not accepted:\n',
        killer=_OF_SENDS,
    ),
)
