"""The OpenAPI 3.1 document, made from the routes and the schemas that the code itself uses.

`python -m functions.api.openapi` writes it.
"""
