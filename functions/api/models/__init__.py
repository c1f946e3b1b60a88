"""What clients send and get, as schemas. Lengths of time end in `_seconds`, instants in `_at`."""
