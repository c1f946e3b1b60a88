"""Faults of the services below: refusals without item, throttling, conflicts, rejected requests."""

from tests.mutants.mutant import Mutant

_CLAIMER = "shared/adapters/dynamodb/executions/claimer.py"
_CLAIM_KEYS = "shared/usecases/attempts/claim_keys.py"
_RUN_ATTEMPTS = "shared/usecases/attempts/run_attempts.py"
_ERRORS = "shared/adapters/dynamodb/codec/errors.py"
_WITHOUT_ITEMS = "tests/conformance/test_claims_without_items.py"
_LOST_ANSWERS = "tests/unit/usecases/attempts/test_execute_lost_answers.py"
_DYNAMODB_FAULTS = "tests/conformance/test_dynamodb_faults.py"

SERVICE_FAULTS = (
    Mutant(
        name="path with the brackets of its own template",
        file="functions/api/http/router.py",
        old='        if literal is not None and "<" not in path:\n',
        new="        if literal is not None:\n",
        killer="tests/unit/api/test_hostile_ids.py",
    ),
    Mutant(
        name="batch returned because a metric failed",
        file="shared/observability.py",
        old='logger.exception("metrics not emitted")',
        new="raise",
        killer="tests/unit/functions/test_handlers.py",
    ),
    Mutant(
        name="bill for counts of zero",
        file="shared/observability.py",
        old="    if value:\n",
        new="    if value is not None:\n",
        killer="tests/unit/test_observability.py",
    ),
    Mutant(
        name="metric of all executors reported by each",
        file="shared/observability.py",
        old="name in WHOLE_STAGE, []",
        new="False, []",
        killer="tests/unit/test_observability.py",
    ),
    Mutant(
        name="line with more values than CloudWatch reads",
        file="shared/observability.py",
        old="MOST_IN_LINE = 100\n",
        new="MOST_IN_LINE = 101\n",
        killer="tests/unit/test_observability.py",
    ),
    Mutant(
        name="settings that tell of one fault alone",
        file="shared/settings.py",
        old="        if faults:\n",
        new="        for faults in [{name: fault} for name, fault in faults.items()]:\n",
        killer="tests/unit/test_settings.py",
    ),
    Mutant(
        name="epoch without an offset taken for one in local time",
        file="shared/setting_values.py",
        old="    if since.tzinfo is None:\n",
        new="    if since is None:\n",
        killer="tests/unit/test_settings.py",
    ),
    Mutant(
        name="refused claim without its item taken for a deleted execution",
        file=_CLAIMER,
        old='    return error.get("Code") in REFUSED and not error.get("Item")\n',
        new="    return False\n",
        killer="tests/conformance/test_claimer.py",
    ),
    Mutant(
        name="refused key left unprocessed taken for a deleted execution",
        file=_CLAIMER,
        old="unread = {_place(key) for key in unprocessed}",
        new="unread = {_place(key) for key in unprocessed if not unprocessed}",
        killer=_WITHOUT_ITEMS,
    ),
    Mutant(
        name="undocumented function in the condition of a statement",
        file="shared/adapters/dynamodb/codec/conditions.py",
        old='"sr IS MISSING"',
        new='"attribute_not_exists(sr)"',
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="claim repeated without a pause",
        file=_CLAIM_KEYS,
        old="sleep_ms(retry_pause_ms(self.entropy.draw()))",
        new="sleep_ms(0)",
        killer=_LOST_ANSWERS,
    ),
    Mutant(
        name="granted claim without a response that is not looked for",
        file=_CLAIM_KEYS,
        old="execution.progress.owner == owners[key]",
        new="execution.progress.owner != owners[key]",
        killer=_LOST_ANSWERS,
    ),
    Mutant(
        name="undecided claim that uses up a receive",
        file=_RUN_ATTEMPTS,
        old="len(wakeup.keys) > 1 or all(",
        new="len(wakeup.keys) > 1 and all(",
        killer=_LOST_ANSWERS,
    ),
    Mutant(
        name="undecided copies of re-sends that add up",
        file="shared/usecases/attempts/settle_refusal.py",
        old=" if each.ends_at is None or each.not_before < each.ends_at]",
        new="]",
        killer=_LOST_ANSWERS,
    ),
    Mutant(
        name="bug in one key that never becomes a dead message",
        file=_RUN_ATTEMPTS,
        old="is_permanent=True, error=error)",
        new="is_permanent=False, error=error)",
        killer=_LOST_ANSWERS,
    ),
    Mutant(
        name="puts of a batch repeated without a pause",
        file="shared/adapters/dynamodb/executions/batch_inserts.py",
        old="            self.backoff.wait()\n",
        new="",
        killer="tests/conformance/test_one_off_batches_faults.py",
    ),
    Mutant(
        name="unprocessed keys read again without a pause",
        file="shared/adapters/dynamodb/batch_reads.py",
        old="                self.backoff.wait()\n",
        new="                pass\n",
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="permanent reason of a transaction taken for unavailability",
        file=_ERRORS,
        old="    if permanent:\n",
        new="    if not reasons:\n",
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="rejected request taken for unavailability",
        file=_ERRORS,
        old="    if is_permanent(code):\n",
        new="    if is_permanent(None):\n",
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="items of a batch lost with its last keys",
        file="shared/adapters/dynamodb/batch_reads.py",
        old="                if not number:\n                    raise\n",
        new="                raise\n",
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="reasons of a ThrottlingException left out",
        file="shared/adapters/aws/retries.py",
        old=' or response.get("throttlingReasons")',
        new="",
        killer=_DYNAMODB_FAULTS,
    ),
    Mutant(
        name="newline behind a path that spares the creation rate",
        file="functions/api/http/router.py",
        old="        literal = self._paths.get(path)\n",
        new="        literal = self._paths.get(path.rstrip())\n",
        killer="tests/unit/api/test_encoded_paths.py",
    ),
    Mutant(
        name="bulk redrive that refuses a job for a fault of ours",
        file="shared/usecases/dead_letters/redrive_outcome.py",
        old="    except (ServiceError, UnknownVersionError):\n",
        new="    except UnknownVersionError:\n",
        killer="tests/unit/usecases/dead_letters/test_redrive_worker.py",
    ),
)
