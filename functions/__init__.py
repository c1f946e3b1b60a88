"""The entry points."""

import gc

# What a start loads stays: the default of 700 makes the collector look through it 150 times.
gc.set_threshold(10_000)
