"""The OpenAPI document and its documentation page, which loads nothing from another server."""
