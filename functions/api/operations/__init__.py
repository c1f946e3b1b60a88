"""The operations of the API: a request that was admitted in, a value to show out.

Errors are those of the use cases, or ProblemError for the request itself.
"""
