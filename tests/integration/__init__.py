"""The deployed laptop stack, which runs while tests of this package do."""
