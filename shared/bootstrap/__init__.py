"""Puts adapters behind ports: the one place that knows both. Each entry point asks for its own use case.

In parts, so that a watcher does not pay at its start for what only an executor needs.
"""
