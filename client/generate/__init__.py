"""Generates the models, the problem types and the methods of the Python client from docs/openapi.json."""
