"""The interfaces of the use cases to the outside. Each has a fake in `tests` and an adapter in `adapters`.

Unless stated otherwise, a call may raise UnavailableError. The effect is then unknown, and the call may be
repeated. Instants are UTC in milliseconds.
"""
