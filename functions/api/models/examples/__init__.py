"""Examples of what clients send and get, by name. The OpenAPI document shows them; tests hold them against the schemas.

All of them are of one story: the tenant `acme` on 19 February 2025 at 21:10:12.345 UTC.
"""
