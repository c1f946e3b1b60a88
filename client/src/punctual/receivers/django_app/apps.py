"""The configuration of the app."""

from django.apps import AppConfig


class PunctualConfig(AppConfig):  # type: ignore[misc]  # Django has no types
    """Its tables begin with `punctual_`."""

    name = "punctual.receivers.django_app"
    label = "punctual"
    verbose_name = "Punctual"
    default_auto_field = "django.db.models.BigAutoField"
