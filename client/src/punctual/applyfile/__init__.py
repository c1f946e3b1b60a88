"""The `apply` file: the jobs, workflows, calendars and triggers of a set, written in YAML, with the members of
`PUT /v1/jobs/by-key/{key}`, `PUT /v1/workflows/by-key/{key}`, `PUT /v1/calendars/{name}` and `PUT /v1/triggers/{name}`.

    set: billing
    defaults:
      timezone: Europe/Berlin
    jobs:
      nightly:
        cron: 30 2 * * *
        url: https://example.com/hooks/nightly
        headers:
          X-Token: {env: HOOK_TOKEN}
    workflows:
      order:
        tasks:
          charge: {url: https://example.com/hooks/charge}
          ship: {url: https://example.com/hooks/ship, after: [charge]}

The members of `schedule` and `request` stand beside the other members of a job. The key of this job in the API is
`billing.nightly`. This package reads and writes the file. It sends nothing, and it reads no environment variable by
itself. It needs PyYAML.
"""

from punctual.applyfile.model import (
    ApplyFileError,
    Job,
    MissingVariablesError,
    Source,
    api_key,
    source_of,
)
from punctual.applyfile.named import Named
from punctual.applyfile.reading import read_apply_file
from punctual.applyfile.workflow import ApplyFile, Workflow
from punctual.applyfile.writing import Section, variable_name, variable_names, write_apply_file

__all__ = [
    "ApplyFile",
    "ApplyFileError",
    "Job",
    "MissingVariablesError",
    "Named",
    "Section",
    "Source",
    "Workflow",
    "api_key",
    "read_apply_file",
    "source_of",
    "variable_name",
    "variable_names",
    "write_apply_file",
]
