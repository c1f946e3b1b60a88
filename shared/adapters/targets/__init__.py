"""Calls of targets in AWS, with the rights of tenants' roles. Loaded at the first such call, and only then."""
