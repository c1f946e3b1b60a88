"""The Django app with the table of `DjangoSeen`: add it to `INSTALLED_APPS` and run `migrate`."""
