"""Loops that a good engineer writes first over boto3, and the best batched ones: the ruler of the measured bench.

They sign nothing for receivers, seal nothing, and know no limits, retries or late answers. What the product does
beyond that is the product, and its cost is part of its figures.
"""
