"""Contracts of the ports on every engine; engines run while tests of this package do."""
