"""The interfaces of the use cases to the outside. Each has a fake in `tests` and an adapter in `adapters`.

Unless stated otherwise, a call may raise UnavailableError: the effect is unknown, and the call may be repeated.
Any call may raise RequestRejectedError: the call had no effect, and the same call can never succeed. Instants are
UTC in milliseconds.
"""
