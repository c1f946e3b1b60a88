"""Tools for people who write receivers: `punctual listen`, `send`, `replay` and `verify`, without a terminal."""
