"""The seams between the use cases and the world. Each has a fake in the tests and an adapter in `adapters`.

Unless said otherwise a call may raise UnavailableError: the effect is then unknown, and the same call may be
repeated. Instants are UTC in milliseconds.
"""
