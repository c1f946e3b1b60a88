"""The transport to AWS, and the greenlets that wait for it."""

from tests.mutants.mutant import Mutant

_TESTS = "tests/unit/adapters"
_GREENLETS = "tests/unit/adapters/test_greenlets.py"
_CALL = "shared/adapters/aws/http_call.py"
_RETRIES = "shared/adapters/aws/retries.py"
_SENDER = "shared/adapters/aws/sender.py"
_HTTP = "shared/adapters/aws/http11.py"
_SDK = "shared/adapters/aws/boto_call.py"

TRANSPORT = (
    Mutant(
        name="write in conflict that the SDK tries once",
        file=_SDK,
        old="            _retry_conflicts(client, entropy)\n",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="worker that waits for a throttled index over the SDK",
        file=_SDK,
        old="            _leave_throttled_indexes(client)\n",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="cancelled transaction in conflict tried once",
        file=_RETRIES,
        old=' or "TransactionConflict" in reasons',
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="worker that waits for a throttled index",
        file=_RETRIES,
        old="        return Fault.PERMANENT if is_final else Fault.THROTTLED\n",
        new="        return Fault.PERMANENT if is_final and not error.code else Fault.THROTTLED\n",
        killer=_TESTS,
    ),
    Mutant(
        name="transaction with another token in each try",
        file=_CALL,
        old="            params = {**params, _TOKEN",
        new="            params = {**params, str(_TOKEN[:0])",
        killer=_TESTS,
    ),
    Mutant(
        name="answer with a wrong checksum taken for good",
        file=_CALL,
        old="        if checksum is not None and checksum != ",
        new="        if checksum == '' and checksum != ",
        killer=_TESTS,
    ),
    Mutant(
        name="clock that is off and stays off",
        file=_CALL,
        old="            self.skew_s = aws.timestamp() - self.clock.now_ms() / 1000\n",
        new="            self.skew_s = 0.0\n",
        killer=_TESTS,
    ),
    Mutant(
        name="retries without a budget",
        file=_RETRIES,
        old="        self.tokens -= _COST\n",
        new="",
        killer=_TESTS,
    ),
    Mutant(
        name="budget of retries that successes do not fill",
        file=_RETRIES,
        old="        self.tokens = min(_CAPACITY,",
        new="        self.tokens = min(self.tokens,",
        killer=_TESTS,
    ),
    Mutant(
        name="lost answer that is not asked for again",
        file=_RETRIES,
        old="        return Fault.TRANSIENT\n    if is_conflict",
        new="        return Fault.PERMANENT\n    if is_conflict",
        killer=_TESTS,
    ),
    Mutant(
        name="certificate that is not verified",
        file=_HTTP,
        old="ssl.create_default_context(cafile=bundle)",
        new="ssl._create_unverified_context()",
        killer=_TESTS,
    ),
    Mutant(
        name="bytes behind an answer taken for the next one",
        file=_HTTP,
        old="        if self._response is not None:\n            # Bytes behind",
        new="        if self._response is None and self._size:\n            # Bytes behind",
        killer=_TESTS,
    ),
    Mutant(
        name="connection of a cancelled call that is used again",
        file=_SENDER,
        old="        if connection.is_open and connection.reader.is_reusable and loop",
        new="        if connection.is_open and loop",
        killer=_TESTS,
    ),
    Mutant(
        name="connection of a thread that is used again after half an answer",
        file="shared/adapters/aws/blocking_send.py",
        old="        except BaseException:\n            connection.close()\n",
        new="        except BaseException:\n            idle[endpoint] = connection\n",
        killer=_TESTS,
    ),
    Mutant(
        name="thread that gives each byte of an answer the whole time",
        file="shared/adapters/aws/blocking_send.py",
        old="        self._socket.settimeout(_rest(ends_at))\n        return",
        new="        self._socket.settimeout(5.0 if ends_at else None)\n        return",
        killer=_TESTS,
    ),
    Mutant(
        name="idle connection whose end is not looked for",
        file=_HTTP,
        old=" and not poller.poll(0)\n",
        new="\n",
        killer=_TESTS,
    ),
    Mutant(
        name="future that a cancelled greenlet takes from the others",
        file="shared/adapters/greenlets.py",
        old="asyncio.shield(asyncio.wrap_future(future))",
        new="asyncio.wrap_future(future)",
        killer=_GREENLETS,
    ),
    Mutant(
        name="cancelled spread whose calls go on",
        file="shared/adapters/greenlets.py",
        old="                each.cancel()\n            if unfinished:\n",
        new="                each.done()\n            if not unfinished:\n",
        killer=_GREENLETS,
    ),
    Mutant(
        name="key that a cancelled call leaves unset for ever",
        file="shared/adapters/kms/vault.py",
        old="            except BaseException as error:\n",
        new="            except Exception as error:\n",
        killer="tests/conformance/test_vault.py",
    ),
    Mutant(
        name="connection that was idle for hours",
        file=_HTTP,
        old="idle_seconds < KEEPALIVE_SECONDS and not",
        new="not",
        killer=_TESTS,
    ),
    Mutant(
        name="as many connections as calls",
        file=_SENDER,
        old="async with pool.places, asyncio",
        new="async with asyncio",
        killer=_TESTS,
    ),
    Mutant(
        name="interim response taken for the answer",
        file=_HTTP,
        old="        if status < 200:\n",
        new="        if status < 100:\n",
        killer=_TESTS,
    ),
    Mutant(
        name="endpoint without FIPS though the environment asks for it",
        file="shared/adapters/clients.py",
        old=' in region or any(environment.get(name, "").lower() == "true" for name in _FOR_THE_SDK)',
        new=" in region",
        killer=_TESTS,
    ),
    Mutant(
        name="signing key that outlives its day",
        file="shared/adapters/aws/signer.py",
        old="        if (known_day, known_secret) != (day, credentials.secret_key):\n",
        new="        if not known_day or known_secret != credentials.secret_key:\n",
        killer="tests/property/test_signatures.py",
    ),
    Mutant(
        name="signing key that outlives its credentials",
        file="shared/adapters/aws/signer.py",
        old="        if (known_day, known_secret) != (day, credentials.secret_key):\n",
        new="        if known_day != day:\n",
        killer="tests/property/test_signatures.py",
    ),
    Mutant(
        name="data key that a second greenlet waits for without giving way",
        file="shared/adapters/greenlets.py",
        old="        return wait_for(asyncio.shield(asyncio.wrap_future(future)))\n",
        new="        return future.result(timeout=0)\n",
        killer=_GREENLETS,
    ),
    Mutant(
        name="spread that makes its calls one by one",
        file="shared/adapters/greenlets.py",
        old="        places = asyncio.Semaphore(self._at_once)\n",
        new="        places = asyncio.Semaphore(1)\n",
        killer=_GREENLETS,
    ),
    Mutant(
        name="greenlet without the context of its task",
        file="shared/adapters/greenlets.py",
        old="    worker.gr_context = getcurrent().gr_context\n",
        new="",
        killer=_GREENLETS,
    ),
    Mutant(
        name="binary value of a change that is not known again",
        file="shared/adapters/dynamodb/codec/attributes.py",
        old="decode_all(stored) == decode_all(written)",
        new="stored == written",
        killer="tests/conformance/test_job_changes.py",
    ),
)
