"""The `apply` file: the jobs of a set, written in YAML, with the members of `POST /v1/jobs`.

    set: billing
    defaults:
      timezone: Europe/Berlin
    jobs:
      nightly:
        cron: 30 2 * * *
        url: https://example.com/hooks/nightly
        headers:
          X-Token: {env: HOOK_TOKEN}

The members of `schedule` and `request` stand beside the other members of a job. This package reads and writes the
file. It sends nothing, and it reads no environment variable by itself. It needs PyYAML.
"""

from punctual.applyfile.model import ApplyFile, ApplyFileError, Job, MissingVariablesError
from punctual.applyfile.reading import read_apply_file
from punctual.applyfile.writing import Section, write_apply_file

__all__ = [
    "ApplyFile",
    "ApplyFileError",
    "Job",
    "MissingVariablesError",
    "Section",
    "read_apply_file",
    "write_apply_file",
]
