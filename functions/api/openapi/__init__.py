"""The OpenAPI 3.1 document, generated from the route table and the schemas: `python -m functions.api.openapi`."""
