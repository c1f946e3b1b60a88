"""All mutants, by concern."""

from tests.mutants.attempts import ATTEMPTS
from tests.mutants.backfills import BACKFILLS
from tests.mutants.callbacks import CALLBACKS
from tests.mutants.chains import CHAINS
from tests.mutants.changes import CHANGES
from tests.mutants.filing import FILING
from tests.mutants.models import MODELS
from tests.mutants.zones import ZONES

MUTANTS = (*FILING, *ATTEMPTS, *CALLBACKS, *CHAINS, *CHANGES, *BACKFILLS, *ZONES, *MODELS)
