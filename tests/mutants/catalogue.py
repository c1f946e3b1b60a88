"""All mutants, by concern."""

from tests.mutants.attempts import ATTEMPTS
from tests.mutants.chains import CHAINS
from tests.mutants.filing import FILING
from tests.mutants.models import MODELS

MUTANTS = (*FILING, *ATTEMPTS, *CHAINS, *MODELS)
