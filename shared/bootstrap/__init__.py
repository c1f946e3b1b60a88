"""The composition: `use_cases(ports, settings)` puts use cases together, `dynamo_ports(settings)` makes their ports.

Every function asks for the use cases that it runs, and so do the tests, over ports of their own.
"""
