"""A project of Django with one database in a file."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connections

_FOLDER = Path(tempfile.mkdtemp(prefix="punctual-django-"))
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)
URLS = ModuleType("client_tests_urls")
URLS.urlpatterns = []  # type: ignore[attr-defined]

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(_FOLDER / "django.db"),
            "ATOMIC_REQUESTS": True,
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
        }
    },
    INSTALLED_APPS=["punctual.receivers.django_app"],
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
    ROOT_URLCONF=URLS,
    USE_TZ=True,
)
django.setup()


@cache
def migrate() -> None:
    """Create the tables, once in a process."""
    call_command("migrate", verbosity=0)


def close() -> None:
    """Close the connection of this thread."""
    connections.close_all()
