"""Entry point of `python -m punctual.importers`."""

import sys

from punctual.importers.command import run, surroundings

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], surroundings()))
