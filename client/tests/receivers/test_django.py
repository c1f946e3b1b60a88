"""What is special in Django: transactions, and the migration of the app."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import OperationalError, transaction
from django.http import HttpResponse

from client.tests.support import django_project
from client.tests.support.calls import NEW, NOW, clock, headers_of
from client.tests.support.frameworks import in_async_django, in_atomic_django, in_django
from client.tests.support.long_work import API
from punctual.receivers import CallFailedError, LongWork, MemorySeen, ReceivedCall, Receiver
from punctual.receivers._claims import Claim
from punctual.receivers._dedupe import Done, Running
from punctual.receivers.django import receives
from punctual.receivers.seen.django import DjangoSeen


@pytest.fixture(autouse=True)
def _database() -> Iterator[None]:
    django_project.migrate()
    yield
    django_project.close()


class Shop:
    """A receiver whose work is a row in the database of its store."""

    def __init__(self, end: Callable[[ReceivedCall], Any]) -> None:
        self.row, self.execution = f"row_{uuid4().hex}", f"exe_{uuid4().hex}"
        self.seen = DjangoSeen()
        long_work = LongWork(api_url=API, start=lambda _: None)
        self.receiver = Receiver(NEW, seen=self.seen, clock=clock, long_work=long_work)

        def handle(call: ReceivedCall, _: str) -> Any:
            self.seen.replace(self.row, None, "sold", NOW + 10**9)
            return end(call)

        self._send = in_atomic_django(self.receiver, handle)

    def send(self) -> int:
        return self._send("POST", headers_of(b"{}", execution=self.execution), b"{}").status

    @property
    def is_sold(self) -> bool:
        return self.seen.get(self.row) is not None

    def other(self) -> Running | Done | None:
        return Claim(self.seen, self.execution, "other", clock).take(10)


def test_work_and_its_record_are_committed_together() -> None:
    shop = Shop(lambda _: None)
    assert shop.send() == 200
    assert (shop.is_sold, shop.other()) == (True, Done())


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (lambda _: _raise(ZeroDivisionError()), 500),
        (lambda _: _raise(CallFailedError("no", retryable=False)), 422),
        (lambda _: HttpResponse(status=503), 503),
    ],
    ids=["exception", "failure", "response"],
)
def test_failed_work_is_rolled_back_and_the_retry_is_handled(
    end: Callable[[ReceivedCall], Any], status: int
) -> None:
    shop = Shop(end)
    assert shop.send() == status
    assert (shop.is_sold, shop.other()) == (False, None)


def test_record_that_cannot_be_written_rolls_the_work_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise OSError("the store is down")

    shop = Shop(lambda _: monkeypatch.setattr(DjangoSeen, "replace", fail))
    assert shop.send() == 500
    monkeypatch.undo()
    assert not shop.is_sold


def test_commit_that_fails_releases_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record was written in the transaction, and is gone with it."""

    def fail() -> None:
        raise OperationalError("the disk is full")

    def end(_: ReceivedCall) -> None:
        monkeypatch.setattr(transaction.get_connection(), "_commit", fail)
        transaction.on_commit(lambda: pytest.fail("it was committed"))

    shop = Shop(end)
    assert shop.send() == 500
    monkeypatch.undo()
    assert (shop.is_sold, shop.other()) == (False, None)


def test_work_that_goes_on_is_not_recorded_as_done() -> None:
    shop = Shop(lambda call: call.later(print))
    assert shop.send() == 202
    assert shop.is_sold
    assert isinstance(shop.other(), Running)


@pytest.mark.parametrize("serve", [in_django, in_async_django])
def test_transaction_of_the_request_does_not_span_the_record(serve: Callable[..., Any]) -> None:
    """Else a call would be recorded as done before its work is committed. ATOMIC_REQUESTS is on in this project."""
    inside: list[bool] = []
    receiver = Receiver(NEW, seen=MemorySeen(), clock=clock)

    def handle(_: ReceivedCall, __: str) -> None:
        inside.append(transaction.get_connection().in_atomic_block)

    send = serve(receiver, handle)
    assert send("POST", headers_of(b"{}"), b"{}").status == 200
    assert inside == [False]


def test_transaction_of_work_and_record_needs_a_store_in_the_database_and_a_handler_without_async() -> None:
    with pytest.raises(TypeError, match="DjangoSeen"):
        receives(Receiver(NEW, seen=MemorySeen()), atomic=True)

    async def handle(_: ReceivedCall) -> None: ...

    with pytest.raises(TypeError, match="async"):
        receives(Receiver(NEW, seen=DjangoSeen()), atomic=True)(handle)


def test_migrations_of_the_app_are_those_of_its_models() -> None:
    call_command("makemigrations", "punctual", check=True, dry_run=True, verbosity=0)
