"""Stores of the calls that a receiver has seen, for deduplication by `webhook-id`.

`memory` serves one process, and `sqlite` all processes of one machine. `redis`, `dynamodb` and `django` serve any
number of machines.
"""
