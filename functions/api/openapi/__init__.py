"""The OpenAPI 3.1 document, made from routes and schemas: `python -m functions.api.openapi`."""
