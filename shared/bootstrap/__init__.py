"""The composition: `use_cases(ports, settings)` composes the use cases, `dynamo_ports(settings)` makes their
ports.

Functions use this composition with DynamoDB ports; tests use the same composition with fake ports.
"""
