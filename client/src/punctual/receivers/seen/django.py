"""A store in a database of Django, through the app `punctual.receivers.django_app`."""

import time
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction

PURGE_SECONDS = 3_600


class DjangoSeen:
    """Each change is committed at once, unless the caller is inside of a transaction.

    `using` is the alias of the database. Old entries are purged once an hour. `clock` returns seconds since 1970.
    """

    def __init__(self, *, using: str = "default", clock: Callable[[], float] = time.time) -> None:
        self.using = using
        self._clock = clock
        self._purge_at = 0.0

    def get(self, call_id: str) -> str | None:
        found = self._entries().filter(pk=call_id).values_list("entry", flat=True).first()
        return None if found is None else str(found)

    def replace(self, call_id: str, before: str | None, after: str, forget_at: int) -> bool:
        self._purge()
        if before is None:
            return self._insert(call_id, after, forget_at)
        found = self._entries().filter(pk=call_id, entry=before)
        return bool(found.update(entry=after, forget_at=forget_at))

    def _insert(self, call_id: str, entry: str, forget_at: int) -> bool:
        try:
            # A savepoint, because PostgreSQL refuses everything after an error in a transaction.
            with transaction.atomic(using=self.using):
                self._entries().create(call_id=call_id, entry=entry, forget_at=forget_at)
        except IntegrityError:
            return False
        return True

    def _purge(self) -> None:
        now = self._clock()
        if now >= self._purge_at:
            self._purge_at = now + PURGE_SECONDS
            self._entries().filter(forget_at__lte=int(now)).delete()

    def _entries(self) -> Any:
        # Models can be imported only after Django is set up.
        from punctual.receivers.django_app.models import SeenCall

        return SeenCall.objects.using(self.using)
