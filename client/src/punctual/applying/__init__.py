"""Applies a file of jobs and workflows: what differs from the API, and then the changes.

`wanted_jobs` reads the values that the file leaves to the environment, `make_plan` asks the API what would change,
and `carry_out` changes it: creations and changes first, deletions last. The parts can be repeated at any time, also
after a run that broke off, and beside other runs.
"""

from punctual.applying.asking import make_plan
from punctual.applying.diff import counts_of, plan_document, plan_lines
from punctual.applying.execution import Done, carry_out
from punctual.applying.exporting import Export, export_set
from punctual.applying.plan import (
    Change,
    Conflict,
    Dangling,
    Deletion,
    Plan,
    Refusal,
    named,
    nouns_of,
    prune_error,
)
from punctual.applying.wanted import WantedJob, wanted_jobs

__all__ = [
    "Change",
    "Conflict",
    "Dangling",
    "Deletion",
    "Done",
    "Export",
    "Plan",
    "Refusal",
    "WantedJob",
    "carry_out",
    "counts_of",
    "export_set",
    "make_plan",
    "named",
    "nouns_of",
    "plan_document",
    "plan_lines",
    "prune_error",
    "wanted_jobs",
]
