"""The calls that a receiver has seen."""

from django.db import models


class SeenCall(models.Model):  # type: ignore[misc]  # Django has no types
    """One entry of `DjangoSeen`."""

    call_id = models.CharField(max_length=128, primary_key=True)
    entry = models.TextField()
    """With the answer of a task of a workflow, up to 4 KiB."""
    forget_at = models.BigIntegerField(db_index=True)
    """Seconds since 1970."""
