"""All mutants, by concern."""

from tests.mutants.alarms import ALARMS
from tests.mutants.alert_floods import ALERT_FLOODS
from tests.mutants.archive import ARCHIVE
from tests.mutants.archive_reading import ARCHIVE_READING
from tests.mutants.attempts import ATTEMPTS
from tests.mutants.audit_trail import AUDIT_TRAIL
from tests.mutants.backfills import BACKFILLS
from tests.mutants.bulk_operations import BULK_OPERATIONS
from tests.mutants.bulk_redrives import BULK_REDRIVES
from tests.mutants.calendars import CALENDARS
from tests.mutants.callbacks import CALLBACKS
from tests.mutants.chains import CHAINS
from tests.mutants.changes import CHANGES
from tests.mutants.clocks import CLOCKS
from tests.mutants.deletions import DELETIONS
from tests.mutants.delivery import DELIVERY
from tests.mutants.docs_page import DOCS_PAGE
from tests.mutants.expiry import EXPIRY
from tests.mutants.filing import FILING
from tests.mutants.forgetting import FORGETTING
from tests.mutants.grouping import GROUPING
from tests.mutants.identity_tokens import IDENTITY_TOKENS
from tests.mutants.indexes import INDEXES
from tests.mutants.job_keys import JOB_KEYS
from tests.mutants.limit_alerts import LIMIT_ALERTS
from tests.mutants.limits import LIMITS
from tests.mutants.maps import MAPS
from tests.mutants.models import MODELS
from tests.mutants.notifications import NOTIFICATIONS
from tests.mutants.reconciling import RECONCILING
from tests.mutants.redrives import REDRIVES
from tests.mutants.releases import RELEASES
from tests.mutants.requests import REQUESTS
from tests.mutants.retries import RETRIES
from tests.mutants.schedules import SCHEDULES
from tests.mutants.searches import SEARCHES
from tests.mutants.sender import SENDER
from tests.mutants.service_faults import SERVICE_FAULTS
from tests.mutants.signed_calls import SIGNED_CALLS
from tests.mutants.sizing import SIZING
from tests.mutants.slots import SLOTS
from tests.mutants.stages import STAGES
from tests.mutants.staging import STAGING
from tests.mutants.statistics import STATISTICS
from tests.mutants.suspensions import SUSPENSIONS
from tests.mutants.sweeps import SWEEPS
from tests.mutants.targets import TARGETS
from tests.mutants.transport import TRANSPORT
from tests.mutants.triggers import TRIGGERS
from tests.mutants.views import VIEWS
from tests.mutants.watching import WATCHING
from tests.mutants.workflows import WORKFLOWS
from tests.mutants.zones import ZONES

MUTANTS = (
    *FILING,
    *EXPIRY,
    *ATTEMPTS,
    *CALLBACKS,
    *CLOCKS,
    *SUSPENSIONS,
    *DELETIONS,
    *DELIVERY,
    *SENDER,
    *RECONCILING,
    *CHAINS,
    *CHANGES,
    *JOB_KEYS,
    *BACKFILLS,
    *REDRIVES,
    *BULK_REDRIVES,
    *BULK_OPERATIONS,
    *RELEASES,
    *REQUESTS,
    *RETRIES,
    *NOTIFICATIONS,
    *ALERT_FLOODS,
    *LIMIT_ALERTS,
    *LIMITS,
    *INDEXES,
    *SLOTS,
    *SERVICE_FAULTS,
    *SWEEPS,
    *TARGETS,
    *IDENTITY_TOKENS,
    *SIGNED_CALLS,
    *TRANSPORT,
    *GROUPING,
    *WATCHING,
    *WORKFLOWS,
    *MAPS,
    *ZONES,
    *SCHEDULES,
    *CALENDARS,
    *TRIGGERS,
    *DOCS_PAGE,
    *SIZING,
    *STAGES,
    *STAGING,
    *MODELS,
    *ALARMS,
    *ARCHIVE,
    *ARCHIVE_READING,
    *SEARCHES,
    *FORGETTING,
    *STATISTICS,
    *AUDIT_TRAIL,
    *VIEWS,
)
